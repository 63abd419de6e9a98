// Ranges of index terms, over those of the symbols, of a definition's axes and of the variables of folds.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "boxes/rational_interval.h"
#include "calculus/program.h"

namespace hallmark::boxes {

// Thrown where something cannot be shown; says why. Never a verdict.
struct NotShown {
  std::string why;
};
[[noreturn]] void give_up(const std::string& why);

// Steps of a fold, those of folds in its steps that go on with its state counted in.
struct Steps {
  Rational most;
  bool never_empty = false;  // there is a first step, whatever the guards
  std::vector<calculus::Term> guards;
};
// Without an order, or in sequence: one value goes through all steps.
bool in_one_lane(const calculus::Order* order);

class IndexRanges {
 public:
  IndexRanges(const std::vector<calculus::SymbolRange>& symbols, const calculus::Definition& definition);
  // From 0 to the extent less 1.
  void bind(calculus::Term variable, calculus::Term extent);
  // Throws NotShown for one without an upper bound.
  Range range(calculus::Term index);
  // Binds the variables of the fold. Where its step is a fold in sequence that starts from its state ("s1 =
  // s"), as the sums of a convolution are nested, that one's states and step are put in the place of its own.
  Steps steps_of(calculus::FoldParts& parts);
  // Throws NotShown unless no element is computed on the way to the index and every divisor is at least 1.
  void plain(calculus::Term index);

 private:
  std::map<calculus::Term, Range> known_;
};

}  // namespace hallmark::boxes
