// bounds, alignment, overflow, ub, init, barrier, shuffle, termination, launch.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "validator/checks/definitions.h"
#include "validator/checks/departures.h"
#include "validator/checks/examine.h"
#include "validator/checks/launch_limits.h"
#include "validator/checks/match.h"
#include "validator/checks/unwritten.h"
#include "validator/ir/unknown.h"
#include "validator/symbolic/element_ranges.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/initialised.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/lane_moves.h"
#include "validator/symbolic/shapes.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;
using ir::Opcode;

namespace {

Term number(long n) {
  return calculus::integer(n);
}

// The bits of the word that floor(p / 2^w) counts the wraps of; 0 where it is none.
unsigned wrap_width(Term node) {
  if (node->kind != Kind::floor_div) return 0;
  const Integer* c = calculus::as_integer(node->children[1]);
  for (unsigned width : {16u, 32u, 64u})
    if (c != nullptr && *c == power_of_two(width)) return width;
  return 0;
}

// The floors of a term that stand for a wrap: 2^w * floor(p / 2^w) is taken from p, or 2^(w-k) of it where
// the word was shifted by k afterwards. A quotient by a magic number has no such factor (soundness C7:
// modular readings are exact, so nothing but this kind rests on the difference).
std::vector<Term> wraps_in(Term term) {
  std::vector<Term> out;
  calculus::for_each_node(term, [&](Term node) {
    if (node->sort != calculus::Sort::index()) return;
    for (const calculus::Monomial& m : calculus::monomials(node))
      for (Term factor : factors_of(m.product)) {
        const unsigned width = wrap_width(factor);
        if (width == 0 || floor_mod(m.coefficient, power_of_two(width / 2)) != 0) continue;
        if (std::find(out.begin(), out.end(), factor) == out.end()) out.push_back(factor);
      }
  });
  return out;
}

}  // namespace

std::string place_text(const ir::Kernel& kernel, const Event& event) {
  if (event.instruction == nullptr) return "the end of a thread";
  const std::string source = kernel.source_location(event.instruction->place);
  return fmt::format("line {}{}", event.instruction->place.line, source.empty() ? "" : " (" + source + ")");
}

Examiner::Examiner(const plan::KernelSpec& spec, const ir::Kernel& kernel, Level level, Prover::Probe probe)
    : spec_(with_definitions(spec)), kernel_(kernel), level_(level), prover_(std::move(probe)) {
  prover_.set_axioms(element_ranges(spec_));
  try {
    Doubts doubts;
    KnownReads known;
    Pieces pieces;
    int rounds = 0;
    constexpr int most_rounds = 3;
    std::vector<Claim> earlier;  // claims of executions on which what is known of reads rests
    for (bool settled = false; !settled;) {
      prover_.rewind(0);
      Executor executor(spec_, kernel, prover_, definitions(spec), doubts, known, pieces);
      trace_ = executor.run();
      if (const Pieces narrow = pieces.empty() ? narrowest_accesses(trace_) : Pieces{}; !narrow.empty()) {
        pieces = narrow;
        known.clear();
        earlier.clear();
        continue;
      }
      const Doubts written = possibly_written(trace_, spec_, prover_);
      settled = written.initial.empty() && written.own_write.empty();
      doubts.initial.insert(written.initial.begin(), written.initial.end());
      doubts.own_write.insert(written.own_write.begin(), written.own_write.end());
      if (!settled) {
        known.clear();
        earlier.clear();
        continue;
      }
      // What is known of one read may make another one known.
      if (rounds++ >= most_rounds) continue;
      KnownReads found = executor.reads_behind(trace_);
      if (found.empty()) continue;
      settled = false;
      known.merge(found);
      earlier.insert(earlier.end(), prover_.log().begin(), prover_.log().end());
    }
    prover_.keep(earlier);
  } catch (const Refusal& refusal) {
    refusal_ = refusal;
    refused_claim_ = prover_.failed();
  }
  execution_claims_ = prover_.log();
  prover_.rewind(0);
}

Scope Examiner::launch_scope() const {
  std::vector<Term> facts;
  if (trace_.base == nullptr) return Context::make(facts);  // the execution was refused
  for (Term fact : trace_.base->facts()) {
    bool thread = false;
    calculus::for_each_node(fact, [&](Term node) {
      for (int d = 0; d < 3; ++d) thread = thread || node == thread_symbol(d) || node == block_symbol(d);
    });
    if (!thread) facts.push_back(fact);
  }
  return Context::make(facts);
}

