#include "rules/rule.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "base/error.h"
#include "base/sha256.h"

namespace hallmark::rules {

using namespace calculus;

Term inline_all(Term term, const std::vector<Definition>& definitions) {
  std::map<std::string, const Definition*> known;
  for (const Definition& d : definitions) known[d.declaration.name] = &d;
  std::map<std::string, Term> bodies;
  const std::function<Term(Term)> run = [&](Term t) {
    return rewrite(t, [&](Term node) {
      if (node->kind != Kind::load) return node;
      const auto found = known.find(node->name);
      if (found == known.end()) return node;
      auto body = bodies.find(node->name);
      if (body == bodies.end()) body = bodies.emplace(node->name, run(found->second->body)).first;
      return instantiate(body->second, node->children);
    });
  };
  return run(term);
}

Term left_term(const Rule& rule) {
  return inline_all(rule.left.back().body, rule.left);
}
Term right_term(const Rule& rule) {
  return inline_all(rule.right.back().body, rule.right);
}
const Declaration& left_result(const Rule& rule) {
  return rule.left.back().declaration;
}
const Declaration& right_result(const Rule& rule) {
  return rule.right.back().declaration;
}

std::string digest(const Rule& rule) {
  std::string text;
  for (const SymbolRange& s : rule.symbols)
    text += fmt::format("symbol {} {} {}\n", s.name, s.low.get_str(), s.high ? s.high->get_str() : "-");
  const auto term = [&](Term t) { text += fmt::format("{:016x}\n", t->hash); };
  const auto declaration = [&](const Declaration& d) {
    text += fmt::format("tensor {} {}\n", d.name, calculus::name(d.format));
    for (Term e : d.extents) term(e);
  };
  for (Term r : rule.requirements) term(r);
  for (const Declaration& d : rule.tensors) declaration(d);
  for (const auto* side : {&rule.left, &rule.right}) {
    text += "side\n";
    for (const Definition& d : *side) {
      declaration(d.declaration);
      term(d.body);
    }
  }
  return sha256_hex(text);
}

}  // namespace hallmark::rules
