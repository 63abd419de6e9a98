#include "certificate/linear.h"

#include <algorithm>

#include "base/error.h"

namespace hallmark::certificate {
namespace {

using Kind = Sort::Kind;

bool numeric(const Sort& sort) {
  return sort.kind == Kind::integer || sort.kind == Kind::real;
}

Integer floor_of(const Rational& value) {
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return out;
}

class Former {
 public:
  explicit Former(const Query& query) : query_(query) {}

  // Arguments before what uses them, without recursion.
  Form run(NodeId root) {
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
      const NodeId id = stack.back();
      if (known_.contains(id)) {
        stack.pop_back();
        continue;
      }
      const Node& node = query_.node(id);
      bool ready = true;
      if (is_sum(node))
        for (const NodeId a : node.args)
          if (!known_.contains(a)) {
            stack.push_back(a);
            ready = false;
          }
      if (!ready) continue;
      known_.emplace(id, compute(id, node));
      stack.pop_back();
    }
    return known_.at(root);
  }

 private:
  static bool is_sum(const Node& node) {
    return node.op == "+" || node.op == "-" || node.op == "*" || node.op == "/" || node.op == "to_real";
  }
  static Form unknown(NodeId id) {
    Form out;
    out.terms[id] = 1;
    return out;
  }
  Form compute(NodeId id, const Node& node) const {
    const auto of = [&](std::size_t i) -> const Form& { return known_.at(node.args[i]); };
    Form out;
    if (node.op == "numeral") {
      out.constant = node.value;
    } else if (node.op == "to_real") {
      out = of(0);
    } else if (node.op == "+") {
      for (std::size_t i = 0; i < node.args.size(); ++i) out.add(of(i), 1);
    } else if (node.op == "-") {
      out.add(of(0), node.args.size() == 1 ? -1 : 1);
      for (std::size_t i = 1; i < node.args.size(); ++i) out.add(of(i), -1);
    } else if (node.op == "*" || node.op == "/") {
      out.constant = 1;
      for (std::size_t i = 0; i < node.args.size(); ++i) {
        const Form& factor = of(i);
        const bool divides = node.op == "/" && i > 0;
        if (divides && (!factor.terms.empty() || factor.constant == 0)) return unknown(id);
        if (!factor.terms.empty() && !out.terms.empty()) return unknown(id);
        Form product;
        if (factor.terms.empty())
          product.add(out, divides ? Rational(1 / factor.constant) : factor.constant);
        else
          product.add(factor, out.constant);
        out = std::move(product);
      }
    } else {
      out = unknown(id);
    }
    return out;
  }

  const Query& query_;
  std::map<NodeId, Form> known_;
};

}  // namespace

void Form::add(const Form& other, const Rational& times) {
  constant += other.constant * times;
  for (const auto& [id, coefficient] : other.terms) {
    Rational& mine = terms[id];
    mine += coefficient * times;
    if (mine == 0) terms.erase(id);
  }
}

Form form_of(const Query& query, NodeId term) {
  return Former(query).run(term);
}

bool over_integers(const Query& query, const Form& form) {
  return std::all_of(form.terms.begin(), form.terms.end(),
                     [&](const auto& t) { return query.node(t.first).sort.kind == Kind::integer; });
}

Inequality tightened(const Query& query, Inequality in) {
  if (in.form.terms.empty() || !over_integers(query, in.form)) return in;
  Integer denominator = 1, divisor = 0;
  for (const auto& [id, c] : in.form.terms) denominator = lcm(denominator, c.get_den());
  for (const auto& [id, c] : in.form.terms)
    divisor = gcd(divisor, Integer(c.get_num() * (denominator / c.get_den())));
  Form scaled;
  Rational factor(denominator, divisor);
  factor.canonicalize();
  scaled.add(in.form, factor);
  // With integers alone on the left, f > 0 says that f is at least the next integer.
  if (in.strict)
    scaled.constant = -floor_of(-scaled.constant) - 1;
  else
    scaled.constant = floor_of(scaled.constant);
  return {std::move(scaled), false};
}

void Entries::contradiction() {
  Form form;
  form.constant = -1;
  entries_.push_back({Inequality{std::move(form), false}, {}});
}

void Entries::rewind(const Mark& mark) {
  entries_.resize(mark.entries);
  for (; literal_trail_.size() > mark.literals; literal_trail_.pop_back())
    literals_.erase(literal_trail_.back());
  for (; defined_trail_.size() > mark.defined; defined_trail_.pop_back())
    defined_.erase(defined_trail_.back());
}

void Entries::state(NodeId formula, bool positive) {
  if (literals_.contains({formula, !positive})) contradiction();
  if (literals_.emplace(formula, positive).second) literal_trail_.emplace_back(formula, positive);
}

// The definition comes right after the entry in which the unknown occurs first; it is forgotten together with
// it.
void Entries::push(Entry entry, const Form* unknowns) {
  entries_.push_back(std::move(entry));
  if (unknowns == nullptr) return;
  std::vector<NodeId> fresh;
  for (const auto& [id, coefficient] : unknowns->terms)
    if (defined_.insert(id).second) fresh.push_back(id);
  defined_trail_.insert(defined_trail_.end(), fresh.begin(), fresh.end());
  for (const NodeId id : fresh) define(id);
}

