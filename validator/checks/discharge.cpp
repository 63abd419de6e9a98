#include "validator/checks/discharge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "validator/checks/definitions.h"
#include "validator/checks/examine.h"
#include "validator/checks/experiment.h"
#include "validator/checks/large_launch.h"
#include "validator/checks/launch_limits.h"
#include "validator/checks/literals.h"
#include "validator/checks/match.h"
#include "validator/checks/outside.h"
#include "validator/checks/portfolio_probe.h"
#include "validator/ir/contraction.h"
#include "validator/symbolic/digits.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/probe.h"

namespace hallmark::validator {

using calculus::Term;
using Kind = ObligationKind;

namespace {

bool speaks_of_digits(const Claim& claim) {
  const std::vector<Term>& facts = claim.scope->facts();
  return std::any_of(facts.begin(), facts.end(), [](Term fact) { return validator::speaks_of_digits(fact); });
}

class Discharge {
 public:
  Discharge(const plan::KernelSpec& spec, const ir::Kernel& kernel, Level level, smt::Portfolio& portfolio,
            const DischargeOptions& options)
      : spec_(spec),
        kernel_(kernel),
        portfolio_(portfolio),
        options_(options),
        literals_(with_kernel_literals(spec, kernel)),
        examiner_(literals_.spec, kernel, level, portfolio_probe(portfolio)) {}

  void run(std::vector<Obligation>& obligations) {
    find_places(obligations);
    if (vacuous()) {
      for (Obligation& o : obligations)
        o.outcome = Outcome::unrun(Reason::vacuous, "no values of the symbols meet the requirements");
      return;
    }
    experiments();
    if (spec_.equality == plan::Equality::bits && ir::fusible_additions(kernel_).empty() &&
        shows_other_values())
      examiner_.value_differs();
    const std::vector<Finding> findings = examiner_.examine(obligations);
    const std::vector<Outcome> execution = confirm(examiner_.execution_claims());
    for (std::size_t i = 0; i < obligations.size(); ++i)
      obligations[i].outcome = outcome(obligations[i], findings[i], execution);
    rest_on_others(obligations);
    for (std::size_t i = 0; i < obligations.size(); ++i)
      if (obligations[i].outcome.state == State::unrun) refute(obligations[i], findings[i]);
    for (const Obligation& o : obligations) {
      if (o.outcome.state == State::proved) contradict(o);
      check_well_formed(o);
    }
  }

