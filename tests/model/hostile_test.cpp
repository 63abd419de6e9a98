// Broken, truncated and hostile files: an Error each, never a crash, a hang or a large allocation.
#include <gtest/gtest.h>
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/error.h"
#include "base/files.h"
#include "model/import.h"

namespace hallmark::model {
namespace {

std::vector<std::string> corpus_texts() {
  std::vector<std::string> out;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HALLMARK_SOURCE_DIR) + "/corpus/models"))
    if (entry.path().extension() == ".onnxtxt") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) out.push_back(read_file(path.string()));
  // Shapes that are computed, so that mutations reach what import evaluates.
  out.push_back(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3, 4] x) => (float[a, b, c] y) {
  shape = Shape(x)
  two = Constant <value_ints = [2]> ()
  zero = Constant <value_ints = [0]> ()
  head = Slice(shape, zero, two)
  last = Constant <value_ints = [-1]> ()
  target = Concat <axis = 0> (head, last)
  flat = Reshape(x, target)
  fill = ConstantOfShape(target)
  wide = Constant <value_ints = [1, 1, 1, 1, 2, 2]> ()
  padded = Pad(flat, wide)
  pooled = MaxPool <kernel_shape = [2], strides = [2], pads = [1, 0]> (padded)
  y = ReduceSum(pooled, zero)
})");
  return out;
}

std::string binary_of(const std::string& text) {
  onnx::ModelProto model;
  onnx::OnnxParser parser(text.c_str());
  EXPECT_TRUE(parser.Parse(model).IsOK());
  return model.SerializeAsString();
}

std::string code_of(const std::string& bytes, bool is_text) {
  try {
    import_bytes(bytes, is_text);
    return "";
  } catch (const InternalError& e) {
    ADD_FAILURE() << e.what();
    return e.code();
  } catch (const Error& e) {
    EXPECT_FALSE(e.message().empty());
    return e.code();
  }
}

std::string mutated(std::string bytes, std::mt19937& engine) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : engine() % n; };
  for (std::size_t left = 1 + below(4); left > 0; --left) {
    const std::size_t at = below(bytes.size()), length = 1 + below(16);
    switch (below(6)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(engine());
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(below(bytes.size()), length));
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:  // a large number where a small one stood, in binary and in text
        bytes.insert(
            at, below(2) == 0 ? std::string("\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9) : "99999999999999");
        break;
      default:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    }
  }
  return bytes;
}

long resident_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Hostile, RandomMutationsGiveErrorsOnly) {
  // HALLMARK_FUZZ_SEED, HALLMARK_FUZZ_ROUNDS and HALLMARK_FUZZ_MODELS (a folder with model.onnx files) make
  // longer runs by hand.
  const auto number = [](const char* name, unsigned long otherwise) {
    const char* given = std::getenv(name);
    return given != nullptr ? std::stoul(given) : otherwise;
  };
  std::mt19937 engine(static_cast<unsigned>(number("HALLMARK_FUZZ_SEED", 1)));
  const unsigned long rounds = number("HALLMARK_FUZZ_ROUNDS", 40000);
  const std::vector<std::string> texts = corpus_texts();
  std::vector<std::string> binaries;
  for (const std::string& text : texts) {
    EXPECT_EQ(code_of(text, true), "");
    binaries.push_back(binary_of(text));
    EXPECT_EQ(code_of(binaries.back(), false), "");
  }
  if (const char* folder = std::getenv("HALLMARK_FUZZ_MODELS"); folder != nullptr)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().filename() == "model.onnx" && entry.file_size() < 100000)
        binaries.push_back(read_file(entry.path().string()));
  const long before = resident_kib();
  int accepted = 0, rejected = 0;
  for (unsigned long round = 0; round < rounds; ++round) {
    const bool is_text = round % 2 == 0;
    const std::vector<std::string>& seeds = is_text ? texts : binaries;
    const std::string bytes = mutated(seeds[engine() % seeds.size()], engine);
    const auto start = std::chrono::steady_clock::now();
    (code_of(bytes, is_text).empty() ? accepted : rejected)++;
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << "round " << round;
  }
  EXPECT_GT(rejected, 1000);
  EXPECT_GT(accepted, 10);
  EXPECT_LT(resident_kib() - before, 1024 * 1024);
}

TEST(Hostile, EveryPrefixOfAModelIsAnError) {
  const std::string bytes = binary_of(corpus_texts().back());
  for (std::size_t length = 0; length < bytes.size(); ++length) code_of(bytes.substr(0, length), false);
  EXPECT_EQ(code_of("", false), "E6001");
  EXPECT_EQ(code_of("\x7f"
                    "ELF and so on",
                    false),
            "E6001");
}

