#include "boxes/boxes.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "boxes/steps.h"
#include "boxes/term_range.h"

namespace hallmark::boxes {
namespace {

using namespace calculus;

std::string line(const std::string& name, const Range& box) {
  return fmt::format("{} {} {}", name, box.low.get_str(), box.high.get_str());
}

}  // namespace

Boxes::Step Boxes::parse(const std::string& line) {
  std::istringstream words(line);
  std::string name, low, high, more;
  words >> name >> low >> high;
  const auto l = rational(low), h = rational(high);
  if (!l || !h || *l > *h) throw NotShown{"'" + line.substr(0, 80) + "' is no step"};
  Step out{name, {*l, *h}};
  if (std::getline(words, more)) out.cuts = parse_cuts(more);
  return out;
}

Boxes::Boxes(const Program& program, const contract::Contract& contract) : program_(program) {
  try {
    given_ = given_ranges(program, contract);
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

// Where the boxes of what it reads are too wide for its operations, they are made narrower by parts.
Range Boxes::range_by_parts(const Definition& d, Ranges& known, std::vector<Step>& steps) {
  for (const long parts : {16L, 128L}) {
    try {
      return range_of(d, known);
    } catch (const NotShown&) {
      for (Step& step : steps) narrow(d, known, step, parts);
    }
  }
  return range_of(d, known);
}

void Boxes::narrow(const Definition& reader, Ranges& known, Step& step, long parts) {
  bool read = false;
  for_each_node(reader.body, [&](Term n) { read = read || (n->kind == Kind::load && n->name == step.name); });
  const Definition* operand = find_definition(program_, step.name);
  if (!read || operand == nullptr) return;
  try {
    std::size_t work = 0;
    const std::optional<Cuts> cuts = propose_cuts(program_, *operand, {}, known, parts, work);
    if (!cuts) return;
    const Range box = shortened(range_over_parts(program_, *operand, known, *cuts));
    if (!step.box.contains(box) || box.contains(step.box)) return;
    step.box = known[step.name] = box;
    step.cuts = *cuts;
  } catch (const NotShown&) {
    // Some operation is outside its domain on some part: no narrower box.
  }
}

std::string Boxes::check(const std::string& definition, const std::vector<std::string>& steps) {
  if (!why_nothing_.empty()) return why_nothing_;
  try {
    Ranges known = given_;
    std::size_t next = 0;
    const std::set<std::string> relevant = needed_definitions(program_, definition);
    for (const Definition& d : program_.definitions) {
      if (!relevant.contains(d.declaration.name)) continue;
      if (next == steps.size()) return "the boxes end before " + d.declaration.name;
      const Step step = parse(steps[next++]);
      if (step.name != d.declaration.name) return "expected the box of " + d.declaration.name;
      const Range range =
          step.cuts.empty() ? range_of(d, known) : range_over_parts(program_, d, known, step.cuts);
      if (!step.box.contains(range)) return "the box of " + step.name + " does not hold all of its values";
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
    std::vector<Step> steps;
    const std::set<std::string> relevant = needed_definitions(program_, definition);
    for (const Definition& d : program_.definitions) {
      if (!relevant.contains(d.declaration.name)) continue;
      const Range box = shortened(range_by_parts(d, known, steps));
      steps.push_back({d.declaration.name, box});
      known[d.declaration.name] = box;
      if (d.declaration.name != definition) continue;
      std::vector<std::string> lines;
      for (const Step& step : steps) lines.push_back(line(step.name, step.box) + text(step.cuts));
      return check(definition, lines).empty() ? std::optional(lines) : std::nullopt;
    }
  } catch (const NotShown&) {
  }
  return std::nullopt;
}

}  // namespace hallmark::boxes
