// Terms of the tensor calculus: one immutable DAG, hash-consed modulo bound names (design, section 2).
//
// A term is a pointer to an interned node, so equal terms (up to the names of bound variables) are equal
// pointers. Binders are numbered by height: a fold binds Bound(h) and State(h, j) where h is one more than
// the greatest height of a fold inside it. Hence alpha-equivalent terms coincide and no substitution can
// capture a variable, as long as a fold's body is taken apart with open() and put together with fold().
//
// Index terms are kept in a polynomial normal form: sums of integer multiples of products of atoms, with
// mod(p, q) = p - q * floor_div(p, q). Comparisons are kept as `p <= 0` and `p = 0`.
// Smart constructors never change a value: over Float sorts nothing is simplified; only the operands of
// operations that are commutative on all encodings (NaNs being one value) are put in a fixed order.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/integer.h"
#include "calculus/sort.h"

namespace hallmark::calculus {

struct Node;
using Term = const Node*;

enum class Kind : std::uint8_t {
  // --- sort Index ---
  integer,     // value
  symbol,      // name: an extent or scalar parameter, free for the whole program
  axis,        // number: the number-th index of the enclosing definition
  bound,       // number: the variable of the enclosing fold of that height
  variable,    // name: a free variable, only while a term is being built or taken apart
  product,     // children: atoms, sorted, at least two
  polynomial,  // sum of coefficients[i] * children[i]; children are atoms, products or (first) the integer 1
  floor_div,   // children: p, q; 0 when q = 0
  index_min,   // children: two or more, sorted
  index_max,
  index_select,  // children: condition, p, q
  to_index,      // child: an element of sort Int or Bool; its value as an integer
  // --- sort Bool ---
  truth,         // number: 0 or 1
  at_most_zero,  // child: index p; p <= 0
  is_zero,       // child: index p; p = 0
  conjunction,   // children: two or more, sorted
  disjunction,
  negation,
  compare,  // op: lt, le, eq on two elements of one sort (IEEE: false when a NaN is involved)
  is_nan,   // child: Float
  // --- elements: sorts Real, Float, Int, Bool ---
  constant,   // Real, Int: value (a rational); Float: bits
  extreme,    // Real: number -1 or +1: the start of a maximum or minimum over a range, never an element
  load,       // name: tensor; children: indices
  operation,  // op, children; Float: each result rounded to `sort.format` by `rounding`
  select,     // children: condition, a, b
  state,      // number: height, which: component; a fold's running value (which >= size: the right operand of
              // combine)
  fold,       // see FoldParts; which: the component that this term denotes
  from_index,  // child: index; Real and Int: its value; Float: rounded
  cast,        // child: element; result: `sort`, after rounding to `format`
};

enum class Op : std::uint8_t {
  none,
  // arithmetic; div of integers truncates, mod has the divisor's sign, rem the dividend's
  neg,
  abs,
  sign,
  add,
  sub,
  mul,
  div,
  mod,
  rem,
  fma,
  pow,
  sqrt,
  rsqrt,
  reciprocal,
  // max, min: reals and integers. maximum, minimum: IEEE 754-2019, NaN propagates. maxnum, minnum: number
  // wins, +0 above -0 (PTX)
  max,
  min,
  maximum,
  minimum,
  maxnum,
  minnum,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  floor,
  ceil,
  trunc,
  round_even,
  // exact scaling by a power of two, exponent extraction: for elementary functions of emitted kernels
  scale2,
  exponent,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right,
  logical_xor,
  lt,
  le,
  eq,
  custom,  // name: an uninterpreted operation
};
std::string_view name(Op);

enum class Rounding : std::uint8_t { none, nearest, toward_zero, down, up };

// The order in which a fold combines its steps: `any` in exact programs, otherwise part of a formulation.
//   seq               step by step in increasing order of the variable
//   strided(L, inner) L lanes; lane l starts from init and takes the steps k = l, l + L, l + 2L, ... in
//   order; then
//                     the L lane results, also those of lanes without a step, are combined in the order
//                     `inner`
//   tree(n)           n leaves, n a power of two: combine(tree of the first n/2, tree of the last n/2)
//   blocked(B, inner, outer)  consecutive blocks of B leaves, each combined by `inner`, their results by
//   `outer`
// Leaves are lane results inside a strided order; for a fold itself, leaf k is step k alone applied to init
// (init where its guard is false), and seq combines leaves from the left. No order but seq uses init more
// than neutrally.
struct Order {
  enum class Kind : std::uint8_t { any, seq, strided, tree, blocked, mma } kind = Kind::any;
  Term size = nullptr;           // strided: lanes; tree: leaves; blocked: block length
  const Order* inner = nullptr;  // strided, blocked
  const Order* outer = nullptr;  // blocked
  std::string model;             // mma
  bool operator==(const Order&) const = default;
};
const Order* any_order();
const Order* seq_order();
const Order* make_order(const Order&);  // interned
std::string to_string(const Order&);

struct Node {
  Kind kind{};
  Op op = Op::none;
  Rounding rounding = Rounding::none;
  bool flush_subnormals = false;  // ftz
  Sort sort{};
  Format format = Format::f64;  // cast only
  int number = 0;
  int which = 0;
  int size = 0;  // fold: number of state components
  std::string name;
  std::vector<Integer> coefficients;
  Rational value;
  std::uint64_t bits = 0;
  const Order* order = nullptr;
  std::vector<Term> children;
  // Derived.
  std::uint64_t hash = 0;         // of the structure, the same in every run
  int height = 0;                 // greatest height of a fold inside; 0 when there is none
  bool open = false;              // contains bound or state nodes that no fold inside binds, or variables
  std::vector<int> free_heights;  // of those bound and state nodes, increasing
  bool has_variables = false;
};

// Structural order, the same in every run. 0 when equal.
int compare_terms(Term a, Term b);
struct TermLess {
  bool operator()(Term a, Term b) const { return compare_terms(a, b) < 0; }
};

using hallmark::floor_div;  // the integer overload stays visible beside the term below

// --- Index terms ---
Term integer(const Integer& value);
inline Term integer(long value) {
  return integer(Integer(value));
}
Term symbol(std::string_view name);
Term axis(int number);
Term variable(std::string_view name, Sort sort = Sort::index());
Term fresh_variable(std::string_view hint, Sort sort = Sort::index());
Term add(Term a, Term b);
Term add(const std::vector<Term>& terms);
Term subtract(Term a, Term b);
Term multiply(Term a, Term b);
Term scale(const Integer& factor, Term a);
Term floor_div(Term a, Term b);
Term ceil_div(Term a, Term b);  // floor_div(a + b - 1, b)
Term mod(Term a, Term b);
Term index_min(Term a, Term b);
Term index_max(Term a, Term b);
Term index_select(Term condition, Term a, Term b);
Term to_index(Term element);
// The value when the term is an integer.
const Integer* as_integer(Term a);
// The terms of a polynomial view of any index term: coefficient and monomial (monomial = nullptr for the
// constant).
struct Monomial {
  Integer coefficient;
  Term product;  // nullptr: 1
};
std::vector<Monomial> monomials(Term a);
Integer constant_part(Term a);
// coefficient of `atom` in `a` when `a` is affine in it, and the remainder; false when it is not.
bool affine_in(Term a, Term atom, Term& coefficient, Term& rest);

// --- Bool terms ---
Term truth(bool value);
Term less(Term a, Term b);     // index
Term at_most(Term a, Term b);  // index
Term equal(Term a, Term b);    // index
Term conjunction(const std::vector<Term>& parts);
Term disjunction(const std::vector<Term>& parts);
Term negation(Term a);
inline Term both(Term a, Term b) {
  return conjunction({a, b});
}
inline Term either(Term a, Term b) {
  return disjunction({a, b});
}
Term compare(Op op, Term a, Term b);  // lt, le, eq on elements
Term is_nan(Term a);
Term in_range(Term index, Term extent);  // 0 <= index < extent

// --- Elements ---
Term real_constant(const Rational& value);
Term int_constant(Format format, const Integer& value);
Term float_constant(Format format, std::uint64_t bits);
Term extreme(int sign);
Term load(std::string_view tensor, const std::vector<Term>& indices, Sort sort);
Term operation(Op op, const std::vector<Term>& arguments, Sort sort, Rounding rounding = Rounding::none,
               bool ftz = false);
Term custom_operation(std::string_view name, const std::vector<Term>& arguments, Sort sort);
Term select(Term condition, Term a, Term b);
Term from_index(Term index, Sort sort);
Term cast(Term element, Sort sort, Format format);
// Sugar over operation(): sort and rounding (nearest) from the first argument.
Term apply(Op op, const std::vector<Term>& arguments);

// --- Folds ---
// fold(variable < extent where guard; state_j = init_j; step_j) in increasing order of the variable, steps
// whose guard is false being skipped. `variable` and `states` are free variables (see variable()); step_j and
// guard may mention the variable; step_j may mention all states. combine_j, if given, mention states (left)
// and right_states.
struct FoldParts {
  Term variable = nullptr;
  Term extent = nullptr;
  Term guard = nullptr;  // nullptr: true
  std::vector<Term> states, init, step;
  std::vector<Term> right_states, combine;  // empty: none
  const Order* order = nullptr;             // nullptr: any
};
Term fold(const FoldParts& parts, int which = 0);
// Takes a fold apart with fresh free variables.
FoldParts open(Term fold);
// The other component of the same fold.
Term component(Term fold, int which);
// sum(k < n where guard) body and its kin as folds. `k` is a free variable. max, min: start from extreme().
Term sum(Term k, Term n, Term body, Term guard = nullptr);
Term reduce(Op op, Term init, Term k, Term n, Term body, Term guard = nullptr);

// --- Substitution ---
using Substitution = std::unordered_map<Term, Term>;
// Replaces leaves (axis, symbol, variable, or any closed term) simultaneously, without capture.
Term substitute(Term a, const Substitution& map);
// Replaces axis(d) by indices[d].
Term instantiate(Term body, const std::vector<Term>& indices);
// Rebuilds bottom-up: `visit` gets each node with already rebuilt children and returns its replacement (or
// the node itself).
Term rewrite(Term a, const std::function<Term(Term)>& visit);
// Calls `visit` once for every node of the DAG, children first.
void for_each_node(Term a, const std::function<void(Term)>& visit);
// Rebuilds a node of the same kind over other children through its smart constructor. Not for folds.
Term rebuild(Term a, const std::vector<Term>& children);

// Number of distinct interned nodes so far; a measure of memory.
std::size_t interned_nodes();

}  // namespace hallmark::calculus
