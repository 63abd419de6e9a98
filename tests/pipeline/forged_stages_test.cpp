// The folders of the stages in the hands of somebody who changes them by hand before `package` computes every
// digest: what a proof takes as given (sizes, requirements, roles, names, constants, functions) must not come
// from there. No change may end in exit 0 with the end-to-end sentence, or in a fault of ours, unless what it
// says is still true.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "cases.h"
#include "pipeline/audit.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;
const pipeline::Say quiet = [](const std::string&) {};

constexpr const char* launch_file = "4-artifact/launch.json";
constexpr const char* compiler_file = "4-artifact/compiler.json";
constexpr const char* ptx_file = "4-artifact/kernels.ptx";

struct Packaged {
  std::string refused;  // code and message of what was thrown
  int exit_code = 70, audit = 70;
  bool whole = false;  // the end-to-end sentence
  std::string verdict;
};

std::ostream& operator<<(std::ostream& out, const Packaged& p) {
  return out << "package " << p.exit_code << ", audit " << p.audit << " " << p.refused << " " << p.verdict;
}

// The folders of stages 1 to 4 of one model, made once.
class Stages {
 public:
  Stages(const std::string& name, const std::string& model, const std::string& contract) {
    const std::string path = top_.path() + "/" + name;
    write_file(path + ".onnxtxt", "<ir_version: 8, opset_import: [\"\" : 17]>\n" + model);
    write_file(path + ".contract.toml", "version = 1\n" + contract);
    pipeline::ContextRequest context;
    context.corpus = testing::corpus();
    pipeline::import_stage(base(), path + ".onnxtxt", {}, quiet);
    pipeline::search_stage(base(), context, {}, quiet);
    pipeline::select_stage(base(), context, quiet);
    pipeline::lower_stage(base(), quiet);
    start();
  }

  // The folders as the stages wrote them.
  void start() {
    fs::remove_all(folder());
    fs::copy(base(), folder(), fs::copy_options::recursive);
  }
  std::string read(const std::string& path) const { return read_file(folder() + "/" + path); }
  void write(const std::string& path, const std::string& bytes) const {
    write_file(folder() + "/" + path, bytes);
  }
  void replace(const std::string& path, const std::string& what, const std::string& with) const {
    std::string text = read(path);
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()), ++count)
      text.replace(at, what.size(), with);
    ASSERT_GT(count, 0u) << path << ": " << what;
    write(path, text);
  }
  void edit(const std::string& path, const std::function<void(json::value&)>& change) const {
    json::value value = parse_json(read(path), path);
    change(value);
    write(path, canonical_json(value));
  }
  // A text that launch.json names by its digest.
  void replace_named(const std::string& path, const std::string& what, const std::string& with) const {
    const std::string before = sha256_hex(read(path));
    replace(path, what, with);
    replace(launch_file, before, sha256_hex(read(path)));
  }
  bool has_ptx() const { return fs::exists(folder() + "/" + ptx_file); }
  std::string folder() const { return top_.path() + "/changed"; }

  Packaged packaged() const {
    Packaged out;
    pipeline::PackageRequest request;
    request.output = top_.path() + "/bundle";
    request.corpus = testing::corpus();
    fs::remove_all(request.output);
    fs::remove_all(request.output + ".spool");
    try {
      const pipeline::RunResult result = pipeline::package_stage(folder(), request, quiet);
      out.exit_code = result.exit_code;
      out.verdict = result.report.verdict;
      out.whole = out.verdict.find("For every input inside the contract") != std::string::npos;
      out.audit = pipeline::audit_bundle(request.output, {}, quiet).exit_code;
    } catch (const InternalError& error) {
      out.refused = error.render();
    } catch (const UserError& error) {
      out.refused = error.render();
      out.exit_code = out.audit = 4;
    } catch (const Refusal& refusal) {
      out.refused = refusal.render();
      out.exit_code = out.audit = 4;
    }
    return out;
  }

 private:
  std::string base() const { return top_.path() + "/stages"; }
  TemporaryFolder top_;
};

