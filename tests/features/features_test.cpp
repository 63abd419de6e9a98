// The 23 features of a receipt that an auditor trusts, a gate that CI can rely on, and replays that anyone
// can run: each test is named after the feature. What a feature needs in depth is tested beside the code;
// here it is seen from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/sha256.h"
#include "bundle/answers.h"
#include "bundle/dsse.h"
#include "bundle/layout.h"
#include "bundle/merkle.h"
#include "bundle/open.h"
#include "bundle/report.h"
#include "bundle/tamper.h"
#include "certificate/certificate.h"
#include "features/bundles.h"
#include "pipeline/program.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;
using testing::proved_bundle;
using testing::refuted_bundle;
using testing::refuted_id;
using testing::start;

json::value report(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"--format", "json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return parse_json(start(all).out, "report");
}

bundle::OpenBundle open(const std::string& folder) {
  bundle::OpenBundle out = bundle::open_bundle(folder);
  EXPECT_TRUE(out.receipt && out.findings.empty()) << folder;
  return out;
}

const Obligation& at(const bundle::OpenBundle& opened, const std::string& id) {
  for (const Obligation& o : opened.receipt->obligations)
    if (o.id == id) return o;
  throw std::runtime_error("no obligation " + id);
}

void copy(const std::string& from, const std::string& to) {
  fs::copy(from, to, fs::copy_options::recursive);
}

TEST(Features, F01EveryArtifactInputContractRuleSetAndToolIsBoundBySha256) {
  const bundle::OpenBundle opened = open(proved_bundle);
  std::set<std::string> listed;
  for (const bundle::FileEntry& f : opened.receipt->files) {
    EXPECT_EQ(sha256_hex(read_file(proved_bundle + "/" + f.path)), f.sha256) << f.path;
    listed.insert(f.path);
  }
  for (const char* role :
       {"model", "contract", "target", "workload", "cost-model", "constraints", "launch"}) {
    ASSERT_TRUE(opened.receipt->identities.roles.contains(role)) << role;
    EXPECT_TRUE(listed.contains(opened.receipt->identities.roles.at(role))) << role;
  }
  for (const bundle::SolverIdentity& s : opened.receipt->identities.solvers)
    EXPECT_EQ(s.binary_sha256.size(), 64u) << s.name;
  EXPECT_EQ(opened.receipt->identities.policy_sha256.size(), 64u);
  const std::map<std::string, std::string>& settings = opened.receipt->identities.settings;
  for (const char* material : {"rule-library-sha256", "accuracy-tables-sha256", "context-sha256"})
    EXPECT_EQ(settings.at(material).size(), 64u) << material;
  EXPECT_EQ(settings.at("nvcc-sha256").size() == 64, opened.receipt->identities.absent.empty());
  EXPECT_EQ(opened.receipt->identities.tool_sha256, sha256_file(HALLMARK_PROGRAM));
}

TEST(Features, F02DetachedSignatureCheckedOfflineWithStockOpenssl) {
  const TemporaryFolder top;
  const json::value envelope = parse_json(read_file(proved_bundle + "/" + bundle::envelope_file), "e");
  write_file(top.path() + "/message",
             bundle::pre_authentication_encoding("application/vnd.in-toto+json",
                                                 read_file(proved_bundle + "/" + bundle::receipt_file)));
  write_file(top.path() + "/signature",
             bundle::from_base64(std::string(envelope.at("signatures").at(0).at("sig").as_string()), "e"));
  EXPECT_TRUE(run_process({"openssl", "pkeyutl", "-verify", "-pubin", "-inkey", testing::signing_key + ".pub",
                           "-rawin", "-in", top.path() + "/message", "-sigfile", top.path() + "/signature"})
                  .ok());
}

TEST(Features, F03CompleteObligationListFixedBeforeSolvingWithCountAndMerkleRoot) {
  const bundle::OpenBundle opened = open(proved_bundle);
  std::vector<std::string> leaves;
  for (const Obligation& o : opened.receipt->obligations) leaves.push_back(bundle::statement_leaf(o));
  EXPECT_EQ(bundle::merkle_tree(leaves), opened.receipt->statements);
  EXPECT_EQ(opened.receipt->statements.count, leaves.size());
  leaves.pop_back();
  EXPECT_NE(bundle::merkle_tree(leaves), opened.receipt->statements) << "an omission shows";
}

