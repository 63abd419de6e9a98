#include "validator/launch/plan_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/error.h"
#include "base/sha256.h"
#include "plan/index_text.h"

namespace hallmark::validator {
namespace {

using namespace calculus;
using plan::Argument;
using plan::LaunchPlan;
using plan::PlannedBuffer;
using plan::PlannedLaunch;
using plan::Role;

// Limits of the CUDA programming model, compute capability 7.0 and later (CUDA C++ Programming Guide, table
// of technical specifications).
constexpr long grid_limit[3] = {2147483647L, 65535L, 65535L};
constexpr long block_limit[3] = {1024L, 1024L, 64L};
constexpr long threads_limit = 1024;
constexpr long shared_limit = 232448;  // 227 KiB, opt-in maximum of sm_90

Term n(long value) {
  return integer(Integer(value));
}
Term extent_or_one(Term extent) {
  return extent != nullptr ? extent : n(1);
}

struct Failed {
  std::string why;
};

class Examiner {
 public:
  Examiner(const Program& formulation, const LaunchPlan& plan, const std::vector<plan::KernelSpec>& specs,
           const Prover::Probe& probe)
      : formulation_(formulation), plan_(plan), specs_(specs), prover_(probe) {
    std::vector<Term> facts = facts_of(plan.symbols);
    for (Term requirement : plan.requirements) facts.push_back(at_most(n(0), requirement));
    facts.insert(facts.end(), formulation.preconditions.begin(), formulation.preconditions.end());
    scope_ = Context::make(facts);
  }

  PlanFinding run(const std::function<void(Examiner&)>& check) {
    PlanFinding out;
    try {
      check(*this);
      out.holds = true;
      out.claims = prover_.log();
      out.assumptions = assumptions_;
    } catch (const Failed& failed) {
      out.failure = failed.why;
    }
    return out;
  }

  void launch(std::size_t index) {
    const PlannedLaunch& launch = plan_.launches[index];
    Term threads = n(1);
    for (int d = 0; d < 3; ++d) {
      const Term grid = extent_or_one(launch.grid[d]), block = extent_or_one(launch.block[d]);
      need(both(at_most(n(0), grid), at_most(grid, n(grid_limit[d]))),
           "the grid's extent is within the limits");
      need(both(at_most(n(1), block), at_most(block, n(block_limit[d]))),
           "the block's extent is within the limits");
      threads = multiply(threads, block);
    }
    need(at_most(threads, n(threads_limit)), "a block has at most 1024 threads");
    const Term shared = launch.dynamic_shared_bytes != nullptr ? launch.dynamic_shared_bytes : n(0);
    need(both(at_most(n(0), shared), at_most(shared, n(shared_limit))),
         "dynamic shared memory is within the limit");
  }

  // Nothing of the plan is a fact here.
  void sizes() {
    for (const SymbolRange& wanted : formulation_.symbols) {
      const auto there = std::find_if(plan_.symbols.begin(), plan_.symbols.end(),
                                      [&](const SymbolRange& s) { return s.name == wanted.name; });
      if (there == plan_.symbols.end()) throw Failed{"the plan has no size " + wanted.name};
      if (there->low > wanted.low)
        throw Failed{fmt::format("the plan is for {} from {}, the contract has it from {}", wanted.name,
                                 there->low.get_str(), wanted.low.get_str())};
      if (there->high && (!wanted.high || *there->high < *wanted.high))
        throw Failed{fmt::format("the plan is for {} up to {}, the contract has it {}", wanted.name,
                                 there->high->get_str(),
                                 wanted.high ? "up to " + wanted.high->get_str() : "without an upper end")};
    }
    if (plan_.symbols.size() != formulation_.symbols.size())
      throw Failed{"the plan has sizes that the contract has not"};
    for (Term requirement : plan_.requirements) required(at_most(n(0), requirement));
  }

