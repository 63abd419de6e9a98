#include "pipeline/evidence.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/sha256.h"
#include "calculus/fresh_names.h"
#include "calculus/text/text.h"
#include "evaluator/evaluator.h"
#include "numerics/admission.h"
#include "pipeline/conditions.h"
#include "pipeline/elements.h"
#include "pipeline/shrink.h"
#include "rules/prove_rule.h"
#include "rules/whole.h"
#include "validator/checks/obligations.h"
#include "validator/launch/plan_checks.h"
#include "validator/symbolic/encode.h"

namespace hallmark::pipeline {
namespace {

using calculus::Program;

// A step as the program text of each side: closed, self-contained, and what is proved again.
std::string side_text(const search::Step& step, const std::vector<calculus::Definition>& side,
                      const Program& authored) {
  Program p;
  p.symbols = authored.symbols;
  p.inputs = step.tensors;
  p.definitions = side;
  p.outputs = {side.back().declaration.name};
  return calculus::text::print_program(p);
}

// What a step about Z takes for granted of the elements of its tensors.
std::string ranges_text(const search::Step& step) {
  if (!step.unbounded) return {};
  std::string out = "No operation on integers wraps, where\n";
  for (const auto& [tensor, range] : step.ranges)
    out += fmt::format("  {} <= {} <= {}\n", range.low.get_str(), tensor, range.high.get_str());
  return out;
}

// The ranges of a step follow from the contract and the authored program, or why not.
std::string unfounded_range(const search::Step& step, const Program& authored,
                            const contract::Contract& contract) {
  if (!step.unbounded) return {};
  const rules::WholeRanges known =
      rules::with_definitions(authored.definitions, authored.symbols, whole_ranges(authored, contract));
  for (const auto& [tensor, range] : step.ranges) {
    const auto at = known.find(tensor);
    if (at == known.end() || at->second.low < range.low || range.high < at->second.high)
      return fmt::format("the elements of {} are not shown to be from {} to {}", tensor, range.low.get_str(),
                         range.high.get_str());
  }
  return {};
}

// The elected program is the authored one with the steps applied: replayed by congruence alone.
Obligation connection_obligation(const Evidence& e) {
  Obligation o;
  o.kind = ObligationKind::rewrite_step;
  o.level = Level::plan;
  o.subject = "explanation";
  o.id = "rewrite-step/explanation/plan";
  o.statement = "The steps connect the elected program with the authored one.\n" +
                calculus::text::print_program(e.authored) + calculus::text::print_program(e.elected);
  for (const search::Step& step : e.steps)
    o.statement += side_text(step, step.left, e.authored) + side_text(step, step.right, e.authored);
  o.scope = "the shapes of the contract";
  return o;
}

numerics::AdmissionInput admission_input(const Evidence& e) {
  return {e.elected, e.formulation.program, e.formulation.constants, e.contract};
}

}  // namespace

numerics::WitnessOptions witness_options(unsigned jobs) {
  numerics::WitnessOptions options;
  options.simulate = [jobs](const Program& formulation, const numerics::Point& point) {
    evaluator::Options evaluation;
    evaluation.jobs = jobs == 0 ? std::thread::hardware_concurrency() : jobs;
    evaluator::Symbols symbols;
    for (const auto& [name, value] : point.symbols) symbols[name] = to_i64(value).value();
    evaluator::Tensors inputs;
    for (const auto& [name, data] : point.inputs)
      inputs[name] = evaluator::Tensor(std::make_shared<const calculus::TensorData>(data));
    std::map<std::string, calculus::TensorData> out;
    for (const auto& [name, tensor] : evaluator::evaluate(formulation, symbols, inputs, evaluation))
      out[name] = *tensor.data();
    return out;
  };
  return options;
}

namespace {

class Lister {
 public:
  Lister(const Evidence& e, const ArtifactTexts& texts)
      : e_(e),
        texts_(texts),
        specs_(plan::derive_specs(e.formulation.program, e.plan,
                                  element_ranges(e.formulation.program, e.contract))) {}

  std::vector<Obligation> all() {
    std::vector<Obligation> out = rules();
    append(out, steps());
    if (std::optional<Obligation> conditions = conditions_obligation(e_))
      out.push_back(std::move(*conditions));
    append(out, numerics::list_admission_obligations(admission_input(e_)));
    append(out, validator::list_plan_obligations(e_.formulation.program, e_.plan));
    out.push_back(module());
    for (std::size_t i = 0; i < specs_.size(); ++i)
      for (Level level : {Level::source, Level::ptx}) append(out, kernel(i, level));
    return out;
  }

