// A bundle in the hands of somebody who may rewrite every file, knows every rule of the format and computes
// every digest, tree, sentence and signature anew. Nothing untrue may be accepted: exit 0 is out of reach,
// and what can be seen to be untrue is an integrity failure.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../bundle/tamper.h"
#include "base/files.h"
#include "base/sha256.h"
#include "bundle/layout.h"
#include "bundle/writer.h"
#include "cases.h"
#include "pipeline/assumptions.h"
#include "pipeline/audit.h"
#include "pipeline/origins.h"
#include "pipeline/store.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;
using bundle::testing::forge;

void replace(std::string& text, const std::string& what, const std::string& with) {
  ASSERT_NE(text.find(what), std::string::npos) << what;
  text.replace(text.find(what), what.size(), with);
}

Outcome claimed(std::vector<std::string> by = {"syntactic"}) {
  Outcome out;
  out.state = State::proved;
  out.reason = Reason::none;
  out.discharged_by = std::move(by);
  return out;
}

class Forged : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryFolder;
    testing::run_model("relu", shared_->path() + "/out");
  }
  static void TearDownTestSuite() { delete shared_; }
  void SetUp() override {
    fs::copy(shared_->path() + "/out", folder, fs::copy_options::recursive);
    settings = bundle::open_bundle(folder).receipt->identities.settings;
    ASSERT_EQ(audited().exit_code, 0) << "what is not forged is accepted";
  }

  bundle::AuditResult audited(const pipeline::AuditRequest& request = {}) const {
    return pipeline::audit_bundle(folder, request, [](const std::string&) {});
  }
  bundle::AuditResult offline() const {
    pipeline::AuditRequest request;
    request.offline = true;
    return audited(request);
  }
  std::string read(const std::string& path) const { return read_file(folder + "/" + path); }
  void write(const std::string& path, const std::string& bytes) const {
    write_file(folder + "/" + path, bytes);
  }
  // Signs what stands there, as whoever holds the key can.
  void sign(const bundle::PrivateKey& key) const {
    write(bundle::envelope_file, bundle::sign_envelope(read(bundle::receipt_file), {key}));
    write(bundle::manifest_file, bundle::manifest_text(bundle::list_folder(folder)));
  }
  // An integrity failure that names `where`, with and without solvers.
  void refused(const std::string& code, const std::string& where) const {
    for (const bundle::AuditResult& result : {audited(), offline()}) {
      EXPECT_EQ(result.exit_code, 5);
      EXPECT_TRUE(std::any_of(result.report.findings.begin(), result.report.findings.end(),
                              [&](const bundle::Finding& f) { return f.code == code && f.where == where; }))
          << code << " " << where << "\n"
          << bundle::render(result.report, bundle::Format::text).substr(0, 2000);
    }
  }
  // The obligations that follow from the stages as they stand, each said to be proved: as before where it
  // says the same as before, by nothing in particular otherwise.
  void claim_all() const {
    const bundle::OpenBundle opened = bundle::open_bundle(folder);
    const pipeline::Restored restored = pipeline::restore_all(pipeline::reader_of(opened));
    const pipeline::Evidence& evidence = restored.evidence;
    const std::vector<pipeline::Origin> origins = pipeline::find_origins(
        restored.authored, restored.space, restored.selection, restored.lowered, "", false);
    const pipeline::ArtifactTexts texts(evidence.cuda, evidence.ptx);
    std::vector<Obligation> list = pipeline::list_obligations(evidence, texts);
    for (Obligation& o : list) {
      o.outcome = claimed();
      for (const Obligation& before : opened.receipt->obligations)
        if (before.statement == o.statement && before.outcome.queries.empty()) o = before;
    }
    fs::remove_all(folder + "/" + bundle::query_folder);
    for (const auto& [path, file] : opened.listing.files)
      if (path.starts_with(bundle::certificate_folder) &&
          std::none_of(list.begin(), list.end(), [&](const Obligation& o) {
            return o.outcome.queries.empty() && path == bundle::certificate_file(sha256_hex(o.statement));
          }))
        fs::remove(folder + "/" + path);
    forge(folder, [&](bundle::Receipt& receipt) {
      receipt.obligations = list;
      receipt.identities.assumptions =
          pipeline::assumptions_of(evidence, restored.authored.model.assumptions);
      pipeline::add_named(receipt.identities.assumptions, list);
      for (const pipeline::Origin& origin : origins)
        if (origin.unknown.empty()) receipt.identities.settings[origin.setting] = pipeline::text(origin);
    });
  }
  // A CUDA text and a PTX text that the launch plan names by their digests.
  void relaunch(const std::string& from, const std::string& to) const {
    json::value plan = parse_json(read("4-artifact/launch.json"), "launch.json");
    for (json::value& launch : plan.at("launches").as_array())
      for (auto& member : launch.as_object())
        if (member.value().is_string() && member.value().as_string() == from) member.value() = to;
    write("4-artifact/launch.json", canonical_json(plan));
  }
  void change_text(const std::string& path, const std::string& what, const std::string& with) const {
    std::string text = read(path);
    const std::string before = sha256_hex(text);
    replace(text, what, with);
    write(path, text);
    relaunch(before, sha256_hex(text));
  }
  std::string kernel() const {
    for (const auto& entry : fs::directory_iterator(folder + "/4-artifact"))
      if (entry.path().extension() == ".cu") return "4-artifact/" + entry.path().filename().string();
    return {};
  }

  static TemporaryFolder* shared_;
  TemporaryFolder top;
  std::string folder = top.path() + "/b";
  std::map<std::string, std::string> settings;  // as the honest receipt has them
};
TemporaryFolder* Forged::shared_ = nullptr;

