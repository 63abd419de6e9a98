// Runs models against recorded inputs and outputs in the layout of ONNX's own tests: any folder below the
// given one that holds model.onnx and folders test_data_set_N with input_*.pb and output_*.pb.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/tensor.h"

namespace hallmark::model {

struct SuiteOptions {
  double relative = 1e-3, absolute = 1e-7;  // of float outputs; integers and booleans must be equal
  unsigned jobs = 1;                        // threads of each evaluation
};

struct CaseResult {
  // failed: refused because the model or the data are invalid, or seem so
  enum class State { ok, differs, refused, failed } state = State::ok;
  std::string name;    // the folder, relative to the suite
  std::string detail;  // differs: where first; refused and failed: the error with its code
};

struct SuiteResult {
  std::vector<CaseResult> cases;  // by name
  std::size_t count(CaseResult::State state) const;
};

std::string_view name(CaseResult::State state);  // "ok", "differs", "refused"; failed: "refused"
// "test_abs: ok", "test_add: differs: ...": one line, without its end.
std::string line(const CaseResult& result);

// Models are evaluated in double. `done` is called after each case. A model or data set that cannot be read,
// or whose inputs do not fit it, has failed; a model without data is refused. Throws UserError E6007 when the
// folder does not exist or holds no model.
SuiteResult run_suite(const std::string& folder, const SuiteOptions& options = {},
                      const std::function<void(const CaseResult&)>& done = {});
CaseResult run_case(const std::string& folder, const std::string& name, const SuiteOptions& options = {});

// A file that holds one TensorProto. Throws UserError E0001, E6004.
evaluator::Tensor read_tensor(const std::string& path);

// Where `actual` first differs from `expected`; empty when nowhere. Equal infinities and NaNs agree.
std::optional<std::string> first_difference(const evaluator::Tensor& actual,
                                            const evaluator::Tensor& expected,
                                            const SuiteOptions& options = {});

}  // namespace hallmark::model