 private:
  // A value rests on the writer that inversion finds being the only one, and on everything being written. Its
  // own loads are inside their buffers, because they are the specification's; a load outside must not decide
  // anything (outside.h). What a load outside a buffer gives is undefined, so that initialisation rests on
  // the bounds of loads.
  void rest_on_others(std::vector<Obligation>& obligations) const {
    const auto open = [&](auto matters) -> const Obligation* {
      for (const Obligation& o : obligations)
        if (o.outcome.state != State::proved && matters(o)) return &o;
      return nullptr;
    };
    const auto needs = [&](Kind kind, const Obligation* missing) {
      for (Obligation& o : obligations)
        if (missing != nullptr && o.kind == kind && o.outcome.state == State::proved)
          o.outcome = Outcome::unrun(Reason::gave_up,
                                     "it holds only together with " + missing->id + ", which is not proved");
    };
    const bool claims_values = spec_.equality != plan::Equality::safety && !spec_.ensures.empty();
    std::vector<Site> outside;
    for (const Obligation& o : obligations)
      if (o.kind == Kind::bounds && o.outcome.state != State::proved &&
          o.id.find(" load ") != std::string::npos)
        outside.push_back(sites_.at(o.id));
    const auto is_open_load = [](const Obligation& o) {
      return o.kind == Kind::bounds && o.id.find(" load ") != std::string::npos;
    };
    // What decides may decide where is written, and whether and when, as well.
    if (may_decide(kernel_, outside))
      for (const Kind kind : {Kind::bounds, Kind::alignment, Kind::overflow, Kind::race, Kind::barrier,
                              Kind::shuffle, Kind::termination, Kind::coverage, Kind::frame, Kind::value})
        needs(kind, open(is_open_load));
    if (claims_values)
      needs(Kind::value, open([](const Obligation& o) {
              switch (o.kind) {
                case Kind::race:
                case Kind::init:
                case Kind::coverage:
                case Kind::barrier:
                case Kind::shuffle:
                case Kind::termination:
                  return true;
                case Kind::bounds:
                  return o.id.find(" load ") == std::string::npos;
                default:
                  return false;
              }
            }));
    needs(Kind::init, open(is_open_load));
    const auto of_kind = [](Kind kind) { return [kind](const Obligation& o) { return o.kind == kind; }; };
    // Whoever goes round for ever comes to no barrier and to no other lane.
    for (const Kind kind : {Kind::barrier, Kind::shuffle}) needs(kind, open(of_kind(Kind::termination)));
    // Threads that one barrier keeps wait at another one while the rest goes on.
    needs(Kind::barrier, open(of_kind(Kind::barrier)));
    // Which accesses a barrier orders is known where all threads come to it; nobody writes behind one that
    // some of them never pass, nor behind a shuffle that waits for a lane that does not come, and who waits
    // there comes to no barrier.
    for (const Kind kind : {Kind::race, Kind::init, Kind::coverage})
      needs(kind, open(of_kind(Kind::barrier)));
    for (const Kind kind : {Kind::init, Kind::barrier, Kind::coverage})
      needs(kind, open(of_kind(Kind::shuffle)));
    // The trace has a copy where it is issued; what is read before it has landed is nobody's.
    if (copies_asynchronously()) needs(Kind::init, open(of_kind(Kind::race)));
    // What a thread reads of what others write is what the trace says if nothing races with it. (The first
    // race of an execution is behind no other: race itself stands by itself.)
    const std::vector<Site> others = loads_of_others();
    const bool numbers = std::any_of(others.begin(), others.end(), [&](const Site& site) {
      const auto& results = kernel_.blocks[site.block].instructions[site.index].results;
      return std::any_of(results.begin(), results.end(),
                         [&](ir::ValueId v) { return !ir::is_float(kernel_.type_of(v)); });
    });
    if (decides(kernel_, others))
      for (const Kind kind : {Kind::bounds, Kind::alignment, Kind::overflow, Kind::init, Kind::barrier,
                              Kind::shuffle, Kind::termination, Kind::coverage, Kind::frame})
        for (const Kind other : {Kind::race, Kind::barrier, Kind::shuffle})
          if (kind != other) needs(kind, open(of_kind(other)));
    // What another lane holds is known where that lane takes part.
    const std::vector<Site> moves = shuffles();
    if (decides(kernel_, moves))
      for (const Kind kind : {Kind::bounds, Kind::alignment, Kind::overflow, Kind::ub, Kind::race, Kind::init,
                              Kind::barrier, Kind::termination, Kind::coverage, Kind::frame})
        needs(kind, open(of_kind(Kind::shuffle)));
    if (kernel_.is_source && std::any_of(moves.begin(), moves.end(), [&](const Site& site) {
          const ir::Instruction& i = kernel_.blocks[site.block].instructions[site.index];
          return !kernel_.is_constant(i.operands.at(1)) && !ir::is_float(kernel_.type_of(i.results.at(0)));
        }))
      for (const Kind kind : {Kind::overflow, Kind::ub}) needs(kind, open(of_kind(Kind::shuffle)));
    // Of values, and not only of addresses, the source forbids overflow.
    if (numbers && kernel_.is_source)
      for (const Kind kind : {Kind::overflow, Kind::ub})
        for (const Kind other : {Kind::race, Kind::barrier, Kind::shuffle}) needs(kind, open(of_kind(other)));
    // A loop that nobody knows to end, or to make so many rounds, writes less than its counter says.
    needs(Kind::coverage, open([](const Obligation& o) { return o.kind == Kind::termination; }));
  }

  // Loads that the trace has a value for although other threads of the launch write the memory.
  std::vector<Site> loads_of_others() const {
    const Trace& trace = examiner_.trace();
    std::set<int> written;
    for (const Event& e : trace.events)
      if (e.kind == Event::Kind::store || e.kind == Event::Kind::atomic) written.insert(e.memory);
    std::vector<Site> out;
    for (const Event& e : trace.events) {
      if (e.kind != Event::Kind::load || e.memory < 0) continue;
      if (written.count(e.memory) == 0 && written.count(-1) == 0) continue;
      const bool shared = trace.memories[static_cast<std::size_t>(e.memory)].space == ir::Space::shared;
      if (e.taken_for_initial || (shared && e.detail.empty())) out.push_back({e.block, e.index});
    }
    return out;
  }

