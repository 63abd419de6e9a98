#include "calculus/text/print.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "calculus/text/literal.h"
#include "calculus/text/operation_text.h"
#include "calculus/text/token.h"

namespace hallmark::calculus::text {
namespace {

using SortKind = Sort::Kind;

// How tightly a written term holds together; operands below what their place asks for get parentheses.
enum Level : int {
  loose = 0,
  either_level,
  both_level,
  not_level,
  relation_level,
  sum_level,
  reduction_level,
  product_level,
  tight
};

struct Written {
  std::string text;
  Level level = tight;
};

// A let is worth its line above this many nodes; every let_depth levels one is made anyway.
constexpr std::size_t let_size = 3;
constexpr int let_depth = 40;

class Printer {
 public:
  explicit Printer(const Naming& naming) : naming_(naming), taken_(naming.taken) {
    for (const auto& [leaf, name] : naming.leaves) taken_.insert(name);
    if (naming.scope != nullptr)
      for (const auto& [name, term] : naming.scope->names) taken_.insert(name);
  }

  std::string whole(Term term) {
    for_each_node(term, [&](Term node) {
      if (node->kind == Kind::symbol || node->kind == Kind::variable) taken_.insert(node->name);
    });
    return body(term, 0).text;
  }

 private:
  // --- sharing ---
  struct Facts {
    int innermost = 0;     // number of the innermost fold binding something in it, 0 when there is none
    std::size_t size = 1;  // nodes as a tree, saturated
    int depth = 1;
  };

  const Facts& facts(Term t) {
    if (const auto known = facts_.find(t); known != facts_.end()) return known->second;
    Facts out;
    if (t->kind == Kind::bound || t->kind == Kind::state) out.innermost = t->number;
    for (std::size_t i = 0; i < t->children.size(); ++i) {
      const Facts& child = facts(t->children[i]);
      out.size = std::min<std::size_t>(out.size + child.size, 1U << 20);
      out.depth = std::max(out.depth, child.depth + 1);
    }
    if (out.innermost == 0 && t->open) out.innermost = least_open(t);
    return facts_.emplace(t, out).first->second;
  }

  int least_open(Term t) {
    const std::set<int>& all = open_numbers(t);
    return all.empty() ? 0 : *all.begin();
  }

  const std::set<int>& open_numbers(Term t) {
    if (const auto known = open_numbers_.find(t); known != open_numbers_.end()) return known->second;
    std::set<int> out;
    if (t->kind == Kind::bound || t->kind == Kind::state) out.insert(t->number);
    for (std::size_t i = 0; i < t->children.size(); ++i) {
      const bool inside = t->kind == Kind::fold && (i == 1 || i >= 2 + static_cast<std::size_t>(t->size));
      for (int number : open_numbers(t->children[i]))
        if (!inside || number != t->number) out.insert(number);
    }
    return open_numbers_.emplace(t, std::move(out)).first->second;
  }

  static bool is_leaf(Term t) { return t->children.empty(); }

  // Terms inside `root` whose innermost binder is `binder` and that deserve a name there, children first.
  std::vector<Term> shared_below(Term root, int binder) {
    std::unordered_map<Term, std::size_t> uses;
    std::vector<Term> order;
    walked_.clear();
    collect(root, root, binder, uses, order);
    std::vector<Term> out;
    for (Term t : order) {
      if (t == root || names_.count(t) != 0) continue;
      const Facts& f = facts(t);
      const bool often = uses[t] > 1 && f.size > let_size;
      if (often || (f.depth > let_depth && f.depth % let_depth == 0)) out.push_back(t);
    }
    return out;
  }

  void collect(Term t, Term root, int binder, std::unordered_map<Term, std::size_t>& uses,
               std::vector<Term>& order) {
    if (is_leaf(t) || names_.count(t) != 0) return;
    const bool here = facts(t).innermost == binder;
    if (here && t != root && ++uses[t] > 1) return;
    if (!here && !walked_.insert(t).second) return;
    for (Term child : t->children) collect(child, root, binder, uses, order);
    // Parts of polynomials and connectives have no text of their own place; whole terms do.
    if (here && t->kind != Kind::product) order.push_back(t);
  }

