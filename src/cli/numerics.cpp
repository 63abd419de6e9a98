#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/numerics_program.h"
#include "contract/number.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"

namespace hallmark::cli {
namespace {

struct Options {
  std::string file, contract, samples, inputs = "rounded", call_ulps = "1", absolute, relative, ulp;
  std::size_t evaluations = 0;
};

numerics::ExpressionModel model_of(const Options& o) {
  numerics::ExpressionModel model;
  model.inputs_rounded = o.inputs == "rounded";
  const std::optional<Rational> ulps = contract::parse_number(o.call_ulps);
  if (!ulps || *ulps < Rational(1, 2))
    throw UserError("E8110", "--call-ulps is a number of at least 1/2, not " + o.call_ulps);
  model.call_ulps = *ulps;
  return model;
}

contract::Tolerance tolerance_of(const Options& o) {
  contract::Tolerance out;
  const auto number = [](const std::string& option, const std::string& text) -> std::optional<Rational> {
    if (text.empty()) return std::nullopt;
    const std::optional<Rational> value = contract::parse_number(text);
    if (!value || *value < 0)
      throw UserError("E8110", option + " is an exact number of at least 0, not " + text);
    return value;
  };
  out.absolute = number("--absolute", o.absolute);
  out.relative = number("--relative", o.relative);
  out.ulp = number("--ulp", o.ulp);
  return out;
}

// Without a tolerance: whether there is a bound. With one: 1 for refuted beats 3 for undecided.
int exit_of(const numerics::ExpressionReport& report) {
  if (!report.verdict) return report.proved ? met : undecided;
  return *report.verdict == State::proved ? met : *report.verdict == State::refuted ? refuted : undecided;
}

std::string budget(const numerics::ExpressionReport& report) {
  std::string out;
  for (const auto& [text, percent] : report.budget) out += fmt::format("  {:>6.2f} %  {}\n", percent, text);
  return out;
}

int bound(const Options& o, const Common& common, bool explain) {
  if (std::filesystem::path(o.file).extension() == ".hm")
    return bound_program({o.file, o.contract, o.samples, explain}, common);
  const numerics::ExpressionModel model = model_of(o);
  numerics::BoundOptions options;
  options.extend = o.evaluations == 0;
  if (o.evaluations > 0) options.evaluations = o.evaluations;
  numerics::WitnessSearch search;
  search.tolerance = tolerance_of(o);
  int code = met;
  json::array list;
  for (const numerics::Expression& e : numerics::read_fpcores(read_file(o.file), o.file)) {
    const numerics::ExpressionReport report = numerics::bound_expression(e, model, options, search);
    const int own = exit_of(report);
    if (code != refuted && own != met) code = own;
    if (common.format == "json") {
      list.push_back(numerics::as_json(e, model, report));
    } else {
      std::cout << numerics::as_text(e, model, report);
      if (explain && report.proved) std::cout << "error budget on the worst part:\n" << budget(report);
    }
  }
  if (common.format == "json") std::cout << canonical_json(list.size() == 1 ? list[0] : json::value(list));
  return code;
}

void add_common(CLI::App* command, const std::shared_ptr<Options>& o) {
  command->add_option("file", o->file, "FPBench's FPCore (.fpcore) or a program in text form (.hm)")
      ->required();
  command->add_option("--contract", o->contract,
                      "contract (.toml) of a program; default: the default contract");
  command->add_option("--calibrate", o->samples,
                      "samples of a program's inputs (.npz): their ranges become boxes, as an assumption");
  command
      ->add_option("--inputs", o->inputs,
                   "rounded: inputs are reals and rounded first; exact: they are values")
      ->check(CLI::IsMember({"rounded", "exact"}))
      ->capture_default_str();
  command->add_option("--call-ulps", o->call_ulps, "accuracy of library functions; 1/2: correctly rounded")
      ->capture_default_str();
  command->add_option("--absolute", o->absolute, "tolerance to decide: absolute part");
  command->add_option("--relative", o->relative, "relative part");
  command->add_option("--ulp", o->ulp, "part in units in the last place of the result's format");
  command->add_option("--evaluations", o->evaluations, "budget of the search, in boxes; 0: the default");
}

}  // namespace

void add_numerics(Registration r) {
  CLI::App* numerics = r.app.add_subcommand("numerics", "error bounds: bound, explain, suggest");
  numerics->require_subcommand(1);
  auto o = std::make_shared<Options>();
  CLI::App* command = numerics->add_subcommand(
      "bound", "how far is the computed from the exact value, at most? With a certificate and a witness");
  add_common(command, o);
  command->callback([r, o] { r.chosen = [r, o] { return bound(*o, r.common, false); }; });
  CLI::App* explain =
      numerics->add_subcommand("explain", "the same, and which operation contributes how much");
  add_common(explain, o);
  CLI::App* suggest = numerics->add_subcommand(
      "suggest", "the cheapest formats and orders that are proved to keep a contract");
  suggest->add_option("file", o->file, "an exact program in text form (.hm)")->required();
  suggest->add_option("--contract", o->contract, "contract (.toml)");
  suggest->add_option("--calibrate", o->samples, "samples of the inputs (.npz)");
  suggest->callback([r, o] {
    r.chosen = [r, o] { return suggest_program({o->file, o->contract, o->samples, false}, r.common); };
  });
  explain->callback([r, o] { r.chosen = [r, o] { return bound(*o, r.common, true); }; });
}

}  // namespace hallmark::cli