  void handoff(std::size_t index) {
    const plan::KernelSpec& spec = specs_.at(index);
    const PlannedLaunch& launch = plan_.launches[index];
    // Scalars that stand for an expression are that expression here.
    Substitution actual;
    for (const Argument& argument : launch.arguments)
      if (argument.scalar != nullptr && argument.scalar->kind != Kind::symbol)
        actual[symbol(argument.parameter)] = argument.scalar;
    for (const SymbolRange& range : spec.symbols) {
      const Term value = substitute(symbol(range.name), actual);
      need(at_most(integer(range.low), value), range.name + " is at least " + range.low.get_str());
      if (range.high)
        need(at_most(value, integer(*range.high)), range.name + " is at most " + range.high->get_str());
    }
    for (Term requirement : spec.requirements)
      need(substitute(requirement, actual), "a requirement of " + spec.kernel);
    for (const Argument& argument : launch.arguments) {
      if (argument.scalar == nullptr) continue;
      const unsigned bits =
          storage_bits(argument.scalar_format) - (is_signed(argument.scalar_format) ? 1 : 0);
      need(both(at_most(n(0), argument.scalar), less(argument.scalar, integer(power_of_two(bits)))),
           "the argument " + argument.parameter + " fits its format");
    }
    std::vector<std::string> names;
    for (const Argument& argument : launch.arguments)
      if (argument.scalar == nullptr) names.push_back(argument.buffer);
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = i + 1; j < names.size(); ++j)
        if (writes(launch, names[i]) || writes(launch, names[j])) need_disjoint(names[i], names[j]);
  }

  void order() {
    const std::size_t count = plan_.launches.size();
    // One stream executes its launches in order; what remains is that the edges agree with it.
    for (const auto& [earlier, later] : plan_.edges)
      if (earlier >= later || later >= count)
        throw Failed{fmt::format("the edge from launch {} to launch {} points backwards", earlier, later)};
    for (std::size_t i = 0; i < count; ++i)
      for (const std::string& name : plan_.launches[i].computes)
        for (std::size_t j = 0; j < i; ++j)
          if (reads(plan_.launches[j], name))
            throw Failed{fmt::format("launch {} reads {} before launch {} writes it", j, name, i)};
  }

  // What runs once and what runs on each call, in the order of the plan each time, give the same values as
  // one run of the whole plan: the first part needs nothing of the second and of the caller, and the second
  // leaves alone what the first wrote.
  void prepare(std::size_t index) {
    const PlannedLaunch& launch = plan_.launches[index];
    for (std::size_t j = 0; j < index; ++j)
      if (!plan_.launches[j].prepare)
        throw Failed{fmt::format(
            "launch {}, which runs on each call, stands before launch {}, which runs once", j, index)};
    for (const Argument& argument : launch.arguments) {
      if (argument.scalar != nullptr) {
        need_closed(argument.scalar, "the argument " + argument.parameter);
        continue;
      }
      const PlannedBuffer& buffer = buffer_of(argument.buffer);
      if (writes(launch, argument.buffer)) {
        if (buffer.role != Role::prepared)
          throw Failed{
              fmt::format("{} runs once and writes {}, which is not kept", launch.kernel, argument.buffer)};
      } else if (buffer.role != Role::constant) {
        bool before = false;
        for (std::size_t j = 0; j < index; ++j) before = before || writes(plan_.launches[j], argument.buffer);
        if (buffer.role != Role::prepared || !before)
          throw Failed{fmt::format(
              "{} runs once and reads {}, which is neither a constant nor written by a launch that runs once",
              launch.kernel, argument.buffer)};
      }
      for (Term extent : buffer.declaration.extents) need_closed(extent, "an extent of " + argument.buffer);
    }
    for (const std::string& name : launch.computes)
      for (std::size_t j = 0; j < plan_.launches.size(); ++j)
        if (j != index && writes(plan_.launches[j], name))
          throw Failed{
              fmt::format("{}, which launch {} wrote once, is written by launch {}", name, index, j)};
    for (int d = 0; d < 3; ++d) {
      need_closed(extent_or_one(launch.grid[d]), "the grid");
      need_closed(extent_or_one(launch.block[d]), "the block");
    }
    if (launch.dynamic_shared_bytes != nullptr) need_closed(launch.dynamic_shared_bytes, "shared memory");
    for (const plan::Ensure& clause : specs_.at(index).ensures)
      need_closed(clause.value, "the term of " + clause.buffer);
  }

  // A buffer that is kept while the plan is loaded.
  void kept(const std::string& name) {
    for (Term extent : buffer_of(name).declaration.extents) need_closed(extent, "an extent of " + name);
    std::size_t writers = 0;
    for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
      if (!writes(plan_.launches[i], name)) continue;
      ++writers;
      if (!plan_.launches[i].prepare)
        throw Failed{fmt::format("{} is kept, and launch {} writes it on each call", name, i)};
    }
    if (writers != 1) throw Failed{fmt::format("{} is kept, and {} launches write it", name, writers)};
  }

