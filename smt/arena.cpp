#include <fmt/format.h>

#include <deque>
#include <unordered_map>

#include "base/error.h"
#include "smt/node.h"

namespace hallmark::smt {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15U + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(const Rational& r) {
  const auto part = [](const Integer& i) {
    return mix(static_cast<std::size_t>(mpz_get_ui(i.get_mpz_t())), mpz_size(i.get_mpz_t()) * 2 + (i < 0));
  };
  return mix(part(r.get_num()), part(r.get_den()));
}

struct NodeHash {
  std::size_t operator()(const Node* n) const {
    std::size_t h = mix(static_cast<std::size_t>(n->op), n->sort.hash());
    for (const Term t : n->args) h = mix(h, t.number());
    h = mix(h, std::hash<const void*>{}(n->function));
    h = mix(h, n->first * 65537U + n->second);
    return n->op == Op::constant ? mix(h, hash_of(n->value)) : h;
  }
};

struct NodeEqual {
  bool operator()(const Node* a, const Node* b) const {
    return a->op == b->op && a->sort == b->sort && a->function == b->function && a->first == b->first &&
           a->second == b->second && a->args == b->args && a->value == b->value;
  }
};

}  // namespace

struct Arena::Tables {
  std::deque<Node> nodes;
  std::unordered_map<const Node*, const Node*, NodeHash, NodeEqual> interned;
  std::deque<Function> functions;
  std::unordered_map<std::string, const Function*> by_name;
  std::unordered_map<std::string, unsigned> next_fresh;
};

Arena::Arena() : tables_(std::make_unique<Tables>()) {}
Arena::~Arena() = default;

std::size_t Arena::size() const {
  return tables_->nodes.size();
}

const Function* Arena::declare(const std::string& name, std::vector<Sort> domain, Sort range) {
  ensure(!name.empty(), "an SMT symbol without a name");
  const auto found = tables_->by_name.find(name);
  if (found != tables_->by_name.end()) {
    const Function* known = found->second;
    if (known->domain != domain || known->range != range)
      throw InternalError(
          fmt::format("the SMT symbol '{}' is declared twice with different signatures", name));
    return known;
  }
  tables_->functions.push_back({name, std::move(domain), range});
  return tables_->by_name[name] = &tables_->functions.back();
}

Term Arena::variable(const std::string& name, Sort sort) {
  return apply(declare(name, {}, sort), {});
}

Term Arena::fresh(const std::string& stem, Sort sort) {
  std::string name = stem;
  while (tables_->by_name.contains(name)) name = fmt::format("{}.{}", stem, ++tables_->next_fresh[stem]);
  return variable(name, sort);
}

Term Arena::apply(const Function* function, std::vector<Term> args) {
  ensure(function != nullptr && args.size() == function->domain.size(),
         "an SMT function with a wrong number of arguments");
  for (std::size_t i = 0; i < args.size(); ++i)
    ensure(args[i] && args[i].sort() == function->domain[i], "an ill-sorted argument of an SMT function");
  return intern(Op::apply, function->range, std::move(args), function, 0, 0, 0);
}

Term Arena::boolean(bool value) {
  return intern(Op::constant, Sort::boolean(), {}, nullptr, value ? 1 : 0, 0, 0);
}

Term Arena::integer(const Integer& value) {
  return intern(Op::constant, Sort::integer(), {}, nullptr, value, 0, 0);
}

Term Arena::real(const Rational& value) {
  Rational reduced = value;
  reduced.canonicalize();
  return intern(Op::constant, Sort::real(), {}, nullptr, std::move(reduced), 0, 0);
}

Term Arena::bit_vector(const Integer& value, unsigned width) {
  const Sort sort = Sort::bit_vector(width);
  Integer reduced;
  mpz_fdiv_r_2exp(reduced.get_mpz_t(), value.get_mpz_t(), width);
  return intern(Op::constant, sort, {}, nullptr, reduced, 0, 0);
}

Term Arena::intern(Op op, Sort sort, std::vector<Term> args, const Function* function, Rational value,
                   unsigned first, unsigned second) {
  Node candidate{op,    sort,   std::move(args),       function, std::move(value),
                 first, second, tables_->nodes.size(), this};
  const auto found = tables_->interned.find(&candidate);
  if (found != tables_->interned.end()) return Term(found->second);
  tables_->nodes.push_back(std::move(candidate));
  const Node* made = &tables_->nodes.back();
  tables_->interned.emplace(made, made);
  return Term(made);
}

Term Arena::make(Op op, std::vector<Term> args, unsigned first, unsigned second) {
  const Sort sort = check_sorts(op, args, first, second);
  for (const Term t : args) ensure(&t.arena() == this, "SMT terms of two arenas in one application");
  if (const Term folded = fold_constants(op, args, first, second)) return folded;
  if (const Term simpler = simplify(op, args, first, second)) return simpler;
  return intern(op, sort, std::move(args), nullptr, 0, first, second);
}

Op Term::op() const {
  ensure(node_ != nullptr, "an SMT term that was never made");
  return node_->op;
}
Sort Term::sort() const {
  ensure(node_ != nullptr, "an SMT term that was never made");
  return node_->sort;
}
const std::vector<Term>& Term::args() const {
  return node_->args;
}
const Function* Term::function() const {
  return node_->function;
}
const Rational& Term::value() const {
  return node_->value;
}
unsigned Term::first() const {
  return node_->first;
}
unsigned Term::second() const {
  return node_->second;
}
std::size_t Term::number() const {
  return node_->number;
}
Arena& Term::arena() const {
  return *node_->arena;
}
bool Term::is_true() const {
  return op() == Op::constant && sort().is_boolean() && value() != 0;
}
bool Term::is_false() const {
  return op() == Op::constant && sort().is_boolean() && value() == 0;
}

}  // namespace hallmark::smt
