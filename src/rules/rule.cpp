#include "rules/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/error.h"
#include "base/sha256.h"
#include "calculus/text/text.h"

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

namespace {

// Prints the terms of one rule; axes get names that nothing else in the rule has.
class RulePrinter {
 public:
  explicit RulePrinter(const Rule& rule) {
    for (const SymbolRange& s : rule.symbols) scope_.names.emplace(s.name, symbol(s.name));
    while (std::any_of(rule.symbols.begin(), rule.symbols.end(),
                       [&](const SymbolRange& s) { return s.name.rfind(prefix_, 0) == 0; }))
      prefix_ += '_';
    for (int d = 0; d < 16; ++d) axes_.push_back(prefix_ + std::to_string(d));
    for (const Declaration& t : rule.tensors) scope_.tensors[t.name] = {t.format, t.extents.size()};
    for (const auto* side : {&rule.left, &rule.right})
      for (const Definition& d : *side)
        scope_.tensors[d.declaration.name] = {d.declaration.format, d.declaration.extents.size()};
  }
  std::string term(Term t) const { return text::print_term(t, scope_, axes_) + "\n"; }
  std::string declaration(const Declaration& d) const {
    std::string out = fmt::format("tensor {} {}\n", d.name, calculus::name(d.format));
    for (Term e : d.extents) out += term(e);
    return out;
  }

 private:
  text::Scope scope_;
  std::string prefix_ = "i";
  std::vector<std::string> axes_;
};

}  // namespace

std::string digest(const Rule& rule) {
  const RulePrinter print(rule);
  std::string text;
  for (const SymbolRange& s : rule.symbols)
    text += fmt::format("symbol {} {} {}\n", s.name, s.low.get_str(), s.high ? s.high->get_str() : "-");
  for (Term r : rule.requirements) text += "require " + print.term(r);
  for (const Declaration& d : rule.tensors) text += print.declaration(d);
  for (const Given& g : rule.givens) {
    text += "given\n";
    for (Term e : g.extents) text += print.term(e);
    text += print.term(g.body);
  }
  for (const auto* side : {&rule.left, &rule.right}) {
    text += "side\n";
    for (const Definition& d : *side) text += print.declaration(d.declaration) + print.term(d.body);
  }
  return sha256_hex(text);
}

}  // namespace hallmark::rules