  bool copies_asynchronously() const {
    return std::any_of(kernel_.blocks.begin(), kernel_.blocks.end(), [](const ir::Block& block) {
      return std::any_of(block.instructions.begin(), block.instructions.end(),
                         [](const ir::Instruction& i) { return i.asynchronous; });
    });
  }

  std::vector<Site> shuffles() const {
    std::vector<Site> out;
    for (ir::BlockId b = 0; b < kernel_.blocks.size(); ++b)
      for (std::uint32_t i = 0; i < kernel_.blocks[b].instructions.size(); ++i)
        if (kernel_.blocks[b].instructions[i].opcode == ir::Opcode::shuffle) out.push_back({b, i});
    return out;
  }

  bool vacuous() {
    if (!small_sizes(spec_, 1).empty()) return false;
    smt::Arena arena;
    return portfolio_.seems_to_hold(
        claim_query(arena, examiner_.launch_scope()->facts(), calculus::truth(false)));
  }

  // Instructions of a launch that a specification makes large, where a fault was not found otherwise.
  static constexpr std::uint64_t large_steps = 60'000'000;

  // Each claim once, in batches; a batch that is not proved as a whole is put claim by claim.
  std::vector<Outcome> confirm(const std::vector<Claim>& claims) {
    std::vector<Claim> distinct;
    for (const Claim& claim : claims)
      if (std::none_of(distinct.begin(), distinct.end(), [&](const Claim& c) {
            return c.goal == claim.goal && c.scope->facts() == claim.scope->facts();
          }))
        distinct.push_back(claim);
    // Claims over digits share no facts but those of their own scope.
    std::vector<std::vector<Claim>> groups(1);
    for (const Claim& claim : distinct) {
      if (!speaks_of_digits(claim)) {
        groups[0].push_back(claim);
        continue;
      }
      const auto same = std::find_if(groups.begin() + 1, groups.end(), [&](const std::vector<Claim>& group) {
        return group[0].scope->facts() == claim.scope->facts();
      });
      if (same == groups.end())
        groups.push_back({claim});
      else
        same->push_back(claim);
    }
    std::vector<Outcome> out;
    for (const std::vector<Claim>& group : groups)
      for (std::size_t i = 0; i < group.size(); i += options_.claims_per_query) {
        const auto first = group.begin() + static_cast<std::ptrdiff_t>(i);
        const std::size_t count = std::min(options_.claims_per_query, group.size() - i);
        append(out, {first, first + static_cast<std::ptrdiff_t>(count)});
      }
    return out;
  }

  // A conjunction that is not proved at little cost is taken apart: one solver may ponder a hard part of it
  // up to its limit. Only a claim by itself is worth the whole budget.
  void append(std::vector<Outcome>& out, const std::vector<Claim>& batch) {
    smt::Arena arena, more;
    const smt::Query plain = claims_query(arena, batch, Products::plain);
    Outcome outcome = portfolio_.attempt(plain, options_.rule).outcome;
    if (outcome.state != State::proved && batch.size() == 1) {
      const smt::Query lemmas = claims_query(more, batch, Products::lemmas);
      const bool differ = smt::goal_text(lemmas).sha256 != smt::goal_text(plain).sha256;
      if (differ) outcome = portfolio_.attempt(lemmas, options_.rule).outcome;
      if (outcome.state != State::proved) outcome = portfolio_.decide(plain, options_.rule).outcome;
      if (outcome.state != State::proved && differ)
        outcome = portfolio_.decide(lemmas, options_.rule).outcome;
      if (outcome.reason == Reason::vacuous) {
        if (const auto restated = of_every_thread(batch[0])) {
          smt::Arena last;
          outcome =
              portfolio_.decide(claims_query(last, {*restated}, Products::plain), options_.rule).outcome;
        }
      }
    }
    if (outcome.state == State::proved || batch.size() == 1) {
      if (outcome.state != State::proved) outcome.detail = brief(batch[0].goal, 8) + ": " + outcome.detail;
      out.push_back(std::move(outcome));
      return;
    }
    const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
    append(out, {batch.begin(), middle});
    append(out, {middle, batch.end()});
  }

