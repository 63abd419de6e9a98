#include "rules/ieee.h"

#include <algorithm>
#include <map>
#include <optional>

namespace hallmark::rules {

using namespace calculus;

namespace {

bool is_number(Term t, long value) {
  return t->kind == Kind::constant && t->sort == Sort::real() && t->value == value;
}

bool is(Term t, Op op) {
  return t->kind == Kind::operation && t->op == op;
}

bool is_negative_zero(Term t) {
  return is(t, Op::neg) && is_number(t->children[0], 0);
}

Term negated(Term x) {
  return is(x, Op::neg) ? x->children[0] : apply(Op::neg, {x});
}

// k for 2^k and |k| <= powers.
std::optional<int> exponent(Term t, int powers) {
  if (t->kind != Kind::constant || t->sort != Sort::real()) return std::nullopt;
  for (int k = -powers; k <= powers; ++k) {
    const Rational power = k >= 0 ? Rational(power_of_two(static_cast<unsigned>(k)))
                                  : Rational(Integer(1), power_of_two(static_cast<unsigned>(-k)));
    if (t->value == power) return k;
  }
  return std::nullopt;
}

Term power(int k) {
  return real_constant(k >= 0 ? Rational(power_of_two(static_cast<unsigned>(k)))
                              : Rational(Integer(1), power_of_two(static_cast<unsigned>(-k))));
}

void flatten(Op op, Term t, std::vector<Term>& out) {
  if (is(t, op)) {
    for (Term c : t->children) flatten(op, c, out);
  } else if (std::find(out.begin(), out.end(), t) == out.end()) {
    out.push_back(t);
  }
}

Term product(Term x, Term y) {
  if (is(x, Op::neg)) return negated(product(x->children[0], y));
  if (is(y, Op::neg)) return negated(product(x, y->children[0]));
  for (const auto& [one, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (is_number(one, 1)) return other;
    if (is_number(one, -1)) return negated(other);
    if (is_number(one, 2)) return apply(Op::add, {other, other});
  }
  return apply(Op::mul, {x, y});
}

Term visit(Term t, int powers) {
  if (t->kind != Kind::operation || t->sort != Sort::real()) return t;
  const std::vector<Term>& c = t->children;
  switch (t->op) {
    case Op::neg:
      return negated(c[0]);
    case Op::sub:
      return is_number(c[1], 0) ? c[0] : visit(apply(Op::add, {c[0], negated(c[1])}), powers);
    case Op::add:
      if (is_negative_zero(c[0])) return c[1];
      return is_negative_zero(c[1]) ? c[0] : t;
    case Op::mul:
      return product(c[0], c[1]);
    case Op::div:
      if (const auto k = exponent(c[1], powers)) return product(c[0], power(-*k));
      if (is_number(c[1], -1)) return negated(c[0]);
      if (is(c[0], Op::neg)) return negated(visit(apply(Op::div, {c[0]->children[0], c[1]}), powers));
      if (is(c[1], Op::neg)) return negated(visit(apply(Op::div, {c[0], c[1]->children[0]}), powers));
      return t;
    case Op::abs:
      return is(c[0], Op::neg)   ? visit(apply(Op::abs, {c[0]->children[0]}), powers)
             : is(c[0], Op::abs) ? c[0]
                                 : t;
    case Op::max:
    case Op::min: {
      std::vector<Term> parts;
      flatten(t->op, t, parts);
      // The sign goes out of an extremum that all of its operands have.
      if (std::all_of(parts.begin(), parts.end(), [](Term p) { return is(p, Op::neg); })) {
        Term inside = parts.front()->children[0];
        const Op other = t->op == Op::max ? Op::min : Op::max;
        for (std::size_t i = 1; i < parts.size(); ++i) inside = apply(other, {inside, parts[i]->children[0]});
        return negated(visit(inside, powers));
      }
      std::sort(parts.begin(), parts.end(), TermLess());
      Term out = parts.front();
      for (std::size_t i = 1; i < parts.size(); ++i) out = apply(t->op, {out, parts[i]});
      return out;
    }
    default:
      return t;
  }
}

// Which float format each Real term is computed in, given those of the tensors.
class FormatsOfTerms {
 public:
  struct Seen {
    const Format* format = nullptr;  // null for numbers and indices alone
    // An element of a tensor that both sides read, or a conversion, says the format also where the
    // definitions are put in. Of numbers and indices alone the format is that of the definition that held
    // them, and a term with that definition put in no longer says it: 0.1 in a tensor of f16 is not 0.1 in
    // one of f32.
    bool anchored = false;
  };

  void declare(const Declaration& tensor, bool anchored) {
    if (is_float(tensor.format)) tensors_[tensor.name] = {tensor.format, anchored};
  }
  // Whether two formats met without a conversion so far, or numbers were rounded to a format of which the
  // terms that are compared do not say anything.
  bool met() const { return met_; }

  Seen of(Term t) {
    if (const auto known = known_.find(t); known != known_.end()) return known->second;
    Seen out;
    // What is rounded on the way, also of a condition and of its two operands.
    for (Term child : t->children) {
      const Seen one = of(child);
      if (one.format == nullptr || child->sort != Sort::real()) continue;
      if (out.format != nullptr && *out.format != *one.format) met_ = true;
      out = {one.format, one.anchored || out.anchored};
    }
    const bool silent = out.format != nullptr && !out.anchored;
    const auto at = tensors_.find(t->name);
    if (t->kind == Kind::load) {
      out = {};
      if (at != tensors_.end()) out = {&at->second.format, at->second.anchored};
    } else if (t->kind == Kind::cast) {
      out = {&t->format, true};
    }
    // Where a silent format ends: what is converted, compared or stored in another format.
    if ((t->kind == Kind::cast || t->sort != Sort::real()) && silent) met_ = true;
    if (t->sort != Sort::real()) out = {};
    known_[t] = out;
    return out;
  }

 private:
  struct Held {
    Format format;
    bool anchored;
  };
  std::map<std::string, Held> tensors_;  // by name; later ones do not move earlier ones
  std::map<Term, Seen> known_;
  bool met_ = false;
};

}  // namespace

bool rounds_as_written(const Rule& rule) {
  for (const auto* side : {&rule.left, &rule.right}) {
    FormatsOfTerms formats;
    for (const Declaration& t : rule.tensors) formats.declare(t, true);
    for (const Definition& d : *side) {
      const FormatsOfTerms::Seen seen = formats.of(d.body);
      if (is_float(d.declaration.format) && seen.format != nullptr && *seen.format != d.declaration.format)
        return false;
      formats.declare(d.declaration, seen.anchored);
    }
    if (formats.met()) return false;
  }
  return true;
}

Term ieee_normal(Term term, int powers) {
  return rewrite(term, [powers](Term t) { return visit(t, powers); });
}

int exact_powers(const Rule& rule) {
  bool narrow = false;
  const auto see = [&](Format format) { narrow = narrow || format == Format::f8e4m3; };
  for (const Declaration& t : rule.tensors) see(t.format);
  for (const auto* side : {&rule.left, &rule.right})
    for (const Definition& d : *side) {
      see(d.declaration.format);
      for_each_node(d.body, [&](Term n) {
        if (n->kind == Kind::cast) see(n->format);
      });
    }
  return narrow ? 8 : 14;
}

}  // namespace hallmark::rules