std::vector<Finding> Examiner::examine(const std::vector<Obligation>& obligations) {
  std::vector<Finding> out;
  const std::vector<Site> memory = memory_sites(kernel_), barriers = barrier_sites(kernel_),
                          warps = warp_sites(kernel_);
  std::size_t m = 0, b = 0, w = 0;
  for (const Obligation& o : obligations) {
    Finding finding;
    const std::size_t site = o.kind == ObligationKind::bounds    ? m++
                             : o.kind == ObligationKind::barrier ? b++
                             : o.kind == ObligationKind::shuffle ? w++
                                                                 : 0;
    if (refusal_ && o.kind != ObligationKind::launch) {
      finding.unsupported = true;
      finding.failure = refusal_->message();
      finding.failed = refused_claim_;
      out.push_back(finding);
      continue;
    }
    prover_.rewind(0);
    prover_.forget_failure();
    try {
      switch (o.kind) {
        case ObligationKind::bounds:
          finding = bounds(memory.at(site));
          break;
        case ObligationKind::alignment:
          finding = alignment();
          break;
        case ObligationKind::overflow:
          finding = overflow();
          break;
        case ObligationKind::ub:
          finding = undefined();
          break;
        case ObligationKind::init:
          finding = init();
          break;
        case ObligationKind::race:
          finding = race();
          break;
        case ObligationKind::barrier:
          finding = barrier(barriers.at(site));
          break;
        case ObligationKind::shuffle:
          finding = warp(warps.at(site));
          break;
        case ObligationKind::termination:
          finding = termination();
          break;
        case ObligationKind::launch:
          finding = launch();
          break;
        case ObligationKind::coverage:
          finding = coverage();
          break;
        case ObligationKind::frame:
          finding = frame();
          break;
        case ObligationKind::value:
          finding = value();
          break;
        default:
          throw InternalError("an obligation that no kernel has");
      }
    } catch (const Refusal& refusal) {
      finding = Finding{};
      finding.unsupported = true;
      finding.failure = refusal.message();
      prover_.rewind(0);
    }
    if (trace_.compares_with_null) finding.assumptions.push_back("buffers-are-not-null");
    if (kernel_.rests_on_volatile_assembly) finding.assumptions.push_back("volatile-assembly-stays");
    if (kernel_.rests_on_placement) finding.assumptions.push_back("local-variables-aligned-as-accessed");
    if (kernel_.rests_on_operands_apart) finding.assumptions.push_back("assembly-operands-apart");
    finding.claims = prover_.log();
    if (!finding.holds) finding.failed = prover_.failed();
    out.push_back(std::move(finding));
  }
  return out;
}

Finding Examiner::bounds(const Site& site) {
  Finding out;
  out.holds = true;
  bool reached = false;
  for (const Event& event : trace_.events) {
    if (event.block != site.block || event.index != site.index || event.instruction == nullptr) continue;
    reached = true;
    if (event.memory < 0) {
      out.holds = false;
      out.unsupported = true;
      out.failure = event.detail;
      return out;
    }
    if (!inside(event)) {
      const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
      out.holds = false;
      out.failure =
          fmt::format("{}: byte {} of {} ({} bytes) is not shown to be inside", place_text(kernel_, event),
                      brief(event.offset, 8), memory.name, brief(memory.bytes, 8));
      return out;
    }
  }
  if (!reached) out.rules.push_back("unreachable");
  return out;
}

namespace {

// The offset with x = c * floor(x / c) put in for each symbol x that a fact says to be a multiple of c: then
// the coefficients of products with x show what they are multiples of.
Term with_congruences(Term offset, const Context& known) {
  for (Term fact : known.facts()) {
    if (fact->kind != Kind::is_zero) continue;
    Term symbol = nullptr, multiple = nullptr;
    const std::vector<calculus::Monomial> parts = calculus::monomials(fact->children[0]);
    if (parts.size() != 2) continue;
    for (const calculus::Monomial& m : parts) {
      if (m.product == nullptr) continue;
      if (m.product->kind == Kind::symbol && abs(m.coefficient) == 1) symbol = m.product;
      if (m.product->kind == Kind::floor_div)
        multiple = calculus::scale(Integer(abs(m.coefficient)), m.product);
    }
    if (symbol != nullptr && multiple != nullptr &&
        (calculus::subtract(symbol, multiple) == fact->children[0] ||
         calculus::subtract(multiple, symbol) == fact->children[0]))
      offset = calculus::substitute(offset, {{symbol, multiple}});
  }
  return offset;
}

}  // namespace