  // lets, then the term: what stands after `=`, and in each part of a fold for what its binder changes.
  Written body(Term term, int binder) {
    std::string lets;
    const std::vector<Term> shared = shared_below(term, binder);
    for (Term t : shared) {
      const std::string text = unambiguous(t, loose);
      const std::string name = fresh(t->sort == Sort::index() ? "n" : "t");
      lets += "let " + name + " = " + text + "; ";
      names_.emplace(t, name);
    }
    Written out = write(term);
    if (!lets.empty()) out = {lets + out.text, loose};
    for (Term t : shared) {
      taken_.erase(names_.at(t));
      names_.erase(t);
    }
    return out;
  }

  // --- names ---
  std::string fresh(const std::string& hint) {
    for (int i = 0;; ++i) {
      std::string name = hint + (i == 0 ? "" : std::to_string(i));
      if (taken_.count(name) != 0 || is_keyword(name)) continue;
      taken_.insert(name);
      return name;
    }
  }

  std::string fresh_variable_name() {
    for (const char* hint : {"k", "q", "r", "p", "u", "v"})
      if (taken_.count(std::string_view(hint)) == 0) {
        taken_.insert(hint);
        return hint;
      }
    return fresh("k");
  }

  // --- writing ---
  std::string at(Term t, Level least) {
    Written w = write(t);
    return w.level < least ? "(" + w.text + ")" : w.text;
  }

  std::string list(const std::vector<Term>& terms) {
    std::string out;
    for (std::size_t i = 0; i < terms.size(); ++i) out += (i > 0 ? ", " : "") + at(terms[i], loose);
    return out;
  }

  Written write(Term t) {
    if (const auto named = names_.find(t); named != names_.end()) return {named->second, tight};
    if (const auto leaf = naming_.leaves.find(t); leaf != naming_.leaves.end())
      return {written_name(leaf->second), tight};
    switch (t->kind) {
      case Kind::symbol:
      case Kind::variable:
        return {written_name(t->name), tight};
      case Kind::axis:
        return {"axis" + std::to_string(t->number), tight};
      case Kind::bound:
        return {binder_names_.at({t->number, -1}), tight};
      case Kind::state:
        return {binder_names_.at({t->number, t->which}), tight};
      case Kind::integer:
      case Kind::product:
      case Kind::polynomial:
        return index_sum(monomials(t));
      case Kind::floor_div:
        return {at(t->children[0], product_level) + " / " + at(t->children[1], tight), product_level};
      case Kind::index_min:
      case Kind::index_max:
        return {(t->kind == Kind::index_min ? "min(" : "max(") + list(t->children) + ")", tight};
      case Kind::index_select:
      case Kind::select:
        return {"if " + at(t->children[0], loose) + " then " + at(t->children[1], loose) + " else " +
                    at(t->children[2], loose),
                loose};
      case Kind::to_index:
        return {"index(" + at(t->children[0], loose) + ")", tight};
      case Kind::truth:
        return {t->number != 0 ? "true" : "false", tight};
      case Kind::at_most_zero:
      case Kind::is_zero:
        return index_relation(t, t->kind == Kind::is_zero ? " = " : " <= ");
      case Kind::conjunction:
      case Kind::disjunction:
        return connective(t);
      case Kind::negation:
        if (t->children[0]->kind == Kind::is_zero) return index_relation(t->children[0], " != ");
        return {"not " + at(t->children[0], not_level), not_level};
      case Kind::compare:
        return {(is_bare(t->children[1]) ? unambiguous(t->children[0], sum_level)
                                         : at(t->children[0], sum_level)) +
                    (t->op == Op::lt   ? " < "
                     : t->op == Op::le ? " <= "
                                       : " = ") +
                    at(t->children[1], sum_level),
                relation_level};
      case Kind::is_nan:
        return {"is_nan(" + at(t->children[0], loose) + ")", tight};
      case Kind::constant:
        return constant(t);
      case Kind::extreme:
        return {t->number < 0 ? "empty_max" : "empty_min", tight};
      case Kind::load:
        return {written_name(t->name) + "[" + list(t->children) + "]" + load_sort(t), tight};
      case Kind::operation:
        return operation(t);
      case Kind::fold:
        return fold(t);
      case Kind::from_index:
        return {to_string(t->sort) + "(" + at(t->children[0], loose) + ")", tight};
      case Kind::cast:
        return {cast_name(t) + "(" + unambiguous(t->children[0], loose) + ")", tight};
    }
    throw InternalError("a term of unknown kind");
  }

