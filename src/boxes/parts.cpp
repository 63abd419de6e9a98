#include "boxes/parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <sstream>

#include "boxes/steps.h"

namespace hallmark::boxes {

using namespace calculus;

namespace {

constexpr std::size_t most_nodes = 400, most_cells = 512, longest_cut = 100;

std::size_t node_count(Term a) {
  std::size_t out = 0;
  for_each_node(a, [&](Term) { ++out; });
  return out;
}

bool folds(Term a) {
  bool found = false;
  for_each_node(a, [&](Term n) { found = found || n->kind == Kind::fold; });
  return found;
}

// What is read and has no fold put in its place.
Definition over_elements(const Program& program, Definition definition) {
  if (folds(definition.body)) give_up("parts of a sum or a maximum");
  for (std::size_t i = program.definitions.size(); i-- > 0;) {
    const Definition& d = program.definitions[i];
    if (folds(d.body)) continue;
    const Term longer = rewrite(definition.body, [&](Term n) {
      return n->kind == Kind::load && n->name == d.declaration.name ? instantiate(d.body, n->children) : n;
    });
    if (node_count(longer) <= most_nodes) definition.body = longer;
  }
  return definition;
}

std::optional<Rational> encoded(const ExactConstant& c) {
  double value = NAN;
  if (c.format == Format::f32) value = std::bit_cast<float>(static_cast<std::uint32_t>(c.bits));
  if (c.format == Format::f64) value = std::bit_cast<double>(c.bits);
  return std::isfinite(value) ? std::optional<Rational>(value) : std::nullopt;
}

// The one element of the input that the term reads.
Term single_load(Term body, const std::string& input) {
  Term out = nullptr;
  for_each_node(body, [&](Term n) {
    if (n->kind != Kind::load || n->name != input) return;
    if (out != nullptr) give_up("parts of " + input + ", of which two elements are read");
    out = n;
  });
  if (out == nullptr || out->open) give_up("parts of " + input + ", which is not read");
  return out;
}

}  // namespace

void for_each_part(const Program& program, const Definition& definition, const Ranges& tensors,
                   const Cuts& cuts, const std::function<void(const Definition&, const Ranges&)>& look) {
  const Definition one = over_elements(program, definition);
  std::vector<std::pair<std::string, std::vector<Range>>> parts;
  std::size_t cells = 1;
  for (const auto& [input, points] : cuts) {
    const auto box = tensors.find(input);
    if (box == tensors.end() ||
        std::none_of(program.inputs.begin(), program.inputs.end(),
                     [&, name = input](const Declaration& d) { return d.name == name; }))
      give_up("parts of " + input + ", which is no input with a box");
    single_load(one.body, input);
    parts.emplace_back(input, std::vector<Range>{});
    Rational from = box->second.low;
    for (const Rational& point : points) {
      if (point <= from || point >= box->second.high)
        give_up("cuts of " + input + " out of its box or order");
      parts.back().second.push_back({from, point});
      from = point;
    }
    parts.back().second.push_back({from, box->second.high});
    cells *= parts.back().second.size();
    if (cells > most_cells) give_up("more parts than are looked at");
  }
  std::vector<std::size_t> at(parts.size(), 0);
  Ranges here;
  while (true) {
    for (std::size_t i = 0; i < parts.size(); ++i) here[parts[i].first] = parts[i].second[at[i]];
    look(one, here);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == parts[i].second.size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

Range range_over_parts(const Program& program, const Definition& definition, const Ranges& tensors,
                       const Cuts& cuts) {
  std::optional<Range> out;
  for_each_part(program, definition, tensors, cuts, [&](const Definition& one, const Ranges& part) {
    Ranges here = tensors;
    for (const auto& [input, range] : part) here[input] = range;
    const Range range = definition_range(one, program.symbols, here);
    out = out ? hull(*out, range) : range;
  });
  return *out;
}

Approximation error_over_parts(const Program& program, const Definition& definition,
                               const std::vector<ExactConstant>& constants, const Approximations& tensors,
                               const Cuts& cuts) {
  // What an encoding stands for is said of each definition; put in another's place, it would stand for what
  // that one's does.
  for (const ExactConstant& c : constants)
    if (encoded(c) != c.exact)
      give_up("parts of a program in which " + c.definition + " has a constant that is rounded");
  Ranges boxes;
  for (const Declaration& input : program.inputs)
    if (const auto at = tensors.find(input.name); at != tensors.end()) {
      const Approximation& value = at->second;
      if (value.error != 0) give_up("an input that is not itself");
      boxes[input.name] = value.exact;
    }
  std::optional<Approximation> out;
  for_each_part(program, definition, boxes, cuts, [&](const Definition& one, const Ranges& part) {
    Approximations here = tensors;
    for (const auto& [input, range] : part) here[input] = {range, range, 0};
    const Approximation next = definition_error(one, program.symbols, constants, here);
    if (!out)
      out = next;
    else
      out = Approximation{hull(out->exact, next.exact), hull(out->computed, next.computed),
                          std::max(out->error, next.error)};
  });
  return *out;
}

std::optional<Cuts> propose_cuts(const Program& program, const Definition& definition, const Ranges& tensors,
                                 long parts) {
  if (folds(definition.body)) return std::nullopt;
  const Definition one = over_elements(program, definition);
  std::map<std::string, std::vector<Term>> loads;
  std::map<Term, std::size_t> uses;
  for_each_node(one.body, [&](Term n) {
    if (n->kind == Kind::load) loads[n->name].push_back(n);
    for (Term child : n->children) ++uses[child];
  });
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const Declaration& input : program.inputs)
    if (const auto at = loads.find(input.name); at != loads.end() && at->second.size() == 1 &&
                                                uses[at->second[0]] > 1 && tensors.contains(input.name))
      found.emplace_back(uses[at->second[0]], input.name);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (found.size() > 2) found.resize(2);
  Cuts out;
  for (const auto& [count, input] : found) {
    const Range& box = tensors.at(input);
    const long each = found.size() == 1 ? parts : parts / 8;
    if (box.low == box.high) continue;
    for (long i = 1; i < each; ++i)
      out[input].push_back(box.low + (box.high - box.low) * Rational(i) / Rational(each));
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

std::string text(const Cuts& cuts) {
  std::string out;
  for (const auto& [input, points] : cuts) {
    out += " by " + input;
    for (const Rational& point : points) out += " " + point.get_str();
  }
  return out;
}

Cuts parse_cuts(const std::string& text) {
  std::istringstream words(text);
  Cuts out;
  std::string word, input;
  while (words >> word) {
    if (word == "by") {
      if (!(words >> input) || out.contains(input)) give_up("'" + text.substr(0, 80) + "' says no cuts");
      out[input];
      continue;
    }
    const auto point = word.size() <= longest_cut ? rational(word) : std::nullopt;
    if (input.empty() || !point) give_up("'" + text.substr(0, 80) + "' says no cuts");
    out[input].push_back(*point);
  }
  if (out.empty()) give_up("cuts that say nothing");
  return out;
}

}  // namespace hallmark::boxes
