#include "obligation/obligation.h"

#include <array>

namespace hallmark {
namespace {

template <typename Enum>
struct Entry {
  Enum value;
  std::string_view name;
};

constexpr std::array<Entry<State>, 3> states{
    {{State::proved, "proved"}, {State::refuted, "refuted"}, {State::unrun, "unrun"}}};

constexpr std::array<Entry<Reason>, 19> reasons{{
    {Reason::none, ""},
    {Reason::not_scheduled, "not-scheduled"},
    {Reason::resource_limit, "resource-limit"},
    {Reason::wall_limit, "wall-limit"},
    {Reason::memory_limit, "memory-limit"},
    {Reason::gave_up, "gave-up"},
    {Reason::gap, "gap"},
    {Reason::unsupported, "unsupported"},
    {Reason::tool_missing, "tool-missing"},
    {Reason::solver_missing, "solver-missing"},
    {Reason::solver_crash, "solver-crash"},
    {Reason::single_solver, "single-solver"},
    {Reason::disagreement, "disagreement"},
    {Reason::vacuous, "vacuous"},
    {Reason::bounded, "bounded"},
    {Reason::undefined_input, "undefined-input"},
    {Reason::witness_not_replayed, "witness-not-replayed"},
    {Reason::interrupted, "interrupted"},
    {Reason::stale, "stale"},
}};

constexpr std::array<Entry<Level>, 6> levels{{{Level::model, "model"},
                                              {Level::rule, "rule"},
                                              {Level::plan, "plan"},
                                              {Level::source, "source"},
                                              {Level::ptx, "ptx"},
                                              {Level::bundle, "bundle"}}};

constexpr std::array<Entry<ObligationKind>, 26> kinds{{
    {ObligationKind::rule, "rule"},
    {ObligationKind::rewrite_step, "rewrite-step"},
    {ObligationKind::defined, "defined"},
    {ObligationKind::erasure, "erasure"},
    {ObligationKind::range, "range"},
    {ObligationKind::rounding, "rounding"},
    {ObligationKind::branch, "branch"},
    {ObligationKind::constant, "constant"},
    {ObligationKind::tolerance, "tolerance"},
    {ObligationKind::bounds, "bounds"},
    {ObligationKind::alignment, "alignment"},
    {ObligationKind::overflow, "overflow"},
    {ObligationKind::ub, "ub"},
    {ObligationKind::init, "init"},
    {ObligationKind::race, "race"},
    {ObligationKind::barrier, "barrier"},
    {ObligationKind::shuffle, "shuffle"},
    {ObligationKind::termination, "termination"},
    {ObligationKind::coverage, "coverage"},
    {ObligationKind::frame, "frame"},
    {ObligationKind::value, "value"},
    {ObligationKind::launch, "launch"},
    {ObligationKind::handoff, "handoff"},
    {ObligationKind::order, "order"},
    {ObligationKind::memory, "memory"},
    {ObligationKind::compose, "compose"},
}};

template <typename Enum, std::size_t N>
std::string_view lookup(const std::array<Entry<Enum>, N>& table, Enum value) {
  for (const auto& entry : table)
    if (entry.value == value) return entry.name;
  throw InternalError("an enumeration value without a name");
}

template <typename Enum, std::size_t N>
std::optional<Enum> parse(const std::array<Entry<Enum>, N>& table, std::string_view text) {
  for (const auto& entry : table)
    if (entry.name == text) return entry.value;
  return std::nullopt;
}

}  // namespace

std::string_view name(State value) {
  return lookup(states, value);
}
std::string_view name(Reason value) {
  return lookup(reasons, value);
}
std::string_view name(Level value) {
  return lookup(levels, value);
}
std::string_view name(ObligationKind value) {
  return lookup(kinds, value);
}
std::optional<State> state_of(std::string_view text) {
  return parse(states, text);
}
std::optional<Reason> reason_of(std::string_view text) {
  return parse(reasons, text);
}
std::optional<Level> level_of(std::string_view text) {
  return parse(levels, text);
}
std::optional<ObligationKind> kind_of(std::string_view text) {
  return parse(kinds, text);
}

const std::vector<ObligationKind>& all_obligation_kinds() {
  static const std::vector<ObligationKind> all = [] {
    std::vector<ObligationKind> out;
    for (const auto& entry : kinds) out.push_back(entry.value);
    return out;
  }();
  return all;
}

bool larger_budget_can_help(Reason reason) {
  switch (reason) {
    case Reason::not_scheduled:
    case Reason::resource_limit:
    case Reason::wall_limit:
    case Reason::memory_limit:
    case Reason::interrupted:
    case Reason::bounded:
    case Reason::gap:
      return true;
    default:
      return false;
  }
}

Outcome Outcome::unrun(Reason reason, std::string detail) {
  Outcome out;
  out.reason = reason;
  out.detail = std::move(detail);
  return out;
}

void check_well_formed(const Obligation& obligation) {
  const Outcome& outcome = obligation.outcome;
  const std::string where = obligation.id + ": ";
  ensure(!obligation.id.empty() && !obligation.statement.empty(),
         "an obligation without identifier or statement");
  ensure((outcome.state == State::unrun) == (outcome.reason != Reason::none),
         where + "reason and state do not fit");
  if (outcome.state == State::proved) ensure(!outcome.discharged_by.empty(), where + "proved by nothing");
  if (outcome.state == State::refuted)
    ensure(outcome.witness && !outcome.witness->executed_by.empty(),
           where + "refuted without an executed witness");
}

}  // namespace hallmark
