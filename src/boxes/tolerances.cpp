#include "boxes/tolerances.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "boxes/steps.h"

namespace hallmark::boxes {
namespace {

using namespace calculus;

struct Step {
  std::string name;
  Approximation value;
  Cuts cuts{};
};

// What parts may take, in operations: a certificate may be missing, and must not keep a run busy. Definitions
// after that are looked at as a whole.
constexpr std::size_t most_work = 2000000;

Step parse(const std::string& line) {
  std::istringstream words(line);
  Step out;
  words >> out.name;
  std::vector<Rational> numbers;
  for (std::string word; numbers.size() < 5 && words >> word;) {
    const auto number = rational(word);
    if (!number) break;
    numbers.push_back(*number);
  }
  if (numbers.size() != 5 || numbers[0] > numbers[1] || numbers[2] > numbers[3] || numbers[4] < 0)
    throw NotShown{"'" + line.substr(0, 80) + "' is no step"};
  out.value = {{numbers[0], numbers[1]}, {numbers[2], numbers[3]}, numbers[4]};
  if (std::string more; std::getline(words >> std::ws, more)) out.cuts = parse_cuts(more);
  return out;
}

std::string line(const std::string& name, const Approximation& a) {
  return fmt::format("{} {} {} {} {} {}", name, a.exact.low.get_str(), a.exact.high.get_str(),
                     a.computed.low.get_str(), a.computed.high.get_str(), a.error.get_str());
}

// The tolerance at the exact element where it is least. Units in the last place are not counted: the others
// alone must do.
Rational least_tolerance(const contract::Tolerance& tolerance, const Range& exact) {
  const Rational smallest =
      exact.has_zero() ? Rational(0) : std::min(Rational(abs(exact.low)), Rational(abs(exact.high)));
  return tolerance.absolute.value_or(Rational(0)) + tolerance.relative.value_or(Rational(0)) * smallest;
}

}  // namespace

Tolerances::Tolerances(const Program& formulation, const std::vector<ExactConstant>& constants,
                       const contract::Contract& contract)
    : program_(formulation), contract_(contract), constants_(constants) {
  if (contract.ftz) {
    why_nothing_ = "subnormal inputs may be flushed";
    return;
  }
  try {
    for (const auto& [name, range] : given_ranges(formulation, contract)) given_[name] = {range, range, 0};
  } catch (const NotShown& reason) {
    why_nothing_ = reason.why;
  }
}

Approximation Tolerances::approximation_of(const Definition& definition, const Approximations& known) {
  return definition_error(definition, program_.symbols, constants_, known);
}

std::string Tolerances::check(const std::string& output, const std::vector<std::string>& steps) {
  if (!why_nothing_.empty()) return why_nothing_;
  try {
    Approximations known = given_;
    std::size_t next = 0;
    const std::set<std::string> relevant = needed_definitions(program_, output);
    for (const Definition& d : program_.definitions) {
      if (!relevant.contains(d.declaration.name)) continue;
      if (next == steps.size()) return "the steps end before " + d.declaration.name;
      const Step step = parse(steps[next++]);
      if (step.name != d.declaration.name) return "expected the step of " + d.declaration.name;
      const Approximation found = step.cuts.empty()
                                      ? approximation_of(d, known)
                                      : error_over_parts(program_, d, constants_, known, step.cuts);
      if (!step.value.exact.contains(found.exact) || !step.value.computed.contains(found.computed))
        return "the boxes of " + step.name + " do not hold all of its values";
      if (step.value.error < found.error) return "the error of " + step.name + " is not shown to be so small";
      known[step.name] = step.value;
      if (step.name != output) continue;
      if (next != steps.size()) return "there are steps after the output";
      if (step.value.error > least_tolerance(contract::tolerance_of(contract_, output), step.value.exact))
        return "the error of " + output + " is above its tolerance";
      return {};
    }
    return "the program has no definition " + output;
  } catch (const NotShown& reason) {
    return reason.why;
  }
}

std::optional<std::vector<std::string>> Tolerances::find(const std::string& output) {
  if (!why_nothing_.empty()) return std::nullopt;
  const std::set<std::string> relevant = needed_definitions(program_, output);
  for (const long parts : {1L, 32L, 256L})
    if (auto steps = find_by_parts(output, relevant, parts)) return steps;
  return std::nullopt;
}

std::optional<std::vector<std::string>> Tolerances::find_by_parts(const std::string& output,
                                                                  const std::set<std::string>& relevant,
                                                                  long parts) {
  try {
    Approximations known = given_;
    std::vector<std::string> steps;
    std::size_t work = 0;
    for (const Definition& d : program_.definitions) {
      const std::string& name = d.declaration.name;
      if (!relevant.contains(name)) continue;
      Cuts cuts;
      std::optional<Approximation> found = over_parts(d, known, parts, cuts, work);
      if (!found) found = approximation_of(d, known);
      steps.push_back(line(name, *found) + text(cuts));
      known[name] = *found;
      if (name == output) return check(output, steps).empty() ? std::optional(steps) : std::nullopt;
    }
  } catch (const NotShown&) {
  }
  return std::nullopt;
}

// Over that many parts, where the definition has an input to cut and that makes its error less.
std::optional<Approximation> Tolerances::over_parts(const Definition& d, const Approximations& known,
                                                    long parts, Cuts& cuts, std::size_t& work) {
  if (parts <= 1 || work > most_work) return std::nullopt;
  Ranges boxes;
  for (const auto& [name, value] : known) boxes[name] = value.exact;
  const std::optional<Cuts> proposed = propose_cuts(program_, d, constants_, boxes, parts, work);
  if (!proposed || work > most_work) return std::nullopt;
  try {
    const Approximation out = error_over_parts(program_, d, constants_, known, *proposed);
    cuts = *proposed;
    return Approximation{shortened(out.exact), shortened(out.computed), shortened({0, out.error}).high};
  } catch (const NotShown&) {
    return std::nullopt;
  }
}

}  // namespace hallmark::boxes