TEST_F(Forged, AWrongKernelWithEverythingDerivedFromIt) {
  change_text(kernel(), "0.0f", "1.0f");
  claim_all();
  EXPECT_EQ(offline().exit_code, 3) << "consistent, and nobody's word";
  const bundle::AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(std::any_of(result.report.findings.begin(), result.report.findings.end(),
                          [](const bundle::Finding& f) { return f.code == "E5232"; }));
  // Signed with a key that the auditor pinned: the signer's word holds until somebody proves again.
  const bundle::PrivateKey key = bundle::PrivateKey::generate();
  sign(key);
  pipeline::AuditRequest pinned;
  pinned.pinned = {key.public_key()};
  EXPECT_EQ(audited(pinned).exit_code, 1);
  pinned.pinned = {bundle::PrivateKey::generate().public_key()};
  EXPECT_EQ(audited(pinned).exit_code, 5) << "a foreign key changes nothing";
}

TEST_F(Forged, WrongPtxWithEverythingDerivedFromIt) {
  if (!testing::nvcc_is_there()) GTEST_SKIP() << "nvcc is not installed: there is no PTX";
  change_text("4-artifact/kernels.ptx", "max.f32", "min.f32");
  claim_all();
  EXPECT_EQ(offline().exit_code, 3);
  EXPECT_EQ(audited().exit_code, 5);
}

TEST_F(Forged, AnotherLaunchWithEverythingDerivedFromIt) {
  json::value plan = parse_json(read("4-artifact/launch.json"), "launch.json");
  json::value& block = plan.at("launches").as_array()[0].at("block");
  std::string text = canonical_json(plan);
  const std::string as_it_was = canonical_json(block);
  for (json::value& extent : block.as_array())
    if (extent.is_string() && extent.as_string() != "1") {
      extent = "32";
      break;
    }
  ASSERT_NE(canonical_json(block), as_it_was) << text;
  write("4-artifact/launch.json", canonical_json(plan));
  claim_all();
  for (const bundle::AuditResult& result : {audited(), offline()}) {
    EXPECT_NE(result.exit_code, 0);
    for (const Obligation& o : result.report.obligations)
      if (o.kind == ObligationKind::coverage) {
        EXPECT_NE(o.outcome.state, State::proved) << o.id;
      }
  }
}

TEST_F(Forged, AReasonThatThePolicyToleratesInsteadOfTheTrueOne) {
  // `tool-missing` at level ptx is what the default policy lets pass.
  forge(folder, [](bundle::Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      if (o.kind == ObligationKind::value && o.level == Level::ptx)
        o.outcome = Outcome::unrun(Reason::tool_missing, "there is no nvcc here");
  });
  // Where the solvers cannot be asked at level ptx, the reason is theirs, and not tolerated.
  pipeline::AuditRequest nobody;
  nobody.effort.solvers = {"z3"};
  const bundle::AuditResult result = audited(nobody);
  EXPECT_EQ(result.exit_code, 3);
  for (const Obligation& o : result.report.obligations) {
    EXPECT_NE(o.outcome.reason, Reason::tool_missing) << o.id;
  }
  // The rows say what the audit found.
  for (const Obligation& o : audited().report.obligations) EXPECT_EQ(o.outcome.state, State::proved) << o.id;
}

