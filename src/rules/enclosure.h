// Enclosures of what definitions compute on given contents, in the total model of the reals: a difference
// that was seen in doubles is one only where the two enclosures have nothing in common. A comparison that the
// enclosures of its operands do not decide, and whatever depends on it, has no value here.
//
// Every real is an interval with outward rounding (numerics/interval.h), every conversion to a narrower
// format the interval between the rounded ends, every integer, index and truth value exact.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "calculus/program.h"
#include "evaluator/evaluator.h"
#include "numerics/interval.h"

namespace hallmark::rules {

struct Enclosed {
  enum class Kind {
    whole,      // an integer, index or truth value
    real,       // inside the interval
    extreme,    // the start of a maximum (whole = -1) or minimum (+1) over a range
    undefined,  // outside the domain of an operation: fixed and unknown in the total model
    undecided   // not known here
  } kind = Kind::undecided;
  std::int64_t whole = 0;
  numerics::Interval real{};

  bool has_value() const { return kind == Kind::whole || kind == Kind::real; }
};

// Certainly different numbers.
bool certainly_differ(const Enclosed& a, const Enclosed& b);

class Enclosure {
 public:
  // Without custom operations (calculus::expand_functions). All must outlive this.
  // `most_steps`: terms visited in all; beyond, nothing is decided.
  Enclosure(const std::vector<calculus::Definition>& definitions, const evaluator::Symbols& symbols,
            const evaluator::Tensors& inputs, long most_steps = 400'000);

  // An element of an input or definition, undecided outside of it. Throws InternalError for an unknown name.
  Enclosed element(const std::string& tensor, const std::vector<std::int64_t>& at);
  // A closed term with axis(d) = axes[d].
  Enclosed value(calculus::Term term, const std::vector<std::int64_t>& axes);
  // Whether a read outside its tensor was certainly made so far.
  bool read_outside() const { return read_outside_; }
  // Whether something is undecided because there were too many steps.
  bool exhausted() const { return steps_ > most_steps_; }

 private:
  struct Frame {
    const std::vector<std::int64_t>* axes;
    std::unordered_map<calculus::Term, Enclosed> variables;
  };
  Enclosed run(calculus::Term term, Frame& frame);
  // Nothing where one of them is no whole number that is known.
  std::optional<std::vector<std::int64_t>> whole_children(calculus::Term term, Frame& frame);
  Enclosed index_value(calculus::Term term, Frame& frame);
  Enclosed connective(calculus::Term term, Frame& frame);
  Enclosed comparison(calculus::Term term, Frame& frame);
  Enclosed load_value(calculus::Term term, Frame& frame);
  Enclosed fold_value(calculus::Term term, Frame& frame);
  Enclosed operation_value(calculus::Term term, Frame& frame);

  const std::vector<calculus::Definition>& definitions_;
  const evaluator::Symbols& symbols_;
  const evaluator::Tensors& inputs_;
  std::map<std::pair<std::string, std::int64_t>, Enclosed> known_;
  std::unordered_map<calculus::Term, calculus::FoldParts> opened_;
  long steps_ = 0, most_steps_;
  bool read_outside_ = false;
};

}  // namespace hallmark::rules
