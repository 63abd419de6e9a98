#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <thread>

#include "base/error.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/say.h"
#include "evaluator/evaluator.h"
#include "model/import.h"
#include "model/suite.h"

namespace hallmark::cli {
namespace {

struct Options {
  std::string model, suite;
  std::vector<std::string> inputs, expected;
};

int suite(const Options& o, const Common& common) {
  model::SuiteOptions options;
  options.jobs = common.jobs == 0 ? std::thread::hardware_concurrency() : common.jobs;
  const model::SuiteResult result =
      model::run_suite(o.suite, options, [](const model::CaseResult& c) { show("{}\n", model::line(c)); });
  using State = model::CaseResult::State;
  show("{} ok, {} differ, {} refused, {} failed\n", result.count(State::ok), result.count(State::differs),
       result.count(State::refused), result.count(State::failed));
  if (result.count(State::differs) != 0) return refuted;
  return result.count(State::failed) != 0 ? invalid : result.count(State::ok) == 0 ? undecided : met;
}

int eval(const Options& o, const Common& common) {
  if (!o.suite.empty()) return suite(o, common);
  if (o.model.empty()) throw UserError("E9101", "eval needs a model, or --suite with a folder");
  const model::Model model = model::import_model(o.model);
  const calculus::Program& program = model.program;
  if (o.inputs.size() != program.inputs.size())
    throw UserError(
        "E9102",
        fmt::format("the model has {} inputs and {} were given", program.inputs.size(), o.inputs.size()),
        {o.model});
  evaluator::Tensors inputs;
  evaluator::Symbols symbols;
  for (std::size_t i = 0; i < o.inputs.size(); ++i) {
    const evaluator::Tensor data = model::read_tensor(o.inputs[i]);
    const std::vector<calculus::Term>& extents = program.inputs[i].extents;
    for (std::size_t d = 0; d < extents.size() && d < data.extents().size(); ++d)
      if (extents[d]->kind == calculus::Kind::symbol) symbols.emplace(extents[d]->name, data.extents()[d]);
    inputs[program.inputs[i].name] = data;
  }
  evaluator::Options options;
  options.jobs = common.jobs == 0 ? std::thread::hardware_concurrency() : common.jobs;
  const evaluator::Tensors outputs = evaluator::evaluate(program, symbols, inputs, options);
  int code = met;
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const evaluator::Tensor& actual = outputs.at(program.outputs[i]);
    show("{}: {}[{}]", program.outputs[i], calculus::name(actual.format()),
         fmt::join(actual.extents(), ", "));
    if (i < o.expected.size()) {
      const auto difference = model::first_difference(actual, model::read_tensor(o.expected[i]));
      show(" {}", difference ? "differs: " + *difference : "ok");
      if (difference) code = refuted;
    }
    show("\n");
  }
  return code;
}

}  // namespace

void add_eval(Registration r) {
  auto o = std::make_shared<Options>();
  CLI::App* command = r.app.add_subcommand(
      "eval", "the reference evaluator on a model, or on a suite of cases in ONNX's layout");
  command->add_option("model", o->model, "ONNX model");
  command->add_option("--input", o->inputs, "TensorProto files, in the order of the model's inputs");
  command->add_option("--expect", o->expected, "TensorProto files, in the order of the model's outputs");
  command->add_option("--suite", o->suite, "folder with cases, searched recursively");
  command->callback([r, o] { r.chosen = [r, o] { return eval(*o, r.common); }; });
}

}  // namespace hallmark::cli