json::value& launch_of(json::value& plan, std::size_t i = 0) {
  return plan.at("launches").as_array()[i];
}
json::value& buffer_of(json::value& plan, std::string_view name) {
  for (json::value& buffer : plan.at("buffers").as_array())
    if (buffer.at("name").as_string() == name) return buffer;
  throw InternalError("no such buffer");
}

// Not proved, not whole, no fault of ours, and an audit agrees.
void expect_refused(Stages& stages, const std::string& what) {
  const Packaged result = stages.packaged();
  EXPECT_NE(result.exit_code, 0) << what << ": " << result;
  EXPECT_NE(result.exit_code, 70) << what << ": " << result;
  EXPECT_FALSE(result.whole) << what << ": " << result;
  EXPECT_NE(result.audit, 0) << what << ": " << result;
  EXPECT_NE(result.audit, 70) << what << ": " << result;
  stages.start();
}
void expect_accepted(Stages& stages, const std::string& what) {
  const Packaged result = stages.packaged();
  EXPECT_EQ(result.exit_code, 0) << what << ": " << result;
  EXPECT_EQ(result.whole, stages.has_ptx()) << what << ": " << result;
  EXPECT_EQ(result.audit, 0) << what << ": " << result;
  stages.start();
}

constexpr const char* difference =
    "sub (float[M, N] a, float[M, N] b) => (float[M, N] c)\n{\n  c = Sub(a, b)\n}\n";
constexpr const char* boxes =
    "[inputs.a]\nlow = -100\nhigh = 100\n[inputs.b]\nlow = -100\nhigh = 100\n[tolerance]\nabsolute = "
    "0.0001\n";

class ForgedStages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    stages_ = new Stages(
        "sub", difference,
        std::string("[dimensions]\nM = { low = 1, high = 4096 }\nN = { low = 1, high = 4096 }\n") + boxes);
  }
  static void TearDownTestSuite() { delete stages_; }
  void SetUp() override { stages_->start(); }
  static void plan(const std::string& what, const std::function<void(json::value&)>& change) {
    SCOPED_TRACE(what);
    stages_->edit(launch_file, change);
    expect_refused(*stages_, what);
  }
  static void right(const std::string& what, const std::function<void(json::value&)>& change) {
    SCOPED_TRACE(what);
    stages_->edit(launch_file, change);
    expect_accepted(*stages_, what);
  }
  static Stages* stages_;
};
Stages* ForgedStages::stages_ = nullptr;

TEST_F(ForgedStages, WhatIsStillTrueIsStillProved) {
  expect_accepted(*stages_, "as the stages wrote it");
  right("a wider range", [](json::value& p) { p.at("symbols").at(0).at("high") = "10000"; });
  right("no requirement, where the contract has an end",
        [](json::value& p) { p.at("requirements").as_array().clear(); });
  // The kernel reads their product alone.
  right("sizes in another order", [](json::value& p) {
    std::swap(launch_of(p).at("arguments").at(3), launch_of(p).at("arguments").at(4));
  });
  right("a requirement that holds",
        [](json::value& p) { p.at("requirements").as_array().emplace_back("M + N"); });
}

TEST_F(ForgedStages, SizesThatThePlanDoesNotServe) {
  plan("up to 4 of 4096", [](json::value& p) { p.at("symbols").at(0).at("high") = "4"; });
  plan("from 3 of 1", [](json::value& p) { p.at("symbols").at(0).at("low") = "3"; });
  plan("one block for all sizes that are left", [](json::value& p) {
    for (json::value& symbol : p.at("symbols").as_array()) symbol.at("high") = "4";
    launch_of(p).at("grid").at(0) = "1";
    p.at("requirements").as_array().clear();
  });
  plan("a size twice", [](json::value& p) {
    p.at("symbols").as_array().push_back(json::object{{"name", "M"}, {"low", "1"}, {"high", "4"}});
  });
  plan("a size that the program has not", [](json::value& p) {
    p.at("symbols").as_array().push_back(json::object{{"name", "Z"}, {"low", "1"}, {"high", "4"}});
  });
  plan("a size less", [](json::value& p) {
    p.at("symbols").as_array().pop_back();
    p.at("requirements").as_array().clear();
  });
  plan("no size at all", [](json::value& p) {
    for (json::value& symbol : p.at("symbols").as_array()) symbol.at("high") = "0";
  });
}