TEST_F(Forged, WhatNobodyFoundIsNotShownAsProved) {
  const bundle::AuditResult result = offline();
  EXPECT_EQ(result.exit_code, 3);
  std::size_t stale = 0;
  for (const Obligation& o : result.report.obligations) {
    if (o.outcome.state == State::proved) {
      EXPECT_TRUE(o.outcome.queries.empty()) << o.id;
      continue;
    }
    EXPECT_EQ(o.outcome.reason, Reason::stale) << o.id;
    ++stale;
  }
  EXPECT_EQ(stale, result.not_reestablished);
  EXPECT_GT(stale, 10u);
}

TEST_F(Forged, AnAssumptionLeftOut) {
  forge(folder, [](bundle::Receipt& receipt) { receipt.identities.assumptions.pop_back(); });
  refused("E5241", "assumptions");
}

TEST_F(Forged, AnAssumptionOfAnObligationLeftOutOrAdded) {
  forge(folder, [](bundle::Receipt& receipt) {
    receipt.obligations.back().outcome.assumptions = {"nothing at all"};
  });
  EXPECT_EQ(audited().exit_code, 5);
}

TEST_F(Forged, ABoxThatNobodyDeclaredSaidToBeDeclared) {
  forge(folder, [](bundle::Receipt& receipt) { receipt.identities.default_boxes = {"X in [-0, 0]"}; });
  refused("E5241", "default_boxes");
}

TEST_F(Forged, OutputsSettingsAndAbsences) {
  forge(folder, [](bundle::Receipt& receipt) { receipt.identities.settings["fma"] = "as it pleases"; });
  refused("E5241", "settings");
  forge(folder, [](bundle::Receipt& receipt) {
    receipt.identities.outputs.clear();
    receipt.identities.absent.push_back({"the second kernel", Reason::unsupported, ""});
  });
  refused("E5241", "outputs");
  refused("E5241", "absent");
}

// A gate expects the digest of a model; the receipt's role leads to a file with that digest, and the
// obligations are about another one.
TEST_F(Forged, ARoleThatLeadsToADecoy) {
  write("1-model/wanted.onnxtxt", "the model that the gate expects");
  forge(folder,
        [](bundle::Receipt& receipt) { receipt.identities.roles["model"] = "1-model/wanted.onnxtxt"; });
  refused("E5241", "roles");
  refused("E5242", "1-model/wanted.onnxtxt");
}

