#include "search/match.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace hallmark::search {
namespace {

using namespace calculus;
using rules::Rule;

struct Partial {
  Match match;
  std::vector<std::pair<Term, Term>> deferred;  // pattern term, node term: equal when all symbols are bound
};
using Partials = std::vector<Partial>;

constexpr std::size_t partial_limit = 256;

class Matcher {
 public:
  Matcher(const Rule& rule, const EGraph& graph, bool explain = false)
      : rule_(rule), graph_(graph), explain_(explain) {
    for (const SymbolRange& s : rule.symbols) symbols_.push_back(s.name);
  }

  Partials match_class(const std::string& tensor, ClassId cls, const Partial& start) {
    cls = graph_.find(cls);
    if (const auto bound = start.match.tensors.find(tensor); bound != start.match.tensors.end()) {
      if (graph_.find(bound->second) == cls) return {start};
      note(start, [&] { return fmt::format("{} is one tensor in the rule, here two are read", tensor); });
      return {};
    }
    const Definition* definition = inner(tensor);
    if (definition == nullptr) {
      Partial next = start;
      if (!unify_extents(declared(tensor).extents, graph_.shape(cls).extents, next)) {
        note(start,
             [&] { return shape_difference(tensor, declared(tensor).extents, graph_.shape(cls).extents); });
        return {};
      }
      next.match.tensors[tensor] = cls;
      return {next};
    }
    Partials out;
    for (NodeId id : graph_.nodes(cls)) {
      const ENode found = graph_.node(id);
      if (found.payload == nullptr) {
        note(start, [&] {
          return fmt::format("{} stands for an operation, here is the input or constant {}", tensor,
                             found.leaf);
        });
        continue;
      }
      if (!explain_ && (definition->declaration.extents.size() != found.shape.extents.size() ||
                        !may_match(definition->body, found.payload)))
        continue;
      Partial next = start;
      if (!unify_extents(definition->declaration.extents, found.shape.extents, next)) {
        note(start,
             [&] { return shape_difference(tensor, definition->declaration.extents, found.shape.extents); });
        continue;
      }
      next.match.tensors[tensor] = cls;
      next.match.nodes[tensor] = id;
      for (Partial& p : match_term(definition->body, found.payload, found, next)) {
        if (out.size() < partial_limit) out.push_back(std::move(p));
      }
    }
    return out;
  }

  // Binds what is still open and checks everything: ranges, requirements, and that the left side with these
  // values is what stands in the graph.
  bool finish(Partial& partial, ClassId root) {
    partial.match.root = graph_.find(root);
    for (std::size_t round = 0; round <= symbols_.size(); ++round) {
      const std::size_t known = partial.match.symbols.size();
      for (const auto& [p, q] : partial.deferred)
        if (p->sort == Sort::index()) solve(substitute(p, bound(partial)), q, partial);
      if (partial.match.symbols.size() == known) break;
    }
    for (const std::string& s : symbols_)
      if (partial.match.symbols.count(s) == 0) {
        note(partial, [&] { return fmt::format("nothing here gives the size {} a value", s); });
        return false;
      }
    const Substitution values = bound(partial);
    for (const SymbolRange& s : rule_.symbols) {
      const Term value = partial.match.symbols.at(s.name);
      if (graph_.holds(at_most(integer(s.low), value)) &&
          (!s.high || graph_.holds(at_most(value, integer(*s.high)))))
        continue;
      note(partial, [&] {
        return fmt::format("the size {} is {} here, outside its range or not known to be inside", s.name,
                           index_text(value));
      });
      return false;
    }
    for (std::size_t i = 0; i < rule_.requirements.size(); ++i)
      if (!graph_.holds(substitute(rule_.requirements[i], values))) {
        note(partial, [&] {
          return fmt::format("requirement {} does not hold here, or not for every size: {}", i + 1,
                             sizes_text(partial));
        });
        return false;
      }
    if (is_in_graph(partial.match)) return true;
    note(partial, [&] {
      return "with the sizes put in, the left side is not what stands here: " + sizes_text(partial);
    });
    return false;
  }

  const Mismatch& furthest() const { return furthest_; }