TEST(Features, F04ThreeStatesUnrunWithAClosedReasonSetAndTheRawText) {
  const TemporaryFolder top;
  const json::value late =
      report({"--deadline", "0.001", "run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o",
              top.path() + "/out"});
  std::size_t unrun = 0;
  for (const json::value& o : late.at("obligations").as_array()) {
    const std::string state(o.at("state").as_string()), reason(o.at("reason").as_string());
    ASSERT_TRUE(state_of(state) && reason_of(reason));
    EXPECT_EQ(state == "unrun", reason != "none");
    unrun += state == "unrun" ? 1 : 0;
    if (state == "unrun") {
      EXPECT_FALSE(o.at("detail").as_string().empty());
    }
  }
  EXPECT_GT(unrun, 0u);
  // What a solver printed is kept as it was printed.
  const ProcessResult garbage =
      start({"--format", "json", "run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o",
             top.path() + "/garbage"},
            testing::lying_solver(top.path(), "z3", "garbage"));
  EXPECT_NE(garbage.out.find("unsat or perhaps sat"), std::string::npos) << garbage.out.substr(0, 3000);
}

TEST(Features, F05AssumedIsCountedApartFromProved) {
  const bundle::OpenBundle opened = open(proved_bundle);
  EXPECT_GT(opened.receipt->identities.assumptions.size(), 5u);
  std::set<std::string> ids;
  for (const Obligation& o : opened.receipt->obligations) ids.insert(o.id);
  for (const bundle::Assumption& a : opened.receipt->identities.assumptions) {
    EXPECT_FALSE(a.text.empty());
    EXPECT_FALSE(a.source.empty()) << a.id;
    EXPECT_FALSE(ids.contains(a.id)) << "an assumption is no obligation";
  }
  // Also what single proofs assume, unless it is another obligation.
  std::set<std::string> listed;
  for (const bundle::Assumption& a : opened.receipt->identities.assumptions) listed.insert(a.id);
  for (const Obligation& o : opened.receipt->obligations)
    for (const std::string& a : o.outcome.assumptions)
      EXPECT_TRUE(a.ends_with("-of-this-kernel") || listed.contains(a)) << a;
  EXPECT_TRUE(listed.contains("buffers-do-not-overlap"));
  const json::value audited = report({"audit", proved_bundle, "--offline"});
  EXPECT_EQ(audited.at("assumed").as_object().size(), opened.receipt->identities.assumptions.size());
  EXPECT_EQ(audited.at("counts").at("proved").to_number<std::size_t>() +
                audited.at("counts").at("unrun").to_number<std::size_t>(),
            ids.size());
  const std::string text = start({"audit", proved_bundle, "--offline"}).out;
  EXPECT_NE(text.find("assumed, not proved: "), std::string::npos);
  EXPECT_LT(text.find("number\n"), text.find("assumed, not proved: ")) << "after the matrix";
}

TEST(Features, F06DischargedByPerObligationFreshOrCached) {
  const bundle::OpenBundle opened = open(proved_bundle);
  std::set<std::string> seen;
  for (const Obligation& o : opened.receipt->obligations) {
    EXPECT_FALSE(o.outcome.discharged_by.empty()) << o.id;
    seen.insert(o.outcome.discharged_by.begin(), o.outcome.discharged_by.end());
    ASSERT_TRUE(opened.observations->obligations.contains(o.id)) << o.id;
    EXPECT_EQ(opened.observations->obligations.at(o.id).origin, "fresh");
  }
  for (const char* by : {"syntactic", "interval", "z3", "cvc5", "certificate"})
    EXPECT_TRUE(seen.contains(by)) << by;
  const TemporaryFolder top;
  const std::vector<std::string> run{"run",     HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt",
                                     "--cache", top.path() + "/cache",
                                     "-o",      top.path() + "/out"};
  std::size_t cached = 0;
  for (int again = 0; again < 2; ++again) {
    ASSERT_EQ(start(run).code, 0);
    const bundle::OpenBundle written = open(top.path() + "/out");
    for (const auto& [id, observed] : written.observations->obligations)
      cached += observed.origin == "cached" ? 1 : 0;
    if (again == 0) {
      EXPECT_EQ(cached, 0u) << "nothing was known";
    }
  }
  EXPECT_GT(cached, 10u);
}