Finding Examiner::alignment() {
  Finding out;
  out.holds = true;
  bool rests_on_dynamic_shared = false;
  for (const Event& event : trace_.events) {
    if (event.instruction == nullptr || event.lane != 0 ||
        (event.kind != Event::Kind::load && event.kind != Event::Kind::store &&
         event.kind != Event::Kind::atomic))
      continue;
    const auto multiple = [&](Term offset, const Integer& needed) {
      if (needed <= 1) return true;
      if (event.memory < 0 || offset == nullptr) return false;
      const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
      const Integer start = memory.parameter != nullptr
                                ? Integer(256)
                                : from_u64(kernel_.arrays[static_cast<std::size_t>(memory.array)].alignment);
      if (floor_mod(start, needed) != 0) return false;
      if (memory.parameter == nullptr) {
        const ir::Array& array = kernel_.arrays[static_cast<std::size_t>(memory.array)];
        rests_on_dynamic_shared = rests_on_dynamic_shared || (array.declared_alignment != 0 &&
                                                              needed > from_u64(array.declared_alignment));
      }
      Integer common = needed;
      for (const calculus::Monomial& m : calculus::monomials(with_congruences(offset, *event.scope)))
        common = gcd(common, m.coefficient);
      return common == needed ||
             prover_.rely(event.scope,
                          calculus::equal(calculus::mod(offset, calculus::integer(needed)), number(0)));
    };
    Integer needed = from_u64(event.instruction->alignment);
    bool ok = multiple(event.offset, needed);
    if (ok && is_of_warp(event) && event.instruction->index == 0) {
      needed = 32;
      ok = multiple(in_first_lane(event.offset, event.scope, spec_, prover_), needed);
    }
    if (!ok) {
      out.holds = false;
      out.unsupported = event.memory < 0;
      out.failure = fmt::format("{}: an access that needs {} bytes of alignment", place_text(kernel_, event),
                                needed.get_str());
      return out;
    }
  }
  out.rules.push_back("coefficients");
  out.assumptions.push_back("buffers-start-at-256");
  if (rests_on_dynamic_shared) out.assumptions.push_back("dynamic-shared-starts-at-16");
  return out;
}

namespace {

// floor(p / 2^w) as the constants of p have it: floor((x - 1 + 2^w) / 2^w) is 1 where x - 1 does not wrap. Of
// a choice each arm has constants of its own.
Term straight_quotient(Term p, const Integer& modulus, int choices, bool factors) {
  for (const calculus::Monomial& m : calculus::monomials(p)) {
    if (choices == 0 || m.product == nullptr || m.product->kind != Kind::index_select) continue;
    const auto arm = [&](std::size_t i) {
      const Term chosen = calculus::substitute(p, {{m.product, m.product->children[i]}});
      return straight_quotient(chosen, modulus, choices - 1, factors);
    };
    return calculus::index_select(m.product->children[0], arm(1), arm(2));
  }
  Term whole = calculus::integer(Integer(floor_div(calculus::constant_part(p) + modulus / 4, modulus)));
  for (const calculus::Monomial& m : calculus::monomials(p))
    if (factors && m.product != nullptr)
      whole = calculus::add(
          whole, calculus::scale(Integer(floor_div(m.coefficient + modulus / 2, modulus)), m.product));
  return whole;
}

}  // namespace

// Every wrap-around in the term is shown not to happen.
bool Examiner::resolves(const Event& event, Term term) {
  bool ok = true;
  for (Term node : wraps_in(term)) {
    const Integer modulus = *calculus::as_integer(node->children[1]);
    const Term dividend = node->children[0];
    // As constants alone have it first: a factor above 2^(w-1) may be meant as it stands.
    const auto never = [&](Term wraps) { return prover_.rely(event.scope, calculus::equal(node, wraps)); };
    ok = ok && (never(straight_quotient(dividend, modulus, 0, false)) ||
                never(straight_quotient(dividend, modulus, 4, true)));
  }
  return ok;
}