  // A claim about a place that nobody reaches has hypotheses that contradict each other. What is claimed is
  // then that of no thread, of every launch that meets the requirements, they all hold: with those alone as
  // hypotheses, which somebody meets. Nothing where these are all there are.
  std::optional<Claim> of_every_thread(const Claim& claim) const {
    const Scope& base = examiner_.trace().base;
    if (base == nullptr) return std::nullopt;
    std::vector<Term> path;
    for (Term fact : claim.scope->facts())
      if (!base->knows(fact)) path.push_back(fact);
    if (path.empty()) return std::nullopt;
    return Claim{base, calculus::either(calculus::negation(calculus::conjunction(path)), claim.goal)};
  }

  Outcome outcome(const Obligation& o, const Finding& finding, const std::vector<Outcome>& execution) {
    if (o.kind == Kind::ub && !options_.undefined.empty())
      return Outcome::unrun(Reason::gave_up, options_.undefined.front());
    if (!finding.holds) {
      const bool opaque = o.kind == Kind::value && !examiner_.trace().unsupported.empty();
      if (finding.unsupported) return Outcome::unrun(Reason::unsupported, finding.failure);
      if (opaque)
        return Outcome::unrun(Reason::unsupported,
                              examiner_.trace().unsupported.front() + "; " + finding.failure);
      return Outcome::unrun(Reason::gave_up, finding.failure);
    }
    std::vector<Outcome> parts;
    if (!finding.rules.empty() || finding.claims.empty()) {
      Outcome syntactic;
      syntactic.state = State::proved;
      syntactic.reason = Reason::none;
      syntactic.discharged_by = {"syntactic"};
      parts.push_back(syntactic);
    }
    if (o.kind != Kind::launch) parts.insert(parts.end(), execution.begin(), execution.end());
    const std::vector<Outcome> own = confirm(finding.claims);
    parts.insert(parts.end(), own.begin(), own.end());
    Outcome out = parts.size() == 1 ? parts[0] : portfolio_.conjoin(parts, options_.rule);
    if (out.state == State::proved) {
      std::string rules;
      for (const std::string& rule : finding.rules) rules += (rules.empty() ? "rules: " : ", ") + rule;
      if (!rules.empty()) out.detail = rules;
      for (const std::string& a : finding.assumptions) out.assumptions.push_back(a);
      if (o.kind == Kind::value)
        for (const std::string& literal : literals_.assumptions) out.assumptions.push_back(literal);
    }
    return out;
  }

  void experiments() {
    std::size_t n = 0;
    for (const Sizes& sizes : small_sizes(spec_, options_.launches)) {
      static constexpr interpreter::Schedule schedules[] = {interpreter::Schedule::forward,
                                                            interpreter::Schedule::reverse_threads,
                                                            interpreter::Schedule::reverse_warps};
      try_launch(sizes, n % 2, schedules[n % 3], options_.steps);
      ++n;
    }
    if (n > 0) return;
    if (const auto few = some_blocks(spec_))
      try_launch(*few, 0, interpreter::Schedule::forward, options_.steps);
  }

  bool shows_other_values() const {
    return std::any_of(experiments_.begin(), experiments_.end(), [](const Experiment& e) {
      return std::any_of(e.differences.begin(), e.differences.end(),
                         [](const Difference& d) { return d.kind == Kind::value; });
    });
  }