  // --- indices ---
  // The coefficient's sign is written by the sum.
  Written monomial(const Monomial& m) {
    const Integer size = abs(m.coefficient);
    const std::string number = size.get_str() + (index_sorts_ ? "@index" : "");
    if (m.product == nullptr) return {number, tight};
    const bool several = m.product->kind == Kind::product && names_.count(m.product) == 0;
    if (size == 1 && !several) return write(m.product);
    std::string out = size == 1 ? "" : number + " * ";
    if (!several) return {out + at(m.product, tight), product_level};
    for (std::size_t i = 0; i < m.product->children.size(); ++i)
      out += (i > 0 ? " * " : "") + at(m.product->children[i], tight);
    return {out, product_level};
  }

  // p - q * (p / q) is written p % q, where p stands in the sum as a whole.
  bool take_remainder(std::vector<Monomial>& parts, std::string& text, Integer& factor) {
    for (const Monomial& m : parts) {
      if (m.product == nullptr || m.product->kind != Kind::floor_div || names_.count(m.product) != 0)
        continue;
      const Term p = m.product->children[0], q = m.product->children[1];
      const Integer* divisor = as_integer(q);
      if (divisor == nullptr || m.coefficient >= 0 || floor_mod(m.coefficient, *divisor) != 0) continue;
      factor = -m.coefficient / *divisor;
      std::map<Term, Integer> rest;
      for (const Monomial& part : parts)
        if (part.product != m.product) rest[part.product] = part.coefficient;
      bool whole = true;
      for (const Monomial& part : monomials(p)) {
        const auto found = rest.find(part.product);
        whole = whole && (part.product == nullptr ||
                          (found != rest.end() && found->second == factor * part.coefficient));
        if (part.product != nullptr && found != rest.end()) rest.erase(found);
        if (part.product == nullptr) rest[nullptr] -= factor * part.coefficient;
      }
      if (!whole) continue;
      text = (factor == 1 ? at(p, product_level) : factor.get_str() + " * (" + at(p, product_level)) + " % " +
             divisor->get_str() + (factor == 1 ? "" : ")");
      std::vector<Monomial> left;
      for (const Monomial& part : parts)
        if (part.product != nullptr && rest.count(part.product) != 0) left.push_back(part);
      if (const auto one = rest.find(nullptr); one != rest.end() && one->second != 0)
        left.push_back({one->second, nullptr});
      parts = std::move(left);
      return true;
    }
    return false;
  }

  Written index_sum(std::vector<Monomial> parts) {
    std::string out, remainder;
    Integer factor;
    std::size_t count = 0;
    while (take_remainder(parts, remainder, factor)) {
      out += (out.empty() ? "" : " + ") + remainder;
      ++count;
    }
    // Positive parts first, the constant last.
    Level level = product_level;
    const auto write_part = [&](const Monomial& m) {
      const bool negative = m.coefficient < 0;
      Written part = monomial(m);
      // A minus at the start binds more tightly than the division after it.
      const bool quotient = m.product != nullptr && m.product->kind == Kind::floor_div;
      const bool leading = negative && out.empty() && quotient && part.level < tight;
      if (part.level < product_level || leading) part = {"(" + part.text + ")", tight};
      level = negative ? sum_level : part.level;
      out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
      out += part.text;
      ++count;
    };
    for (const bool negative : {false, true})
      for (const Monomial& m : parts)
        if (m.product != nullptr && (m.coefficient < 0) == negative) write_part(m);
    for (const Monomial& m : parts)
      if (m.product == nullptr) write_part(m);
    if (out.empty()) return {index_sorts_ ? "0@index" : "0", tight};
    return {out, count > 1 ? sum_level : level};
  }

  // p <= 0 and p = 0 with negative parts on the right; p + 1 <= 0 as `<`.
  Written index_relation(Term t, std::string mark) {
    std::vector<Monomial> left, right;
    for (Monomial m : monomials(t->children[0])) {
      if (m.product == nullptr && m.coefficient == 1 && t->kind == Kind::at_most_zero) {
        mark = " < ";
      } else if (m.coefficient > 0) {
        left.push_back(m);
      } else {
        m.coefficient = -m.coefficient;
        right.push_back(m);
      }
    }
    return {index_sum(left).text + mark + index_sum(right).text, relation_level};
  }

