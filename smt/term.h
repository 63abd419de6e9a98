// SMT terms: an immutable DAG, hash-consed in an Arena. Equal structure is the same node, so == on Term is
// structural equality. A Term is a pointer and is valid as long as its arena. Building terms in one arena is
// for one thread at a time; reading them is for any number.
//
// The constructors fold constants and drop neutral elements and duplicate conjuncts; they do nothing
// cleverer, so that the printed query stays recognisable. They check sorts and throw InternalError for
// ill-sorted applications.
//
// Integer `div` and `mod` are those of SMT-LIB: for y != 0, x = y * div(x, y) + mod(x, y) and
// 0 <= mod(x, y) < |y| (Euclid). For y > 0 this is floor division. SMT-LIB leaves division by zero to the
// solver (an arbitrary function); `total_floor_div` gives the total model of the design (0, remainder x).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/integer.h"
#include "smt/sort.h"

namespace hallmark::smt {

enum class Op : unsigned char {
  constant,  // of any sort but uninterpreted: value()
  apply,     // function()(args); a variable is an application without arguments
  negation,
  conjunction,
  disjunction,
  implication,
  ite,
  equal,
  distinct,
  add,
  multiply,
  negate,
  divide,  // reals
  div,
  mod,
  less,
  less_equal,
  to_real,
  to_integer,  // floor
  bv_add,
  bv_multiply,
  bv_negate,
  bv_and,
  bv_or,
  bv_xor,
  bv_not,
  bv_shift_left,
  bv_shift_right,             // logical
  bv_shift_right_arithmetic,  // amounts at or above the width give 0 or all sign bits
  bv_unsigned_divide,         // x / 0 is all ones (SMT-LIB)
  bv_unsigned_remainder,      // x % 0 is x (SMT-LIB)
  bv_unsigned_less,
  bv_unsigned_less_equal,
  bv_signed_less,
  bv_signed_less_equal,
  bv_concat,
  bv_extract,      // first() = high bit, second() = low bit
  bv_zero_extend,  // first() = number of bits added
  bv_sign_extend,  // first() = number of bits added
  bv_to_natural,   // unsigned value as Int; conversions are slow in both solvers
  integer_to_bv,   // modulo 2^width
};

// A symbol with its signature. One arena has at most one signature for a name.
struct Function {
  std::string name;  // any text; printing escapes it
  std::vector<Sort> domain;
  Sort range;
};

class Arena;
struct Node;

class Term {
 public:
  Term() = default;  // null: only for default construction, every operation on it is an error
  explicit Term(const Node* node) : node_(node) {}
  explicit operator bool() const { return node_ != nullptr; }
  Op op() const;
  Sort sort() const;
  const std::vector<Term>& args() const;
  const Function* function() const;  // Op::apply
  // Op::constant: Bool as 0 and 1, bit vectors as their unsigned value.
  const Rational& value() const;
  unsigned first() const;
  unsigned second() const;
  // 0, 1, 2, ... in order of creation within the arena; arguments come before what uses them.
  std::size_t number() const;
  Arena& arena() const;
  bool is_constant() const { return op() == Op::constant; }
  bool is_variable() const { return op() == Op::apply && args().empty(); }
  bool is_true() const;
  bool is_false() const;
  const Node* node() const { return node_; }
  bool operator==(const Term&) const = default;

 private:
  const Node* node_ = nullptr;
};

class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Symbols. Throw InternalError when the name already has another signature.
  const Function* declare(const std::string& name, std::vector<Sort> domain, Sort range);
  Term variable(const std::string& name, Sort sort);
  Term integer_variable(const std::string& name) { return variable(name, Sort::integer()); }
  // A variable whose name is `stem` or, when that is taken, `stem.1`, `stem.2`, ...
  Term fresh(const std::string& stem, Sort sort);
  Term apply(const Function* function, std::vector<Term> args);

  // Constants.
  Term boolean(bool value);
  Term integer(const Integer& value);
  Term integer(long value) { return integer(Integer(value)); }
  Term real(const Rational& value);
  Term bit_vector(const Integer& value, unsigned width);  // modulo 2^width

  // n-ary operations. Conjunction of nothing is true, disjunction of nothing false; sum and product need an
  // argument.
  Term conjunction(std::vector<Term> args);
  Term disjunction(std::vector<Term> args);
  Term distinct(std::vector<Term> args);  // pairwise
  Term sum(std::vector<Term> args);
  Term product(std::vector<Term> args);

  // Any operation, from its parts; what the functions below and substitution call. Simplifies as they do.
  Term make(Op op, std::vector<Term> args, unsigned first = 0, unsigned second = 0);

  std::size_t size() const;  // number of nodes

 private:
  friend class Term;
  struct Tables;
  Term intern(Op op, Sort sort, std::vector<Term> args, const Function* function, Rational value,
              unsigned first, unsigned second);
  Term simplify(Op op, std::vector<Term>& args, unsigned first, unsigned second);
  Term fold_constants(Op op, const std::vector<Term>& args, unsigned first, unsigned second);
  std::unique_ptr<Tables> tables_;
};

// Bool. `equal` is for every sort (also Bool: if and only if); Int and Real do not mix.
Term negation(Term);
Term conjunction(Term, Term);
Term disjunction(Term, Term);
Term implication(Term, Term);
Term ite(Term condition, Term yes, Term no);
Term equal(Term, Term);
Term not_equal(Term, Term);

// Int and Real; both sides of one sort.
Term add(Term, Term);
Term subtract(Term, Term);
Term negate(Term);
Term multiply(Term, Term);
Term divide(Term, Term);  // Real; division by zero is left to the solver
Term less(Term, Term);
Term less_equal(Term, Term);
Term greater(Term, Term);
Term greater_equal(Term, Term);
Term to_real(Term);
Term to_integer(Term);  // floor

// Int: SMT-LIB's Euclidean division, see above.
Term div(Term, Term);
Term mod(Term, Term);
// Floor division where the caller has a hypothesis divisor > 0 (then Euclid = floor). For a constant divisor
// that is not positive: InternalError.
Term floor_div(Term, Term positive_divisor);
Term floor_mod(Term, Term positive_divisor);
// For every divisor: floor((x)/(y)), 0 for y = 0; and x - y * that.
Term total_floor_div(Term, Term);
Term total_floor_mod(Term, Term);

// Comparisons and sums with a literal.
Term add(Term, long);
Term multiply(long, Term);
Term equal(Term, long);
Term less(Term, long);
Term less_equal(Term, long);
Term greater_equal(Term, long);
Term in_range(Term x, Term low, Term high);  // low <= x and x < high

// Bit vectors, by Op; both sides of one width.
Term bv(Op op, Term);
Term bv(Op op, Term, Term);
Term bv_subtract(Term, Term);
Term bv_extract(Term, unsigned high, unsigned low);
Term bv_extend(Term, unsigned added_bits, bool is_signed);
Term integer_to_bv(Term, unsigned width);

}  // namespace hallmark::smt

template <>
struct std::hash<hallmark::smt::Term> {
  std::size_t operator()(hallmark::smt::Term t) const { return std::hash<const void*>{}(t.node()); }
};