void Entries::define(NodeId id) {
  const Node node = query_.node(id);
  if (node.op == "ite") {
    const NodeId yes = query_.make("=", {id, node.args[1]}), no = query_.make("=", {id, node.args[2]});
    push({std::nullopt, {{{node.args[0], true}, {yes, true}}, {{node.args[0], false}, {no, true}}}}, nullptr);
  } else if (node.op == "div" || node.op == "mod") {
    const Form divisor = form_of(query_, node.args[1]);
    if (!divisor.terms.empty() || divisor.constant <= 0) return;
    // rest = x - c * q with 0 <= rest <= c - 1
    Form rest;
    if (node.op == "mod") {
      rest.terms[id] = 1;
      // x = c * (div x c) + rest
      const NodeId quotient = query_.make("div", node.args);
      Form gap = form_of(query_, node.args[0]);
      gap.terms[quotient] -= divisor.constant;
      gap.add(rest, -1);
      std::erase_if(gap.terms, [](const auto& t) { return t.second == 0; });
      Form opposite;
      opposite.add(gap, -1);
      add(Inequality{gap, false});
      add(Inequality{opposite, false});
    } else {
      rest = form_of(query_, node.args[0]);
      rest.terms[id] -= divisor.constant;
      std::erase_if(rest.terms, [](const auto& t) { return t.second == 0; });
    }
    Form below;
    below.constant = divisor.constant - 1;
    below.add(rest, -1);
    add(Inequality{rest, false});
    add(Inequality{below, false});
  }
}

void Entries::add(const Inequality& given) {
  Inequality in = tightened(query_, given);
  const Form unknowns = in.form;
  push({std::move(in), {}}, &unknowns);
}

// low <= high or low < high
void Entries::inequality(NodeId low, NodeId high, bool strict) {
  Form form = form_of(query_, high);
  form.add(form_of(query_, low), -1);
  add(Inequality{std::move(form), strict});
}

void Entries::add(Literal first) {
  // What is still to be added, the next one last: a conjunction may be deep.
  std::vector<Literal> left{first};
  while (!left.empty()) {
    const Literal literal = left.back();
    left.pop_back();
    const Node node = query_.node(literal.formula);
    const auto& args = node.args;
    const bool positive = literal.positive;
    const auto later = [&](const std::vector<Literal>& more) {
      left.insert(left.end(), more.rbegin(), more.rend());
    };
    const auto alternative = [&](Cases cases) { push({std::nullopt, std::move(cases)}, nullptr); };
    const auto each = [&](bool sign) {
      std::vector<Literal> out;
      for (const NodeId a : args) out.push_back({a, sign});
      return out;
    };
    const auto either = [&](const std::vector<Literal>& literals) {
      Cases cases;
      for (const Literal& l : literals) cases.push_back({l});
      alternative(std::move(cases));
    };
    if (node.op == "true" || node.op == "false") {
      if ((node.op == "true") != positive) contradiction();
    } else if (node.op == "not") {
      left.push_back({args[0], !positive});
    } else if (node.op == "and" || node.op == "or") {
      if ((node.op == "and") == positive)
        later(each(positive));
      else
        either(each(positive));
    } else if (node.op == "=>") {
      // a => b => c: all but the last hold and the last does not, or the opposite.
      std::vector<Literal> parts = each(!positive);
      parts.back().positive = positive;
      if (positive)
        either(parts);
      else
        later(parts);
    } else if (node.op == "ite") {
      alternative({{{args[0], true}, {args[1], positive}}, {{args[0], false}, {args[2], positive}}});
    } else if (node.op == "<" || node.op == "<=" || node.op == ">" || node.op == ">=") {
      const bool up = node.op[0] == '<', strict = node.op.size() == 1;
      if (args.size() > 2) {
        std::vector<Literal> pairs;
        for (std::size_t i = 0; i + 1 < args.size(); ++i)
          pairs.push_back({query_.make(node.op, {args[i], args[i + 1]}), positive});
        if (positive)
          later(pairs);
        else
          either(pairs);
      } else if (positive) {
        inequality(args[up ? 0 : 1], args[up ? 1 : 0], strict);
      } else {
        inequality(args[up ? 1 : 0], args[up ? 0 : 1], !strict);
      }
    } else if ((node.op == "=" || node.op == "distinct") && args.size() > 2) {
      std::vector<Literal> pairs;
      for (std::size_t i = 0; i < args.size(); ++i)
        for (std::size_t j = i + 1; j < args.size(); ++j)
          if (node.op == "distinct" || j == i + 1)
            pairs.push_back({query_.make(node.op, {args[i], args[j]}), positive});
      if (positive)
        later(pairs);
      else
        either(pairs);
    } else if (node.op == "=" || node.op == "distinct") {
      const bool equal = (node.op == "=") == positive;
      const Sort sort = query_.node(args[0]).sort;
      if (numeric(sort) && equal) {
        inequality(args[0], args[1], false);
        inequality(args[1], args[0], false);
      } else if (numeric(sort)) {
        either({{query_.make("<", {args[0], args[1]}), true}, {query_.make("<", {args[1], args[0]}), true}});
      } else if (sort.kind == Kind::boolean) {
        alternative({{{args[0], true}, {args[1], equal}}, {{args[0], false}, {args[1], !equal}}});
      } else if (args[0] == args[1]) {
        if (!equal) contradiction();
      } else {
        const NodeId left_side = std::min(args[0], args[1]), right_side = std::max(args[0], args[1]);
        state(query_.make("=", {left_side, right_side}), equal);
      }
    } else {
      state(literal.formula, positive);
    }
  }
}

}  // namespace hallmark::certificate