TEST_F(ForgedStages, RequirementsThatTheContractDoesNotImply) {
  plan("at most 256 elements", [](json::value& p) {
    p.at("requirements").as_array().emplace_back("256 - M * N");
    launch_of(p).at("grid").at(0) = "1";
  });
  plan("even sizes", [](json::value& p) { p.at("requirements").as_array().emplace_back("0 - M % 2"); });
  plan("never", [](json::value& p) { p.at("requirements").as_array().emplace_back("-1"); });
  plan("a parameter under the name of a size", [](json::value& p) {
    launch_of(p).at("arguments").at(3) =
        json::object{{"parameter", "M"}, {"scalar", "2 * M - N"}, {"format", "u32"}};
  });
  plan("two parameters of one name", [](json::value& p) {
    launch_of(p).at("arguments").at(3) =
        json::object{{"parameter", "p"}, {"scalar", "M + 1"}, {"format", "u32"}};
    launch_of(p).at("arguments").at(4) =
        json::object{{"parameter", "p"}, {"scalar", "N + 1"}, {"format", "u32"}};
  });
  plan("a format in which the sizes have no room",
       [](json::value& p) { launch_of(p).at("arguments").at(3).at("format") = "u8"; });
  plan("and a requirement that there be room", [](json::value& p) {
    launch_of(p).at("arguments").at(3).at("format") = "u8";
    p.at("requirements").as_array().emplace_back("255 - M");
  });
}

TEST_F(ForgedStages, BuffersThatAreNotTheProgram) {
  for (const char* role : {"constant", "output", "arena", "prepared"})
    plan(std::string("a is planned as ") + role,
         [&](json::value& p) { buffer_of(p, "a").at("role") = role; });
  for (const char* role : {"constant", "input", "arena", "prepared"})
    plan(std::string("c is planned as ") + role,
         [&](json::value& p) { buffer_of(p, "c").at("role") = role; });
  plan("the output stays in the arena", [](json::value& p) {
    buffer_of(p, "c").at("role") = "arena";
    buffer_of(p, "c").at("arena_offset") = "0";
    p.at("arena_bytes") = "4 * M * N";
  });
  plan("another format", [](json::value& p) { buffer_of(p, "a").at("format") = "f64"; });
  plan("other extents", [](json::value& p) { buffer_of(p, "a").at("extents").at(0) = "N"; });
  plan("fewer extents", [](json::value& p) { buffer_of(p, "a").at("extents").as_array().pop_back(); });
  plan("another name", [](json::value& p) { buffer_of(p, "a").at("name") = "z"; });
  plan("one more", [](json::value& p) {
    json::value more = buffer_of(p, "a");
    more.at("name") = "z";
    p.at("buffers").as_array().push_back(more);
  });
  plan("one twice", [](json::value& p) { p.at("buffers").as_array().push_back(buffer_of(p, "a")); });
  plan("an offset outside the arena", [](json::value& p) { buffer_of(p, "a").at("arena_offset") = "0"; });
  plan("an arena without a size", [](json::value& p) { p.at("arena_bytes") = nullptr; });
}

