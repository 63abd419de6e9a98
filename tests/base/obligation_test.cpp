#include "obligation/obligation.h"

#include <gtest/gtest.h>

#include <set>

namespace hallmark {
namespace {

Obligation sample() {
  Obligation o;
  o.id = "bounds/add:12/source";
  o.kind = ObligationKind::bounds;
  o.level = Level::source;
  o.statement = "every access of add:12 is inside its buffer";
  return o;
}

TEST(Names, RoundTripAndAreDistinct) {
  std::set<std::string_view> seen;
  for (ObligationKind kind : all_obligation_kinds()) {
    EXPECT_EQ(kind_of(name(kind)), kind);
    EXPECT_TRUE(seen.insert(name(kind)).second) << name(kind);
  }
  EXPECT_EQ(seen.size(), 26u);
  for (int i = 0; i <= static_cast<int>(Reason::stale); ++i) {
    const Reason reason = static_cast<Reason>(i);
    EXPECT_EQ(reason_of(name(reason)), reason);
  }
  for (int i = 0; i <= static_cast<int>(Level::bundle); ++i)
    EXPECT_EQ(level_of(name(static_cast<Level>(i))), static_cast<Level>(i));
  for (State state : {State::proved, State::refuted, State::unrun}) EXPECT_EQ(state_of(name(state)), state);
}

TEST(Names, OtherTextIsNothing) {
  for (const char* text : {"Proved", "prove", "proved ", "ok", "true"}) EXPECT_FALSE(state_of(text)) << text;
  EXPECT_FALSE(reason_of("timeout"));
  EXPECT_FALSE(level_of("sass"));
  EXPECT_FALSE(kind_of("bound"));
  EXPECT_THROW(name(static_cast<ObligationKind>(99)), InternalError);
}

TEST(Names, TheClosedSetsAreThoseOfTheDesign) {
  EXPECT_EQ(name(Reason::witness_not_replayed), "witness-not-replayed");
  EXPECT_EQ(name(Reason::none), "");
  EXPECT_EQ(name(ObligationKind::rewrite_step), "rewrite-step");
  EXPECT_EQ(name(Level::ptx), "ptx");
}

TEST(WellFormed, EveryStateNeedsItsEvidence) {
  Obligation o = sample();
  o.outcome = Outcome::unrun(Reason::gave_up, "unknown");
  EXPECT_NO_THROW(check_well_formed(o));
  o.outcome.reason = Reason::none;
  EXPECT_THROW(check_well_formed(o), InternalError);

  o.outcome = {};
  o.outcome.state = State::proved;
  o.outcome.reason = Reason::none;
  EXPECT_THROW(check_well_formed(o), InternalError) << "proved by nothing";
  o.outcome.discharged_by = {"z3"};
  EXPECT_NO_THROW(check_well_formed(o));
  o.outcome.reason = Reason::resource_limit;
  EXPECT_THROW(check_well_formed(o), InternalError) << "proved and limited";

  o.outcome = {};
  o.outcome.state = State::refuted;
  o.outcome.reason = Reason::none;
  EXPECT_THROW(check_well_formed(o), InternalError) << "no witness";
  o.outcome.witness = Witness{"thread 5 reads x[5]", {}, "", "", ""};
  EXPECT_THROW(check_well_formed(o), InternalError) << "not executed";
  o.outcome.witness->executed_by = "interpreter";
  EXPECT_NO_THROW(check_well_formed(o));
}

TEST(WellFormed, IdentifierAndStatementAreNeeded) {
  Obligation o = sample();
  o.outcome = Outcome::unrun(Reason::not_scheduled, "");
  o.id.clear();
  EXPECT_THROW(check_well_formed(o), InternalError);
  o = sample();
  o.statement.clear();
  EXPECT_THROW(check_well_formed(o), InternalError);
}

TEST(Outcome, StartsUnrunAndNeverProved) {
  EXPECT_EQ(Outcome{}.state, State::unrun);
  EXPECT_EQ(Outcome{}.reason, Reason::not_scheduled);
  EXPECT_FALSE(larger_budget_can_help(Reason::unsupported));
  EXPECT_TRUE(larger_budget_can_help(Reason::resource_limit));
}

}  // namespace
}  // namespace hallmark
