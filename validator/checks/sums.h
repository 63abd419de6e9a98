// Equality up to the order in which a commutative sum, maximum or minimum is taken: integers modulo 2^w, and
// reals with the roundings of float operations erased.
//
// Both sides are flattened into summands: coefficient * product of atoms, over ranges of variables, under
// guards. Summands that differ in constants in arithmetic progression (lanes, unrolled steps) become one over
// a further variable. The two lists are equal when there is a bijection between their points that keeps the
// summand: for each summand j of one side a map g_j into the points of the other, with a left inverse h, such
// that every point of the other side is g_j(h(point)) for exactly one j (for maxima: at least one). Maps come
// from inverting the index of a load and are guesses; each of these facts is a claim of the prover.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "validator/checks/defined.h"
#include "validator/symbolic/arithmetic.h"

namespace hallmark::validator {

struct Summand {
  std::vector<std::pair<calculus::Term, calculus::Term>> ranges;  // variable, extent; outer ones first
  std::vector<calculus::Term> guards;
  Rational coefficient = 1;
  std::vector<calculus::Term> factors;
};

// By what lanes that become one range may be apart: integer constants, or any numbers.
enum class Steps { constants, any };

class SumMatcher {
 public:
  // `everywhere`: what holds at all the places where values are compared, if there are several. What is shown
  // of closed terms by it alone is not shown again.
  explicit SumMatcher(Prover& prover, Scope everywhere = nullptr)
      : prover_(prover), defined_(prover), everywhere_(std::move(everywhere)) {}
  // Index terms, equal modulo 2^width; width 0: equal.
  bool integers(calculus::Term kernel, calculus::Term spec, unsigned width, const Scope& scope);
  // Elements as reals: roundings and formats erased, x/0 = 0, functions by their names. Of the kernel
  // whatever disappears on the way has a value (defined.h) or stands in the specification as well, so that
  // the kernel has a value wherever the specification has one.
  bool reals(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  const std::string& failure() const { return failure_; }
  const std::set<std::string>& rules() const { return rules_; }
  void take_rules(const SumMatcher& other) { rules_.insert(other.rules_.begin(), other.rules_.end()); }

 private:
  using List = std::vector<Summand>;
  enum class Extremum { none, maximum, minimum };
  // Appends context * term to the list.
  void flatten(calculus::Term term, const Summand& context, const Scope& scope, List& out);
  void flatten_integer(calculus::Term term, const Summand& context, const Scope& scope, List& out);
  bool flatten_fold(calculus::Term fold, const Summand& context, const Scope& scope, List& out);
  bool flatten_rescaled(calculus::Term fold, const Summand& context, const Scope& scope, List& out);
  bool flatten_running(calculus::Term fold, const Summand& context, const Scope& scope, List& out);
  bool starts_finite(const calculus::FoldParts& parts, std::size_t state, const Scope& scope);
  calculus::Term averaged(const calculus::FoldParts& parts, std::size_t state, const Scope& scope);
  bool same_step(calculus::Term a, calculus::Term b, const Scope& scope);
  std::optional<List> take_exponential(std::vector<calculus::Term>& factors, calculus::Term next,
                                       const Scope& scope, calculus::Term& taken);
  bool stays_closed(calculus::Term term) const;
  void divide(Summand& summand, calculus::Term below, const Scope& scope);
  void take_factors(calculus::Term term, Summand& context, const Scope& scope,
                    std::vector<calculus::Term>& above);
  void flatten_product(const std::vector<calculus::Term>& factors, const Summand& context, const Scope& scope,
                       List& out);
  void flatten_extremum(calculus::Term term, Extremum which, const Summand& context, const Scope& scope,
                        List& out);
  bool take_state(List& step, calculus::Term state, const Scope& scope);
  std::string name(const char* side) const;
  static Scope inside(const Scope& scope, const Summand& summand);
  // Whether the summand may be left out where its coefficient is 0.
  bool may_vanish(const Summand& summand, const Scope& scope);
  // Whether the summand, one of several that stand for a product with `context`, has a point wherever the
  // context has one.
  bool always_there(const Summand& summand, const Summand& context, const Scope& scope);
  calculus::FoldParts opened(calculus::Term fold);
  List merged(const List& list, bool same_ranges, Steps steps = Steps::constants) const;
  // `together`: lanes of a long sum become ranges before any of them is asked whether it is empty. Parts of
  // lanes that are empty may have to cancel first, so that this is a first attempt.
  void clean(List& list, const Scope& scope, bool idempotent = false, bool together = false);
  static bool has_many(const List& list);
  bool match_sums(const List& kernel, const List& spec, const Scope& scope);
  void add_like_terms(List& list, bool idempotent, const Scope& scope);
  void reduce_coefficient(Summand& summand) const;
  static void join_opposites(List& list);
  bool weigh(List& list, const Scope& scope);
  void drop_implied_guards(List& list, const Scope& scope);
  bool match(List kernel, List spec, const Scope& scope, bool idempotent);
  // Every summand 0 * .. of the kernel, which may have no value, is one of the specification.
  bool covers_poles(const List& kernel, const List& spec, const Scope& scope);
  bool match_one_way(const List& kernel, const List& spec, const Scope& scope, bool idempotent);
  struct Map {
    std::size_t from = 0;                // summand of the kernel
    calculus::Substitution there, back;  // spec variable over the kernel's; kernel variable over the spec's
  };
  std::optional<Map> map_between(const Summand& kernel, const Summand& spec, const Scope& scope,
                                 const std::vector<Map>& known);
  bool same_factors(std::vector<calculus::Term> kernel, std::vector<calculus::Term> spec, const Scope& scope);
  // Whether flattening takes the term apart.
  bool opens(calculus::Term term, const Scope& scope);
  bool same_atom(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  bool equal_atoms(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  bool same_condition(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  static Extremum extremum_of(calculus::Term term);
  static Extremum common_extremum(calculus::Term a, calculus::Term b);
  void drop_bounds(List& kernel, List& spec, Extremum which, const Scope& scope);
  bool compare_reals(calculus::Term kernel, calculus::Term spec, const Scope& scope);
  bool fail(const std::string& why);

  Prover& prover_;
  bool integers_ = true;
  unsigned width_ = 0;
  std::set<std::string> rules_;
  std::string failure_;
  // No product of long sums is multiplied out where it need not be. Inside the step of a fold, and where the
  // whole is seen at one point of a sum, a closed part that is a sum itself (a mean inside a variance) stays
  // one factor (closed); so does, first of all, a factor that is a sum with such a part (products). What is
  // kept makes the comparison fail at worst, and then more is taken apart.
  enum class Keep { nothing, closed, products };
  Keep keep_ = Keep::nothing;
  bool in_step_ = false, at_point_ = false, kept_ = false;
  bool swapped_ = false;       // what is called the kernel's is the specification's
  bool neutral_seen_ = false;  // an infinity or the start of an extremum was left out
  DefinedReal defined_;
  int depth_ = 0;
  long steps_ = 0;
  Scope outermost_;  // of the comparison as a whole
  int showing_ = 0;  // pairs of closed terms that are being compared
  struct Shown {
    bool holds = false;
    std::size_t position = 0;  // of its claims in the log when they were last seen there
    std::vector<Claim> claims;
  };
  // With swapped_: which of the two is the kernel's matters to what may have no value.
  using Pairs = std::map<std::tuple<calculus::Term, calculus::Term, bool>, Shown>;
  bool shown(Pairs& pairs, calculus::Term kernel, calculus::Term spec, const Scope& scope);
  Scope everywhere_;
  Pairs shown_;             // pairs of closed terms, under outermost_
  Pairs shown_everywhere_;  // under everywhere_
};

// Whether a condition compares floats, of which solvers know nothing.
bool compares_floats(calculus::Term condition);
bool has_fold(calculus::Term term);

}  // namespace hallmark::validator
