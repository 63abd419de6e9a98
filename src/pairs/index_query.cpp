#include "pairs/index_query.h"

#include <algorithm>
#include <map>

namespace hallmark::pairs {
namespace {

using namespace calculus;

constexpr std::size_t most_monomials = 4096;

void collect(Term a, std::vector<Term>& into) {
  if (a->kind == Kind::conjunction) {
    for (Term part : a->children) collect(part, into);
  } else if (a->kind == Kind::at_most_zero) {
    into.push_back(scale(-1, a->children[0]));
  } else if (a->kind == Kind::is_zero) {
    into.push_back(a->children[0]);
    into.push_back(scale(-1, a->children[0]));
  }
}

std::vector<Term> usable(const std::vector<Term>& hypotheses) {
  std::vector<Term> out;
  for (Term h : hypotheses) {
    const std::vector<Term> parts = h->kind == Kind::conjunction ? h->children : std::vector<Term>{h};
    for (Term part : parts)
      if (about_indices(part)) out.push_back(part);
  }
  return out;
}

std::vector<Term> quotients(const Claim& claim) {
  std::vector<Term> out;
  const auto look = [&](Term t) {
    for_each_node(t, [&](Term n) {
      if (n->kind == Kind::floor_div && std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
    });
  };
  for (Term h : usable(claim.hypotheses)) look(h);
  for (Term p : claim.positive) look(p);
  look(claim.goal);
  return out;
}

bool defined(const Claim& claim, Term divisor) {
  const Integer* number = as_integer(divisor);
  return number != nullptr
             ? *number >= 1
             : std::find(claim.positive.begin(), claim.positive.end(), divisor) != claim.positive.end();
}

// floor(p / d) with d >= 1: p - d q >= 0 and d q + d - 1 - p >= 0.
std::vector<Term> definition_of(Term quotient) {
  const Term p = quotient->children[0], d = quotient->children[1];
  const Term below = subtract(p, multiply(d, quotient));
  return {below, subtract(subtract(d, integer(1)), below)};
}

class Writer {
 public:
  std::string index(Term a) {
    switch (a->kind) {
      case Kind::integer:
        return number(*as_integer(a));
      case Kind::symbol:
      case Kind::axis:
      case Kind::variable:
      case Kind::floor_div:
      case Kind::index_min:
      case Kind::index_max:
        return unknown(a);
      case Kind::product: {
        std::string out = index(a->children[0]);
        for (std::size_t i = 1; i < a->children.size(); ++i)
          out = "(* " + out + " " + index(a->children[i]) + ")";
        return out;
      }
      case Kind::polynomial: {
        std::string out = "(+";
        for (const Monomial& m : monomials(a))
          out += m.product == nullptr ? " " + number(m.coefficient)
                                      : " (* " + number(m.coefficient) + " " + index(m.product) + ")";
        return out + ")";
      }
      case Kind::index_select:
        return "(ite " + boolean(a->children[0]) + " " + index(a->children[1]) + " " + index(a->children[2]) +
               ")";
      default:
        throw NotShown{"a claim about elements"};
    }
  }

  std::string boolean(Term a) {
    const auto parts = [&](const char* name) {
      std::string out = std::string("(") + name;
      for (Term c : a->children) out += " " + boolean(c);
      return out + ")";
    };
    switch (a->kind) {
      case Kind::truth:
        return a->number != 0 ? "true" : "false";
      case Kind::at_most_zero:
        return "(<= " + index(a->children[0]) + " 0)";
      case Kind::is_zero:
        return "(= " + index(a->children[0]) + " 0)";
      case Kind::conjunction:
        return parts("and");
      case Kind::disjunction:
        return parts("or");
      case Kind::negation:
        return parts("not");
      default:
        throw NotShown{"a claim about elements"};
    }
  }

  void state(const std::string& formula) { assertions_ += "(assert " + formula + ")\n"; }

  // With what minima and maxima are.
  std::string text() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Term a = order_[i];
      if (a->kind != Kind::index_min && a->kind != Kind::index_max) continue;
      const bool least = a->kind == Kind::index_min;
      std::string one = "(or";
      for (Term c : a->children) {
        const std::string child = index(c), name = unknown(a);
        state(least ? "(<= " + name + " " + child + ")" : "(<= " + child + " " + name + ")");
        one += " (= " + name + " " + child + ")";
      }
      state(one + ")");
    }
    std::string out = "(set-logic QF_NIA)\n";
    for (std::size_t i = 0; i < order_.size(); ++i) out += "(declare-const x" + std::to_string(i) + " Int)\n";
    return out + assertions_ + "(check-sat)\n";
  }

 private:
  static std::string number(const Integer& value) {
    return value < 0 ? "(- " + Integer(-value).get_str() + ")" : value.get_str();
  }
  std::string unknown(Term a) {
    const auto [entry, fresh] = known_.emplace(a, order_.size());
    if (fresh) order_.push_back(a);
    return "x" + std::to_string(entry->second);
  }
  std::map<Term, std::size_t> known_;
  std::vector<Term> order_;
  std::string assertions_;
};

}  // namespace

bool about_indices(Term a) {
  bool yes = true;
  for_each_node(a, [&](Term n) {
    yes = yes && (n->kind <= Kind::index_select || (n->kind >= Kind::truth && n->kind <= Kind::negation));
  });
  return yes;
}

std::vector<Term> open_divisors(const std::vector<Term>& terms) {
  std::vector<Term> out;
  for (Term t : terms)
    for_each_node(t, [&](Term n) {
      if (n->kind == Kind::floor_div && as_integer(n->children[1]) == nullptr &&
          std::find(out.begin(), out.end(), n->children[1]) == out.end())
        out.push_back(n->children[1]);
    });
  return out;
}

std::vector<Term> inequalities(const Claim& claim) {
  std::vector<Term> out;
  for (Term h : usable(claim.hypotheses)) collect(h, out);
  for (Term p : claim.positive) out.push_back(subtract(p, integer(1)));
  for (Term q : quotients(claim))
    if (defined(claim, q->children[1]))
      for (Term part : definition_of(q)) out.push_back(part);
  if (claim.goal->kind == Kind::at_most_zero) out.push_back(subtract(claim.goal->children[0], integer(1)));
  return out;
}

std::string query_text(const Claim& claim) {
  if (claim.goal != truth(false) && claim.goal->kind != Kind::at_most_zero)
    throw NotShown{"a goal that is no inequality"};
  Writer writer;
  // Inequalities as such, then what else the hypotheses say.
  const std::vector<Term> known = inequalities(claim);
  for (Term p : known) writer.state("(<= 0 " + writer.index(p) + ")");
  for (Term h : usable(claim.hypotheses))
    if (h->kind != Kind::at_most_zero && h->kind != Kind::is_zero) writer.state(writer.boolean(h));
  for (const auto& [a, b] : claim.products) {
    if (a >= known.size() || b >= known.size()) throw NotShown{"a product of no such inequality"};
    if (monomials(known[a]).size() * monomials(known[b]).size() > most_monomials)
      throw NotShown{"a product that is longer than is looked at"};
    writer.state("(<= 0 " + writer.index(multiply(known[a], known[b])) + ")");
  }
  return writer.text();
}

}  // namespace hallmark::pairs