  std::vector<Obligation> rules() const {
    std::vector<Obligation> out;
    for (const rules::RuleFamily& family : e_.rules) out.push_back(rules::family_obligation(family));
    return out;
  }
  std::vector<Obligation> steps() const {
    std::vector<Obligation> out;
    for (std::size_t i = 0; i < e_.steps.size(); ++i)
      out.push_back(step_obligation(e_.steps[i], i, e_.authored));
    out.push_back(connection_obligation(e_));
    return out;
  }
  Obligation module() const {
    Obligation o;
    o.kind = ObligationKind::launch;
    o.level = Level::ptx;
    o.subject = "kernels.ptx";  // no kernel has such a name
    o.id = "launch/kernels.ptx/ptx";
    o.statement = "The PTX, by its version and target, is for a device of compute capability " +
                  e_.compute_capability + ".";
    o.scope = "compute capability " + e_.compute_capability;
    return o;
  }
  std::vector<Obligation> kernel(std::size_t i, Level level) const {
    return list_kernel_obligations(specs_[i], texts_.find(specs_[i].kernel, level), level);
  }
  const std::vector<plan::KernelSpec>& specs() const { return specs_; }

 private:
  static void append(std::vector<Obligation>& out, std::vector<Obligation> more) {
    out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  const Evidence& e_;
  const ArtifactTexts& texts_;
  std::vector<plan::KernelSpec> specs_;
};

Outcome syntactic() {
  Outcome out;
  out.state = State::proved;
  out.reason = Reason::none;
  out.discharged_by = {"syntactic"};
  return out;
}

Outcome discharge_claims(const std::vector<validator::Claim>& claims, smt::Portfolio& portfolio) {
  if (claims.empty()) return syntactic();
  std::deque<smt::Arena> arenas;
  std::vector<smt::Query> queries;
  for (const validator::Claim& claim : claims) {
    smt::Arena& arena = arenas.emplace_back();
    validator::Encoder encoder(arena);
    smt::Query query;
    for (calculus::Term fact : claim.scope->facts()) query.hypotheses.push_back({"", encoder.encode(fact)});
    query.goal = encoder.encode(claim.goal);
    for (smt::Term definition : encoder.definitions(claim.scope.get()))
      query.hypotheses.push_back({"definition", definition});
    queries.push_back(std::move(query));
  }
  std::vector<Outcome> parts;
  for (smt::Decision& decision : portfolio.decide_all(queries)) parts.push_back(std::move(decision.outcome));
  return portfolio.conjoin(parts, smt::Rule::both);
}

// Stops the solvers at the deadline; whoever waits for an answer gets `interrupted`.
class Alarm {
 public:
  Alarm(smt::Portfolio& portfolio, std::optional<std::chrono::steady_clock::time_point> deadline)
      : deadline_(deadline) {
    add(portfolio);
    if (deadline)
      thread_ = std::thread([this] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_until(lock, *deadline_, [&] { return done_; })) return;
        rung_ = true;
        for (smt::Portfolio* p : portfolios_) p->interrupt();
      });
  }
  ~Alarm() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  bool passed() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }
  // Portfolios that are to be stopped too, as long as they stand here.
  void add(smt::Portfolio& portfolio) {
    const std::lock_guard lock(mutex_);
    portfolios_.insert(&portfolio);
    if (rung_) portfolio.interrupt();
  }
  void remove(smt::Portfolio& portfolio) {
    const std::lock_guard lock(mutex_);
    portfolios_.erase(&portfolio);
  }

 private:
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false, rung_ = false;
  std::set<smt::Portfolio*> portfolios_;
  std::thread thread_;
};

class Discharger {
 public:
  Discharger(std::vector<Obligation>& list, const Evidence& e, const ArtifactTexts& texts,
             smt::Portfolio& portfolio, const Progress& progress, const DischargeOptions& options)
      : lister_(e, texts),
        e_(e),
        texts_(texts),
        portfolio_(portfolio),
        progress_(progress),
        options_(options),
        alarm_(portfolio, options.deadline) {
    for (Obligation& o : list) by_id_[o.id] = &o;
  }