  Written connective(Term t) {
    const bool is_and = t->kind == Kind::conjunction;
    const Level inner = is_and ? not_level : both_level;
    std::string out;
    for (Term part : t->children) out += (out.empty() ? "" : is_and ? " and " : " or ") + at(part, inner);
    return {out, is_and ? both_level : either_level};
  }

  // --- elements ---
  // Whether the reader could take the written term for an index: numbers and what joins them.
  bool is_bare(Term t) {
    if (names_.count(t) != 0) return false;
    const auto all_bare = [this](const std::vector<Term>& terms) {
      return std::all_of(terms.begin(), terms.end(), [this](Term x) { return is_bare(x); });
    };
    switch (t->kind) {
      case Kind::integer:
        return true;
      case Kind::product:
      case Kind::polynomial:
      case Kind::floor_div:
      case Kind::index_min:
      case Kind::index_max:
        return all_bare(t->children);
      case Kind::index_select:
        return is_bare(t->children[1]) && is_bare(t->children[2]);
      case Kind::constant:
        return t->sort.kind != SortKind::boolean &&
               constant(t).text.find_first_not_of("-0123456789") == std::string::npos;
      case Kind::select:
        return is_bare(t->children[1]) && is_bare(t->children[2]);
      case Kind::operation: {
        const bool joins = t->op == Op::add || t->op == Op::sub || t->op == Op::mul || t->op == Op::div ||
                           t->op == Op::max || t->op == Op::min;
        return joins && is_plain(t) && is_bare(t->children[0]) && is_bare(t->children[1]);
      }
      default:
        return false;
    }
  }

  // For places where an index may stand as well: there a number alone reads as an index.
  std::string unambiguous(Term t, Level least) {
    const bool saved = element_sorts_;
    element_sorts_ = element_sorts_ || (t->sort != Sort::index() && is_bare(t));
    std::string out = at(t, least);
    element_sorts_ = saved;
    return out;
  }

  // For places where a number alone reads as an element.
  std::string index_operand(Term t) {
    const bool saved = index_sorts_;
    index_sorts_ = index_sorts_ || is_bare(t);
    std::string out = at(t, loose);
    index_sorts_ = saved;
    return out;
  }

  Written constant(Term t) {
    const Sort sort = t->sort;
    const bool annotate = element_sorts_ || naming_.scope == nullptr || sort != naming_.scope->number_sort;
    const std::string suffix = annotate ? "@" + to_string(sort) : "";
    Rational value = t->value;
    bool negative = sgn(value) < 0;
    if (sort.kind == SortKind::floating) {
      negative = (t->bits >> (storage_bits(sort.format) - 1) & 1) != 0;
      const auto exact = decoded(sort.format, t->bits);
      if (!exact || exact_encoding(sort.format, *exact, negative) != t->bits) {
        if (t->bits == nan_encoding(sort.format)) return {"nan" + suffix, tight};
        if (sort.format != Format::f8e4m3 && t->bits == infinity_encoding(sort.format, negative))
          return {(negative ? "-inf" : "inf") + suffix, negative ? sum_level : tight};
        Integer bits = from_u64(t->bits);
        return {"bits(0x" + bits.get_str(16) + suffix + ")", tight};
      }
      value = *exact;
    }
    const auto literal = written_literal(abs(value));
    if (literal) return {(negative ? "-" : "") + *literal + suffix, negative ? sum_level : tight};
    return {"ratio(" + value.get_num().get_str() + ", " + value.get_den().get_str() + ")", tight};
  }

  std::string load_sort(Term t) const {
    const Scope* scope = naming_.scope;
    const auto known = scope != nullptr ? scope->tensors.find(t->name) : decltype(scope->tensors.end()){};
    if (scope != nullptr && known != scope->tensors.end() &&
        scope->load_sort(known->second.format) == t->sort)
      return "";
    return "@" + to_string(t->sort);
  }

  static bool is_plain(Term t) {
    return !t->flush_subnormals && (t->rounding == Rounding::none || t->rounding == Rounding::nearest) &&
           t->sort != Sort::boolean();
  }