TEST(Features, F07ClockFreeBudgetSeedAndSolverBuildDigest) {
  const bundle::OpenBundle opened = open(proved_bundle);
  for (const bundle::SolverIdentity& s : opened.receipt->identities.solvers) {
    EXPECT_GT(std::stoul(s.limit), 1000u) << s.name;
    EXPECT_EQ(s.seed, "0");
    EXPECT_EQ(s.binary_sha256.size(), 64u);
    EXPECT_FALSE(s.version.empty());
  }
}

TEST(Features, F08HashedCoreSeparatedFromObservations) {
  const bundle::OpenBundle opened = open(proved_bundle);
  for (const bundle::FileEntry& f : opened.receipt->files) EXPECT_NE(f.path, bundle::observations_file);
  const std::string core = read_file(proved_bundle + "/" + bundle::receipt_file);
  EXPECT_EQ(core.find(opened.observations->started), std::string::npos) << "no clock in the core";
  EXPECT_EQ(core.find("\"seconds\""), std::string::npos);
}

TEST(Features, F09ObligationsDerivedAgainAtAuditAndCompared) {
  // Everything that anybody can compute anew is computed anew: manifest, trees, counts, sentence. What is
  // left is what follows from model, plan and artifact.
  const auto codes = [](const std::function<void(const std::string&, bundle::Receipt&)>& edit) {
    const TemporaryFolder top;
    const std::string folder = top.path() + "/b";
    copy(refuted_bundle, folder);
    bundle::testing::forge(folder, [&](bundle::Receipt& receipt) { edit(folder, receipt); });
    std::set<std::string> out;
    const json::value audited = report({"audit", folder, "--offline"});
    for (const json::value& f : audited.at("findings").as_array())
      out.insert(std::string(f.at("code").as_string()) + " " + std::string(f.at("where").as_string()));
    return out;
  };
  EXPECT_EQ(start({"audit", proved_bundle, "--offline", "--pin", testing::signing_key + ".pub"}).code, 0);
  EXPECT_TRUE(codes([](const std::string&, bundle::Receipt& r) {
                std::erase_if(r.obligations, [](const Obligation& o) { return o.id == "order/stream/plan"; });
              }).contains("E5230 order/stream/plan"))
      << "left out";
  EXPECT_TRUE(codes([](const std::string&, bundle::Receipt& r) {
                r.obligations.push_back(r.obligations.back());
                r.obligations.back().id = "order/more/plan";
                r.obligations.back().subject = "more";
              }).contains("E5230 order/more/plan"))
      << "added";
  EXPECT_TRUE(codes([](const std::string&, bundle::Receipt& r) {
                for (Obligation& o : r.obligations)
                  if (o.id == "order/stream/plan") o.statement += " Nearly.";
              }).contains("E5230 order/stream/plan"))
      << "another statement";
  // The model says something else now than what was proved.
  EXPECT_FALSE(codes([](const std::string& folder, bundle::Receipt&) {
                 std::string text = read_file(folder + "/1-model/contract.toml");
                 const std::string extent = "high = 4096";
                 text.replace(text.find(extent), extent.size(), "high = 4097");
                 write_file(folder + "/1-model/contract.toml", text);
               }).empty());
}