  void run() {
    for (std::size_t i = 0; i < e_.rules.size(); ++i)
      group({rules::family_obligation(e_.rules[i])}, "rules", i, e_.rules.size(),
            [&](std::vector<Obligation>& list) { list[0] = rules::prove_family(e_.rules[i], portfolio_); });
    for (std::size_t i = 0; i < e_.steps.size(); ++i)
      group({step_obligation(e_.steps[i], i, e_.authored)}, "steps", i, e_.steps.size(),
            [&](std::vector<Obligation>& list) { list[0] = prove_step(e_, i, portfolio_); });
    group({connection_obligation(e_)}, "explanation", 0, 1, [&](std::vector<Obligation>& list) {
      const std::string failure = search::check_explanation(e_.authored, e_.elected, e_.steps);
      list[0].outcome = failure.empty() ? syntactic() : Outcome::unrun(Reason::gave_up, failure);
    });
    if (const std::optional<Obligation> conditions = conditions_obligation(e_))
      group({*conditions}, "sizes", 0, 1, [&](std::vector<Obligation>& list) {
        const ConditionsFinding found = examine_conditions(e_.authored, probe());
        list[0].outcome = found.holds ? discharge_claims(found.claims, portfolio_)
                                      : Outcome::unrun(found.reason, found.failure);
      });
    const numerics::AdmissionInput input = admission_input(e_);
    group(numerics::list_admission_obligations(input), "numerics", 0, 1, [&](std::vector<Obligation>& list) {
      numerics::discharge_admission(list, input, witness_options(options_.jobs));
    });
    group(validator::list_plan_obligations(e_.formulation.program, e_.plan), "launch plan", 0, 1,
          [&](std::vector<Obligation>& list) { launch_plan(list); });
    group({lister_.module()}, "module", 0, 1,
          [&](std::vector<Obligation>& list) { list[0].outcome = texts_.loads_on(e_.compute_capability); });
    kernels();
    // A solver that was convicted late takes back what rested on it.
    for (auto& [id, o] : by_id_)
      if (!o->outcome.queries.empty()) o->outcome = portfolio_.settle(o->outcome, smt::default_rule(o->kind));
  }

 private:
  // Each kernel and level by whichever thread is free; each thread has its own solvers. Nothing of an outcome
  // depends on which one it was.
  void kernels() {
    const std::size_t count = 2 * lister_.specs().size();
    const std::size_t wanted = options_.jobs == 0 ? std::thread::hardware_concurrency() : options_.jobs;
    const std::size_t threads = std::max<std::size_t>(1, std::min(wanted, count));
    std::atomic<std::size_t> next{0};
    const auto work = [&](smt::Portfolio& portfolio) {
      for (std::size_t n = next++; n < count; n = next++)
        kernel_group(n / 2, n % 2 == 0 ? Level::source : Level::ptx, portfolio);
    };
    if (threads == 1) {
      work(portfolio_);
    } else {
      std::vector<std::unique_ptr<smt::Portfolio>> portfolios;
      for (std::size_t t = 0; t < threads; ++t) {
        portfolios.push_back(std::make_unique<smt::Portfolio>(portfolio_.options()));
        alarm_.add(*portfolios.back());
      }
      // What a thread throws ends the run, as it would without threads: no verdict is reached.
      std::vector<std::exception_ptr> failures(threads);
      std::vector<std::thread> running;
      for (std::size_t t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
          try {
            work(*portfolios[t]);
          } catch (...) {
            failures[t] = std::current_exception();
            next = count;
          }
        });
      for (std::thread& thread : running) thread.join();
      for (const auto& portfolio : portfolios) alarm_.remove(*portfolio);
      for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    }
  }

  void kernel_group(std::size_t i, Level level, smt::Portfolio& portfolio) {
    const auto& specs = lister_.specs();
    group(
        lister_.kernel(i, level), fmt::format("{} ({})", specs[i].kernel, name(level)), i, specs.size(),
        [&](std::vector<Obligation>& list) {
          const calculus::FreshNames names;
          kernel(list, i, level, portfolio);
        },
        &portfolio);
  }

  // Obligations that are solved together, with solvers of their own where `own` is not the run's portfolio.
  template <typename Solve>
  void group(std::vector<Obligation> list, const std::string& stage, std::size_t done, std::size_t total,
             const Solve& solve, smt::Portfolio* own = nullptr) {
    std::unique_lock lock(mutex_);
    if (!wanted(list)) return;
    if (options_.recall == nullptr || !options_.recall->find_all(list)) {
      if (alarm_.passed()) {
        for (Obligation& o : list) o.outcome = late();
      } else {
        progress_(stage, done, total);
        lock.unlock();
        const auto start = std::chrono::steady_clock::now();
        solve(list);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        // What was still open when the clock ran out might have been decided.
        if (alarm_.passed())
          for (Obligation& o : list)
            if (o.outcome.state == State::unrun) o.outcome = late();
        lock.lock();
        if (own != nullptr && own != &portfolio_) portfolio_.absorb(*own);
        keep(list, seconds);
      }
    }
    for (const Obligation& o : list) take(o);
  }

  bool wanted(const std::vector<Obligation>& list) const {
    return options_.only.empty() || std::any_of(list.begin(), list.end(), [&](const Obligation& o) {
             return options_.only.contains(o.id);
           });
  }

  void keep(const std::vector<Obligation>& list, double seconds) const {
    if (options_.recall == nullptr) return;
    for (const Obligation& o : list) options_.recall->keep(o, seconds / static_cast<double>(list.size()));
  }

  static Outcome late() {
    return Outcome::unrun(Reason::interrupted, "the deadline of this run passed before it was decided");
  }

  void take(const Obligation& o) {
    const auto found = by_id_.find(o.id);
    ensure(found != by_id_.end(), "an obligation that was not listed: " + o.id);
    Obligation& mine = *found->second;
    ensure(mine.statement == o.statement, "the statement of " + o.id + " changed after it was listed");
    mine.outcome = o.outcome;
    mine.strength = o.strength;
    mine.scope = o.scope;
    if (mine.location == Location{}) mine.location = o.location;
  }

  validator::Prover::Probe probe() {
    return [this](const std::vector<calculus::Term>& facts, calculus::Term goal) {
      smt::Arena arena;
      validator::Encoder encoder(arena);
      smt::Query query;
      for (calculus::Term fact : facts) query.hypotheses.push_back({"", encoder.encode(fact)});
      query.goal = encoder.encode(goal);
      for (smt::Term definition : encoder.definitions(validator::Context::make(facts).get()))
        query.hypotheses.push_back({"definition", definition});
      return portfolio_.seems_to_hold(query);
    };
  }

  void launch_plan(std::vector<Obligation>& list) {
    const std::vector<validator::PlanFinding> findings =
        validator::examine_plan(e_.formulation.program, e_.plan, probe());
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].outcome = findings[i].holds ? discharge_claims(findings[i].claims, portfolio_)
                                          : Outcome::unrun(Reason::gave_up, findings[i].failure);
      if (list[i].outcome.state == State::proved) list[i].outcome.assumptions = findings[i].assumptions;
    }
  }

  void kernel(std::vector<Obligation>& list, std::size_t i, Level level, smt::Portfolio& portfolio) {
    try {
      discharge_kernel(list, lister_.specs()[i], texts_.find(lister_.specs()[i].kernel, level), level,
                       portfolio);
    } catch (const Refusal& refusal) {
      for (Obligation& o : list) o.outcome = Outcome::unrun(Reason::unsupported, refusal.render());
    }
  }

  Lister lister_;
  const Evidence& e_;
  const ArtifactTexts& texts_;
  smt::Portfolio& portfolio_;
  const Progress& progress_;
  const DischargeOptions& options_;
  Alarm alarm_;
  std::mutex mutex_;  // recall, progress, the run's portfolio and by_id_ while kernels are discharged
  std::map<std::string, Obligation*> by_id_;
};

}  // namespace