  void init(std::size_t index) {
    const PlannedLaunch& launch = plan_.launches[index];
    for (const Argument& argument : launch.arguments) {
      if (argument.scalar != nullptr || writes(launch, argument.buffer)) continue;
      const PlannedBuffer& buffer = buffer_of(argument.buffer);
      if (buffer.role == Role::input || buffer.role == Role::constant) continue;
      std::size_t writer = index;
      for (std::size_t j = 0; j < index; ++j)
        if (writes(plan_.launches[j], argument.buffer)) writer = j;
      if (writer == index)
        throw Failed{launch.kernel + " reads " + argument.buffer + ", which no earlier launch writes"};
      // Nothing written in between may share its bytes.
      for (std::size_t j = writer + 1; j < index; ++j)
        for (const std::string& other : plan_.launches[j].computes)
          if (other != argument.buffer) need_disjoint(argument.buffer, other);
    }
  }

  void memory(const std::string& name) {
    const PlannedBuffer& buffer = buffer_of(name);
    const Term offset = buffer.arena_offset, size = plan::byte_size(buffer.declaration);
    if (offset == nullptr || plan_.arena_bytes == nullptr) throw Failed{name + " has no place in the arena"};
    need(at_most(n(0), offset), name + " starts inside the arena");
    need(at_most(add(offset, size), plan_.arena_bytes), name + " ends inside the arena");
    need(equal(mod(offset, n(256)), n(0)), name + " starts at a multiple of 256 bytes");
    const auto [first, last] = lifetime(name);
    for (const PlannedBuffer& other : plan_.buffers) {
      if (other.role != Role::arena || other.declaration.name == name) continue;
      const auto [other_first, other_last] = lifetime(other.declaration.name);
      if (first <= other_last && other_first <= last) need_disjoint(name, other.declaration.name);
    }
  }

  // By induction over the launches: each writes the formulation's term of each of its definitions over
  // buffers that earlier launches wrote whole (init) or that the program receives.
  void compose(const std::string& output) {
    std::vector<std::string> wanted{output};
    std::set<std::string> seen;
    while (!wanted.empty()) {
      const std::string name = wanted.back();
      wanted.pop_back();
      if (!seen.insert(name).second) continue;
      const PlannedBuffer& buffer = buffer_of(name);
      if (buffer.role == Role::input || buffer.role == Role::constant) continue;
      std::vector<std::size_t> writers;
      for (std::size_t i = 0; i < plan_.launches.size(); ++i)
        if (writes(plan_.launches[i], name)) writers.push_back(i);
      if (writers.size() != 1)
        throw Failed{fmt::format("{} is written by {} launches", name, writers.size())};
      compose_step(specs_.at(writers[0]), plan_.launches[writers[0]], name, wanted);
    }
  }

 private:
  void compose_step(const plan::KernelSpec& spec, const PlannedLaunch& launch, const std::string& name,
                    std::vector<std::string>& wanted) {
    std::vector<std::string> received;
    for (const Argument& argument : launch.arguments)
      if (argument.scalar == nullptr && !writes(launch, argument.buffer)) received.push_back(argument.buffer);
    const Definition* definition = find_definition(formulation_, name);
    if (definition == nullptr) throw Failed{name + " is not defined by the formulation"};
    const auto clause = std::find_if(spec.ensures.begin(), spec.ensures.end(),
                                     [&](const plan::Ensure& e) { return e.buffer == name; });
    if (clause == spec.ensures.end()) throw Failed{launch.kernel + " has no statement about " + name};
    bool whole = clause->guard == nullptr && clause->domain == definition->declaration.extents &&
                 clause->target.size() == clause->domain.size();
    for (std::size_t d = 0; whole && d < clause->target.size(); ++d)
      whole = clause->target[d] == axis(static_cast<int>(d));
    if (!whole) throw Failed{launch.kernel + " does not write " + name + " whole"};
    if (clause->value != plan::inline_definitions(formulation_, name, received))
      throw Failed{"the statement about " + name + " is not the formulation's term"};
    for_each_node(clause->value, [&](Term node) {
      if (node->kind == Kind::load) wanted.push_back(node->name);
    });
  }

  // Symbols may have other values on the next call.
  static void need_closed(Term term, const std::string& what) {
    for_each_node(term, [&](Term node) {
      if (node->kind == Kind::symbol)
        throw Failed{what + " depends on the symbol " + node->name + " in a launch that runs once"};
    });
  }

  const PlannedBuffer& buffer_of(const std::string& name) const {
    const PlannedBuffer* found = plan::find_buffer(plan_, name);
    if (found == nullptr) throw Failed{"the plan has no buffer " + name};
    return *found;
  }