// What people read and no obligation is about: prices, provenance, the map from lines to the plan. Each is
// derived from what stands before it and compared; a stage that was changed by hand is said to be.
TEST_F(Forged, PricesProvenanceAndTheMapOfLines) {
  pipeline::AuditRequest request;
  request.corpus = testing::corpus();
  request.offline = true;
  const auto compiled = [&] {
    pipeline::AuditRequest with = request;
    with.compile = true;
    return audited(with);
  };
  const auto text_of = [](const bundle::AuditResult& result) {
    return bundle::render(result.report, bundle::Format::text);
  };
  EXPECT_NE(text_of(audited(request))
                .find("derived again, with the same bytes: stage-2-candidates, "
                      "stage-3-selection, stage-4-artifact"),
            std::string::npos)
      << text_of(audited(request)).substr(0, 2000);
  if (testing::nvcc_is_there()) {
    EXPECT_NE(text_of(compiled()).find("stage-4-artifact, stage-4-ptx"), std::string::npos);
    change_text("4-artifact/kernels.ptx", "max.f32", "min.f32");
    claim_all();
    EXPECT_EQ(audited(request).exit_code, 3) << "nobody looked";
    EXPECT_NE(text_of(compiled()).find("stage-4-ptx: not as nvcc makes it of the kernels"),
              std::string::npos);
    fs::remove_all(folder);
    fs::copy(shared_->path() + "/out", folder, fs::copy_options::recursive);
  }
  const auto changed = [&](const std::string& stage, const std::string& path,
                           const std::function<void(json::value&)>& change, bool in_all_ways = false,
                           bool readable = true) {
    const std::string before = read(path);
    json::value value = parse_json(before, path);
    change(value);
    write(path, canonical_json(value));
    // The receipt says that the stage wrote it.
    forge(folder, [](bundle::Receipt&) {});
    const bundle::AuditResult result = audited(request);
    EXPECT_EQ(result.exit_code, 5) << path;
    const bool named =
        std::any_of(result.report.findings.begin(), result.report.findings.end(), [&](const auto& f) {
          return (f.code == "E5242" && f.where == path) || (f.code == "E5241" && f.where == "settings");
        });
    EXPECT_TRUE(named) << path;
    // It says that nobody could look, keeps silent, or says the truth: then the audit says it too.
    const std::string truth = "not as `hallmark " +
                              std::string(stage.ends_with("selection")    ? "select"
                                          : stage.ends_with("candidates") ? "search"
                                                                          : "lower") +
                              "` writes it: " + (readable ? path : path.substr(0, path.find('/')));
    for (const std::string claim : {"not derived: nobody looked", "", truth.c_str()}) {
      if (!in_all_ways && claim != truth) continue;
      forge(folder, [&](bundle::Receipt& receipt) {
        receipt.identities.settings.erase(stage);
        if (!claim.empty()) receipt.identities.settings[stage] = claim;
      });
      const bool open = stage == "stage-2-candidates" && claim.starts_with("not derived");
      const bundle::AuditResult again = audited(request);
      EXPECT_EQ(again.exit_code, claim == truth || open ? 3 : 5) << path << " " << claim;
      EXPECT_NE(text_of(again).find(stage + ": not as `hallmark "), std::string::npos) << path;
    }
    write(path, before);
    forge(folder, [&](bundle::Receipt& receipt) { receipt.identities.settings = settings; });
  };
  changed(
      "stage-2-candidates", "2-candidates/space.json",
      [](json::value& v) { v.as_object()["nodes"] = 1'000'000; }, true);
  changed("stage-2-candidates", "2-candidates/space.json", [](json::value& v) {
    v.as_object()["rules"].emplace_object()["a-rule-that-nobody-has"] = "proved";
  });
  changed(
      "stage-2-candidates", "2-candidates/space.json",
      [](json::value& v) { v.as_object()["rules"] = "all proved"; }, false, false);
  changed(
      "stage-3-selection", "3-selection/selection.json",
      [](json::value& v) { v.as_object()["elected_seconds"] = "0.000000000001"; }, true);
  changed("stage-3-selection", "3-selection/selection.json",
          [](json::value& v) { v.as_object()["election"] = "optimal, and faster than anybody's"; });
  changed(
      "stage-4-artifact", "4-artifact/map.json",
      [](json::value& v) {
        for (json::value& line : v.as_array()) line.as_object()["line"] = 1;
      },
      true);
}

TEST_F(Forged, AFileThatNoStageWrites) {
  write("4-artifact/kernels.cubin", "what might be loaded instead");
  forge(folder, [](bundle::Receipt&) {});
  refused("E5242", "4-artifact/kernels.cubin");
}

TEST_F(Forged, AStageFileThatSaysMoreThanIsRead) {
  for (const char* path : {"1-model/contract.toml", "3-selection/formulation.hm"}) {
    const std::string before = read(path);
    write(path, before + "# approved by the safety board\n");
    forge(folder, [](bundle::Receipt&) {});
    refused("E5242", path);
    write(path, before);
  }
  json::value plan = parse_json(read("4-artifact/launch.json"), "launch.json");
  plan.as_object()["warranty"] = "unlimited";
  write("4-artifact/launch.json", canonical_json(plan));
  forge(folder, [](bundle::Receipt&) {});
  EXPECT_NE(audited().exit_code, 0);
  EXPECT_NE(offline().exit_code, 0);
}

TEST_F(Forged, ALargerScopeThanWhatWasProved) {
  forge(folder, [](bundle::Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      if (o.kind == ObligationKind::value) o.scope = "any size, any launch, any input";
  });
  const bundle::AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.report.findings.at(0).code, "E5243");
  for (const Obligation& o : result.report.obligations)
    EXPECT_EQ(o.scope.find("any launch"), std::string::npos);
}

