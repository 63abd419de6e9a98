#include "bundle/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "base/error.h"
#include "bundle/explain.h"
#include "bundle/fields.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/say.h"
#include "pipeline/again.h"
#include "pipeline/reproducer.h"
#include "pipeline/shrink.h"
#include "smt/foreign.h"
#include "smt/portfolio.h"

namespace hallmark::cli {
namespace {

struct Options {
  std::string folder, id, reproducer, model;
  std::vector<std::string> programs;  // other solvers, by path
  double budget = 1;
  unsigned stability = 0;
  bool explain = false, shrink = false;
};

smt::Budget scaled(double factor) {
  smt::Budget out;
  out.z3_units = static_cast<unsigned long>(static_cast<double>(out.z3_units) * factor);
  out.cvc5_units = static_cast<unsigned long>(static_cast<double>(out.cvc5_units) * factor);
  out.wall = std::chrono::milliseconds(
      static_cast<long>(static_cast<double>(out.wall.count()) * std::max(1.0, factor)));
  return out;
}

bool is_path(const std::string& solver) {
  return solver.find('/') != std::string::npos;
}

// A program in the working folder is that program, also where a known solver bears its name.
std::vector<std::string> as_paths(std::vector<std::string> programs) {
  for (std::string& program : programs)
    if (!is_path(program)) program = "./" + program;
  return programs;
}

std::vector<std::string> known_solvers() {
  std::vector<std::string> out;
  for (const smt::SolverProgram& program : smt::PortfolioOptions().wanted) out.push_back(program.name);
  return out;
}

class Replayer {
 public:
  Replayer(const Options& o, const Common& common)
      : o_(o),
        common_(common),
        programs_(as_paths(o.programs)),
        budget_(scaled(o.budget)),
        opened_(bundle::open_bundle(o.folder)) {
    if (!opened_.receipt) throw UserError("E5402", "the bundle has no readable receipt", {o.folder});
    if (const auto& findings = opened_.findings; !findings.empty())
      throw UserError("E5402",
                      "the bundle does not check, nothing is replayed from it: " + findings[0].where + ": " +
                          findings[0].message,
                      {o.folder});
  }

  int run() {
    if (o_.id.empty()) return all();
    const Obligation* obligation = nullptr;
    for (const Obligation& candidate : opened_.receipt->obligations)
      if (candidate.id == o_.id) obligation = &candidate;
    Obligation smaller;
    if (o_.shrink && obligation != nullptr) {
      smaller = *obligation;
      const std::optional<Witness> found =
          pipeline::shrink(opened_, *obligation, effort(common_), progress());
      if (found) smaller.outcome.witness = found;
      show("{}\n", found ? "smaller witness: " + found->summary : "no smaller witness was found");
      if (found)
        for (const auto& [name, value] : found->bindings)
          if (value.find('(') == std::string::npos) show("  {} = {}\n", name, value);
    }
    if (o_.explain && obligation != nullptr)
      std::cout << bundle::for_terminal(bundle::explain(opened_, o_.id)) << "\n";
    if (!o_.reproducer.empty() && obligation != nullptr) {
      pipeline::write_reproducer(opened_, o_.shrink ? smaller : *obligation, o_.reproducer);
      show("reproducer: {}/replay.sh\n", o_.reproducer);
    }
    if (o_.stability > 0) return stability();
    const bundle::ReplayResult result = one(o_.id, 0);
    std::cout << bundle::for_terminal(bundle::render_replay(result));
    return result.exit_code();
  }

 private:
  bundle::ReplayResult one(const std::string& id, unsigned seed) {
    bundle::ReplayOptions options;
    // A solver given by its path is asked alone, unless solvers are named too.
    options.solvers =
        programs_.empty() || common_.solvers_given ? solver_list(common_) : std::vector<std::string>();
    options.solvers.insert(options.solvers.end(), programs_.begin(), programs_.end());
    options.failed_checks = [&](const std::string& solver) { return failed_checks(solver); };
    options.referees = known_solvers();
    options.ask = [&, seed](const std::string& solver, const std::string& text) {
      if (is_path(solver)) return smt::recorded(solver, smt::ask_program(solver, text, budget_));
      return smt::recorded(solver, portfolio(seed).replay(solver, text));
    };
    options.derive_again = [&](const bundle::OpenBundle&, const Obligation& o) -> std::optional<Obligation> {
      if (!again_) {
        // Whoever is asked about the recorded queries: deriving them takes all solvers that are here.
        pipeline::Effort all = effort(common_);
        all.solvers.clear();
        again_ = std::make_unique<pipeline::Again>(opened_, all, progress(), o_.model);
      }
      // Of many obligations the statements alone are derived: discharging all of them is `audit`.
      if (o_.id.empty() && o.outcome.state != State::refuted)
        return again_->follows(o) ? std::optional(o) : std::nullopt;
      if (!discharged_ || discharged_->id != o.id) discharged_ = again_->discharged(o);
      return discharged_;
    };
    return bundle::replay(opened_, id, options);
  }

  // Once a program; a known solver is checked whenever a process of it starts.
  const std::string& failed_checks(const std::string& solver) {
    const auto known = checked_.find(solver);
    if (known != checked_.end()) return known->second;
    return checked_[solver] = is_path(solver) ? smt::failed_checks(solver, budget_) : std::string();
  }

  // Each seed has processes of its own.
  smt::Portfolio& portfolio(unsigned seed) {
    std::unique_ptr<smt::Portfolio>& out = portfolios_[seed];
    if (!out) {
      smt::PortfolioOptions options;
      options.seed = seed;
      options.budget = budget_;
      out = std::make_unique<smt::Portfolio>(options);
    }
    return *out;
  }