  Written operation(Term t) {
    const std::vector<Term>& c = t->children;
    if (t->op == Op::custom) return custom(t);
    if (is_plain(t)) {
      const auto infix = [&](const char* mark, Level level) -> Written {
        return {at(c[0], level) + mark +
                    at(c[1], static_cast<Level>(level == sum_level ? reduction_level : tight)),
                level};
      };
      if (t->op == Op::add || t->op == Op::sub) return element_sum(t);
      if (t->op == Op::mul) return infix(" * ", product_level);
      if (t->op == Op::div) return infix(" / ", product_level);
    }
    std::string out = operation_name(t) + "(";
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (i > 0) out += ", ";
      // `max(a < b` would begin a reduction.
      const bool guarded =
          c[i]->kind == Kind::compare || c[i]->kind == Kind::at_most_zero || c[i]->kind == Kind::is_zero;
      out += at(c[i], guarded ? tight : loose);
    }
    return {out + ")", tight};
  }

  // Long chains a + b + c are walked from the left without recursion.
  Written element_sum(Term t) {
    std::vector<Term> chain;
    Term first = t;
    while (first->kind == Kind::operation && (first->op == Op::add || first->op == Op::sub) &&
           is_plain(first) && (first == t || names_.count(first) == 0)) {
      chain.push_back(first);
      first = first->children[0];
    }
    std::string out = at(first, sum_level);
    for (auto node = chain.rbegin(); node != chain.rend(); ++node)
      out += ((*node)->op == Op::add ? " + " : " - ") + at((*node)->children[1], reduction_level);
    return {out, sum_level};
  }

  Written custom(Term t) {
    const Scope* scope = naming_.scope;
    bool known = false;
    const FunctionType* type = nullptr;
    if (scope != nullptr) {
      const auto found = scope->functions.find(t->name);
      known = found != scope->functions.end() && found->second.result == t->sort;
      if (found != scope->functions.end()) type = &found->second;
    }
    std::string arguments;
    for (std::size_t i = 0; i < t->children.size(); ++i) {
      if (i > 0) arguments += ", ";
      const bool typed = type != nullptr && i < type->parameters.size();
      const bool index = !typed && t->children[i]->sort == Sort::index();
      arguments += index ? index_operand(t->children[i]) : at(t->children[i], loose);
    }
    std::string name = is_built_in(t->name) ? "\"" + t->name + "\"" : written_name(t->name);
    return {name + "(" + arguments + ")" + (known ? "" : "@" + to_string(t->sort)), tight};
  }

  // --- folds ---
  std::string binder(Term t, const std::string& variable) {
    std::string out = written_name(variable) + " < " + at(t->children[0], sum_level);
    binder_names_[{t->number, -1}] = written_name(variable);
    if (t->children[1]->kind != Kind::truth || t->children[1]->number == 0)
      out += " where " + body(t->children[1], t->number).text;
    if (t->order->kind != Order::Kind::any) out += "; order " + order(*t->order);
    return out;
  }

  std::string order(const Order& o) {
    const auto size = [&] {
      return as_integer(o.size) != nullptr ? as_integer(o.size)->get_str() : written_name(o.size->name);
    };
    switch (o.kind) {
      case Order::Kind::any:
        return "any";
      case Order::Kind::seq:
        return "seq";
      case Order::Kind::tree:
        return "tree(" + size() + ")";
      case Order::Kind::strided:
        return "strided(" + size() + ", " + order(*o.inner) + ")";
      case Order::Kind::blocked:
        return "blocked(" + size() + ", " + order(*o.inner) + ", " + order(*o.outer) + ")";
      case Order::Kind::mma:
        return "mma(" + written_name(o.model) + ")";
    }
    throw InternalError("a fold order without a name");
  }