TEST_F(Forged, AnotherDischargeLineNumberOrBound) {
  const auto edited = [&](const std::function<void(Obligation&)>& edit, ObligationKind kind) {
    const std::string before = read(bundle::receipt_file);
    bool done = false;
    forge(folder, [&](bundle::Receipt& receipt) {
      for (Obligation& o : receipt.obligations)
        if (o.kind == kind && !done && (done = true)) edit(o);
    });
    EXPECT_EQ(audited().exit_code, 5);
    write(bundle::receipt_file, before);
    forge(folder, [](bundle::Receipt&) {});
  };
  edited([](Obligation& o) { o.outcome.detail = "the error is at most 0"; }, ObligationKind::tolerance);
  edited([](Obligation& o) { o.outcome.discharged_by = {"enumeration"}; }, ObligationKind::tolerance);
  edited([](Obligation& o) { o.location.line = 1; }, ObligationKind::bounds);
  edited([](Obligation& o) { o.strength = "ieee"; }, ObligationKind::value);
}

// Evidence of another solver: its answers are put under the name of one that was never asked.
TEST_F(Forged, AnotherSolverThanTheOneThatAnswered) {
  forge(folder, [](bundle::Receipt& receipt) {
    for (Obligation& o : receipt.obligations) {
      for (QueryRecord& query : o.outcome.queries)
        for (SolverAnswer& answer : query.answers)
          if (answer.solver == "z3") answer.solver = "yices";
      for (std::string& by : o.outcome.discharged_by)
        if (by == "z3") by = "yices";
    }
  });
  EXPECT_EQ(audited().exit_code, 5);
}

// The goal of a proof is exchanged for one that anybody can prove, with a certificate that checks.
TEST_F(Forged, ACertificateThatProvesAnotherStatement) {
  std::string certified;
  for (const auto& entry : fs::directory_iterator(folder + "/" + bundle::certificate_folder))
    certified = entry.path().stem().string();
  ASSERT_FALSE(certified.empty());
  forge(folder, [&](bundle::Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      for (QueryRecord& query : o.outcome.queries)
        if (query.purpose == "goal" && o.kind == ObligationKind::value) query.sha256 = certified;
    std::set<std::string> used;
    for (const Obligation& o : receipt.obligations) {
      used.insert(sha256_hex(o.statement));
      for (const QueryRecord& query : o.outcome.queries) used.insert(query.sha256);
    }
    for (const std::string_view part : {bundle::query_folder, bundle::certificate_folder}) {
      std::vector<fs::path> unused;
      for (const auto& entry : fs::directory_iterator(folder + "/" + std::string(part)))
        if (!used.contains(entry.path().stem().string())) unused.push_back(entry.path());
      for (const fs::path& path : unused) fs::remove(path);
    }
  });
  EXPECT_EQ(offline().exit_code, 3);
  const bundle::AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.report.findings.at(0).code, "E5243");
}

TEST_F(Forged, ACertificateOfAnotherQuery) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder + "/" + bundle::certificate_folder))
    files.push_back(std::string(bundle::certificate_folder) + "/" + entry.path().filename().string());
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 1u);
  std::size_t other = 1;
  while (other < files.size() && read(files[other]) == read(files[0])) ++other;
  ASSERT_LT(other, files.size());
  write(files[0], "{\n  \"format\": \"hallmark-certificate/1\"\n}\n");
  forge(folder, [](bundle::Receipt&) {});
  refused("E5240", files[0]);
}

// Weights may stay at home: the bundle names the model by its digest, and an audit that has it is whole.
TEST_F(Forged, AWithheldModelIsBroughtByWhoeverAudits) {
  pipeline::RunRequest request = testing::request("relu", top.path() + "/withheld");
  request.withhold_model = true;
  pipeline::run(request, [](const std::string&) {});
  for (const auto& [path, bytes] : testing::files_below(request.output))
    EXPECT_EQ(bytes.find("Relu(x)"), std::string::npos) << path;
  pipeline::AuditRequest with;
  const auto exit_code = [&](const std::string& model) {
    with.model = model;
    const bundle::AuditResult result =
        pipeline::audit_bundle(request.output, with, [](const std::string&) {});
    return std::pair(result.exit_code, bundle::render(result.report, bundle::Format::text));
  };
  const auto without = exit_code("");
  EXPECT_EQ(without.first, 3);
  EXPECT_NE(without.second.find("--model"), std::string::npos) << without.second.substr(0, 2000);
  EXPECT_EQ(exit_code(request.model).first, 0) << exit_code(request.model).second.substr(0, 2000);
  const auto other = exit_code(testing::corpus() + "/models/add.onnxtxt");
  EXPECT_EQ(other.first, 3) << "another model is not it";
  EXPECT_NE(other.second.find("E7407"), std::string::npos);
}

