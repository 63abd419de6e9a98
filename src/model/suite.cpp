#include "model/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "evaluator/evaluator.h"
#include "model/import.h"
#include "model/tensors.h"

namespace hallmark::model {

namespace fs = std::filesystem;
using State = CaseResult::State;

namespace {

std::string extents_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::string position_text(std::int64_t at, const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> indices(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    indices[d] = at % extents[d];
    at /= extents[d];
  }
  return extents_text(indices);
}

// "input_12.pb" has number 12; files in that order.
std::vector<fs::path> numbered(const fs::path& folder, const std::string& prefix) {
  std::vector<std::pair<unsigned long, fs::path>> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.size() <= prefix.size() + 3 || file.compare(0, prefix.size(), prefix) != 0 ||
        file.compare(file.size() - 3, 3, ".pb") != 0)
      continue;
    const std::string number = file.substr(prefix.size(), file.size() - prefix.size() - 3);
    if (number.size() > 6 || number.find_first_not_of("0123456789") != std::string::npos) continue;
    found.emplace_back(std::stoul(number), entry.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> out;
  for (auto& [number, path] : found) out.push_back(std::move(path));
  return out;
}

std::vector<fs::path> data_sets(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename().string().compare(0, 14, "test_data_set_") == 0)
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

// ONNX's recorded tensors hold bfloat16 as uint16 with the same bits.
evaluator::Tensor read_as(const fs::path& file, calculus::Format format) {
  auto data = read_tensor_file(file.string()).data;
  if (format == calculus::Format::bf16 && data->format == calculus::Format::u16) {
    auto copy = std::make_shared<calculus::TensorData>(*data);
    copy->format = format;
    data = copy;
  }
  return evaluator::Tensor(data);
}

// The model with its inputs' extents fixed. Where its shapes depend on input values, those of the small
// inputs are fixed, too.
Model import_for(const std::string& bytes, const evaluator::Tensors& tensors) {
  Options options;
  for (const auto& [name, tensor] : tensors) options.input_extents[name] = tensor.extents();
  try {
    return import_bytes(bytes, false, options);
  } catch (const Refusal& e) {
    if (e.code() != "E6302") throw;
  }
  constexpr std::int64_t small = 4096, few = 16;
  for (const auto& [name, tensor] : tensors)
    if (tensor.element_count() <= (calculus::is_float(tensor.format()) ? few : small))
      options.input_values[name] = tensor.data();
  return import_bytes(bytes, false, options);
}

// Empty when the data set agrees, otherwise where it first differs.
std::optional<std::string> run_data_set(const std::string& bytes, const fs::path& folder,
                                        const SuiteOptions& options) {
  const std::vector<ModelInput> inputs = model_inputs(bytes, false);
  const std::vector<fs::path> files = numbered(folder, "input_");
  if (files.size() != inputs.size())
    throw UserError("E6007", fmt::format("{} input files for {} inputs", files.size(), inputs.size()));
  evaluator::Tensors tensors;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!inputs[i].format)
      throw Refusal("E6103", "the input '" + inputs[i].name + "' is no tensor of numbers",
                    {.node = inputs[i].name});
    tensors.emplace(inputs[i].name, read_as(files[i], *inputs[i].format));
  }
  const Model model = import_for(bytes, tensors);
  const evaluator::Tensors results =
      evaluator::evaluate(model.program, {}, tensors, {evaluator::Reals::in_double, options.jobs});
  const std::vector<fs::path> expected = numbered(folder, "output_");
  const std::vector<std::string>& outputs = model.program.outputs;
  if (expected.size() != outputs.size())
    throw UserError("E6007", fmt::format("{} output files for {} outputs", expected.size(), outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const evaluator::Tensor& actual = results.at(outputs[i]);
    if (const auto difference = first_difference(actual, read_as(expected[i], actual.format()), options))
      return outputs[i] + ": " + *difference;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::differs:
      return "differs";
    case State::refused:
    case State::failed:
      return "refused";
  }
  throw InternalError("a case without a state");
}

std::string line(const CaseResult& result) {
  std::string out = result.name + ": " + std::string(name(result.state));
  if (!result.detail.empty()) out += ": " + result.detail;
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

std::size_t SuiteResult::count(State state) const {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const CaseResult& c) { return c.state == state; }));
}

std::optional<std::string> first_difference(const evaluator::Tensor& actual,
                                            const evaluator::Tensor& expected, const SuiteOptions& options) {
  if (actual.format() != expected.format())
    return fmt::format("elements of type {} where {} is expected", calculus::name(actual.format()),
                       calculus::name(expected.format()));
  if (actual.extents() != expected.extents())
    return fmt::format("extents {} where {} are expected", extents_text(actual.extents()),
                       extents_text(expected.extents()));
  for (std::int64_t i = 0; i < expected.element_count(); ++i) {
    if (!calculus::is_float(expected.format())) {
      if (actual.integer(i) != expected.integer(i))
        return fmt::format("{} is {} where {} is expected", position_text(i, expected.extents()),
                           actual.integer(i), expected.integer(i));
      continue;
    }
    const double a = actual.number(i), e = expected.number(i);
    if (std::isnan(a) || std::isnan(e)) {
      if (std::isnan(a) && std::isnan(e)) continue;
    } else if (a == e || (std::isfinite(a) && std::isfinite(e) &&
                          std::fabs(a - e) <= options.absolute + options.relative * std::fabs(e))) {
      continue;
    }
    return fmt::format("{} is {} where {} is expected", position_text(i, expected.extents()), a, e);
  }
  return std::nullopt;
}

CaseResult run_case(const std::string& folder, const std::string& name, const SuiteOptions& options) {
  CaseResult result{State::ok, name, ""};
  const auto problem = [&](State state, const Error& e) {
    result.state = state;
    result.detail = e.message() + " [" + e.code() + "]";
  };
  try {
    const std::string bytes = read_file((fs::path(folder) / "model.onnx").string());
    const std::vector<fs::path> sets = data_sets(folder);
    if (sets.empty()) throw Refusal("E6007", "there is no test_data_set_N beside the model");
    for (const fs::path& set : sets)
      if (const auto difference = run_data_set(bytes, set, options)) {
        result.state = State::differs;
        result.detail = set.filename().string() + ": " + *difference;
        break;
      }
  } catch (const Refusal& e) {
    problem(State::refused, e);
  } catch (const Error& e) {
    problem(State::failed, e);
    result.detail = "invalid: " + result.detail;
  }
  return result;
}

SuiteResult run_suite(const std::string& folder, const SuiteOptions& options,
                      const std::function<void(const CaseResult&)>& done) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure))
    throw UserError("E6007", "the suite is no folder", {.file = folder});
  std::vector<fs::path> found;
  for (auto it = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied);
       it != fs::recursive_directory_iterator(); ++it)
    if (it->path().filename() == "model.onnx") found.push_back(it->path().parent_path());
  if (found.empty()) throw UserError("E6007", "no folder below it holds a model.onnx", {.file = folder});
  std::sort(found.begin(), found.end());
  SuiteResult result;
  for (const fs::path& path : found) {
    result.cases.push_back(run_case(path.string(), path.lexically_relative(folder).string(), options));
    if (done) done(result.cases.back());
  }
  return result;
}

evaluator::Tensor read_tensor(const std::string& path) {
  return evaluator::Tensor(read_tensor_file(path).data);
}

}  // namespace hallmark::model