TEST(Features, F10CounterexampleAsConcreteTensorsExecutedOnReferenceAndOnEmittedCode) {
  const TemporaryFolder top;
  const std::string folder = top.path() + "/r";
  const ProcessResult replayed =
      start({"replay", refuted_bundle, refuted_id, "--shrink", "--reproducer", folder});
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  EXPECT_NE(replayed.out.find("executed again and refutes again"), std::string::npos) << replayed.out;
  ASSERT_TRUE(fs::exists(folder + "/reproduce.cpp")) << read_file(folder + "/README.txt");
  EXPECT_TRUE(fs::exists(folder + "/tensors/a.npy"));
  // The emitted kernels on the witness's bytes, under each order of threads.
  ProcessLimits limits;
  limits.memory_bytes = 0;                // the address sanitizer reserves more than any limit
  limits.wall = std::chrono::minutes(8);  // compilers on a busy machine
  ASSERT_TRUE(run_process({"g++", "-std=c++17", "-O0", "-g", "-w", "-ffp-contract=off", "-fsanitize=address",
                           "reproduce.cpp", "-o", "reproduce"},
                          "", limits, folder)
                  .ok());
  for (const char* schedule : {"forward", "reverse", "warps"}) {
    const ProcessResult run = run_process({folder + "/reproduce", schedule}, "", limits, folder);
    EXPECT_TRUE(run.ok()) << run.out << run.err;
    EXPECT_NE(run.out.find("the difference shows"), std::string::npos) << run.out;
  }
  const std::string nvcc = find_tool("nvcc") ? "nvcc" : "/usr/local/cuda/bin/nvcc";
  if (!find_tool(nvcc)) GTEST_SKIP() << "nvcc is not installed: the CUDA program was not compiled";
  const ProcessResult compiled =
      run_process({nvcc, "-ptx", "-fmad=false", "reproduce.cu", "-o", "reproduce.ptx"}, "", limits, folder);
  EXPECT_TRUE(compiled.ok()) << compiled.err;
}

TEST(Features, F11EachRowLinksSourceLineCudaLinePtxLineAndPlanNode) {
  const ProcessResult source = start({"explain", proved_bundle, "bounds/relu_1 store 1/source"});
  EXPECT_NE(source.out.find("relu_1.cu:"), std::string::npos) << source.out;
  EXPECT_NE(source.out.find("plan node"), std::string::npos) << source.out;
  const bundle::OpenBundle opened = open(proved_bundle);
  // Every place is a file of the bundle, as it stands in every report.
  for (const Obligation& o : opened.receipt->obligations)
    if (!o.location.file.empty()) {
      EXPECT_TRUE(fs::exists(proved_bundle + "/" + o.location.file)) << o.id << " " << o.location.file;
    }
  const json::value sarif =
      parse_json(start({"--format", "sarif", "audit", proved_bundle, "--offline"}).out, "sarif");
  std::size_t places = 0;
  for (const json::value& row : sarif.at("runs").at(0).at("results").as_array())
    if (const json::value* at = row.at("locations").at(0).as_object().if_contains("physicalLocation")) {
      const std::string uri(at->at("artifactLocation").at("uri").as_string());
      EXPECT_TRUE(fs::exists(proved_bundle + "/" + uri)) << uri;
      ++places;
    }
  EXPECT_GT(places, 10u);
  const auto& all = opened.receipt->obligations;
  if (std::none_of(all.begin(), all.end(),
                   [](const Obligation& o) { return o.level == Level::ptx && o.location.line != 0; }))
    GTEST_SKIP() << "nvcc is not installed: there is no PTX";
  EXPECT_NE(source.out.find("PTX line  4-artifact/kernels.ptx:"), std::string::npos) << source.out;
  const ProcessResult ptx = start({"explain", proved_bundle, "bounds/relu_1 store 1/ptx"});
  EXPECT_NE(ptx.out.find("CUDA line 4-artifact/relu_1.cu:"), std::string::npos) << ptx.out;
}

TEST(Features, F12ReplayCommandPrintedInEveryRow) {
  for (const std::string& folder : {proved_bundle, refuted_bundle}) {
    const bundle::OpenBundle opened = open(folder);
    for (const char* format : {"json", "sarif", "junit"}) {
      const std::string text = start({"--format", format, "audit", folder, "--offline"}).out;
      for (const Obligation& o : opened.receipt->obligations)
        EXPECT_NE(text.find(bundle::replay_command(folder, o).substr(9)), std::string::npos)
            << format << " " << o.id;
    }
  }
  const json::value audited = report({"audit", proved_bundle, "--offline"});
  for (const json::value& o : audited.at("obligations").as_array())
    EXPECT_NE(std::string(o.at("replay").as_string()).find("hallmark replay "), std::string::npos);
  const std::string text = start({"audit", refuted_bundle, "--offline"}).out;
  EXPECT_NE(text.find("replay: hallmark replay " + refuted_bundle + " " + refuted_id), std::string::npos)
      << text;
  const std::string proved = start({"audit", proved_bundle, "--offline"}).out;
  EXPECT_NE(proved.find("hallmark replay " + proved_bundle + " order/stream/plan"), std::string::npos)
      << proved;
}