 private:
  // The first of the attempts that came furthest: later ones exchange operands.
  template <typename Why>
  void note(const Partial& partial, Why why, std::size_t less = 0) {
    if (!explain_) return;
    const std::size_t reached = partial.match.nodes.size() - less;
    if (!furthest_.why.empty() && reached <= furthest_.reached) return;
    furthest_ = {reached, why()};
  }

  static std::string index_text(Term t) {
    const Integer* value = as_integer(t);
    return value != nullptr ? value->get_str() : t->kind == Kind::symbol ? t->name : "symbolic";
  }

  static std::string list_text(const std::vector<Term>& all) {
    std::vector<std::string> out;
    for (Term t : all) out.push_back(index_text(t));
    return fmt::format("[{}]", fmt::join(out, ", "));
  }

  static std::string shape_difference(const std::string& tensor, const std::vector<Term>& wanted,
                                      const std::vector<Term>& found) {
    if (wanted.size() != found.size())
      return fmt::format("{} has {} axes in the rule and {} here", tensor, wanted.size(), found.size());
    return fmt::format("{} has shape {} in the rule and {} here", tensor, list_text(wanted),
                       list_text(found));
  }

  static std::string sizes_text(const Partial& partial) {
    std::vector<std::string> out;
    for (const auto& [name, value] : partial.match.symbols) out.push_back(name + " = " + index_text(value));
    return fmt::format("{}", fmt::join(out, ", "));
  }

  // What a term of elements is, in a word.
  static std::string kind_text(Term t) {
    switch (t->kind) {
      case Kind::operation:
        return t->op == Op::custom ? t->name : std::string(name(t->op));
      case Kind::load:
        return "an element of a tensor";
      case Kind::fold:
        return "a reduction";
      case Kind::select:
        return "a choice";
      case Kind::constant:
        return "a number";
      default:
        return "another term";
    }
  }

  bool is_in_graph(const Match& match) const {
    std::map<ClassId, std::string> names;
    std::map<std::string, ClassId> classes;
    for (const auto& [tensor, cls] : match.tensors) {
      names[graph_.find(cls)] = fmt::format("class {}", graph_.find(cls));
      classes[names[graph_.find(cls)]] = graph_.find(cls);
      classes["left " + tensor] = graph_.find(cls);
    }
    for (const Definition& d :
         instantiate_side(rule_.left, rule_, match, names, graph_, "left ").definitions) {
      const ENode node = graph_.node(match.nodes.at(d.declaration.name.substr(5)));
      std::vector<std::string> children;
      ENode left;
      left.payload = to_payload(d.body, children);
      for (const std::string& child : children) left.children.push_back(classes.at(child));
      if (left.payload != node.payload || d.declaration.extents != node.shape.extents ||
          graph_.canonical(left).children != node.children)
        return false;
    }
    return true;
  }

  static bool is_comparison(Term p) {
    return p->sort == Sort::boolean() &&
           (p->kind == Kind::at_most_zero || p->kind == Kind::is_zero || p->kind == Kind::conjunction ||
            p->kind == Kind::disjunction || p->kind == Kind::negation);
  }
  static bool same_head(Term p, Term q) {
    return p->kind == q->kind && p->op == q->op && p->name == q->name && p->number == q->number &&
           p->which == q->which && p->size == q->size && p->sort == q->sort && p->value == q->value &&
           p->bits == q->bits && p->format == q->format;
  }

  // False only where match_term finds nothing whatever is bound: most nodes are told apart by two levels of
  // their terms.
  static bool may_match(Term p, Term q, int levels = 2) {
    if (levels == 0 || p->sort == Sort::index() || is_comparison(p) || p->kind == Kind::from_index)
      return true;
    if (p->kind == Kind::load)
      return q->kind == Kind::constant
                 ? p->children.empty()
                 : q->kind == Kind::load && p->sort == q->sort && p->children.size() == q->children.size();
    if (!same_head(p, q) || p->children.size() != q->children.size()) return false;
    if (p->kind == Kind::operation) return true;  // the operands may be exchanged
    for (std::size_t i = 0; i < p->children.size(); ++i)
      if (!may_match(p->children[i], q->children[i], levels - 1)) return false;
    return true;
  }

