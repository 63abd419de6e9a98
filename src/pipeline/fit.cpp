#include "pipeline/fit.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "calculus/text/text.h"
#include "formulation/functions.h"
#include "plan/derive_spec.h"

namespace hallmark::pipeline {
namespace {

using calculus::Function;
using calculus::Program;

// Symbols, inputs, conditions and outputs, as text.
std::string frame(const Program& program) {
  Program out = program;
  out.functions.clear();
  out.constants.clear();
  out.definitions.clear();
  return calculus::text::print_program(out);
}

bool same_data(const Program& a, const Program& b) {
  return std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), b.constants.end(),
                    [](const calculus::Constant& x, const calculus::Constant& y) {
                      return x.declaration.name == y.declaration.name &&
                             x.declaration.format == y.declaration.format &&
                             x.declaration.extents == y.declaration.extents &&
                             x.data->format == y.data->format && x.data->extents == y.data->extents &&
                             x.data->splat == y.data->splat && x.data->bytes == y.data->bytes;
                    });
}

// The same body, whatever the parameters are called.
bool same_function(const Function& a, const Function& b) {
  if (a.name != b.name || a.parameters.size() != b.parameters.size()) return false;
  calculus::Substitution rename;
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    if (a.parameters[i]->sort != b.parameters[i]->sort) return false;
    rename[a.parameters[i]] = b.parameters[i];
  }
  return calculus::substitute(a.body, rename) == b.body;
}

bool is_identifier(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain);
}

}  // namespace

void check_selection(const Selection& selection, const Program& authored) {
  const std::vector<Function>&mine = selection.elected.functions, &theirs = authored.functions;
  if (frame(selection.elected) != frame(authored) || !same_data(selection.elected, authored) ||
      !std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), same_function))
    mismatch("the elected program has other symbols, inputs, constants or outputs than the model");
  const Program& formulation = selection.formulation.program;
  if (frame(formulation) != frame(authored))
    mismatch("the formulation has other symbols, inputs or outputs than the model");
  for (const Function& function : formulation.functions) {
    const formulation::ElementaryFunction* ours = formulation::find_elementary_function(function.name);
    if (ours == nullptr || !same_function(function, ours->function))
      mismatch("the formulation's function " + function.name + " is not that of this version");
  }
}

bool is_source_name(const std::string& name) {
  constexpr std::string_view suffix = ".cu";
  return name.ends_with(suffix) && name != "module.cu" &&
         is_identifier(std::string_view(name).substr(0, name.size() - suffix.size()));
}

void check_artifact(const Program& formulation, const plan::LaunchPlan& plan, const Ptx& ptx) {
  if (const std::string why = plan::unlike(plan, formulation); !why.empty()) mismatch(why);
  for (const plan::PlannedLaunch& launch : plan.launches) {
    if (!is_source_name(launch.source)) mismatch("launch.json names the text " + launch.source);
    if (!is_identifier(launch.kernel)) mismatch("launch.json names the kernel " + launch.kernel);
    const std::string wanted = ptx.reason == Reason::none ? "kernels.ptx" : "";
    if (launch.binary != wanted || launch.binary_sha256.empty() != wanted.empty())
      mismatch("launch.json has " + launch.kernel + " run from " + launch.binary +
               ", which is not the PTX that is validated");
  }
  try {
    plan::derive_specs(formulation, plan);
  } catch (const UserError& error) {
    mismatch(error.message());
  }
}

}  // namespace hallmark::pipeline
