#include "rules/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/error.h"
#include "base/sha256.h"
#include "calculus/text/text.h"
#include "rules/rule_lines.h"

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
    for (const CustomOperator& o : rule.operators)
      scope_.functions[o.name] = {std::vector<Sort>(o.arity, Sort::real()), Sort::real()};
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
  for (const CustomOperator& o : rule.operators)
    text += fmt::format("operator {} {}{}{}\n", o.name, o.arity, o.commutative ? " commutative" : "",
                        o.associative ? " associative" : "");
  for (Term r : rule.requirements) text += "require " + print.term(r);
  if (rule.unbounded) text += "unbounded\n";
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

std::string text_in(const Rule& rule, Term term) {
  std::string out = RulePrinter(rule).term(term);
  out.pop_back();  // the end of the line
  return out;
}

std::vector<StandIn> stand_ins(const std::vector<CustomOperator>& operators) {
  std::vector<StandIn> out;
  const auto number = [](long n) { return real_constant(n); };
  const auto plus = [](Term a, Term b) { return apply(Op::add, {a, b}); };
  const auto times = [](Term a, Term b) { return apply(Op::mul, {a, b}); };
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const CustomOperator& o = operators[i];
    StandIn one;
    one.function.name = o.name;
    std::vector<std::string> names;
    for (std::size_t p = 0; p < o.arity; ++p) {
      names.push_back(fmt::format("x{}", p + 1));
      one.function.parameters.push_back(variable(fmt::format("{}!{}", names.back(), o.name), Sort::real()));
    }
    const std::vector<Term>& x = one.function.parameters;
    // Different operators get different functions. Each of those below has the laws that it stands for and no
    // other.
    const long shift = static_cast<long>(i) + 1;
    std::string text;
    if (o.associative && o.commutative) {
      one.function.body = plus(plus(x[0], x[1]), number(shift));
      text = fmt::format("x1 + x2 + {}", shift);
    } else if (o.associative) {
      one.function.body = x[0];
      text = "x1";
    } else if (o.commutative) {
      one.function.body = plus(times(x[0], x[1]), number(shift));
      text = fmt::format("x1 * x2 + {}", shift);
    } else {
      // 2 x1 + 3 x1^2 + 4 x2 + ... + shift
      one.function.body = number(shift);
      text = std::to_string(shift);
      for (std::size_t p = 0; p < o.arity; ++p) {
        one.function.body = plus(one.function.body, times(number(static_cast<long>(p) + 2), x[p]));
        text += fmt::format(" + {} * {}", p + 2, names[p]);
      }
      if (o.arity > 0) {
        one.function.body = plus(one.function.body, times(number(3), times(x[0], x[0])));
        text += " + 3 * x1 * x1";
      }
    }
    one.text = fmt::format("{}({}) = {}", o.name, fmt::join(names, ", "), text);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace hallmark::rules