Finding Examiner::overflow() {
  Finding out;
  out.holds = true;
  for (const Event& event : trace_.events) {
    if (event.memory < 0 && event.detail.empty()) continue;
    if (event.offset == nullptr) continue;
    if (event.memory < 0) {
      out.holds = false;
      out.unsupported = true;
      out.failure = fmt::format("{}: {}", place_text(kernel_, event), event.detail);
      return out;
    }
    if (!resolves(event, event.offset)) {
      out.holds = false;
      out.failure = fmt::format("{}: the address {} may wrap around", place_text(kernel_, event),
                                brief(event.offset, 8));
      return out;
    }
  }
  for (const SymbolicLoop& loop : trace_.loops) {
    if (loop.trips == nullptr) continue;
    if (!wraps_in(loop.trips).empty()) {
      out.holds = false;
      out.failure = fmt::format("the number of iterations {} may wrap around", brief(loop.trips, 8));
      return out;
    }
  }
  if (level_ == Level::source) {
    for (const SignedOperation& operation : trace_.signed_operations) {
      const Integer half = power_of_two(operation.width - 1);
      if (!prover_.rely(operation.scope,
                        calculus::both(calculus::at_most(calculus::integer(Integer(-half)), operation.exact),
                                       calculus::less(operation.exact, calculus::integer(half))))) {
        out.holds = false;
        out.failure =
            fmt::format("line {}: {} may leave {} bits: {}", operation.instruction->place.line,
                        ir::name(operation.instruction->opcode), operation.width, brief(operation.exact, 8));
        return out;
      }
    }
  }
  out.rules.push_back("wrap-free");
  return out;
}

Finding Examiner::undefined() {
  Finding out;
  out.holds = true;
  for (const UndefinedRisk& risk : trace_.risks) {
    if (prover_.rely(risk.scope, risk.safe)) continue;
    out.holds = false;
    out.failure = fmt::format("line {}: {}", risk.instruction->place.line, risk.what);
    return out;
  }
  for (const Event& event : trace_.events) {
    if (event.kind != Event::Kind::leave ||
        kernel_.blocks[event.block].terminator.kind != ir::Terminator::Kind::unreachable ||
        prover_.rely(event.scope, calculus::truth(false)))
      continue;
    out.holds = false;
    out.failure = fmt::format("line {}: {} may be reached", kernel_.blocks[event.block].terminator.place.line,
                              event.detail);
    return out;
  }
  out.rules.push_back("defined-uses");
  return out;
}

Finding Examiner::init() {
  Finding out;
  out.holds = trace_.undefined_uses.empty();
  if (!out.holds) {
    out.failure = trace_.undefined_uses.front();
    return out;
  }
  // Which value a division by zero gives nothing says.
  for (const UndefinedRisk& risk : trace_.risks) {
    const Opcode o = risk.instruction->opcode;
    const bool division = o == Opcode::div_signed || o == Opcode::div_unsigned || o == Opcode::rem_signed ||
                          o == Opcode::rem_unsigned;
    if (!division || prover_.rely(risk.scope, risk.safe)) continue;
    out.holds = false;
    out.failure = fmt::format("line {}: {} gives a value that nothing defines", risk.instruction->place.line,
                              risk.what);
    return out;
  }
  // An atomic reads what it changes; an exchange whose result nobody has does not.
  const auto reads = [&](const Event& event) {
    if (event.kind == Event::Kind::load) return !event.initialised;
    if (event.kind != Event::Kind::atomic || event.memory < 0) return false;
    const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
    if (memory.parameter != nullptr && memory.parameter->access != plan::Access::out) return false;
    return event.instruction->atomic_operation != ir::AtomicOperation::exchange ||
           !event.instruction->results.empty();
  };
  for (const Event& event : trace_.events) {
    if (event.instruction != nullptr && ir::is_unknown_effect(*event.instruction)) {
      out.holds = false;
      out.unsupported = true;
      out.failure = fmt::format("{}: what it reads is not known ({})", place_text(kernel_, event),
                                event.instruction->text);
      return out;
    }
    if (!reads(event)) continue;
    const std::size_t mark = prover_.mark();
    if (written_before(trace_, spec_, prover_, event)) continue;
    prover_.rewind(mark);
    out.holds = false;
    out.failure = fmt::format("{}: {}", place_text(kernel_, event),
                              event.detail.empty() ? "what is read may not have been written" : event.detail);
    return out;
  }
  out.rules.push_back("writer-exists");
  return out;
}

