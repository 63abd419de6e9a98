#include "bundle/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/process.h"
#include "bundle/verdict.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

using testing::claim;
using Kind = ObligationKind;

Report sample_report() {
  Report report;
  QueryTexts texts;
  report.subject = "k.cu: relu";
  report.obligations = {claim(Kind::bounds, Level::source, "relu"), claim(Kind::race, Level::source, "relu"),
                        claim(Kind::value, Level::source, "relu")};
  testing::refute(report.obligations[0], "thread (5,0,0) reads x[5], x has 5 elements");
  testing::prove(report.obligations[1], texts);
  report.obligations[2].outcome =
      Outcome::unrun(Reason::resource_limit, "z3: \"<canceled>\" & more\nsecond line\x01");
  report.verdict = plain_verdict(report.obligations, "obligation", "obligations");
  report.replay = [](const Obligation& o) { return replay_command("/tmp/a b", o); };
  report.exit_code = 1;
  return report;
}

TEST(Report, TextStartsWithCountsAndVerdictAndNamesReplays) {
  EXPECT_EQ(
      render(sample_report(), Format::text),
      "k.cu: relu\n"
      "proved 1, refuted 1, unrun 1 (resource-limit 1)\n"
      "Refuted: 1 of 3 obligations, first bounds/relu/source: thread (5,0,0) reads x[5], x has 5 elements.\n"
      "\n"
      "kind           how                        state    number\n"
      "bounds         interpreter                refuted       1\n"
      "race           z3+cvc5                    proved        1\n"
      "value          resource-limit             unrun         1\n"
      "\n"
      "refuted    bounds/relu/source  4-artifact/relu.cu:4\n"
      "           for any n >= 1\n"
      "           thread (5,0,0) reads x[5], x has 5 elements\n"
      "           n = 5\n"
      "           x = [1, 2, 3, 4, 5]\n"
      "           expected 0, got 7\n"
      "           executed by interpreter\n"
      "           replay: hallmark replay '/tmp/a b' bounds/relu/source\n"
      "unrun      value/relu/source  4-artifact/relu.cu:4  resource-limit (a larger budget can help)\n"
      "           for any n >= 1\n"
      "           z3: \"<canceled>\" & more\n"
      "           second line?\n"
      "           replay: hallmark replay '/tmp/a b' value/relu/source\n"
      "proved     race/relu/source  4-artifact/relu.cu:4  by z3, cvc5  (bits)  for any n >= 1\n"
      "           replay: hallmark replay '/tmp/a b' race/relu/source\n");
}

// needs U-01: the summary line counts the three states apart.
TEST(Report, ASummaryOfNothingDecided) {
  Report report = sample_report();
  report.obligations = {report.obligations[2]};
  EXPECT_EQ(counts_line(report.obligations), "proved 0, refuted 0, unrun 1 (resource-limit 1)");
}

