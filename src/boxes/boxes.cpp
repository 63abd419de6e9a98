#include "boxes/boxes.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "boxes/term_range.h"

namespace hallmark::boxes {
namespace {

using namespace calculus;

// What is read and not defined: inputs by the contract, constants by their data.
Ranges given(const Program& program, const contract::Contract& contract) {
  if (contract.nan_allowed || contract.infinity_allowed) throw NotShown{"inputs without a finite value"};
  Ranges out;
  for (const Declaration& input : program.inputs)
    if (const auto box = contract.inputs.find(input.name); box != contract.inputs.end())
      out[input.name] = {box->second.low, box->second.high};
  for (const Constant& constant : program.constants) {
    try {
      out[constant.declaration.name] = data_range(*constant.data);
    } catch (const NotShown&) {
      // Only what reads it has no certificate.
    }
  }
  return out;
}

std::optional<Rational> rational(const std::string& text) {
  if (text.empty() || text.size() > 4000 || text.find_first_not_of("0123456789-/") != std::string::npos)
    return std::nullopt;
  Rational out;
  if (out.set_str(text, 10) != 0 || out.get_den() == 0) return std::nullopt;
  Rational canonical = out;
  canonical.canonicalize();
  if (canonical.get_str() != text) return std::nullopt;
  return canonical;
}

struct Step {
  std::string name;
  Range box;
};

Step parse(const std::string& line) {
  std::istringstream words(line);
  std::string name, low, high, more;
  words >> name >> low >> high;
  const auto l = rational(low), h = rational(high);
  if (!l || !h || *l > *h || words >> more) throw NotShown{"'" + line.substr(0, 80) + "' is no step"};
  return {name, {*l, *h}};
}

std::string line(const std::string& name, const Range& box) {
  return fmt::format("{} {} {}", name, box.low.get_str(), box.high.get_str());
}

// The definitions that `wanted` rests on, itself included.
std::set<std::string> needed(const Program& program, const std::string& wanted) {
  std::set<std::string> out{wanted};
  for (std::size_t i = program.definitions.size(); i-- > 0;) {
    const Definition& d = program.definitions[i];
    if (!out.contains(d.declaration.name)) continue;
    for_each_node(d.body, [&](Term n) {
      if (n->kind == Kind::load) out.insert(n->name);
    });
  }
  return out;
}

}  // namespace

Boxes::Boxes(const Program& program, const contract::Contract& contract) : program_(program) {
  try {
    given_ = given(program, contract);
  } catch (const NotShown& reason) {
    why_nothing_ = reason.why;
  }
}

Range Boxes::range_of(const Definition& d, const Ranges& known) {
  std::set<std::string> loads;
  for_each_node(d.body, [&](Term n) {
    if (n->kind == Kind::load) loads.insert(n->name);
  });
  std::string key = d.declaration.name;
  for (const std::string& tensor : loads)
    if (const auto box = known.find(tensor); box != known.end()) key += "\n" + line(tensor, box->second);
  if (const auto before = computed_.find(key); before != computed_.end()) return before->second;
  const Range out = definition_range(d, program_.symbols, known);
  computed_.emplace(key, out);
  return out;
}

std::string Boxes::check(const std::string& definition, const std::vector<std::string>& steps) {
  if (!why_nothing_.empty()) return why_nothing_;
  try {
    Ranges known = given_;
    std::size_t next = 0;
    const std::set<std::string> relevant = needed(program_, definition);
    for (const Definition& d : program_.definitions) {
      if (!relevant.contains(d.declaration.name)) continue;
      if (next == steps.size()) return "the boxes end before " + d.declaration.name;
      const Step step = parse(steps[next++]);
      if (step.name != d.declaration.name) return "expected the box of " + d.declaration.name;
      if (!step.box.contains(range_of(d, known)))
        return "the box of " + step.name + " does not hold all of its values";
      known[step.name] = step.box;
      if (step.name == definition)
        return next == steps.size() ? "" : "there are boxes after the one that is claimed";
    }
    return "the program has no definition " + definition;
  } catch (const NotShown& reason) {
    return reason.why;
  }
}

std::optional<std::vector<std::string>> Boxes::find(const std::string& definition) {
  if (!why_nothing_.empty()) return std::nullopt;
  try {
    Ranges known = given_;
    std::vector<std::string> steps;
    const std::set<std::string> relevant = needed(program_, definition);
    for (const Definition& d : program_.definitions) {
      if (!relevant.contains(d.declaration.name)) continue;
      const Range box = shortened(range_of(d, known));
      steps.push_back(line(d.declaration.name, box));
      known[d.declaration.name] = box;
      if (d.declaration.name != definition) continue;
      return check(definition, steps).empty() ? std::optional(steps) : std::nullopt;
    }
  } catch (const NotShown&) {
  }
  return std::nullopt;
}

}  // namespace hallmark::boxes