  // Launches that were cut off, and more of them, as long as the search may go on.
  void search_further() {
    if (searched_) return;
    searched_ = true;
    std::uint64_t left = options_.search_steps;
    for (const Sizes& sizes : large_launches(spec_)) {
      if (outlasts(sizes)) break;
      try_launch(sizes, 0, interpreter::Schedule::forward, large_steps);
    }
    for (const Sizes& sizes : large_sizes(spec_, 6))
      try_launch(sizes, 0, interpreter::Schedule::forward, options_.search_steps / 6);
    for (const Sizes& sizes : parts_beyond_words(spec_, 4))
      try_launch(sizes, 0, interpreter::Schedule::forward, options_.search_steps / 6);
    static constexpr interpreter::Schedule schedules[] = {interpreter::Schedule::reverse_threads,
                                                          interpreter::Schedule::reverse_warps,
                                                          interpreter::Schedule::forward};
    std::size_t n = 0;
    bool in_part = false;
    const auto spend = [&](const Sizes& sizes, std::uint64_t seed) {
      if (left == 0) return;
      const std::size_t before = experiments_.size();
      try_launch(sizes, seed, schedules[n++ % 3], left);
      if (experiments_.size() == before) return;
      const interpreter::Result& result = experiments_.back().result;
      const bool cut_off = result.end == interpreter::Result::End::step_limit;
      left -= std::min(left, result.steps);
      // Few threads may take many steps: then some of the blocks.
      if (!cut_off || in_part) return;
      if (const auto part = part_of_launch(spec_, sizes, {}, 0)) {
        in_part = true;
        try_launch(*part, 0, interpreter::Schedule::forward, large_steps);
      }
    };
    // No NaN first: among the inputs it hides what happens to the others.
    const std::vector<Sizes> small = small_sizes(spec_, 3 * options_.launches);
    constexpr std::size_t sizes_of_one_kind = 3;
    for (const std::uint64_t seed : {seed_negative, seed_positive, seed_alike, seed_small, seed_ends})
      for (std::size_t i = 0; i < small.size() && i < sizes_of_one_kind; ++i) spend(small[i], seed);
    for (const Sizes& sizes : covering_sizes(spec_, 6 * options_.launches)) spend(sizes, 0);
    for (const Sizes& sizes : small) {
      // Sizes that a specification fixes have no others for the other inputs.
      if (small.size() == 1) spend(sizes, 0);
      spend(sizes, small.size() == 1 ? 1 : (n + 1) % 2);
    }
    // Integers of which hardly two are alike.
    for (const Sizes& sizes : covering_sizes(spec_, 3 * options_.launches)) spend(sizes, seed_unlike);
  }

  // Whether a large launch would be cut off, which shows no values, by what a few of its blocks take. (Those
  // that do not end may wait for the others.)
  bool outlasts(Sizes sizes) {
    const std::size_t blocks = sizes.blocks.size();
    sizes.blocks.clear();
    const auto few = blocks == 0 ? std::nullopt : part_of_launch(spec_, sizes, {}, 0);
    if (!few || few->blocks.size() >= blocks) return false;
    const std::size_t before = experiments_.size();
    try_launch(*few, 0, interpreter::Schedule::forward, large_steps);
    if (experiments_.size() == before) return false;
    const interpreter::Result& result = experiments_.back().result;
    return result.end == interpreter::Result::End::finished &&
           result.steps / few->blocks.size() * blocks > large_steps;
  }

  void try_launch(const Sizes& sizes, std::uint64_t seed, interpreter::Schedule schedule,
                  std::uint64_t steps) {
    try {
      experiments_.push_back(execute(spec_, kernel_, sizes, seed, schedule, steps));
    } catch (const Refusal& refusal) {
      not_executed_ = refusal.message();
    }
  }

  // The place of the instruction that an obligation about one instruction speaks of.
  bool about(const Obligation& o, const interpreter::Fault& fault) const {
    if (fault.kind != o.kind) return false;
    if (o.kind != Kind::bounds && o.kind != Kind::barrier && o.kind != Kind::shuffle) return true;
    return fault.origin == places_.at(o.id);
  }

  std::optional<Witness> witness(const Obligation& o, const Experiment& e) const {
    Witness out;
    out.executed_by = "interpreter";
    out.bindings = bindings(spec_, e);
    for (const interpreter::Fault& fault : e.result.faults) {
      if (!about(o, fault)) continue;
      const std::string source = kernel_.source_location(fault.place);
      out.summary = fmt::format("{}, line {}{}", fault.summary, fault.place.line,
                                source.empty() ? "" : " (" + source + ")");
      return out;
    }
    for (const Difference& d : e.differences) {
      if (d.kind != o.kind) continue;
      out.summary = fmt::format("{}: expected {}, found {}", d.place, d.expected, d.actual);
      out.expected = d.expected;
      out.actual = d.actual;
      return out;
    }
    return std::nullopt;
  }

  static void refuted(Obligation& o, Witness witness) {
    Outcome out;
    out.state = State::refuted;
    out.reason = Reason::none;
    out.detail = o.outcome.detail;
    out.queries = o.outcome.queries;
    out.witness = std::move(witness);
    o.outcome = std::move(out);
  }

