#include "pipeline/rule_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/sha256.h"
#include "bundle/obligation_cache.h"
#include "calculus/fresh_names.h"
#include "rules/effort.h"
#include "rules/prove_rule.h"
#include "rules/prover.h"

namespace hallmark::pipeline {
namespace {

smt::PortfolioOptions portfolio_options(const RuleRunOptions& options) {
  smt::PortfolioOptions out = rules::solvers_for_rules();
  out.selected = options.solvers;
  return out;
}

class Run {
 public:
  Run(const std::vector<rules::RuleFamily>& families, const RuleRunOptions& options)
      : families_(families), options_(options), verdicts_(families.size()) {
    if (options.cache.empty()) return;
    const std::string context = rule_context(options.solvers);
    if (context.empty()) {
      warn("the cache is not used: this program cannot read itself");
      return;
    }
    cache_ = std::make_unique<bundle::ObligationCache>(options.cache, context);
    if (!cache_->warning().empty()) warn(cache_->warning());
  }

  std::vector<RuleVerdict> all() {
    // What is known costs no solver; only the rest is worth starting some.
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < families_.size(); ++i)
      if (!recall(i)) open.push_back(i);
    open_ = std::move(open);
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t jobs = std::min<std::size_t>(options_.jobs == 0 ? cores : options_.jobs, open_.size());
    for (std::size_t j = 0; j < jobs; ++j)
      portfolios_.push_back(std::make_unique<smt::Portfolio>(portfolio_options(options_)));
    {
      std::vector<std::jthread> threads;
      for (std::size_t j = 0; j < jobs; ++j) threads.emplace_back([this, j] { work(*portfolios_[j]); });
    }
    if (failure_) std::rethrow_exception(failure_);
    settle();
    for (std::size_t i : open_)
      if (cache_) cache_->keep(verdicts_[i].obligation);
    return std::move(verdicts_);
  }

 private:
  void warn(const std::string& text) const {
    if (options_.warn) options_.warn(text);
  }

  bool recall(std::size_t i) {
    if (!cache_) return false;
    const auto start = std::chrono::steady_clock::now();
    auto known = cache_->find(rules::family_obligation(families_[i]));
    if (!known) return false;
    verdicts_[i] = {std::move(*known), since(start), true};
    return true;
  }

  static double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void work(smt::Portfolio& portfolio) {
    try {
      for (std::size_t at = next_++; at < open_.size() && !failed_; at = next_++) {
        const std::size_t i = open_[at];
        const auto start = std::chrono::steady_clock::now();
        // The same names, hence the same queries, whatever other threads do.
        const calculus::FreshNames names;
        verdicts_[i].obligation = rules::prove_family(families_[i], portfolio);
        verdicts_[i].seconds = since(start);
        const std::lock_guard lock(mutex_);
        ++done_;
        if (options_.progress) options_.progress(done_, open_.size(), families_[i].name);
      }
    } catch (...) {
      // Handed to the caller, who ends with it: no verdict is reached.
      const std::lock_guard lock(mutex_);
      failed_ = true;
      if (!failure_) failure_ = std::current_exception();
    }
  }

  // A solver that any portfolio caught lying takes back what rested on it anywhere, also in the cache's rows.
  void settle() {
    for (RuleVerdict& v : verdicts_)
      for (const auto& portfolio : portfolios_)
        if (!v.obligation.outcome.queries.empty()) {
          v.obligation.outcome = portfolio->settle(v.obligation.outcome, smt::Rule::one_suffices);
          if (v.obligation.outcome.state != State::proved) v.obligation.strength.clear();
        }
  }

  const std::vector<rules::RuleFamily>& families_;
  const RuleRunOptions& options_;
  std::vector<RuleVerdict> verdicts_;
  std::vector<std::size_t> open_;
  std::unique_ptr<bundle::ObligationCache> cache_;
  std::vector<std::unique_ptr<smt::Portfolio>> portfolios_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

struct Row {
  std::size_t rules = 0, proved = 0, refuted = 0, unrun = 0, cached = 0;
  std::map<std::string, std::size_t> strengths;
  std::vector<double> seconds;  // of what was not cached

  void add(const RuleVerdict& v) {
    ++rules;
    const Outcome& o = v.obligation.outcome;
    ++(o.state == State::proved ? proved : o.state == State::refuted ? refuted : unrun);
    if (o.state == State::proved) ++strengths[v.obligation.strength];
    if (v.cached)
      ++cached;
    else
      seconds.push_back(v.seconds);
  }