  const Definition* inner(const std::string& tensor) const {
    for (const Definition& d : rule_.left)
      if (d.declaration.name == tensor) return &d;
    return nullptr;
  }

  const Declaration& declared(const std::string& tensor) const {
    for (const Declaration& d : rule_.tensors)
      if (d.name == tensor) return d;
    throw InternalError("the rule " + rule_.name + " reads an undeclared tensor " + tensor);
  }

  Substitution bound(const Partial& partial) const {
    Substitution map;
    for (const auto& [name, value] : partial.match.symbols) map[symbol(name)] = value;
    return map;
  }

  bool is_unbound(Term t, const Partial& partial) const {
    return t->kind == Kind::symbol &&
           std::find(symbols_.begin(), symbols_.end(), t->name) != symbols_.end() &&
           partial.match.symbols.count(t->name) == 0;
  }

  static bool closed_value(Term t) {
    bool closed = true;
    for_each_node(t, [&](Term n) {
      closed = closed && n->kind != Kind::axis && n->kind != Kind::bound && n->kind != Kind::variable &&
               n->kind != Kind::to_index;
    });
    return closed;
  }

  // The part of a monomial that varies with axes and fold variables; the rest is a coefficient.
  static Term open_part(const Monomial& m) {
    if (m.product == nullptr) return integer(1L);
    const std::vector<Term> atoms =
        m.product->kind == Kind::product ? m.product->children : std::vector<Term>{m.product};
    Term open = integer(1L);
    for (const Term atom : atoms)
      if (!closed_value(atom)) open = multiply(open, atom);
    return open;
  }

  // p = q for all values of axes and fold variables, so the coefficients of each product of these are equal:
  // equations that bind symbols, where one has a single unbound symbol, linearly. What they do not bind or
  // what contradicts them is found by the check at the end.
  void solve(Term p, Term q, Partial& partial) const {
    std::vector<std::pair<Term, Term>> equations;  // open part, coefficient
    for (const Monomial& m : monomials(subtract(p, q))) {
      const Term open = open_part(m);
      Term coefficient = integer(m.coefficient);
      if (m.product != nullptr)
        for (const Term atom :
             m.product->kind == Kind::product ? m.product->children : std::vector<Term>{m.product})
          if (closed_value(atom)) coefficient = multiply(coefficient, atom);
      const auto at = std::find_if(equations.begin(), equations.end(),
                                   [&](const auto& equation) { return equation.first == open; });
      if (at == equations.end())
        equations.push_back({open, coefficient});
      else
        at->second = add(at->second, coefficient);
    }
    for (const auto& [open, zero] : equations) {
      // Where an unbound symbol stands inside a division by it, nothing is known of the other equations'
      // parts.
      if (mentions_unbound(open, partial)) continue;
      solve_closed(substitute(zero, bound(partial)), partial);
    }
  }

  bool mentions_unbound(Term t, const Partial& partial) const {
    bool found = false;
    for_each_node(t, [&](Term n) { found = found || is_unbound(n, partial); });
    return found;
  }

  // zero = 0, closed, with one unbound symbol in it, to the first power: binds it.
  void solve_closed(Term zero, Partial& partial) const {
    Term unknown = nullptr, coefficient = nullptr, rest = nullptr;
    bool single = true;
    for_each_node(zero, [&](Term n) {
      if (!is_unbound(n, partial)) return;
      single = single && (unknown == nullptr || unknown == n);
      unknown = n;
    });
    if (unknown == nullptr || !single || !affine_in(zero, unknown, coefficient, rest)) return;
    if (rest == integer(0L)) {
      // Zero times whatever: only a coefficient that is a number says something.
      if (as_integer(coefficient) != nullptr) partial.match.symbols[unknown->name] = integer(0L);
      return;
    }
    const Integer* number = as_integer(coefficient);
    if (number == nullptr || *number == 0) return;
    const Term value = floor_div(scale(Integer(-1), rest), coefficient);
    if (scale(*number, value) == scale(Integer(-1), rest)) partial.match.symbols[unknown->name] = value;
  }

  bool unify_index(Term p, Term q, Partial& partial) const {
    const Term now = substitute(p, bound(partial));
    if (now == q) return true;
    solve(now, q, partial);
    partial.deferred.push_back({p, q});
    return true;
  }