TEST_F(ForgedStages, LaunchesThatAreNotTheProgram) {
  plan("none", [](json::value& p) { p.at("launches").as_array().clear(); });
  plan("none, and no buffers", [](json::value& p) {
    p.at("launches").as_array().clear();
    p.at("buffers").as_array().clear();
  });
  plan("twice", [](json::value& p) { p.at("launches").as_array().push_back(launch_of(p)); });
  plan("another kernel", [](json::value& p) { launch_of(p).at("kernel") = "another"; });
  plan("computes nothing", [](json::value& p) { launch_of(p).at("computes").as_array().clear(); });
  plan("computes an input", [](json::value& p) { launch_of(p).at("computes").at(0) = "a"; });
  plan("computes what nobody knows", [](json::value& p) { launch_of(p).at("computes").at(0) = "z"; });
  plan("runs once", [](json::value& p) { launch_of(p).at("prepare") = true; });
  plan("an edge to itself", [](json::value& p) { p.at("edges").as_array().push_back(json::array{0, 0}); });
  plan("an edge to nowhere", [](json::value& p) { p.at("edges").as_array().push_back(json::array{0, 7}); });
  plan("fewer threads", [](json::value& p) { launch_of(p).at("block").at(0) = "128"; });
  plan("one thread", [](json::value& p) { launch_of(p).at("block").at(0) = nullptr; });
  plan("too many threads", [](json::value& p) { launch_of(p).at("block").at(0) = "2048"; });
  plan("one block", [](json::value& p) { launch_of(p).at("grid").at(0) = nullptr; });
  plan("no block", [](json::value& p) { launch_of(p).at("grid").at(0) = "0"; });
  plan("each element twice", [](json::value& p) { launch_of(p).at("grid").at(1) = "2"; });
  plan("more shared memory than there is",
       [](json::value& p) { launch_of(p).at("dynamic_shared_bytes") = "400000"; });
  plan("arguments in another order", [](json::value& p) {
    std::swap(launch_of(p).at("arguments").at(0), launch_of(p).at("arguments").at(1));
  });
  plan("the input passed for the output",
       [](json::value& p) { launch_of(p).at("arguments").at(0).at("buffer") = "c"; });
  plan("one argument more", [](json::value& p) {
    launch_of(p)
        .at("arguments")
        .as_array()
        .push_back(json::object{{"parameter", "q"}, {"scalar", "5"}, {"format", "u32"}});
  });
  plan("a scalar of a float format",
       [](json::value& p) { launch_of(p).at("arguments").at(3).at("format") = "f32"; });
  plan("an input that nobody passes", [](json::value& p) {
    launch_of(p).at("arguments").at(0) = json::object{{"parameter", "a"}, {"scalar", "0"}, {"format", "u64"}};
  });
}

TEST_F(ForgedStages, TextsByNamesThatLeadElsewhere) {
  plan("another binary", [](json::value& p) { launch_of(p).at("binary") = "mine.ptx"; });
  plan("a binary elsewhere", [](json::value& p) { launch_of(p).at("binary") = "../kernels.ptx"; });
  plan("another digest", [](json::value& p) { launch_of(p).at("binary_sha256") = std::string(64, '0'); });
  for (const char* name : {"../sub.cu", "module.cu", "a b.cu", "sub\".cu", "sub", "/tmp/sub.cu"}) {
    const std::string source(
        parse_json(stages_->read(launch_file), "").at("launches").at(0).at("source").as_string());
    if (std::string_view(name) != "/tmp/sub.cu")
      fs::copy_file(stages_->folder() + "/4-artifact/" + source, stages_->folder() + "/4-artifact/" + name);
    plan(name, [&](json::value& p) { launch_of(p).at("source") = name; });
  }
}