// A certificate of an interval proof: boxes that leave values out, and one that stands for another statement.
TEST_F(Forged, BoxesThatDoNotHoldTheValues) {
  const bundle::OpenBundle opened = bundle::open_bundle(folder);
  std::string file, kind;
  for (const Obligation& o : opened.receipt->obligations)
    if (o.id == "range/y/plan") file = bundle::certificate_file(sha256_hex(o.statement));
  const std::string good = read(file);
  json::value text = parse_json(good, file);
  ASSERT_EQ(text.at("kind").as_string(), "boxes");
  text.at("steps").as_array()[0] = "y 0 99";  // of max(x, 0) for x up to 100
  write(file, canonical_json(text));
  forge(folder, [](bundle::Receipt&) {});
  refused("E5240", file);
  text.at("steps").as_array()[0] = "y 0 101";
  write(file, canonical_json(text));
  forge(folder, [](bundle::Receipt&) {});
  EXPECT_EQ(audited().exit_code, 0) << "a larger box is as good";
  // The same boxes for what they do not show.
  for (const Obligation& o : opened.receipt->obligations)
    if (o.id == "rounding/y/plan") {
      text.at("query") = sha256_hex(o.statement);
      write(bundle::certificate_file(sha256_hex(o.statement)), canonical_json(text));
      forge(folder, [](bundle::Receipt& receipt) {
        for (Obligation& each : receipt.obligations)
          if (each.id == "rounding/y/plan") each.outcome.discharged_by.emplace_back("certificate");
      });
      refused("E5240", bundle::certificate_file(sha256_hex(o.statement)));
    }
}

// A certificate of an error: one that is too small by a hair, one above the tolerance, boxes that leave out.
TEST_F(Forged, ErrorsThatAreNotShown) {
  testing::run_model("matmul", top.path() + "/m");
  fs::remove_all(folder);
  fs::rename(top.path() + "/m", folder);
  const bundle::OpenBundle opened = bundle::open_bundle(folder);
  std::string file;
  for (const Obligation& o : opened.receipt->obligations)
    if (o.id == "tolerance/c/model") file = bundle::certificate_file(sha256_hex(o.statement));
  const std::string good = read(file);
  json::value text = parse_json(good, file);
  ASSERT_EQ(text.at("kind").as_string(), "boxes");
  ASSERT_EQ(text.at("steps").as_array().size(), 1u);
  const std::string line(text.at("steps").as_array()[0].as_string());
  const std::size_t last = line.rfind(' ');
  const Rational error(line.substr(last + 1));
  EXPECT_GT(error, Rational(1, 100));
  EXPECT_LE(error, Rational(1, 10)) << "the contract's tolerance";
  const auto with = [&](const std::string& step) {
    text.at("steps").as_array()[0] = step;
    write(file, canonical_json(text));
    forge(folder, [](bundle::Receipt&) {});
    return offline();
  };
  EXPECT_EQ(with(line.substr(0, last + 1) + "1/10").exit_code, 3) << "a larger error within the tolerance";
  const std::string boxes = line.substr(0, last + 1);
  for (const std::string& step :
       std::vector<std::string>{boxes + Rational(error * Rational(999, 1000)).get_str(), boxes + "1001/10000",
                                line.substr(0, last), line + " 1", "c -1023 1024 -2000 2000 1/10",
                                "c -1024 1024 -1024 1024 1/10"}) {
    const bundle::AuditResult result = with(step);
    EXPECT_EQ(result.exit_code, 5) << step;
    EXPECT_EQ(result.report.findings.at(0).code, "E5240") << step;
  }
}