  int all() {
    for (const std::string& program : programs_)
      if (const std::string& why = failed_checks(program); !why.empty()) {
        show("UNREPLAYABLE: {} failed its checks, nothing was asked: {}\n", program,
             bundle::for_terminal(bundle::one_line(bundle::valid_utf8(why))));
        return undecided;
      }
    bool disagreement = false;
    std::size_t confirmed = 0, contradicted = 0, unreplayable = 0;
    for (const Obligation& obligation : opened_.receipt->obligations) {
      if (obligation.outcome.queries.empty() && !obligation.outcome.witness) continue;
      const bundle::ReplayResult result = one(obligation.id, 0);
      if (result.grade == bundle::Replay::confirmed)
        ++confirmed;
      else if (result.grade == bundle::Replay::contradicted)
        ++contradicted;
      else
        ++unreplayable;
      disagreement = disagreement || result.disagreement;
      if (result.grade != bundle::Replay::confirmed)
        std::cout << bundle::for_terminal(bundle::render_replay(result)) << "  "
                  << bundle::replay_command(o_.folder, obligation) << "\n";
    }
    show("{} confirmed, {} refuted, {} not replayable\n", confirmed, contradicted, unreplayable);
    return contradicted != 0 || disagreement     ? refuted
           : unreplayable != 0 || confirmed == 0 ? undecided
                                                 : met;
  }

  // The same queries under several seeds: whether every seed gives the same answers, and how many do not.
  int stability() {
    std::map<std::string, std::map<std::string, unsigned>> spread;  // query and solver -> answer -> number
    int worst = met;
    bool contradicted = false;
    std::string dispute;
    for (unsigned seed = 0; seed < o_.stability; ++seed) {
      const bundle::ReplayResult result = one(o_.id, seed);
      // Nobody was asked, and under another seed nobody will be.
      if (result.queries.empty() && result.grade == bundle::Replay::unreplayable)
        return one_line("UNREPLAYABLE", result.detail, undecided);
      contradicted = contradicted || result.grade == bundle::Replay::contradicted;
      if (result.disagreement) dispute = result.detail;
      for (const bundle::ReplayedQuery& query : result.queries)
        ++spread[query.sha256.substr(0, 16) + " " + query.purpose + " " + query.now.solver][query.now.answer];
      if (worst != refuted && result.exit_code() != met) worst = result.exit_code();
      portfolios_.clear();
    }
    if (spread.empty()) return one_line("UNREPLAYABLE", "no query was recorded", undecided);
    bool stable = true, opposite = false;
    for (const auto& [query, answers] : spread) {
      std::string line;
      for (const auto& [answer, n] : answers) line += fmt::format("  {} {}", answer, n);
      show("{}{}\n", query, line);
      stable = stable && answers.size() == 1;
      opposite = opposite || (answers.contains("sat") && answers.contains("unsat"));
    }
    // Who contradicts himself has no say about the record: an alarm, as when two solvers do it.
    if (opposite) return one_line("UNREPLAYABLE", "one solver says sat and unsat to one query", refuted);
    if (contradicted) return one_line("REFUTED", "an answer is the opposite of the recorded one", refuted);
    if (!dispute.empty()) return one_line("UNREPLAYABLE", dispute, refuted);
    return one_line(stable ? "STABLE" : "UNSTABLE", fmt::format("{} seeds", o_.stability),
                    stable ? worst : undecided);
  }

  int one_line(const char* grade, const std::string& detail, int code) const {
    show("{} {}: {}\n", grade, o_.id, bundle::for_terminal(detail));
    return code;
  }

  const Options& o_;
  const Common& common_;
  std::vector<std::string> programs_;
  smt::Budget budget_;
  bundle::OpenBundle opened_;
  std::map<unsigned, std::unique_ptr<smt::Portfolio>> portfolios_;
  std::map<std::string, std::string> checked_;  // solver -> why it failed its checks, or nothing
  std::unique_ptr<pipeline::Again> again_;
  std::optional<Obligation> discharged_;
};

}  // namespace

void add_replay(Registration r) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      r.app.add_subcommand("replay", "ask the recorded queries of one obligation again, or of all");
  command->add_option("bundle", o->folder, "bundle folder")->required();
  command->add_option("id", o->id, "obligation, for example value/relu/ptx; default: all that have queries");
  command
      ->add_option("--solver", o->programs,
                   "any SMT-LIB 2 solver by its path: it is started as PATH FILE.smt2, and asked only if "
                   "it answers known texts rightly")
      ->check(CLI::ExistingFile);
  command->add_option("--model", o->model, "the model, where the bundle withholds it")
      ->check(CLI::ExistingFile);
  command->add_option("--budget", o->budget, "times the recorded resource limit")->check(CLI::PositiveNumber);
  command->add_option("--stability", o->stability, "ask under this many seeds and report the spread");
  command->add_flag("--explain", o->explain, "first say what is claimed and where it stands");
  command->add_option(
      "--reproducer", o->reproducer,
      "write a stand-alone folder: queries, tensors, texts, a program that shows the difference, script");
  command->add_flag("--shrink", o->shrink,
                    "look for a smaller witness of a refutation; --reproducer then writes that one");
  command->callback([r, o] {
    r.chosen = [r, o] {
      if (o->id.empty() && (o->stability > 0 || o->explain || o->shrink || !o->reproducer.empty()))
        throw UserError("E9107",
                        "--stability, --explain, --shrink and --reproducer need the id of one obligation");
      return Replayer(*o, r.common).run();
    };
  });
}

}  // namespace hallmark::cli
