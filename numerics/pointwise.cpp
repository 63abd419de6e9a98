#include "numerics/pointwise.h"

#include <algorithm>
#include <map>

namespace hallmark::numerics {

using namespace calculus;

namespace {

constexpr std::size_t most_nodes = 400, most_inputs = 2;

bool has_fold(Term a) {
  bool found = false;
  for_each_node(a, [&](Term n) { found = found || n->kind == Kind::fold; });
  return found;
}

std::size_t node_count(Term a) {
  std::size_t out = 0;
  for_each_node(a, [&](Term) { ++out; });
  return out;
}

// Loads of what has no fold replaced by its body, as far as the term does not grow too long.
Term put_in(const Program& program, Term body) {
  for (std::size_t i = program.definitions.size(); i-- > 0;) {
    const Definition& d = program.definitions[i];
    if (has_fold(d.body)) continue;
    const Term longer = rewrite(body, [&](Term n) {
      return n->kind == Kind::load && n->name == d.declaration.name ? instantiate(d.body, n->children) : n;
    });
    if (node_count(longer) <= most_nodes) body = longer;
  }
  return body;
}

}  // namespace

std::optional<Pointwise> pointwise(const Program& program, const Definition& definition) {
  if (has_fold(definition.body)) return std::nullopt;
  Pointwise out{definition, {}};
  out.definition.body = put_in(program, definition.body);
  std::map<std::string, std::vector<Term>> loads;
  std::map<Term, std::size_t> uses;
  for_each_node(out.definition.body, [&](Term n) {
    if (n->kind == Kind::load) loads[n->name].push_back(n);
    for (Term child : n->children) ++uses[child];
  });
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const Declaration& input : program.inputs)
    if (const auto at = loads.find(input.name);
        at != loads.end() && at->second.size() == 1 && is_float(input.format) && uses[at->second[0]] > 1)
      found.emplace_back(uses[at->second[0]], input.name);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [count, name] : found)
    if (out.inputs.size() < most_inputs) out.inputs.push_back(name);
  return out.inputs.empty() ? std::nullopt : std::optional(out);
}

}  // namespace hallmark::numerics