// A certificate of matched sums: maps that are none, sums that are others, another statement's, none where
// the receipt says that there is one.
TEST_F(Forged, SumsThatAreNotMatched) {
  fs::create_directories(top.path() + "/chain");
  const std::string model = top.path() + "/chain/chain.onnxtxt";
  write_file(model,
             "<ir_version: 8, opset_import: [\"\" : 17]>\n"
             "chain (float[64, 64] a, float[64, 64] b, float[64, 1] c) => (float[64, 1] y)\n"
             "{\n  t = MatMul(a, b)\n  y = MatMul(t, c)\n}\n");
  std::string contract = "version = 1\n";
  for (const char* input : {"a", "b", "c"})
    contract += std::string("[inputs.") + input + "]\nlow = -1\nhigh = 1\n";
  write_file(top.path() + "/chain/chain.contract.toml", contract + "[tolerance]\nabsolute = 10\n");
  fs::remove_all(folder);
  pipeline::RunRequest run = testing::request("relu", folder);
  run.model = model;
  pipeline::run(run, [](const std::string&) {});
  const bundle::OpenBundle opened = bundle::open_bundle(folder);
  std::map<std::string, std::string> files;  // by kind
  for (const Obligation& o : opened.receipt->obligations)
    if (std::find(o.outcome.discharged_by.begin(), o.outcome.discharged_by.end(), "bijection") !=
        o.outcome.discharged_by.end())
      files[o.id] = bundle::certificate_file(sha256_hex(o.statement));
  ASSERT_EQ(files.size(), 2u) << "the rule and its use";
  const bundle::AuditResult honest = offline();
  EXPECT_EQ(honest.exit_code, 3) << "only what solvers said is open";
  EXPECT_NE(bundle::render(honest.report, bundle::Format::text).find("2 of 2 rules and rewrite steps"),
            std::string::npos);
  const std::string file = files.at("rule/matmul/associate-left/rule"),
                    other = files.at("rewrite-step/0:matmul/associate-left@0/plan");
  const std::string good = read(file), of_other = read(other);
  const auto with = [&](const std::string& where, const std::string& bytes) {
    write(where, bytes);
    forge(folder, [](bundle::Receipt&) {});
    const bundle::AuditResult result = offline();
    EXPECT_EQ(result.exit_code, 5);
    ASSERT_FALSE(result.report.findings.empty());
    EXPECT_EQ(result.report.findings.at(0).code, "E5240");
    EXPECT_EQ(result.report.findings.at(0).where, where);
  };
  const json::value text = parse_json(good, file);
  ASSERT_EQ(text.at("kind").as_string(), "bijection");
  const json::array& steps = text.at("steps").as_array();
  std::size_t changed = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string step(steps[i].as_string());
    std::string wrong;
    for (const char* verb : {"phi ", "psi "})
      if (step.starts_with(verb)) wrong = step + " + 1";
    if (step.starts_with("pair ")) wrong = "pair 1 0";
    if (step.starts_with("factors ")) wrong = "factors 0 0 0";
    if (step.starts_with("given ")) wrong = "given 7 <= M";
    if (step.starts_with("sum 1 ")) wrong = "sum 2 " + step.substr(6);
    if (step.starts_with("sides ")) wrong = step + "x";
    if (step.starts_with("show ")) wrong = "show 0 <= 0";
    if (step.starts_with("close ")) wrong = "close 0:1";
    if (wrong.empty()) continue;
    SCOPED_TRACE(step);
    json::value copy = text;
    copy.at("steps").as_array()[i] = wrong;
    with(file, canonical_json(copy));
    ++changed;
  }
  EXPECT_GT(changed, 10u);
  with(file, of_other);
  json::value moved = parse_json(of_other, other);
  moved.at("query") = text.at("query");
  with(file, canonical_json(moved));
  moved = text;
  moved.at("kind") = "boxes";
  with(file, canonical_json(moved));
  moved.at("kind") = "farkas";
  with(file, canonical_json(moved));
  with(file, "{}");
  // Left out, and then said to have been there; said, and not there.
  fs::remove(folder + "/" + file);
  forge(folder, [](bundle::Receipt&) {});
  refused("E5222", "rule/matmul/associate-left/rule");
  forge(folder, [](bundle::Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      if (o.kind == ObligationKind::rule) std::erase(o.outcome.discharged_by, "bijection");
  });
  EXPECT_EQ(offline().exit_code, 3) << "a certificate less is a certificate less";
  write(file, good);
  forge(folder, [](bundle::Receipt&) {});
  refused("E5222", "rule/matmul/associate-left/rule");
}

TEST_F(Forged, AnotherContextThanTheOneItWasElectedUnder) {
  std::string target = read("3-selection/target.toml");
  write("3-selection/target.toml", target + "\n# h200\n");
  forge(folder, [](bundle::Receipt&) {});
  EXPECT_NE(audited().exit_code, 0);
  EXPECT_NE(offline().exit_code, 0);
}

}  // namespace
}  // namespace hallmark