Finding Examiner::barrier(const Site& site) {
  Finding out;
  out.holds = true;
  if (kernel_.blocks[site.block].instructions[site.index].opcode == Opcode::barrier_arrive) {
    out.holds = false;
    out.unsupported = true;
    out.failure = "barrier.arrive is not modelled";
    return out;
  }
  for (const Event& event : trace_.events) {
    if (event.block != site.block || event.index != site.index || event.kind != Event::Kind::barrier)
      continue;
    if (event.instruction->operands.size() > 1) {
      out.holds = false;
      out.unsupported = true;
      out.failure = "a barrier for a part of the block is not modelled";
      return out;
    }
    // Barriers of two numbers wait for nobody of each other.
    const Integer* id = event.value.term == nullptr ? nullptr : calculus::as_integer(event.value.term);
    if (id == nullptr || *id < 0 || *id > 15) {
      out.holds = false;
      out.unsupported = id == nullptr;
      out.failure = fmt::format("{}: {}", place_text(kernel_, event),
                                id == nullptr ? "a barrier whose number is not a constant"
                                              : "a barrier of another number than 0 to 15");
      return out;
    }
    std::vector<Term> shared;
    for (int loop : event.loops) {
      shared.push_back(trace_.loops[static_cast<std::size_t>(loop)].iteration);
      if (trace_.loops[static_cast<std::size_t>(loop)].trips == nullptr) {
        out.holds = false;
        out.failure = "a barrier in a loop whose iterations are not known";
        return out;
      }
    }
    const calculus::Substitution map = other_thread(trace_, event.scope->facts(), {}, false, shared);
    std::vector<Term> known, goals;
    for (Term fact : trace_.base->facts()) known.push_back(calculus::substitute(fact, map));
    const Scope both = Context::extend(event.scope, known);
    for (Term fact : event.scope->facts()) {
      const Term there = calculus::substitute(fact, map);
      if (!both->knows(there)) goals.push_back(there);
    }
    Term goal = calculus::conjunction(goals);
    if (spec_.barrier_rule == plan::BarrierRule::all_exited) {
      // A thread that leaves without passing this or a later barrier counts as arrived.
      for (const Departure& departure : departures(trace_, event.node))
        goal = calculus::either(goal, calculus::substitute(departure.condition, map));
    }
    if (!prover_.rely(both, goal)) {
      out.holds = false;
      out.failure = fmt::format("{}: some threads of a block may not arrive: {}", place_text(kernel_, event),
                                brief(goal, 6));
      return out;
    }
  }
  out.rules.push_back("uniform");
  return out;
}

namespace {

// The thread is in one of these lanes of its warp.
Term among_lanes(Term linear, std::uint32_t lanes) {
  const Term lane = calculus::mod(linear, number(32));
  std::vector<Term> runs;
  for (unsigned from = 0; from < 32; ++from) {
    if ((lanes >> from & 1) == 0) continue;
    unsigned to = from;
    while (to < 31 && (lanes >> (to + 1) & 1) != 0) ++to;
    if (from == 0 && to == 31) return calculus::truth(true);
    runs.push_back(
        calculus::both(calculus::at_most(number(from), lane), calculus::at_most(lane, number(to))));
    from = to;
  }
  return calculus::disjunction(runs);
}

// The last thread that the mask of this one names.
Term last_lane(Term linear, const LaneGroups& groups) {
  // With several groups, of which each has its own lanes, the end of the group stands for them.
  unsigned rank = groups.width - 1;
  if (groups.width == 32)
    while (rank > 0 && (groups.allowed >> rank & 1) == 0) --rank;
  return calculus::add(calculus::scale(groups.width, calculus::floor_div(linear, number(groups.width))),
                       number(rank));
}

// The mask as groups of lanes. A mask that is no constant may be one in each lane, where rows are whole
// warps.
std::optional<LaneGroups> groups_of(const Event& event) {
  const Term mask = event.value.term;
  if (event.value.kind != Value::Kind::integer || mask == nullptr) return std::nullopt;
  const Integer* constant = calculus::as_integer(mask);
  if (constant == nullptr) return std::nullopt;
  std::array<std::uint32_t, 32> masks{};
  masks.fill(static_cast<std::uint32_t>(floor_mod(*constant, Integer(1) << 32).get_ui()));
  return LaneGroups::from(masks);
}

// A shuffle reads lanes of its own group: of the whole warp always, otherwise where its move is a constant.
bool reads_inside(const Event& event, const LaneGroups& groups) {
  if (event.instruction->opcode != Opcode::shuffle || (groups.width == 32 && groups.allowed == 0xffffffff))
    return true;
  if (event.move.empty()) return false;
  const LaneMove move = LaneMove::of(event.move);
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((groups.allowed >> lane & 1) != 0 &&
        (groups.of(lane) >> move.source(static_cast<int>(lane)) & 1) == 0)
      return false;
  return true;
}

}  // namespace