TEST(Features, F13ReplayGradesSameSolverOtherSolverAnySolverAndDeriveAgain) {
  const std::string id = "bounds/relu_1 store 1/source";
  for (const std::vector<std::string>& how : std::vector<std::vector<std::string>>{
           {"--solvers", "z3", "replay", proved_bundle, id},
           {"--solvers", "cvc5", "replay", proved_bundle, id},
           {"replay", proved_bundle, id, "--solver", "/usr/bin/z3", "--budget", "2"}}) {
    const ProcessResult run = start(how);
    EXPECT_EQ(run.code, 0);
    EXPECT_NE(run.out.find("CONFIRMED"), std::string::npos) << run.out;
  }
  // No solver had a part in it: it is derived and discharged again.
  const ProcessResult form = start({"replay", proved_bundle, "order/stream/plan"});
  EXPECT_EQ(form.code, 0) << form.out;
  EXPECT_NE(form.out.find("derived and discharged again: proved"), std::string::npos) << form.out;
}

TEST(Features, F14MissingSolverOrVersionDriftIsNeverProved) {
  const TemporaryFolder top;
  const std::string bin = testing::lying_solver(top.path(), "z3", "exit127");
  const ProcessResult audited = start({"--format", "json", "audit", proved_bundle}, bin);
  EXPECT_EQ(audited.code, 3) << audited.out;
  std::size_t open = 0;
  const json::value report = parse_json(audited.out, "report");
  for (const json::value& o : report.at("obligations").as_array()) {
    if (o.at("query").as_array().empty()) continue;
    EXPECT_EQ(o.at("state").as_string(), "unrun") << o.at("id");
    ++open;
  }
  EXPECT_GT(open, 5u);
  const ProcessResult strict =
      start({"audit", proved_bundle, "--offline", "--strict", "--pin", testing::signing_key + ".pub"}, bin);
  EXPECT_EQ(strict.code, 3) << "another z3 than the receipt names";
}