  bool unify_extents(const std::vector<Term>& p, const std::vector<Term>& q, Partial& partial) const {
    if (p.size() != q.size()) return false;
    for (std::size_t d = 0; d < p.size(); ++d)
      if (!unify_index(p[d], q[d], partial)) return false;
    return true;
  }

  Partials match_all(const std::vector<Term>& p, const std::vector<Term>& q, const ENode& node,
                     Partials states) {
    if (p.size() != q.size()) return {};
    for (std::size_t i = 0; i < p.size() && !states.empty(); ++i) {
      Partials next;
      for (const Partial& s : states)
        for (Partial& t : match_term(p[i], q[i], node, s))
          if (next.size() < partial_limit) next.push_back(std::move(t));
      states = std::move(next);
    }
    return states;
  }

  Partials match_term(Term p, Term q, const ENode& node, const Partial& start) {
    if (p->sort == Sort::index()) {
      Partial next = start;
      return unify_index(p, q, next) ? Partials{next} : Partials{};
    }
    if (p->kind == Kind::load) return match_load(p, q, node, start);
    if (is_comparison(p)) {
      Partial next = start;
      next.deferred.push_back({p, q});
      return {next};
    }
    // An extent that is known is a number where the pattern has it as a real.
    if (p->kind == Kind::from_index && q->kind == Kind::constant && p->sort == Sort::real() &&
        q->sort == Sort::real()) {
      Partial next = start;
      return q->value.get_den() == 1 && unify_index(p->children[0], integer(q->value.get_num()), next)
                 ? Partials{next}
                 : Partials{};
    }
    if (!same_head(p, q)) {
      note(
          start, [&] { return fmt::format("{} in the rule and {} here", kind_text(p), kind_text(q)); }, 1);
      return {};
    }
    Partials out = match_all(p->children, q->children, node, {start});
    if (p->kind == Kind::operation && p->children.size() >= 2 && p->op != Op::custom) {
      std::vector<Term> swapped = q->children;
      std::swap(swapped[0], swapped[1]);
      if (rebuild(q, swapped) == q && swapped != q->children)
        for (Partial& more : match_all(p->children, swapped, node, {start})) out.push_back(std::move(more));
    }
    return out;
  }

  Partials match_load(Term p, Term q, const ENode& node, const Partial& start) {
    if (q->kind == Kind::constant && p->children.empty()) {
      const auto known = start.match.constants.find(p->name);
      if (known != start.match.constants.end()) return known->second == q ? Partials{start} : Partials{};
      if (inner(p->name) != nullptr || start.match.tensors.count(p->name) != 0) return {};
      Partial next = start;
      next.match.constants[p->name] = q;
      return {next};
    }
    if (q->kind != Kind::load || p->sort != q->sort || p->children.size() != q->children.size()) {
      note(
          start,
          [&] { return fmt::format("an element of {} in the rule and {} here", p->name, kind_text(q)); }, 1);
      return {};
    }
    if (start.match.constants.count(p->name) != 0) return {};
    Partials states = match_class(p->name, node.children.at(std::stoul(q->name.substr(1))), start);
    Partials out;
    for (Partial& s : states) {
      bool fits = true;
      for (std::size_t d = 0; d < p->children.size() && fits; ++d)
        fits = unify_index(p->children[d], q->children[d], s);
      if (fits) out.push_back(std::move(s));
    }
    return out;
  }

  const Rule& rule_;
  const EGraph& graph_;
  const bool explain_;
  std::vector<std::string> symbols_;
  Mismatch furthest_;
};

Substitution values_of(const Match& match) {
  Substitution map;
  for (const auto& [name, value] : match.symbols) map[symbol(name)] = value;
  return map;
}

// A rule's float format stands for that of the tensors here; integers and truth values are of their own.
Format format_here(Format written, const Rule& rule, const Match& match, const EGraph& graph) {
  if (!is_float(written)) return written;
  if (is_float(graph.shape(match.root).format)) return graph.shape(match.root).format;
  for (const Declaration& t : rule.tensors)
    if (const auto at = match.tensors.find(t.name); at != match.tensors.end())
      if (const Format here = graph.shape(at->second).format; is_float(here)) return here;
  return written;
}

// The body with symbols, constants and names put in.
Term put_in(Term body, const Match& match, const std::map<std::string, std::string>& names) {
  const Term valued = substitute(body, values_of(match));
  return rewrite(valued, [&](Term node) {
    if (node->kind != Kind::load) return node;
    if (const auto constant = match.constants.find(node->name); constant != match.constants.end())
      return constant->second;
    const auto name = names.find(node->name);
    ensure(name != names.end(), "a rule's side reads an unbound tensor " + node->name);
    return load(name->second, node->children, node->sort);
  });
}

}  // namespace