  static bool writes(const PlannedLaunch& launch, const std::string& buffer) {
    return std::find(launch.computes.begin(), launch.computes.end(), buffer) != launch.computes.end();
  }

  static bool reads(const PlannedLaunch& launch, const std::string& buffer) {
    return !writes(launch, buffer) &&
           std::any_of(launch.arguments.begin(), launch.arguments.end(),
                       [&](const Argument& a) { return a.scalar == nullptr && a.buffer == buffer; });
  }

  // First and last launch that touch the buffer; a buffer that nobody touches lives nowhere.
  std::pair<std::size_t, std::size_t> lifetime(const std::string& name) const {
    std::size_t first = plan_.launches.size(), last = 0;
    for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
      if (!writes(plan_.launches[i], name) && !reads(plan_.launches[i], name)) continue;
      first = std::min(first, i);
      last = std::max(last, i);
    }
    return {first, last};
  }

  void need_disjoint(const std::string& a, const std::string& b) {
    if (a == b) throw Failed{a + " is passed twice to a launch that writes it"};
    const PlannedBuffer &x = buffer_of(a), &y = buffer_of(b);
    // Buffers outside the arena are allocations of their own; the runtime checks that the caller's do not
    // overlap.
    if (x.role != Role::arena || y.role != Role::arena) return;
    if (x.arena_offset == nullptr || y.arena_offset == nullptr) throw Failed{"an arena buffer has no place"};
    const Term before = at_most(add(x.arena_offset, plan::byte_size(x.declaration)), y.arena_offset);
    const Term after = at_most(add(y.arena_offset, plan::byte_size(y.declaration)), x.arena_offset);
    const Term empty =
        either(equal(plan::byte_size(x.declaration), n(0)), equal(plan::byte_size(y.declaration), n(0)));
    need(disjunction({before, after, empty}), a + " and " + b + " do not overlap");
  }

  static std::vector<Term> facts_of(const std::vector<SymbolRange>& symbols) {
    std::vector<Term> facts;
    for (const SymbolRange& range : symbols) {
      facts.push_back(at_most(integer(range.low), symbol(range.name)));
      if (range.high) facts.push_back(at_most(symbol(range.name), integer(*range.high)));
    }
    return facts;
  }

  // For every size of the contract; where that leaves sizes open and it is not so, under what is assumed of
  // them (plan_checks.h).
  void required(Term claim) {
    if (claim == truth(true)) return;
    std::vector<Term> facts = facts_of(formulation_.symbols);
    if (prover_.rely(Context::make(facts), claim)) return;
    const auto open = [](const SymbolRange& range) { return !range.high; };
    if (std::any_of(formulation_.symbols.begin(), formulation_.symbols.end(), open)) {
      const std::vector<Term> small = facts_of_small_tensors();
      facts.insert(facts.end(), small.begin(), small.end());
      if (prover_.rely(Context::make(facts), claim)) return assume(tensors_are_indexable);
      for (const SymbolRange& range : formulation_.symbols)
        if (open(range)) facts.push_back(at_most(symbol(range.name), n(65535)));
      if (prover_.rely(Context::make(facts), claim)) {
        assume(tensors_are_indexable);
        return assume(open_sizes_are_small);
      }
    }
    throw Failed{"not shown: a requirement of the plan holds for every size of the contract: " +
                 plan::index_text(claim)};
  }

  // Fewer than 2^31 elements, and then no extent beside others that are at least 1 is larger.
  std::vector<Term> facts_of_small_tensors() const {
    std::vector<Term> out;
    const Scope scope = Context::make(facts_of(formulation_.symbols));
    const auto small = [&](Term value) {
      if (as_integer(value) == nullptr) out.push_back(less(value, integer(power_of_two(31))));
    };
    const auto add = [&](const Declaration& tensor) {
      small(plan::element_count(tensor));
      const auto there = [&](Term extent) { return Prover::evident(scope, at_most(n(1), extent)); };
      if (std::all_of(tensor.extents.begin(), tensor.extents.end(), there))
        for (Term extent : tensor.extents) small(extent);
    };
    for (const Declaration& input : formulation_.inputs) add(input);
    for (const Definition& definition : formulation_.definitions) add(definition.declaration);
    return out;
  }

  void assume(const char* id) {
    if (std::find(assumptions_.begin(), assumptions_.end(), id) == assumptions_.end())
      assumptions_.emplace_back(id);
  }

  void need(Term claim, const std::string& what) {
    if (claim == truth(true)) return;
    if (!prover_.rely(scope_, claim)) throw Failed{"not shown: " + what};
  }

  const Program& formulation_;
  const LaunchPlan& plan_;
  const std::vector<plan::KernelSpec>& specs_;
  Prover prover_;
  Scope scope_;
  std::vector<std::string> assumptions_;
};