onnx::ModelProto model_of(const std::string& text) {
  onnx::ModelProto model;
  model.ParseFromString(binary_of(text));
  return model;
}

const char* const relu =
    "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[2] y) { y = Relu(x) }";

TEST(Hostile, VersionsThatAreNewerAreRefused) {
  onnx::ModelProto model = model_of(relu);
  model.mutable_opset_import(0)->set_version(18);
  EXPECT_EQ(code_of(model.SerializeAsString(), false), "E6101");
  model.mutable_opset_import(0)->set_version(5);
  EXPECT_EQ(code_of(model.SerializeAsString(), false), "E6101");
  model.mutable_opset_import(0)->set_version(17);
  model.set_ir_version(9);
  EXPECT_EQ(code_of(model.SerializeAsString(), false), "E6101");
}

TEST(Hostile, ExternalDataIsRefusedBeforeAnyFileIsOpened) {
  onnx::ModelProto model = model_of(relu);
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(2);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("/etc/passwd");
  EXPECT_EQ(code_of(model.SerializeAsString(), false), "E6102");
}

TEST(Hostile, TensorsWhoseDataDoNotFitAreBroken) {
  for (const std::int64_t extent : {std::int64_t{3}, std::int64_t{-1}, std::int64_t{1} << 62}) {
    onnx::ModelProto model = model_of(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[n] y) { y = Add(x, w) }");
    auto& tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(extent);
    tensor.set_raw_data(std::string(8, '\0'));
    const std::string code = code_of(model.SerializeAsString(), false);
    EXPECT_TRUE(code == "E6004" || code == "E6003") << code;
  }
}

TEST(Hostile, UnknownOperatorsDomainsAndControlFlowAreRefusedByName) {
  const auto refusal = [](const std::string& body) {
    const std::string text =
        "<ir_version: 8, opset_import: [\"\" : 17, \"custom\" : 1]> g (float[2] x) => (float[2] y) { " +
        body + " }";
    try {
      import_bytes(text, true);
    } catch (const Refusal& e) {
      return e.code() + " " + e.where().node;
    } catch (const Error& e) {
      return "not refused: " + e.code();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("y = custom.Thing(x)"), "E6300 y (custom.Thing)");
  EXPECT_EQ(refusal("y = RandomNormalLike(x)"), "E6300 y (RandomNormalLike)");
}

TEST(Hostile, AnAbsurdShapeAllocatesNothing) {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1] x) => (float[a, b, c] y) {
  shape = Constant <value_ints = [1000000, 1000000, 1000]> ()
  big = ConstantOfShape(shape)
  table = Shape(big)
  first = Constant <value_int = 0> ()
  last = Constant <value_int = 4000000000000> ()
  step = Constant <value_int = 1> ()
  many = Range(first, last, step)
  total = ReduceSum <keepdims = 0> (many)
  y = Expand(x, table)
})";
  const long before = resident_kib();
  EXPECT_EQ(code_of(text, true), "");
  EXPECT_LT(resident_kib() - before, 64 * 1024);
}

TEST(Hostile, DeepNestingIsAnError) {
  EXPECT_EQ(code_of(std::string(1000000, '('), true), "E6002");
  EXPECT_EQ(code_of(std::string(1000000, '<'), true), "E6002");
  EXPECT_EQ(code_of("<ir_version: 99999999999999999999, opset_import: [\"\" : 17]> g () => () {}", true),
            "E6002");
}

TEST(Hostile, TextErrorsHaveALineAndAColumn) {
  try {
    import_bytes(
        "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] x) => (float[2] y) {\n  y = = Relu(x)\n}",
        true);
    FAIL() << "accepted";
  } catch (const UserError& e) {
    EXPECT_EQ(e.code(), "E6002");
    EXPECT_EQ(e.where().line, 3U);
    EXPECT_GT(e.where().column, 1U);
    EXPECT_EQ(e.source_line(), "  y = = Relu(x)");
  }
}

TEST(Hostile, DeclaredShapesThatContradictTheOperatorsAreErrors) {
  EXPECT_EQ(
      code_of("<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[3] y) { y = Relu(x) }",
              true),
      "E6005");
  EXPECT_EQ(
      code_of("<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (double[2] y) { y = Relu(x) }",
              true),
      "E6005");
}

}  // namespace
}  // namespace hallmark::model
