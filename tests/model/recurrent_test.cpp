// RNN, GRU and LSTM against loops over plain arrays, in every direction, layout and with every optional
// input.
#include <gtest/gtest.h>
#include <onnx/defs/parser.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "model/import.h"

namespace hallmark::model {
namespace {

constexpr int steps = 3, batch = 2, inputs = 2, hidden = 2;

struct Case {
  std::string op_type;
  int directions = 1;
  bool reverse = false, batch_first = false, initial = false, bias = false, lengths = false,
       peepholes = false;
  bool reset_after = false;

  int gates() const { return op_type == "RNN" ? 1 : op_type == "GRU" ? 3 : 4; }
};

using Values = std::vector<double>;

struct Data {
  Values x, w, r, b, h, c, p, lengths{2, 0};
};

double sigmoid(double v) {
  return 1 / (1 + std::exp(-v));
}

struct Outputs {
  Values y = Values(0), y_h = Values(0), y_c = Values(0);
};

// Straight from the text of the operators: one batch row and one direction at a time, x by [step, batch].
Outputs reference(const Case& k, const Data& d) {
  const int n = k.gates();
  Outputs out;
  out.y.resize(static_cast<std::size_t>(steps * k.directions * batch * hidden));
  out.y_h.resize(static_cast<std::size_t>(k.directions * batch * hidden));
  out.y_c = out.y_h;
  const auto at = [](const Values& v, int i) { return v.at(static_cast<std::size_t>(i)); };
  for (int dir = 0; dir < k.directions; ++dir)
    for (int row = 0; row < batch; ++row) {
      Values state(hidden), memory(hidden);
      if (k.initial)
        for (int j = 0; j < hidden; ++j) {
          state[static_cast<std::size_t>(j)] = at(d.h, (dir * batch + row) * hidden + j);
          memory[static_cast<std::size_t>(j)] = at(d.c, (dir * batch + row) * hidden + j);
        }
      const int length = k.lengths ? static_cast<int>(at(d.lengths, row)) : steps;
      const bool backwards = k.reverse || dir == 1;
      for (int i = 0; i < length; ++i) {
        const int t = backwards ? length - 1 - i : i;
        const auto from_input = [&](int g, int j) {
          double sum = k.bias ? at(d.b, dir * 2 * n * hidden + g * hidden + j) : 0;
          for (int e = 0; e < inputs; ++e)
            sum +=
                at(d.x, (t * batch + row) * inputs + e) * at(d.w, ((dir * n + g) * hidden + j) * inputs + e);
          return sum;
        };
        const auto from_state = [&](int g, int j, const Values& v) {
          double sum = k.bias ? at(d.b, dir * 2 * n * hidden + (n + g) * hidden + j) : 0;
          for (int e = 0; e < hidden; ++e)
            sum += at(v, e) * at(d.r, ((dir * n + g) * hidden + j) * hidden + e);
          return sum;
        };
        const auto hole = [&](int g, int j, double seen) {
          return k.peepholes ? at(d.p, (dir * 3 + g) * hidden + j) * seen : 0;
        };
        const auto sum = [&](int g, int j) { return from_input(g, j) + from_state(g, j, state); };
        Values next(hidden), next_memory = memory;
        Values reset(hidden);
        if (k.op_type == "GRU")
          for (int j = 0; j < hidden; ++j)
            reset[static_cast<std::size_t>(j)] = sigmoid(sum(1, j)) * at(state, j);
        for (int j = 0; j < hidden; ++j) {
          double& value = next[static_cast<std::size_t>(j)];
          if (k.op_type == "RNN") {
            value = std::tanh(sum(0, j));
          } else if (k.op_type == "GRU") {
            const double z = sigmoid(sum(0, j));
            const double inner =
                k.reset_after ? sigmoid(sum(1, j)) * from_state(2, j, state) : from_state(2, j, reset);
            value = (1 - z) * std::tanh(from_input(2, j) + inner) + z * at(state, j);
          } else {
            const double before = at(memory, j);
            double& cell = next_memory[static_cast<std::size_t>(j)];
            cell = sigmoid(sum(2, j) + hole(2, j, before)) * before +
                   sigmoid(sum(0, j) + hole(0, j, before)) * std::tanh(sum(3, j));
            value = sigmoid(sum(1, j) + hole(1, j, cell)) * std::tanh(cell);
          }
        }
        state = next;
        memory = next_memory;
        for (int j = 0; j < hidden; ++j)
          out.y[static_cast<std::size_t>(((t * k.directions + dir) * batch + row) * hidden + j)] =
              at(state, j);
      }
      for (int j = 0; j < hidden; ++j) {
        const auto place = static_cast<std::size_t>((dir * batch + row) * hidden + j);
        out.y_h[place] = length == 0 ? 0 : at(state, j);
        out.y_c[place] = length == 0 ? 0 : at(memory, j);
      }
    }
  return out;
}

// [a, b, rest] as [b, a, rest].
Values swapped(const Values& v, int a, int b) {
  const int rest = static_cast<int>(v.size()) / (a * b);
  Values out(v.size());
  for (int i = 0; i < a; ++i)
    for (int j = 0; j < b; ++j)
      for (int e = 0; e < rest; ++e)
        out[static_cast<std::size_t>((j * a + i) * rest + e)] =
            v[static_cast<std::size_t>((i * b + j) * rest + e)];
  return out;
}

// ONNX's text form has no way to leave out an input or output in the middle: the name "absent" stands for
// that.
Model of_text(const std::string& graph) {
  onnx::ModelProto model;
  const std::string text = "<ir_version: 8, opset_import: [\"\" : 17]> " + graph;
  if (!onnx::OnnxParser::Parse(model, text.c_str()).IsOK())
    throw std::logic_error("not ONNX's text form: " + text);
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) {
    for (std::string& name : *node.mutable_input())
      if (name == "absent") name.clear();
    for (std::string& name : *node.mutable_output())
      if (name == "absent") name.clear();
  }
  return import_bytes(model.SerializeAsString(), false);
}

std::string shape(const std::vector<int>& extents) {
  std::string out = "[";
  for (const int e : extents) out += (out.size() > 1 ? ", " : "") + std::to_string(e);
  return out + "]";
}

std::vector<int> laid_out(const Case& k, std::vector<int> extents) {
  if (k.batch_first) std::swap(extents[0], extents[1]);
  return extents;
}

std::string graph_of(const Case& k) {
  const int d = k.directions, n = k.gates();
  std::string parameters = "float" + shape(laid_out(k, {steps, batch, inputs})) + " x, float" +
                           shape({d, n * hidden, inputs}) + " w, float" + shape({d, n * hidden, hidden}) +
                           " r";
  std::string call = "x, w, r";
  const auto optional = [&](bool present, const std::string& type, const std::string& name) {
    if (present) parameters += ", " + type + " " + name;
    call += present ? ", " + name : ", absent";
  };
  optional(k.bias, "float" + shape({d, 2 * n * hidden}), "b");
  optional(k.lengths, "int32[2]", "lengths");
  optional(k.initial, "float" + shape(laid_out(k, {d, batch, hidden})), "h");
  if (k.op_type == "LSTM") {
    optional(k.initial, "float" + shape(laid_out(k, {d, batch, hidden})), "c");
    optional(k.peepholes, "float" + shape({d, 3 * hidden}), "p");
  }
  std::string attributes = "hidden_size = 2";
  attributes += k.directions == 2 ? ", direction = \"bidirectional\""
                : k.reverse       ? ", direction = \"reverse\""
                                  : "";
  if (k.batch_first) attributes += ", layout = 1";
  if (k.reset_after) attributes += ", linear_before_reset = 1";
  const bool cell = k.op_type == "LSTM";
  const std::string results =
      std::string("float[A, B, C, D] y, float[E, F, G] y_h") + (cell ? ", float[H, I, J] y_c" : "");
  return "g (" + parameters + ") => (" + results + ") { y, y_h" + (cell ? ", y_c" : "") + " = " + k.op_type +
         " <" + attributes + "> (" + call + ") }";
}

evaluator::Tensor tensor(const std::vector<int>& extents, const Values& values,
                         calculus::Format format = calculus::Format::f32) {
  return evaluator::Tensor(format, {extents.begin(), extents.end()}, values);
}

evaluator::Tensor lengths_of(const Values& values) {
  auto data = std::make_shared<calculus::TensorData>();
  data->format = calculus::Format::i32;
  data->extents = {static_cast<std::int64_t>(values.size())};
  data->bytes.resize(4 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    evaluator::write_bits(data->bytes.data(), 32, static_cast<std::int64_t>(i),
                          static_cast<std::uint64_t>(values[i]));
  return evaluator::Tensor(std::move(data));
}

void expect_equal(const evaluator::Tensor& actual, const Values& expected, const std::string& what) {
  ASSERT_EQ(static_cast<std::size_t>(actual.element_count()), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual.number(static_cast<std::int64_t>(i)), expected[i], 1e-9) << what << " " << i;
}

void check(const Case& k, std::mt19937& random) {
  const int d = k.directions, n = k.gates();
  const auto values = [&](int count) {
    Values out(static_cast<std::size_t>(count));
    for (double& v : out) v = (static_cast<double>(random() % 17) - 8) / 4;
    return out;
  };
  Data data{values(steps * batch * inputs), values(d * n * hidden * inputs), values(d * n * hidden * hidden),
            values(d * 2 * n * hidden),     values(d * batch * hidden),      values(d * batch * hidden),
            values(d * 3 * hidden)};
  const auto turned = [&](const Values& v, int a, int b) { return k.batch_first ? swapped(v, a, b) : v; };
  evaluator::Tensors given;
  given.emplace("x", tensor(laid_out(k, {steps, batch, inputs}), turned(data.x, steps, batch)));
  given.emplace("w", tensor({d, n * hidden, inputs}, data.w));
  given.emplace("r", tensor({d, n * hidden, hidden}, data.r));
  if (k.bias) given.emplace("b", tensor({d, 2 * n * hidden}, data.b));
  if (k.lengths) given.emplace("lengths", lengths_of(data.lengths));
  if (k.initial) given.emplace("h", tensor(laid_out(k, {d, batch, hidden}), turned(data.h, d, batch)));
  if (k.initial && k.op_type == "LSTM")
    given.emplace("c", tensor(laid_out(k, {d, batch, hidden}), turned(data.c, d, batch)));
  if (k.peepholes) given.emplace("p", tensor({d, 3 * hidden}, data.p));

  const std::string graph = graph_of(k);
  const Outputs expected = reference(k, data);
  const auto found = evaluator::evaluate(of_text(graph).program, {}, given);
  // [step, direction, batch, hidden] as [batch, step, direction, hidden]: the first two axes as one.
  expect_equal(found.at("y"), turned(expected.y, steps * d, batch), graph + " y");
  expect_equal(found.at("y_h"), turned(expected.y_h, d, batch), graph + " y_h");
  if (k.op_type == "LSTM") expect_equal(found.at("y_c"), turned(expected.y_c, d, batch), graph + " y_c");
}

TEST(Recurrent, EveryCombinationGivesWhatLoopsGive) {
  std::mt19937 random(5);
  for (const char* op_type : {"RNN", "GRU", "LSTM"})
    for (int bits = 0; bits < 256; ++bits) {
      Case k{op_type};
      k.directions = bits & 1 ? 2 : 1;
      k.reverse = (bits & 2) != 0;
      k.batch_first = (bits & 4) != 0;
      k.initial = (bits & 8) != 0;
      k.bias = (bits & 16) != 0;
      k.lengths = (bits & 32) != 0;
      k.peepholes = (bits & 64) != 0;
      k.reset_after = (bits & 128) != 0;
      if (k.directions == 2 && k.reverse) continue;
      if (k.peepholes && k.op_type != "LSTM") continue;
      if (k.reset_after && k.op_type != "GRU") continue;
      check(k, random);
      if (::testing::Test::HasFailure()) return;
    }
}

// What another meaning would be given to must not be given this one.
TEST(Recurrent, WhatHasNoMeaningHereIsRefusedByName) {
  const auto refused = [](const std::string& attributes, const std::string& what,
                          const std::string& state = "2") {
    const std::string graph = "g (float[3, 2, 2] x, float[1, 8, 2] w, float[1, 8, 2] r, float[1, " + state +
                              ", 2] h) => (float[A, B, C, D] y) { y = LSTM <hidden_size = 2" + attributes +
                              "> (x, w, r, absent, absent, h) }";
    try {
      of_text(graph);
      ADD_FAILURE() << graph << " was read";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  refused(", clip = 1.0", "clipped gates");
  refused(", input_forget = 1", "coupled input and forget gates");
  refused(", activation_alpha = [0.5]", "activation_alpha");
  refused(", activations = [\"Sigmoid\", \"Affine\", \"Tanh\"]", "the activation 'Affine'");
  refused(", activations = [\"Sigmoid\", \"Tanh\"]", "3 activations");
  refused(", direction = \"sideways\"", "direction should not be");
  refused(", direction = \"bidirectional\"", "the first extent of W should be 2");
  refused("", "different batches", "1");
}

TEST(Recurrent, AnInitialStateOfAnotherSymbolicBatchIsRefused) {
  const auto graph = [](const std::string& batch_of_state) {
    return "g (float[3, N, 2] x, float[1, 2, 2] w, float[1, 2, 2] r, float[1, " + batch_of_state +
           ", 2] h) => (float[A, B, C, D] y) { y = RNN <hidden_size = 2> (x, w, r, absent, absent, h) }";
  };
  EXPECT_NO_THROW(of_text(graph("N")));
  EXPECT_THROW(of_text(graph("M")), Refusal);
  EXPECT_THROW(of_text(graph("1")), Refusal);
}

TEST(Recurrent, ALengthThatNobodyRunsIsRefusedAndAThousandStepsAreRead) {
  const auto graph = [](const std::string& count) {
    return "g (float[" + count +
           ", 1, 1] x, float[1, 3, 1] w, float[1, 3, 1] r) => (float[E, F, G] h) { absent, h = GRU "
           "<hidden_size = 1> "
           "(x, w, r) }";
  };
  EXPECT_THROW(of_text(graph("1000000000")), Refusal);
  EXPECT_THROW(of_text(graph("T")), Refusal);
  EXPECT_NO_THROW(of_text(graph("1000")));
}

}  // namespace
}  // namespace hallmark::model