  void refute(Obligation& o, const Finding& finding) {
    if (o.outcome.reason == Reason::solver_missing) return;
    // Executed is the form in which nothing is fused; what the assembler makes of it may have other bits.
    if (o.kind == Kind::value && spec_.equality == plan::Equality::bits &&
        !ir::fusible_additions(kernel_).empty())
      return;
    if (o.kind == Kind::launch)
      if (auto found = failing_launch(spec_, kernel_)) return refuted(o, std::move(*found));
    const std::size_t before = experiments_.size();
    bool modelled = false;
    const auto look = [&](std::size_t from) {
      for (std::size_t i = from; i < experiments_.size(); ++i)
        if (auto found = witness(o, experiments_[i])) {
          refuted(o, std::move(*found));
          return true;
        }
      return false;
    };
    if (look(0)) return;
    if (finding.failed) modelled = from_model(*finding.failed);
    if (look(before)) return;
    search_further();
    if (look(before)) return;
    if (modelled && o.outcome.reason == Reason::gave_up)
      o.outcome = Outcome::unrun(Reason::witness_not_replayed,
                                 o.outcome.detail +
                                     "; not shown, but no fault either: what is known here leaves values "
                                     "with which it would fail, and no "
                                     "launch that was executed shows it");
    if (!not_executed_.empty()) o.outcome.detail += "; not executed: " + not_executed_;
  }

  // Solvers know little of products, and a counterexample of what they know may be none. Choices of values
  // after which there are none: few iterations of every loop, which have to be executed, and the greatest
  // sizes.
  std::vector<calculus::Substitution> without_products(const Claim& claim) const {
    std::set<Term> iterations, sizes;
    std::vector<Term> all = claim.scope->facts();
    all.push_back(claim.goal);
    bool products = false;
    for (Term term : all)
      calculus::for_each_node(term, [&](Term node) {
        if (node->kind == calculus::Kind::variable && node->sort == calculus::Sort::index())
          iterations.insert(node);
        if (node->kind != calculus::Kind::product) return;
        products = true;
        bool first = true;
        for (Term factor : node->children) {
          if (factor->kind != calculus::Kind::symbol) continue;
          if (!first) sizes.insert(factor);
          first = false;
        }
      });
    if (!products || iterations.empty()) return {};
    std::vector<calculus::Substitution> out;
    for (long count : {1, 2, 4, 8, 16, 32, 64, 128}) {
      calculus::Substitution fixed;
      for (Term it : iterations) fixed[it] = calculus::integer(count);
      for (const calculus::SymbolRange& range : spec_.symbols)
        if (range.high && sizes.count(calculus::symbol(range.name)) != 0)
          fixed[calculus::symbol(range.name)] = calculus::integer(*range.high);
      out.push_back(fixed);
    }
    return out;
  }

  // Launches that the counterexample of a solver describes. Whether there was one.
  bool from_model(const Claim& claim) {
    const auto [place, fresh] = modelled_.try_emplace({claim.scope->facts(), claim.goal}, false);
    if (fresh) place->second = launch_from_model(claim);
    return place->second;
  }