std::vector<Match> match_rule(const Rule& rule, const EGraph& graph, ClassId root) {
  Matcher matcher(rule, graph);
  std::vector<Match> out;
  for (Partial& partial : matcher.match_class(rule.left.back().declaration.name, root, {})) {
    if (matcher.finish(partial, root)) out.push_back(std::move(partial.match));
  }
  return out;
}

Mismatch mismatch(const Rule& rule, const EGraph& graph, ClassId root) {
  Matcher matcher(rule, graph, true);
  for (Partial& partial : matcher.match_class(rule.left.back().declaration.name, root, {}))
    if (matcher.finish(partial, root)) return {rule.left.size(), {}};
  return matcher.furthest();
}

Instance instantiate_side(const std::vector<Definition>& side, const Rule& rule, const Match& match,
                          const std::map<ClassId, std::string>& names, const EGraph& graph,
                          const std::string& prefix) {
  std::map<std::string, std::string> known;
  for (const Declaration& tensor : rule.tensors)
    if (match.constants.count(tensor.name) == 0)
      known[tensor.name] = names.at(graph.find(match.tensors.at(tensor.name)));
  Instance out;
  const Substitution values = values_of(match);
  for (const Definition& d : side) {
    Definition made = d;
    made.declaration.name = prefix + d.declaration.name;
    made.declaration.format = format_here(d.declaration.format, rule, match, graph);
    for (Term& extent : made.declaration.extents) extent = substitute(extent, values);
    made.body = graph.simplified(put_in(d.body, match, known), made.declaration.extents);
    known[d.declaration.name] = made.declaration.name;
    out.definitions.push_back(std::move(made));
  }
  return out;
}

bool right_side_fits(const Rule& rule, const Match& match, const EGraph& graph) {
  const Substitution values = values_of(match);
  std::vector<Term> extents;
  for (const Term extent : rule.right.back().declaration.extents)
    extents.push_back(substitute(extent, values));
  return extents == graph.shape(match.root).extents;
}

ClassId add_right_side(const Rule& rule, const Match& match, EGraph& graph, const Provenance& provenance,
                       std::vector<NodeId>& nodes) {
  std::map<std::string, std::string> names;
  std::map<std::string, ClassId> classes;
  for (const Declaration& tensor : rule.tensors) {
    if (match.constants.count(tensor.name) != 0) continue;
    names[tensor.name] = tensor.name;
    classes[tensor.name] = match.tensors.at(tensor.name);
  }
  ClassId last = match.root;
  const Substitution values = values_of(match);
  for (const Definition& d : rule.right) {
    // A side that is only a tensor again adds no node.
    ENode node;
    std::vector<std::string> children;
    std::vector<Term> extents;
    for (const Term extent : d.declaration.extents) extents.push_back(substitute(extent, values));
    const Term body = graph.simplified(put_in(d.body, match, names), extents);
    bool is_tensor = body->kind == Kind::load;
    for (std::size_t i = 0; is_tensor && i < body->children.size(); ++i)
      is_tensor = body->children[i] == axis(static_cast<int>(i));
    if (is_tensor) {
      last = classes.at(body->name);
    } else {
      node.payload = to_payload(body, children);
      for (const std::string& child : children) node.children.push_back(classes.at(child));
      node.shape.format = format_here(d.declaration.format, rule, match, graph);
      node.shape.extents = extents;
      last = graph.add(std::move(node), {provenance.authored, provenance.application, d.declaration.name});
      nodes.push_back(graph.last());
    }
    names[d.declaration.name] = d.declaration.name;
    classes[d.declaration.name] = last;
  }
  return last;
}

}  // namespace hallmark::search
