// What machines read of us validates against the schemas of their formats, and a state that is written
// wrongly does not.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "bundle/gate.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

const std::string python = "/usr/bin/python3", schemas = HALLMARK_SOURCE_DIR "/corpus/schemas/";

// One of each state, a waiver, findings, notes, text that hurts, and everything that a site may trip over.
Report everything() {
  testing::Sample sample;
  testing::refute(sample.at("value/relu/ptx"), "x = \x01 <&\"'> \xff");
  sample.at("race/relu/ptx").outcome = Outcome::unrun(Reason::resource_limit, "two\nlines");
  sample.at("init/relu/ptx").outcome = Outcome::unrun(Reason::gave_up, "");
  Report out = checked_report("a|b <c>", sample.obligations, "obligation", "obligations",
                              [](const Obligation& o) { return replay_command("it's a folder", o); });
  out.waived["init/relu/ptx"] = "A. Person until 2027-01-01: looked at";
  out.findings.push_back({"E5230", "somewhere", "something & something"});
  out.notes.push_back("states not re-established: 3");
  return out;
}

struct Schemas : ::testing::Test {
  TemporaryFolder top;
  bool accepts_json(const std::string& schema, const std::string& text) const {
    write_file(top.path() + "/x.json", text);
    const ProcessResult result =
        run_process({python, "-W", "ignore", "-c",
                     "import json, sys, jsonschema\n"
                     "schema = json.load(open(sys.argv[1]))\n"
                     "jsonschema.Draft202012Validator.check_schema(schema)\n"
                     "jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))\n",
                     schemas + schema, top.path() + "/x.json"});
    if (!result.ok()) why = result.err;
    return result.ok();
  }
  bool accepts_xml(const std::string& text) const {
    write_file(top.path() + "/x.xml", text);
    const ProcessResult result = run_process(
        {"xmllint", "--nonet", "--noout", "--schema", schemas + "junit.xsd", top.path() + "/x.xml"});
    if (!result.ok()) why = result.err;
    return result.ok();
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }
  static bool has_jsonschema() {
    return std::filesystem::exists(python) && run_process({python, "-c", "import jsonschema"}).ok();
  }
  mutable std::string why;
};

TEST_F(Schemas, SarifOfBothKindsValidates) {
  if (!has_jsonschema()) GTEST_SKIP() << "python3-jsonschema is not installed";
  const Report report = everything();
  for (const Format format : {Format::sarif, Format::github})
    EXPECT_TRUE(accepts_json("sarif-2.1.0.schema.json", render(report, format))) << why;
  const std::string good = render(report, Format::sarif);
  const char* schema = "sarif-2.1.0.schema.json";
  EXPECT_FALSE(accepts_json(schema, replaced(good, "\"kind\": \"open\"", "\"kind\": \"unrun\"")));
  EXPECT_FALSE(accepts_json(schema, replaced(good, "\"version\": \"2.1.0\"", "\"version\": \"2.1\"")));
  EXPECT_FALSE(accepts_json(schema, replaced(good, "\"kind\": \"fail\"", "\"kind\": \"pass\"")))
      << "a pass has no level error";
  EXPECT_FALSE(accepts_json(schema, replaced(good, "\"executionSuccessful\"", "\"succeeded\"")));
}

TEST_F(Schemas, OurOwnReportValidates) {
  if (!has_jsonschema()) GTEST_SKIP() << "python3-jsonschema is not installed";
  const char* schema = "report-v1.schema.json";
  Report report = everything();
  const std::string good = render(report, Format::json);
  EXPECT_TRUE(accepts_json(schema, good)) << why;
  report.exit_code.reset();
  report.replay = nullptr;
  EXPECT_TRUE(accepts_json(schema, render(report, Format::json))) << "as in result.json: " << why;
  EXPECT_FALSE(accepts_json(schema, replaced(good, "\"state\": \"proved\"", "\"state\": \"verified\"")));
  EXPECT_FALSE(accepts_json(schema, replaced(good, "\"reason\": \"resource-limit\"", "\"reason\": \"\"")))
      << "unrun without a reason";
  EXPECT_FALSE(accepts_json(schema, replaced(good, "\"unrun\": 2", "\"skipped\": 2")));
  EXPECT_FALSE(accepts_json(schema, replaced(good, "\"replay\": ", "\"again\": ")));
}

TEST_F(Schemas, JunitValidatesAndSkipsNothing) {
  if (!find_tool("xmllint")) GTEST_SKIP() << "xmllint (libxml2-utils) is not installed";
  const std::string good = render(everything(), Format::junit);
  EXPECT_TRUE(accepts_xml(good)) << why;
  EXPECT_EQ(good.find("<skipped"), std::string::npos);
  EXPECT_TRUE(accepts_xml(render(Report{}, Format::junit))) << why;
  EXPECT_FALSE(accepts_xml(replaced(good, "<failure", "<refuted")));
  EXPECT_FALSE(accepts_xml(replaced(good, " type=\"refuted\"", "")));
  EXPECT_FALSE(accepts_xml(replaced(good, " errors=\"", " unrun=\"")));
}

}  // namespace
}  // namespace hallmark::bundle