struct Item {
  Obligation obligation;
  std::function<void(Examiner&)> check;
};

std::string symbols_text(const std::vector<SymbolRange>& symbols) {
  if (symbols.empty()) return "the shapes of the contract";
  std::string out;
  for (const SymbolRange& range : symbols)
    out += (out.empty() ? "" : ", ") + range.low.get_str() + " <= " + range.name +
           (range.high ? " <= " + range.high->get_str() : "");
  return out;
}

Item item(ObligationKind kind, const std::string& subject, const std::string& claim,
          const std::string& context, const std::string& scope, std::function<void(Examiner&)> check) {
  Item out;
  out.obligation.kind = kind;
  out.obligation.level = Level::plan;
  out.obligation.subject = subject;
  out.obligation.id = fmt::format("{}/{}/plan", name(kind), subject);
  out.obligation.scope = scope;
  out.obligation.statement = claim + "\n" + context;
  out.check = std::move(check);
  return out;
}

std::vector<Item> items(const LaunchPlan& plan, const Program& formulation) {
  std::vector<Item> out;
  // Another plan makes another claim: its digest is part of every statement.
  const std::string context = "launch plan sha256:" + sha256_hex(canonical_json(plan::to_json(plan)));
  const std::string scope = symbols_text(plan.symbols);
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const std::string subject = fmt::format("launch:{}", i);
    out.push_back(item(ObligationKind::launch, subject,
                       "Grid and block are within the limits of the programming model.", context, scope,
                       [i](Examiner& e) { e.launch(i); }));
    out.push_back(item(ObligationKind::handoff, subject,
                       "Every hypothesis of the kernel's statement holds at this launch.", context, scope,
                       [i](Examiner& e) { e.handoff(i); }));
    out.push_back(item(ObligationKind::init, subject,
                       "Every buffer that the launch reads has been written whole before.", context, scope,
                       [i](Examiner& e) { e.init(i); }));
  }
  const std::string sizes = symbols_text(formulation.symbols);
  out.push_back(
      item(ObligationKind::launch, "sizes",
           "Every size of the contract is one of the plan, and there its requirements hold: " + sizes,
           context, sizes, [](Examiner& e) { e.sizes(); }));
  out.push_back(item(ObligationKind::order, "stream", "Conflicting launches are ordered.", context, scope,
                     [](Examiner& e) { e.order(); }));
  for (std::size_t i = 0; i < plan.launches.size(); ++i)
    if (plan.launches[i].prepare)
      out.push_back(
          item(ObligationKind::order, fmt::format("prepare:{}", i),
               fmt::format("{} runs once, when the plan is loaded: it stands before what runs on each "
                           "call, reads constants and what such launches wrote, and what it writes is "
                           "kept and never written again.",
                           plan.launches[i].kernel),
               context, scope, [i](Examiner& e) { e.prepare(i); }));
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.role == Role::prepared)
      out.push_back(item(ObligationKind::memory, buffer.declaration.name,
                         "The buffer is kept while the plan is loaded: one launch writes it, once.", context,
                         scope, [name = buffer.declaration.name](Examiner& e) { e.kept(name); }));
    if (buffer.role == Role::arena)
      out.push_back(item(ObligationKind::memory, buffer.declaration.name,
                         "The buffer lies inside the arena and apart from all that live at the same time.",
                         context, scope, [name = buffer.declaration.name](Examiner& e) { e.memory(name); }));
  }
  for (const std::string& output : formulation.outputs)
    out.push_back(item(ObligationKind::compose, output,
                       "The launches compute the formulation's term of the output.", context, scope,
                       [output](Examiner& e) { e.compose(output); }));
  return out;
}

}  // namespace

std::vector<Obligation> list_plan_obligations(const Program& formulation, const LaunchPlan& plan) {
  std::vector<Obligation> out;
  for (Item& one : items(plan, formulation)) out.push_back(std::move(one.obligation));
  return out;
}

std::vector<PlanFinding> examine_plan(const Program& formulation, const LaunchPlan& plan,
                                      const Prover::Probe& probe) {
  const std::vector<plan::KernelSpec> specs = plan::derive_specs(formulation, plan);
  std::vector<PlanFinding> out;
  for (const Item& one : items(plan, formulation))
    out.push_back(Examiner(formulation, plan, specs, probe).run(one.check));
  return out;
}

}  // namespace hallmark::validator