Finding Examiner::warp(const Site& site) {
  Finding out;
  out.holds = true;
  for (const Event& event : trace_.events) {
    if (event.block != site.block || event.index != site.index || event.kind != Event::Kind::warp) continue;
    const auto groups = groups_of(event);
    if (!groups) {
      out.holds = false;
      out.unsupported = true;
      out.failure = fmt::format("{}: a mask that is not understood", place_text(kernel_, event));
      return out;
    }
    std::vector<Term> shared;
    for (int loop : event.loops) shared.push_back(trace_.loops[static_cast<std::size_t>(loop)].iteration);
    Term linear = number(0), size = number(1);
    for (int d = 2; d >= 0; --d) {
      linear = calculus::add(calculus::multiply(linear, block_extent(spec_, d)),
                             block_extent(spec_, d) == number(1) ? number(0) : thread_symbol(d));
      size = calculus::multiply(size, block_extent(spec_, d));
    }
    const calculus::Substitution map = other_thread(trace_, event.scope->facts(), {linear}, false, shared);
    const Term group = calculus::floor_div(linear, number(groups->width));
    const auto takes_part = [&](Term thread) { return among_lanes(thread, groups->allowed); };
    // The mask names the lane itself, and what it reads ...
    if (!prover_.rely(event.scope, takes_part(linear)) || !reads_inside(event, *groups)) {
      out.holds = false;
      out.failure = fmt::format("{}: a lane that the mask does not name may take part or be read",
                                place_text(kernel_, event));
      return out;
    }
    // ... all that it names exist ...
    const Term last = last_lane(linear, *groups);
    std::vector<Term> known{calculus::equal(group, calculus::substitute(group, map)),
                            takes_part(calculus::substitute(linear, map))};
    for (Term fact : trace_.base->facts()) known.push_back(calculus::substitute(fact, map));
    const Scope both = Context::extend(event.scope, known);
    // ... and take the same path.
    std::vector<Term> goals;
    for (Term fact : event.scope->facts()) {
      const Term there = calculus::substitute(fact, map);
      if (!both->knows(there)) goals.push_back(there);
    }
    if (!prover_.rely(event.scope, calculus::less(last, size)) ||
        !prover_.rely(both, calculus::conjunction(goals))) {
      out.holds = false;
      out.failure = fmt::format("{}: some lanes of the warp may not exist or not take part",
                                place_text(kernel_, event));
      return out;
    }
  }
  out.rules.push_back("whole-warps");
  return out;
}

Finding Examiner::termination() {
  Finding out;
  out.holds = true;
  for (const Event& event : trace_.events)
    if (event.instruction != nullptr && ir::is_unknown_effect(*event.instruction)) {
      out.holds = false;
      out.unsupported = true;
      out.failure = fmt::format("{}: what it waits for is not known ({})", place_text(kernel_, event),
                                event.instruction->text);
      return out;
    }
  for (const SymbolicLoop& loop : trace_.loops) {
    if (loop.trips != nullptr) continue;
    out.holds = false;
    out.failure = fmt::format("the loop at line {}: {}", kernel_.blocks[loop.block].terminator.place.line,
                              loop.detail.empty() ? "its number of iterations is not known" : loop.detail);
    return out;
  }
  for (const Event& event : trace_.events) {
    if (event.kind != Event::Kind::leave) continue;
    const ir::Terminator::Kind end = kernel_.blocks[event.block].terminator.kind;
    // What must not be reached is undefined at source level, which has a kind for that.
    if (end != ir::Terminator::Kind::trap &&
        (end != ir::Terminator::Kind::unreachable || level_ == Level::source))
      continue;
    if (prover_.rely(event.scope, calculus::truth(false))) continue;
    out.holds = false;
    out.failure = fmt::format("line {}: {} may be reached", kernel_.blocks[event.block].terminator.place.line,
                              event.detail);
    return out;
  }
  out.rules.push_back("trip-counts");
  return out;
}

