#include "boxes/parts.h"

#include <algorithm>
#include <functional>
#include <set>
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

// A definition with what it reads put in its place, and what its encodings stand for then.
struct OverElements {
  Definition definition;
  std::vector<ExactConstant> constants;
};

std::vector<Rational> meanings(const std::vector<ExactConstant>& constants, const std::string& definition,
                               Term encoding) {
  std::vector<Rational> out;
  for (const ExactConstant& c : constants)
    if (c.definition == definition && c.format == encoding->sort.format && c.bits == encoding->bits &&
        std::find(out.begin(), out.end(), c.exact) == out.end())
      out.push_back(c.exact);
  std::sort(out.begin(), out.end());
  return out;
}

std::set<Term> encodings(Term body) {
  std::set<Term> out;
  for_each_node(body, [&](Term n) {
    if (n->kind == Kind::constant && n->sort.kind == Sort::Kind::floating) out.insert(n);
  });
  return out;
}

// What an encoding stands for is said of each definition: put in another's place it has to stand for the same
// there, where that one has it or had it before it was simplified.
bool mean_the_same(const OverElements& outer, const Definition& inner,
                   const std::vector<ExactConstant>& constants) {
  const std::set<Term> there = encodings(outer.definition.body), here = encodings(inner.body);
  return std::all_of(here.begin(), here.end(), [&](Term n) {
    const auto outside = meanings(outer.constants, outer.definition.declaration.name, n);
    return (!there.contains(n) && outside.empty()) ||
           outside == meanings(constants, inner.declaration.name, n);
  });
}

// What is read and has no fold put in its place.
OverElements over_elements(const Program& program, const Definition& definition,
                           const std::vector<ExactConstant>& constants) {
  if (folds(definition.body)) give_up("parts of a sum or a maximum");
  OverElements out{definition, {}};
  const std::string& name = definition.declaration.name;
  // Of the encodings that it has: of others nothing may be said where it is put in another's place.
  const auto say_of = [&](const Definition& d) {
    const std::set<Term> own = encodings(d.body);
    for (ExactConstant c : constants) {
      if (c.definition != d.declaration.name || std::none_of(own.begin(), own.end(), [&](Term n) {
            return c.format == n->sort.format && c.bits == n->bits;
          }))
        continue;
      c.definition = name;
      out.constants.push_back(std::move(c));
    }
  };
  std::set<std::string> reads;
  const auto look = [&](Term body) {
    for_each_node(body, [&](Term n) {
      if (n->kind == Kind::load) reads.insert(std::string(n->name));
    });
  };
  say_of(definition);
  look(definition.body);
  for (std::size_t i = program.definitions.size(); i-- > 0;) {
    const Definition& d = program.definitions[i];
    if (!reads.contains(d.declaration.name) || folds(d.body)) continue;
    const Term longer = rewrite(out.definition.body, [&](Term n) {
      return n->kind == Kind::load && n->name == d.declaration.name ? instantiate(d.body, n->children) : n;
    });
    if (longer == out.definition.body || node_count(longer) > most_nodes || !mean_the_same(out, d, constants))
      continue;
    out.definition.body = longer;
    say_of(d);
    look(d.body);
  }
  return out;
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

namespace {

// Looks at the parts of the inputs that are cut; `tensors` has their boxes.
void for_each_part(const Program& program, const Definition& one, const Ranges& tensors, const Cuts& cuts,
                   const std::function<void(const Ranges& part)>& look) {
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
    look(here);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == parts[i].second.size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

}  // namespace

Range range_over_parts(const Program& program, const Definition& definition, const Ranges& tensors,
                       const Cuts& cuts) {
  const Definition one = over_elements(program, definition, {}).definition;
  std::optional<Range> out;
  for_each_part(program, one, tensors, cuts, [&](const Ranges& part) {
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
  const OverElements one = over_elements(program, definition, constants);
  Ranges boxes;
  for (const Declaration& input : program.inputs)
    if (const auto at = tensors.find(input.name); at != tensors.end()) {
      const Approximation& value = at->second;
      if (value.error != 0) give_up("an input that is not itself");
      boxes[input.name] = value.exact;
    }
  std::optional<Approximation> out;
  for_each_part(program, one.definition, boxes, cuts, [&](const Ranges& part) {
    Approximations here = tensors;
    for (const auto& [input, range] : part) here[input] = {range, range, 0};
    const Approximation next = definition_error(one.definition, program.symbols, one.constants, here);
    if (!out)
      out = next;
    else
      out = Approximation{hull(out->exact, next.exact), hull(out->computed, next.computed),
                          std::max(out->error, next.error)};
  });
  return *out;
}

std::optional<Cuts> propose_cuts(const Program& program, const Definition& definition,
                                 const std::vector<ExactConstant>& constants, const Ranges& tensors,
                                 long parts, std::size_t& work) {
  if (folds(definition.body)) return std::nullopt;
  const Definition one = over_elements(program, definition, constants).definition;
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
  std::size_t cells = 1;
  for (const auto& [input, points] : out) cells *= points.size() + 1;
  if (!out.empty()) work += cells * node_count(one.body);
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