  std::string text(const std::string& name) {
    std::sort(seconds.begin(), seconds.end());
    const auto quantile = [&](double q) {
      return seconds.empty()
                 ? 0.0
                 : seconds[std::min(seconds.size() - 1,
                                    static_cast<std::size_t>(q * static_cast<double>(seconds.size())))];
    };
    std::vector<std::string> kinds;
    for (const auto& [strength, n] : strengths) kinds.push_back(fmt::format("{} {}", strength, n));
    return fmt::format("{:<28} {:>5} {:>6} {:>7} {:>5} {:>6}  {:>7.2f} {:>7.2f} {:>7.2f}  {}\n", name, rules,
                       proved, refuted, unrun, cached, quantile(0.5), quantile(0.95),
                       seconds.empty() ? 0.0 : seconds.back(), fmt::join(kinds, ", "));
  }
};

bool closed_by(const QueryRecord& goal, const std::string& solver) {
  return std::any_of(goal.answers.begin(), goal.answers.end(),
                     [&](const SolverAnswer& a) { return a.solver == solver && a.answer == "unsat"; });
}

}  // namespace

std::vector<RuleVerdict> prove_rules(const std::vector<rules::RuleFamily>& families,
                                     const RuleRunOptions& options) {
  return Run(families, options).all();
}

std::string summary_table(const std::vector<RuleVerdict>& verdicts) {
  std::map<std::string, Row> rows;
  Row total;
  std::size_t goals = 0, both = 0;
  std::vector<std::string> single;
  std::vector<const RuleVerdict*> slow;
  for (const RuleVerdict& v : verdicts) {
    const std::string& name = v.obligation.subject;
    const std::size_t slash = name.rfind('/');
    rows[slash == std::string::npos ? name : name.substr(0, slash)].add(v);
    total.add(v);
    if (v.seconds > 10) slow.push_back(&v);
    if (v.obligation.outcome.state != State::proved) continue;
    std::size_t open = 0;
    for (const QueryRecord& q : v.obligation.outcome.queries) {
      if (q.purpose != "goal") continue;
      ++goals;
      const bool closed = std::all_of(q.answers.begin(), q.answers.end(),
                                      [&](const SolverAnswer& a) { return closed_by(q, a.solver); });
      both += closed ? 1 : 0;
      open += closed ? 0 : 1;
    }
    if (open != 0) single.push_back(fmt::format("{} ({})", name, open));
  }
  std::string out =
      fmt::format("{:<28} {:>5} {:>6} {:>7} {:>5} {:>6}  {:>7} {:>7} {:>7}  {}\n", "family", "rules",
                  "proved", "refuted", "unrun", "cached", "median", "95 %", "slowest", "strength");
  for (auto& [name, row] : rows) out += row.text(name);
  out += total.text("all");
  for (const auto& [strength, n] : total.strengths)
    out += fmt::format("{}: {}\n", strength, rules::strength_text(strength));
  if (goals != 0)
    out += fmt::format("{} of {} queries closed by both solvers ({:.1f} %)\n", both, goals,
                       100.0 * static_cast<double>(both) / static_cast<double>(goals));
  if (!single.empty()) out += fmt::format("closed by one alone: {}\n", fmt::join(single, ", "));
  for (const RuleVerdict* v : slow)
    out += fmt::format("over 10 s: {} {:.1f} s\n", v->obligation.subject, v->seconds);
  return out;
}

bundle::Observations observations_of(const std::vector<RuleVerdict>& verdicts) {
  bundle::Observations out;
  for (const RuleVerdict& v : verdicts)
    out.obligations[v.obligation.id] = {v.cached ? "cached" : "fresh", fmt::format("{:.3f}", v.seconds)};
  return out;
}

std::string rule_context(const std::vector<std::string>& solvers) {
  std::string all = "hallmark-rules-1\n";
  try {
    all += sha256_file("/proc/self/exe") + "\n";
  } catch (const UserError&) {
    return {};
  }
  RuleRunOptions options;
  options.solvers = solvers;
  const smt::PortfolioOptions portfolio = portfolio_options(options);
  for (const smt::SolverIdentity& id : smt::Portfolio(portfolio).identities()) {
    all += fmt::format("{}\n{}\n{}\n{}\n{}\n", id.name, id.version, id.binary_sha256, id.options, id.seed);
    for (const auto& [name, digest] : id.libraries) all += name + " " + digest + "\n";
  }
  for (const smt::Budget& b : {portfolio.budget, portfolio.probe_budget})
    all += fmt::format("{} {} {} {}\n", b.z3_units, b.cvc5_units, b.wall.count(), b.memory_bytes);
  return sha256_hex(all);
}

}  // namespace hallmark::pipeline