Finding Examiner::launch() {
  Finding out;
  out.holds = true;
  std::vector<Term> facts = spec_.requirements;
  for (const calculus::SymbolRange& range : spec_.symbols) {
    facts.push_back(calculus::at_most(calculus::integer(range.low), calculus::symbol(range.name)));
    if (range.high)
      facts.push_back(calculus::at_most(calculus::symbol(range.name), calculus::integer(*range.high)));
  }
  const Scope scope = Context::make(facts);
  // All other claims are about sizes that have buffers.
  for (const plan::Parameter& p : spec_.parameters) {
    if (!p.buffer) continue;
    for (Term extent : p.buffer->declaration.extents)
      if (!prover_.rely(scope, calculus::at_most(number(0), extent))) {
        out.holds = false;
        out.failure = fmt::format(
            "{} may have a negative extent: {} is not shown to be 0 or more; the sizes for "
            "which it is belong into `where`",
            p.buffer->declaration.name, brief(extent, 6));
        return out;
      }
  }
  Term threads = number(1);
  bool may_be_empty = false;
  for (int d = 0; d < 3; ++d) {
    const Term block = block_extent(spec_, d), grid = grid_extent(spec_, d);
    threads = calculus::multiply(threads, block);
    std::vector<Term> goals{
        calculus::at_most(number(1), block), calculus::at_most(block, number(block_limits[d])),
        calculus::at_most(number(0), grid), calculus::at_most(grid, number(grid_limits[d]))};
    if (kernel_.required_block[static_cast<std::size_t>(d)] != 0)
      goals.push_back(calculus::equal(block, number(kernel_.required_block[static_cast<std::size_t>(d)])));
    for (Term goal : goals)
      if (!prover_.rely(scope, goal)) {
        out.holds = false;
        out.failure = fmt::format("dimension {}: {} is not shown", "xyz"[d], brief(goal, 6));
        return out;
      }
    // A launch of no blocks is an error (cudaErrorInvalidConfiguration), and does nothing; whoever launches
    // leaves it out.
    may_be_empty = may_be_empty || !prover_.rely(scope, calculus::at_most(number(1), grid));
  }
  if (may_be_empty) {
    prover_.forget_failure();
    out.assumptions.push_back("empty-grid-not-launched");
  }
  Term limit = number(threads_of_a_block);
  if (kernel_.maximum_block[0] != 0) {
    Term own = number(1);
    for (std::uint32_t bound : kernel_.maximum_block)
      own = calculus::scale(from_u64(bound == 0 ? 1 : bound), own);
    limit = calculus::index_min(limit, own);
  }
  if (!prover_.rely(scope, calculus::at_most(threads, limit))) {
    out.holds = false;
    out.failure = "the block may have too many threads";
  }
  Term shared = number(0);
  for (const ir::Array& array : kernel_.arrays)
    if (array.space == ir::Space::shared && !array.dynamic)
      shared = calculus::add(shared, calculus::integer(from_u64(array.bytes)));
  if (spec_.launch.dynamic_shared_bytes != nullptr)
    shared = calculus::add(shared, spec_.launch.dynamic_shared_bytes);
  if (out.holds && !prover_.rely(scope, calculus::at_most(shared, number(shared_bytes_unasked)))) {
    out.holds = false;
    out.failure = "the block may need more than 48 KiB of shared memory";
  }
  out.rules.push_back("limits");
  return out;
}

calculus::Substitution other_thread(const Trace& trace, const std::vector<Term>& facts,
                                    const std::vector<Term>& terms, bool blocks,
                                    const std::vector<Term>& shared) {
  (void)trace;
  calculus::Substitution out;
  for (int d = 0; d < 3; ++d) {
    out[thread_symbol(d)] = calculus::symbol(thread_symbol(d)->name + "'");
    if (blocks) out[block_symbol(d)] = calculus::symbol(block_symbol(d)->name + "'");
  }
  const auto see = [&](Term t) {
    if (!t->open) return;
    calculus::for_each_node(t, [&](Term node) {
      if (node->kind == Kind::variable && std::find(shared.begin(), shared.end(), node) == shared.end())
        out[node] = calculus::variable(node->name + "'", node->sort);
    });
  };
  for (Term t : facts) see(t);
  for (Term t : terms) see(t);
  return out;
}

}  // namespace hallmark::validator