TEST(Report, JunitMakesUnrunRed) {
  const std::string out = render(sample_report(), Format::junit);
  EXPECT_NE(out.find("<testsuite name=\"k.cu: relu\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\">"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("<failure type=\"refuted\" message=\"thread (5,0,0) reads x[5], x has 5 elements\">"),
            std::string::npos);
  EXPECT_NE(
      out.find("<error type=\"resource-limit\" message=\"unrun: resource-limit\">z3: "
               "&quot;&lt;canceled&gt;&quot; &amp; "
               "more&#10;second line?&#10;replay: hallmark replay '/tmp/a b' value/relu/source</error>"),
      std::string::npos)
      << out;
  EXPECT_NE(out.find("<testcase classname=\"source.race\" name=\"race/relu/source\""), std::string::npos);
  EXPECT_EQ(out.find("<skipped"), std::string::npos);
}

TEST(Report, AnEmptyJunitSuiteIsRedAndFindingsAreErrors) {
  Report report;
  report.subject = "b";
  report.verdict = "Nothing to prove: the list of obligations is empty.";
  EXPECT_NE(render(report, Format::junit).find("tests=\"1\" failures=\"0\" errors=\"1\""), std::string::npos);
  report.findings = {{"E5201", "4-artifact/a.cu", "missing"}};
  const std::string out = render(report, Format::junit);
  EXPECT_NE(out.find("tests=\"1\" failures=\"0\" errors=\"1\""), std::string::npos);
  EXPECT_NE(out.find("<error type=\"E5201\" message=\"missing\"/>"), std::string::npos);
}

TEST(Report, JsonIsCanonicalAndOutsideABundleNamesNoFiles) {
  const std::string out = render(sample_report(), Format::json);
  const json::value value = parse_json(out, "f");
  EXPECT_EQ(canonical_json(value), out);
  EXPECT_FALSE(value.at("obligations").at(1).at("query").at(0).as_object().contains("file"));
  EXPECT_TRUE(value.at("obligations").at(1).at("witness").is_null());
  EXPECT_EQ(value.at("obligations").at(0).at("location").at("line").as_int64(), 4);
}

TEST(Report, ShellWordsSurviveAShell) {
  for (const std::string word : {"plain/word:1", "a b", "it's", "$(x)`y`", "", "-n", "a\"b\\"})
    EXPECT_EQ(run_process({"sh", "-c", "printf %s " + shell_word(word)}).out, word) << shell_word(word);
}

TEST(Report, AnnotationsAreCommandsThatNoMessageCanForge) {
  Report report = sample_report();
  report.obligations[2].outcome.detail = "100 %\n::error title=forged::all is lost";
  report.obligations[2].id = "value/a:b,c/source";
  const std::string out = render(report, Format::annotations);
  std::size_t errors = 0, warnings = 0, notices = 0;
  for (std::size_t at = 0; at < out.size(); at = out.find('\n', at) + 1) {
    errors += out.compare(at, 8, "::error ") == 0 ? 1 : 0;
    warnings += out.compare(at, 10, "::warning ") == 0 ? 1 : 0;
    notices += out.compare(at, 9, "::notice ") == 0 ? 1 : 0;
  }
  EXPECT_EQ(errors, 1u) << out;
  EXPECT_EQ(warnings, 1u) << out;
  EXPECT_EQ(notices, 1u) << out;
  EXPECT_NE(out.find("100 %25%0A::error title=forged"), std::string::npos) << out;
  EXPECT_NE(out.find("title=unrun%3A value/a%3Ab%2Cc/source::"), std::string::npos) << out;
  EXPECT_NE(out.find("%0AReplay: hallmark replay"), std::string::npos) << out;
  EXPECT_NE(out.find("line=4,"), std::string::npos) << out;
  // The site shows ten: the rest is counted, never dropped silently.
  for (int i = 0; i < 30; ++i) report.obligations.push_back(report.obligations[2]);
  const std::string many = render(report, Format::annotations);
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 1 + 10 + 1);
  EXPECT_NE(
      many.find("22 more warnings are not shown here. What shows them: the same command with --format text"),
      std::string::npos)
      << many;
}

TEST(Report, MarkdownSaysWhatItLeavesOut) {
  Report report = sample_report();
  const std::string all = render(report, Format::markdown);
  EXPECT_EQ(all.find("not shown here"), std::string::npos) << all;
  for (int i = 0; i < 30; ++i) report.obligations.push_back(report.obligations[2]);
  report.all_rows = report_command("a folder");
  const std::string out = render(report, Format::markdown);
  EXPECT_NE(out.find("Not proved: 32, the first five"), std::string::npos) << out;
  EXPECT_NE(out.find("27 more are not proved and not shown here. What shows them:\n\n      hallmark report "
                     "'a folder' -o report.html\n"),
            std::string::npos)
      << out;
}

TEST(Report, FormatNames) {
  EXPECT_EQ(format_of("junit"), Format::junit);
  EXPECT_EQ(format_of("annotations"), Format::annotations);
  EXPECT_FALSE(format_of("JSON"));
}

}  // namespace
}  // namespace hallmark::bundle