TEST_F(ForgedStages, PtxThatDoesNotRunOnTheTarget) {
  if (!stages_->has_ptx()) GTEST_SKIP() << "nvcc is not installed: there is no PTX";
  for (const auto& [what, with] : {std::pair(".target sm_90", ".target sm_100a"),
                                   {".target sm_90", ".target sm_100"},
                                   {".target sm_90", ".target sm_80a"},
                                   {".target sm_90", ".target compute_90"},
                                   {".version 9.0", ".version 9.9"},
                                   {".version 9.0", ".version 7.0"},
                                   {".address_size 64", ".address_size 32"}}) {
    stages_->replace_named(ptx_file, what, with);
    expect_refused(*stages_, with);
  }
  for (const char* with : {".target sm_90a", ".target sm_80"}) {
    stages_->replace_named(ptx_file, ".target sm_90", with);
    expect_accepted(*stages_, with);
  }
  // The entry that the driver gives is the one of that very name.
  const std::string ptx = stages_->read(ptx_file);
  const std::size_t from = ptx.find(".visible .entry"), to = ptx.find("\n}", from) + 2;
  const std::string entry = ptx.substr(from, to - from);
  std::string right = entry, wrong = entry;
  right.replace(right.find("sub_1"), 5, "_Z5sub_1v");
  ASSERT_NE(wrong.find("sub.rn.f32"), std::string::npos);
  wrong.replace(wrong.find("sub.rn.f32"), 10, "add.rn.f32");
  stages_->replace_named(ptx_file, entry, right + "\n" + wrong);
  const Packaged result = stages_->packaged();
  EXPECT_NE(result.exit_code, 0) << result;
  EXPECT_FALSE(result.whole) << result;
}

TEST_F(ForgedStages, WhatIsSaidOfTheCompiler) {
  if (!stages_->has_ptx()) GTEST_SKIP() << "nvcc is not installed: there is no PTX";
  const auto compiler = [&](const std::string& what, const std::function<void(json::value&)>& change) {
    stages_->edit(compiler_file, change);
    expect_refused(*stages_, what);
  };
  compiler("other options", [](json::value& c) { c.at("options").at(2) = "--fmad=true"; });
  compiler("fewer options", [](json::value& c) { c.at("options").as_array().pop_back(); });
  compiler("another architecture", [](json::value& c) { c.at("options").at(1) = "-arch=sm_70"; });
  // A reason that a policy tolerates, while there was a compiler and a binary.
  compiler("missing", [](json::value& c) { c.at("reason") = "tool-missing"; });
  compiler("missing, by no name", [](json::value& c) {
    c.at("reason") = "tool-missing";
    c.at("compiler") = "";
  });
  compiler("never asked", [](json::value& c) { c.at("reason") = "not-scheduled"; });
  compiler("no reason of ours", [](json::value& c) { c.at("reason") = "tired"; });
  compiler("no text", [](json::value& c) { c.at("detail") = 7; });
}

TEST_F(ForgedStages, ProgramsWithOtherSizesInputsOrFormats) {
  for (const char* file : {"3-selection/elected.hm", "3-selection/formulation.hm"}) {
    stages_->replace(file, "4096", "4");
    expect_refused(*stages_, file);
    stages_->replace(file, "input a : f32", "input a : f16");
    expect_refused(*stages_, file);
    stages_->replace(file, "output c", "");
    expect_refused(*stages_, file);
  }
  for (const char* file : {"3-selection/elected.hm", "3-selection/formulation.hm", launch_file})
    stages_->replace(file, "4096", "4");
  expect_refused(*stages_, "all of them alike");
  stages_->replace("3-selection/formulation.hm", "program rounded", "program exact");
  expect_refused(*stages_, "a formulation without formats");
  stages_->write("3-selection/constants.json",
                 R"([{"definition": "c", "exact": "1/0", "format": "f32", "bits": "0x0"}])");
  expect_refused(*stages_, "a constant that is no number");
  stages_->write("3-selection/constants.json",
                 R"([{"definition": "c", "exact": "1", "format": "f32", "bits": "none"}])");
  expect_refused(*stages_, "bits that are none");
}

