#include "bundle/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sample.h"

namespace hallmark::bundle {
namespace {

using testing::claim;
using testing::Sample;
using Kind = ObligationKind;

std::string verdict(const Sample& sample) {
  return program_verdict(sample.obligations, sample.identities);
}

TEST(Verdict, TheEndToEndSentenceNeedsEveryLink) {
  Sample sample;
  ASSERT_TRUE(verdict(sample).starts_with("For every input inside the contract"));
  // Soundness E5: take any obligation of links 1, 2 or 4 away or leave it open, and the sentence is gone.
  for (const Obligation& o : sample.obligations) {
    if (o.level == Level::source) continue;
    Sample open;
    open.at(o.id).outcome = Outcome::unrun(Reason::gap, "");
    EXPECT_FALSE(verdict(open).starts_with("For every")) << o.id;
    EXPECT_NE(verdict(open).find(o.id), std::string::npos) << o.id;
  }
}

TEST(Verdict, AKindThatIsNotInTheListIsMissingToo) {
  for (const Kind kind : {Kind::tolerance, Kind::defined, Kind::erasure, Kind::handoff, Kind::launch,
                          Kind::order, Kind::compose, Kind::race, Kind::value, Kind::init}) {
    Sample sample;
    std::erase_if(sample.obligations, [&](const Obligation& o) { return o.kind == kind; });
    EXPECT_FALSE(verdict(sample).starts_with("For every")) << name(kind);
    EXPECT_NE(verdict(sample).find(name(kind)), std::string::npos) << verdict(sample);
  }
  Sample two_outputs;
  two_outputs.identities.outputs.push_back("Z");
  EXPECT_NE(verdict(two_outputs).find("no tolerance is claimed for output 'Z'"), std::string::npos);
}

// Kernels for tensors without elements access nothing: that there are no bounds is said, and nothing else
// may be missing.
TEST(Verdict, WithoutAccessesToMemoryThereAreNoBounds) {
  Sample sample;
  std::erase_if(sample.obligations, [](const Obligation& o) { return o.kind == Kind::bounds; });
  EXPECT_FALSE(verdict(sample).starts_with("For every"));
  EXPECT_NE(verdict(sample).find("no obligation of kind bounds at level ptx"), std::string::npos);
  sample.identities.settings[memory_accesses] = "none";
  EXPECT_TRUE(verdict(sample).starts_with("For every")) << verdict(sample);
  EXPECT_NE(verdict(sample).find("The PTX of no kernel has an access to memory"), std::string::npos);
  std::erase_if(sample.obligations, [](const Obligation& o) { return o.kind == Kind::init; });
  EXPECT_FALSE(verdict(sample).starts_with("For every"));
}

TEST(Verdict, NamesTheMissingLinkAndWhatHoldsForTheText) {
  Sample sample;
  for (Obligation& o : sample.obligations)
    if (o.level == Level::ptx) o.outcome = Outcome::unrun(Reason::tool_missing, "nvcc");
  EXPECT_EQ(verdict(sample),
            "Nothing is refuted, and 18 of 29 obligations are proved; the end-to-end statement is not: link "
            "4 (compile: "
            "formulation to PTX and launch plan): 11 not proved (tool-missing 11), first bounds/relu/ptx. "
            "All obligations about "
            "the CUDA text are proved.");
}

TEST(Verdict, SourceLevelIsNoLinkOfTheChain) {
  Sample sample;
  sample.at("value/relu/source").outcome = Outcome::unrun(Reason::unsupported, "");
  EXPECT_TRUE(verdict(sample).starts_with("For every"));
}

TEST(Verdict, RefutedAndDisagreementComeFirst) {
  Sample sample;
  sample.at("race/relu/ptx").outcome = Outcome::unrun(Reason::disagreement, "");
  EXPECT_TRUE(verdict(sample).starts_with("Alarm: the solvers disagree")) << verdict(sample);
  testing::refute(sample.at("bounds/relu/source"), "thread 5 reads x[5]");
  EXPECT_TRUE(verdict(sample).starts_with(
      "Refuted: 1 of 29 obligations, first bounds/relu/source: thread 5 reads x[5]."));
  sample.obligations.clear();
  EXPECT_TRUE(verdict(sample).starts_with("Nothing to prove"));
}

// Soundness G4 and G9.
TEST(Verdict, CountsSingleSolverProofsAndNamesDefaultBoxes) {
  Sample sample;
  testing::prove(sample.at("rewrite-step/step 1/rule"), sample.texts, {"z3"});
  sample.identities.default_boxes = {"X in [-1, 1]"};
  EXPECT_NE(verdict(sample).find(" 1 of the proofs rests on one solver alone."), std::string::npos)
      << verdict(sample);
  EXPECT_TRUE(verdict(sample).ends_with("Assumed, because nobody declared it: X in [-1, 1]."));
}

TEST(Verdict, RulesAndKernels) {
  QueryTexts texts;
  std::vector<Obligation> rules{claim(Kind::rule, Level::rule, "a"), claim(Kind::rule, Level::rule, "b")};
  for (Obligation& o : rules) testing::prove(o, texts);
  EXPECT_EQ(plain_verdict(rules, "rule", "rules"), "All 2 rules are proved.");
  rules[1].outcome = Outcome::unrun(Reason::gave_up, "");
  EXPECT_EQ(plain_verdict(rules, "rule", "rules"),
            "Nothing is refuted; 1 of 2 rules are proved, 1 not decided.");
  // needs U-07: what holds up to a bound looks different from a proof.
  rules[1].outcome = Outcome::unrun(Reason::bounded, "");
  rules[1].scope = "n <= 64";
  EXPECT_NE(plain_verdict(rules, "rule", "rules").find("holds for n <= 64 only as far as it was tried"),
            std::string::npos);
  EXPECT_TRUE(plain_verdict({}, "rule", "rules").starts_with("Nothing to prove"));
}

}  // namespace
}  // namespace hallmark::bundle