  bool launch_from_model(const Claim& claim) {
    smt::Arena arena;
    std::vector<std::pair<Term, std::string>> variables;
    const auto ask = [&](const std::vector<Term>& facts, Term goal) {
      variables.clear();
      return portfolio_.probe(smt::goal_text(claim_query(arena, facts, goal, &variables)), true);
    };
    smt::Answer answer;
    for (const calculus::Substitution& fixed : without_products(claim)) {
      std::vector<Term> facts;
      for (Term fact : claim.scope->facts()) facts.push_back(calculus::substitute(fact, fixed));
      for (const auto& [term, value] : fixed) facts.push_back(calculus::equal(term, value));
      answer = ask(facts, calculus::substitute(claim.goal, fixed));
      if (answer.is_sat()) break;
    }
    if (!answer.is_sat()) answer = ask(claim.scope->facts(), claim.goal);
    if (!answer.is_sat()) return false;
    Sizes sizes;
    std::map<std::string, Integer> all;
    for (const auto& [name, value] : answer.model)
      if (value.sort.is_integer()) all[name] = value.number.get_num();
    for (const calculus::SymbolRange& range : spec_.symbols) sizes.symbols[range.name] = range.low;
    for (const plan::Parameter& p : spec_.parameters)
      if (p.scalar && sizes.symbols.count(p.scalar->name) == 0) sizes.symbols[p.scalar->name] = 1;
    for (auto& [name, value] : sizes.symbols)
      if (const auto found = all.find(name); found != all.end()) value = found->second;
    for (const auto& [symbol, meaning] : definitions(spec_)) {
      Reference reference(spec_, sizes.symbols, nullptr);
      sizes.symbols[symbol->name] = reference.index(meaning);
    }
    for (const auto& [name, value] : sizes.symbols) all[name] = value;
    // Elements of index tensors that the model chose.
    for (const auto& [term, name] : variables) {
      if (term->kind != calculus::Kind::to_index || term->children[0]->kind != calculus::Kind::load ||
          term->open)
        continue;
      const auto found = all.find(name);
      if (found == all.end() || term->children[0]->children.empty()) continue;
      try {
        Reference reference(spec_, all, nullptr);
        const auto at = to_u64(reference.index(term->children[0]->children[0]));
        if (at) sizes.elements[term->children[0]->name][*at] = found->second;
      } catch (const Refusal&) {
        continue;
      }
    }
    if (!admissible(spec_, sizes)) {
      // The blocks of the two threads that the model speaks of, and some others.
      std::vector<std::array<std::uint64_t, 3>> wanted(2);
      for (const auto& [term, name] : variables)
        for (std::size_t thread = 0; thread < 2; ++thread)
          for (std::size_t d = 0; d < 3; ++d)
            if (const auto at = all.find(name);
                at != all.end() && term->kind == calculus::Kind::symbol &&
                term->name == block_symbol(static_cast<int>(d))->name + (thread == 0 ? "" : "'"))
              wanted[thread][d] = to_u64(at->second).value_or(0);
      for (const std::uint64_t threads : {std::uint64_t{0}, large_part})
        if (const auto part = part_of_launch(spec_, sizes, wanted, threads))
          for (auto schedule : {interpreter::Schedule::forward, interpreter::Schedule::reverse_threads})
            try_launch(*part, 0, schedule, options_.search_steps);
      return true;
    }
    for (auto schedule : {interpreter::Schedule::forward, interpreter::Schedule::reverse_threads})
      try_launch(sizes, 0, schedule, options_.search_steps);
    return true;
  }

  void contradict(const Obligation& o) const {
    for (const Experiment& e : experiments_)
      if (const auto found = witness(o, e))
        throw InternalError(fmt::format("{} was proved, but an execution shows: {}", o.id, found->summary));
  }

  // The instruction of each obligation about one, in the order of list_obligations.
  void find_places(const std::vector<Obligation>& obligations) {
    const std::vector<Site> memory = memory_sites(kernel_), barriers = barrier_sites(kernel_),
                            warps = warp_sites(kernel_);
    std::size_t m = 0, b = 0, w = 0;
    for (const Obligation& o : obligations) {
      const Site* site = o.kind == Kind::bounds    ? &memory.at(m++)
                         : o.kind == Kind::barrier ? &barriers.at(b++)
                         : o.kind == Kind::shuffle ? &warps.at(w++)
                                                   : nullptr;
      if (site == nullptr) continue;
      places_[o.id] = &kernel_.blocks[site->block].instructions[site->index].place;
      sites_[o.id] = *site;
    }
  }

  const plan::KernelSpec& spec_;
  const ir::Kernel& kernel_;
  smt::Portfolio& portfolio_;
  std::map<std::string, const ir::Place*> places_;
  std::map<std::string, Site> sites_;
  const DischargeOptions& options_;
  const WithLiterals literals_;
  Examiner examiner_;
  std::vector<Experiment> experiments_;
  std::string not_executed_;
  bool searched_ = false;
  // Claims of which a counterexample was looked for, and whether there was one.
  std::map<std::pair<std::vector<Term>, Term>, bool> modelled_;
};

}  // namespace

void discharge(std::vector<Obligation>& obligations, const plan::KernelSpec& spec, const ir::Kernel& kernel,
               Level level, smt::Portfolio& portfolio, const DischargeOptions& options) {
  Discharge work(spec, kernel, level, portfolio, options);
  work.run(obligations);
}

}  // namespace hallmark::validator