TEST(Features, F15SolverDisagreementIsItsOwnAlarmAndFailsTheGate) {
  const TemporaryFolder top;
  const ProcessResult replayed = start({"replay", proved_bundle, "bounds/relu_1 store 1/source", "--solver",
                                        testing::late_liar_by_path(top.path(), 12, "sat")});
  EXPECT_EQ(replayed.code, 1);
  EXPECT_NE(replayed.out.find("the solvers disagree"), std::string::npos) << replayed.out;
  EXPECT_EQ(replayed.out.find("REFUTED"), std::string::npos) << "an alarm is no refutation: " << replayed.out;
  // A solver that begins honestly, passes its checks, and then says sat where unsat is right.
  const json::value run =
      parse_json(start({"--format", "json", "--jobs", "1", "run",
                        HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o", top.path() + "/out"},
                       testing::late_liar(top.path(), "z3", 12))
                     .out,
                 "report");
  EXPECT_EQ(run.at("exit_code").to_number<int>(), 1);
  std::size_t alarms = 0;
  for (const json::value& o : run.at("obligations").as_array())
    alarms += o.at("reason").as_string() == "disagreement" ? 1 : 0;
  EXPECT_GT(alarms, 0u);
  EXPECT_EQ(run.at("counts").at("refuted").to_number<int>(), 0) << "an alarm is no refutation";
}

TEST(Features, F16StabilityOverSeedsWithTheSpread) {
  const ProcessResult run =
      start({"replay", proved_bundle, "bounds/relu_1 store 1/source", "--stability", "10"});
  EXPECT_EQ(run.code, 0) << run.out;
  EXPECT_NE(run.out.find("unsat 10"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("STABLE"), std::string::npos) << run.out;
}

TEST(Features, F17CertificatesThatASmallProgramChecksWithoutASolver) {
  const bundle::OpenBundle opened = open(proved_bundle);
  std::size_t certified = 0;
  for (const Obligation& o : opened.receipt->obligations)
    for (const QueryRecord& q : o.outcome.queries) {
      const std::string file = proved_bundle + "/" + bundle::certificate_file(q.sha256);
      if (!fs::exists(file)) continue;
      ++certified;
      EXPECT_EQ(
          certificate::check(read_file(proved_bundle + "/" + bundle::query_file(q.sha256)), read_file(file)),
          "")
          << o.id;
    }
  EXPECT_GT(certified, 10u);
  // Interval proofs too: a box for each definition.
  std::set<std::string> boxed;
  for (const Obligation& o : opened.receipt->obligations) {
    const std::string file = proved_bundle + "/" + bundle::certificate_file(sha256_hex(o.statement));
    if (!o.outcome.queries.empty() || !fs::exists(file)) continue;
    EXPECT_EQ(certificate::parse_certificate(read_file(file), file).kind, "boxes") << o.id;
    boxed.insert(o.id);
  }
  EXPECT_EQ(boxed, (std::set<std::string>{"defined/y/model", "defined/y/plan", "range/y/plan",
                                          "tolerance/y/model"}));
  EXPECT_NE(start({"audit", proved_bundle, "--offline"}).out.find("certificates checked without a solver"),
            std::string::npos);
}

TEST(Features, F18GatePolicyFileNamedByDigest) {
  const TemporaryFolder top;
  const std::string policy = top.path() + "/p.toml";
  write_file(policy,
             "version = 1\nname = \"ours\"\n[[require]]\nkinds = \"all\"\nlevels = "
             "\"all\"\n[limits]\nmax_unrun = 0\n"
             "[assumptions]\nallow = []\n");
  EXPECT_EQ(
      start({"gate", proved_bundle, "--policy", policy, "--offline", "--pin", testing::signing_key + ".pub"})
          .code,
      3)
      << "assumptions that are not allowed";
  EXPECT_EQ(open(proved_bundle).receipt->identities.policy_sha256,
            sha256_hex(read_file(HALLMARK_SOURCE_DIR "/corpus/policies/default.toml")));
}

TEST(Features, F19SarifJunitMarkdownAndJson) {
  const auto out = [](const char* format) {
    return start({"--format", format, "audit", refuted_bundle, "--offline"}).out;
  };
  EXPECT_EQ(parse_json(out("sarif"), "s").at("version").as_string(), "2.1.0");
  EXPECT_EQ(parse_json(out("github"), "s").at("version").as_string(), "2.1.0");
  EXPECT_EQ(parse_json(out("json"), "j").at("format").as_string(), "hallmark-report/1");
  // Each report that the program writes in JSON has the published shape: of bundles met, refuted and broken,
  // of rules and of a kernel; and so has what the bundle itself says.
  const TemporaryFolder top;
  const std::string broken = top.path() + "/broken", rules = top.path() + "/r.hm";
  copy(refuted_bundle, broken);
  write_file(broken + "/4-artifact/map.json", "");
  write_file(rules,
             "hallmark 1\nrule r\n  size N\n  input x : f32[N]\n  left  Y : f32[i < N] = x[i] + 1\n"
             "  right Y : f32[i < N] = x[i]\n");
  const std::string kernel = HALLMARK_SOURCE_DIR "/corpus/kernels/elementwise/vector_add";
  const std::string python = "/usr/bin/python3", file = top.path() + "/report.json";
  if (!fs::exists(python) || !run_process({python, "-c", "import jsonschema"}).ok())
    GTEST_SKIP() << "python3-jsonschema is not installed: no report was validated";
  const auto validate = [&](const std::string& text, const std::string& of) {
    write_file(file, text);
    const ProcessResult valid =
        run_process({python, "-W", "ignore", "-c",
                     "import json, sys, jsonschema\n"
                     "jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open("
                     "sys.argv[2])))\n",
                     HALLMARK_SOURCE_DIR "/corpus/schemas/report-v1.schema.json", file});
    EXPECT_TRUE(valid.ok()) << of << valid.err.substr(0, 3000);
  };
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"audit", proved_bundle, "--offline"},
           {"audit", refuted_bundle, "--offline"},
           {"audit", broken, "--offline"},
           {"audit", top.path(), "--offline"},
           {"rules", "prove", rules},
           {"kernel", "check", kernel + ".cu", "--kernel", "vector_add_off_by_one", "--spec", kernel + ".hm",
            "--level", "source"},
           {"compare", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt",
            HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt"}}) {
    std::vector<std::string> all{"--format", "json"};
    all.insert(all.end(), command.begin(), command.end());
    validate(start(all).out, command[0] + " " + command[1]);
  }
  validate(read_file(refuted_bundle + "/" + bundle::result_file), "result.json");
  EXPECT_EQ(out("junit").rfind("<?xml", 0), 0u);
  EXPECT_NE(out("junit").find("<failure"), std::string::npos);
  EXPECT_NE(out("md").find("|"), std::string::npos);
}

TEST(Features, F20ReceiptDiff) {
  EXPECT_EQ(start({"diff", proved_bundle, proved_bundle}).code, 0);
  const ProcessResult run = start({"diff", proved_bundle, refuted_bundle});
  EXPECT_NE(run.code, 0);
  EXPECT_NE(run.out.find("removed"), std::string::npos);
  EXPECT_NE(run.out.find("added"), std::string::npos);
  // What became open, and what became proved; another contract, another digest.
  const TemporaryFolder top;
  const std::string late = top.path() + "/late";
  start({"--deadline", "0.001", "run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o", late});
  const ProcessResult open = start({"diff", proved_bundle, late}),
                      back = start({"diff", late, proved_bundle});
  EXPECT_EQ(open.code, 3) << open.out;
  EXPECT_NE(open.out.find("bounds/relu_1 store 1/source: proved -> unrun (interrupted)"), std::string::npos)
      << open.out;
  EXPECT_EQ(back.code, 0) << back.out;
  EXPECT_NE(back.out.find("bounds/relu_1 store 1/source: unrun (interrupted) -> proved"), std::string::npos)
      << back.out;
  const std::string other = top.path() + "/other";
  start({"run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "--target", "a100", "-o", other});
  const ProcessResult context = start({"diff", proved_bundle, other});
  EXPECT_NE(context.out.find("context-sha256"), std::string::npos) << context.out;
  EXPECT_NE(context.out.find("3-selection/target.toml"), std::string::npos) << context.out;
}

TEST(Features, F21VacuityIsCheckedBesideEveryProof) {
  const bundle::OpenBundle opened = open(proved_bundle);
  for (const Obligation& o : opened.receipt->obligations) {
    if (o.outcome.queries.empty()) continue;
    std::set<std::string> purposes;
    for (const QueryRecord& q : o.outcome.queries) {
      purposes.insert(q.purpose);
      for (const SolverAnswer& a : q.answers)
        EXPECT_EQ(a.answer, q.purpose == "goal" ? "unsat" : "sat") << o.id;
    }
    EXPECT_EQ(purposes, (std::set<std::string>{"goal", "hypotheses", "mutated-goal"})) << o.id;
  }
}

TEST(Features, F22NumericContractResultsInsideTheReceipt) {
  bool bound = false;
  const bundle::OpenBundle opened = open(proved_bundle);
  for (const Obligation& o : opened.receipt->obligations)
    if (o.kind == ObligationKind::tolerance)
      bound = o.outcome.detail.starts_with("error at most 0, tolerance ") &&
              o.outcome.detail.find(", slack about ") != std::string::npos;
  EXPECT_TRUE(bound) << "the proved bound stands beside the tolerance, with what is left of it";
  const bundle::OpenBundle refuted = open(refuted_bundle);
  EXPECT_FALSE(at(refuted, refuted_id).outcome.witness->bindings.empty()) << "and a refuted one its input";
}

TEST(Features, F23SameInputsGiveTheSameCore) {
  const TemporaryFolder top;
  const std::string again = top.path() + "/again";
  ASSERT_EQ(start({"run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o", again, "--key",
                   testing::signing_key + ".key"})
                .code,
            0);
  EXPECT_EQ(read_file(again + "/" + bundle::receipt_file),
            read_file(proved_bundle + "/" + bundle::receipt_file));
  EXPECT_EQ(read_file(again + "/" + bundle::envelope_file),
            read_file(proved_bundle + "/" + bundle::envelope_file));
}

}  // namespace
}  // namespace hallmark