Obligation step_obligation(const search::Step& step, std::size_t index, const Program& authored) {
  Obligation o;
  o.kind = ObligationKind::rewrite_step;
  o.level = Level::plan;
  o.subject = fmt::format("step {}: {}", index, step.rule);
  o.id = fmt::format("rewrite-step/{}:{}/plan", index, step.rule);
  o.statement = "Both programs have the same value over the reals.\n" + ranges_text(step) +
                side_text(step, step.left, authored) + side_text(step, step.right, authored);
  o.scope = authored.symbols.empty() ? "the shapes of the contract"
                                     : "the shapes of the contract, symbolic where it is";
  return o;
}

rules::Rule step_rule(const search::Step& step, const Program& authored) {
  rules::Rule rule;
  rule.name = step.rule;
  rule.symbols = authored.symbols;
  rule.requirements = authored.preconditions;
  rule.tensors = step.tensors;
  rule.left = step.left;
  rule.right = step.right;
  rule.unbounded = step.unbounded;
  return rule;
}

std::vector<Obligation> list_obligations(const Evidence& evidence, const ArtifactTexts& texts) {
  return Lister(evidence, texts).all();
}

void discharge(std::vector<Obligation>& obligations, const Evidence& evidence, const ArtifactTexts& texts,
               smt::Portfolio& portfolio, const Progress& progress, const DischargeOptions& options) {
  Discharger(obligations, evidence, texts, portfolio, progress, options).run();
}

Obligation prove_step(const Evidence& evidence, std::size_t index, smt::Portfolio& portfolio) {
  const search::Step& step = evidence.steps.at(index);
  Obligation out = step_obligation(step, index, evidence.authored);
  if (const std::string unfounded = unfounded_range(step, evidence.authored, evidence.contract);
      !unfounded.empty()) {
    out.outcome = Outcome::unrun(Reason::gap, unfounded);
    return out;
  }
  const rules::Rule rule = step_rule(step, evidence.authored);
  const Obligation proved = step.unbounded ? rules::prove_where_nothing_wraps(rule, step.ranges, portfolio)
                                           : rules::prove_instance(rule, portfolio);
  out.outcome = proved.outcome;
  out.strength = proved.strength;
  return out;
}

}  // namespace hallmark::pipeline