  // The word of a reduction and its body, when the fold is exactly what the reader makes of them.
  std::optional<std::pair<std::string, Term>> as_reduction(Term t) {
    if (t->size != 1) return std::nullopt;
    const Term init = t->children[2], step = t->children[3];
    const bool ordered = t->order->kind != Order::Kind::any && t->order->kind != Order::Kind::seq;
    if ((t->children.size() == 5) != ordered) return std::nullopt;
    const auto is_state = [&](Term x, int which) {
      return x->kind == Kind::state && x->number == t->number && x->which == which;
    };
    const auto mentions_state = [&](Term x) {
      bool found = false;
      for_each_node(x, [&](Term node) { found = found || is_state(node, 0); });
      return found;
    };
    if (t->sort == Sort::boolean()) {
      const bool is_and = step->kind == Kind::conjunction;
      if ((!is_and && step->kind != Kind::disjunction) || init != truth(is_and) || ordered)
        return std::nullopt;
      std::vector<Term> rest;
      for (Term part : step->children)
        if (!is_state(part, 0)) rest.push_back(part);
      const Term body = is_and ? conjunction(rest) : disjunction(rest);
      if (rest.size() + 1 != step->children.size() || mentions_state(body)) return std::nullopt;
      return std::pair(std::string(is_and ? "all" : "any"), body);
    }
    if (step->kind != Kind::operation || step->op == Op::custom || !is_plain(step) ||
        step->children.size() != 2)
      return std::nullopt;
    std::string word;
    const auto starts_with = [&](int value) {
      if (init->kind != Kind::constant) return false;
      return t->sort.kind == SortKind::floating ? init->bits == exact_encoding(t->sort.format, value, false)
                                                : init->value == value;
    };
    if (step->op == Op::add && starts_with(0)) word = "sum";
    if (step->op == Op::mul && starts_with(1)) word = "prod";
    if (step->op == Op::max && init == extreme(-1)) word = "max";
    if (step->op == Op::min && init == extreme(1)) word = "min";
    if (word.empty()) return std::nullopt;
    const std::size_t side = is_state(step->children[0], 0) ? 0 : 1;
    const Term body = step->children[1 - side];
    if (!is_state(step->children[side], 0) || mentions_state(body)) return std::nullopt;
    if (ordered) {
      const Term combine = t->children[4];
      const bool same = combine->kind == Kind::operation && combine->op == step->op && is_plain(combine) &&
                        ((is_state(combine->children[0], 0) && is_state(combine->children[1], 1)) ||
                         (is_state(combine->children[0], 1) && is_state(combine->children[1], 0)));
      if (!same) return std::nullopt;
    }
    return std::pair(word, body);
  }

  Written fold(Term t) {
    const std::set<std::string, std::less<>> taken = taken_;
    const auto saved = binder_names_;
    Written out;
    const std::string variable = fresh_variable_name();
    if (const auto reduction = as_reduction(t)) {
      const std::string head = reduction->first + "(" + binder(t, variable) + ") ";
      const Written inner = body(reduction->second, t->number);
      out = {head + (inner.level >= reduction_level ? inner.text : "(" + inner.text + ")"), reduction_level};
    } else {
      out = {general_fold(t, variable), tight};
    }
    taken_ = taken;
    binder_names_ = saved;
    return out;
  }

  std::string general_fold(Term t, const std::string& variable) {
    const std::size_t n = static_cast<std::size_t>(t->size);
    std::vector<std::string> states, inits;
    for (std::size_t j = 0; j < n; ++j) inits.push_back(at(t->children[2 + j], loose));
    for (std::size_t j = 0; j < n; ++j) {
      states.push_back(fresh("s"));
      binder_names_[{t->number, static_cast<int>(j)}] = states[j];
    }
    std::string out = "fold(" + binder(t, variable) + "; ";
    for (std::size_t j = 0; j < n; ++j)
      out += (j > 0 ? ", " : "") + states[j] + " = " + inits[j] + " -> " +
             body(t->children[2 + n + j], t->number).text;
    if (t->children.size() == 2 + 3 * n) {
      out += "; with ";
      for (std::size_t j = 0; j < n; ++j) {
        const std::string right = fresh("t");
        binder_names_[{t->number, static_cast<int>(n + j)}] = right;
        out += (j > 0 ? ", " : "") + right;
      }
      out += " -> ";
      for (std::size_t j = 0; j < n; ++j)
        out += (j > 0 ? ", " : "") + body(t->children[2 + 2 * n + j], t->number).text;
    }
    if (n > 1) out += "; " + states[static_cast<std::size_t>(t->which)];
    return out + ")";
  }

  const Naming& naming_;
  std::set<std::string, std::less<>> taken_;
  std::map<Term, std::string> names_;  // lets in force
  std::map<std::pair<int, int>, std::string> binder_names_;
  std::unordered_map<Term, Facts> facts_;
  std::unordered_map<Term, std::set<int>> open_numbers_;
  std::unordered_set<Term> walked_;
  // Whether every number of an element, of an index, is written with its sort.
  bool element_sorts_ = false, index_sorts_ = false;
};

}  // namespace

std::string printed(Term term, const Naming& naming) {
  return Printer(naming).whole(term);
}

}  // namespace hallmark::calculus::text