// Constants that are exchanged, and functions of the same name and another meaning.
TEST(ForgedSelection, ConstantsAndFunctionsAreTheModelsAndOurs) {
  Stages stages("two",
                "two (float[4] x) => (float[4] y)\n"
                "<float[4] u = {1, 2, 3, 4}, float[4] v = {0, 0, 0, 0}>\n"
                "{\n  e = Exp(x)\n  m = Mul(e, u)\n  y = Add(m, v)\n}\n",
                "[inputs.x]\nlow = -1\nhigh = 1\n[tolerance]\nabsolute = 0.001\n");
  expect_accepted(stages, "as the stages wrote it");
  const std::string of_u = "0x3f800000, 0x40000000, 0x40400000, 0x40800000", of_v = "0x0, 0x0, 0x0, 0x0";
  for (const auto& files :
       std::vector<std::vector<std::string>>{{"3-selection/elected.hm"},
                                             {"3-selection/formulation.hm"},
                                             {"3-selection/elected.hm", "3-selection/formulation.hm"}}) {
    for (const std::string& file : files) stages.replace(file, of_u, of_v);
    expect_refused(stages, "a constant of zeros");
  }
  const std::string text = stages.read("3-selection/formulation.hm");
  const std::size_t at = text.find("function exp_f32");
  ASSERT_NE(at, std::string::npos) << text.substr(0, 2000);
  const std::size_t body = text.find("=", at), end = text.find("\n", body + 2);
  stages.write("3-selection/formulation.hm",
               text.substr(0, body) + "=\n    1" + text.substr(end == std::string::npos ? text.size() : end));
  expect_refused(stages, "an exponential that is 1");
}

// A contract that leaves a size open: what the plan does not serve is assumed in words, and what would leave
// out other sizes is not taken for that.
TEST(ForgedOpenSizes, WhatIsAssumedOfThemIsNotThePlansToSay) {
  Stages stages("open", difference, std::string("[dimensions]\nM = { low = 1 }\nN = { low = 1 }\n") + boxes);
  const Packaged honest = stages.packaged();
  EXPECT_EQ(honest.exit_code, 0) << honest;
  EXPECT_EQ(honest.audit, 0) << honest;
  if (honest.whole) {
    EXPECT_NE(honest.verdict.find("tensors-have-fewer-than-2^31-elements"), std::string::npos) << honest;
  }
  const auto plan = [&](const std::string& what, const std::function<void(json::value&)>& change) {
    stages.start();
    stages.edit(launch_file, change);
    expect_refused(stages, what);
  };
  plan("an end", [](json::value& p) { p.at("symbols").at(0).at("high") = "1000000"; });
  plan("fewer elements",
       [](json::value& p) { p.at("requirements").as_array().emplace_back("2147483646 - M * N"); });
  plan("one row", [](json::value& p) { p.at("requirements").as_array().emplace_back("1 - M"); });
  plan("sizes below 65535",
       [](json::value& p) { p.at("requirements").as_array().emplace_back("65534 - M"); });
}

// What a model demands of its sizes holds for every size of the contract, or there is no end-to-end sentence.
TEST(ConditionsOfAModel, HoldForTheContractOrAreNamed) {
  const std::string model = "p (float[R, K] x, float[L, 8] w) => (float[R, 8] y)\n{\n  y = MatMul(x, w)\n}\n";
  const auto contract = [](const std::string& k, const std::string& l) {
    return "[dimensions]\nR = { low = 1, high = 16 }\nK = " + k + "\nL = " + l +
           "\n[inputs.x]\nlow = -1\nhigh = 1\n[inputs.w]\nlow = -1\nhigh = 1\n[tolerance]\nabsolute = "
           "\"1/16\"\n";
  };
  Stages apart("apart", model, contract("{ low = 1, high = 4 }", "{ low = 4, high = 16 }"));
  const Packaged result = apart.packaged();
  EXPECT_EQ(result.exit_code, 3) << result;
  EXPECT_EQ(result.audit, 3) << result;
  EXPECT_FALSE(result.whole) << result;
  EXPECT_NE(result.verdict.find("undefined-input"), std::string::npos) << result;
  // No kernel is said to be wrong at sizes for which the model has no meaning.
  Stages alike("alike", model, contract("{ low = 1, high = 16 }", "{ low = 1, high = 16 }"));
  const Packaged same = alike.packaged();
  EXPECT_EQ(same.exit_code, 3) << same;
  Stages fixed("fixed", model, contract("4", "4"));
  expect_accepted(fixed, "the contract says that they are equal");
}

}  // namespace
}  // namespace hallmark
