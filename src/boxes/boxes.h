// Certificates of interval proofs: for each definition a box that encloses its elements. They show that, for
// every input of the contract, every operation of a definition is inside its domain (`defined`) and, where
// the program is a formulation, gives neither an infinity nor a NaN (`range`).
//
// Checked by induction along the program: over the boxes of what a definition reads, the range of its term is
// inside its own box. The arithmetic is exact (rational_interval.h); nothing of the prover in numerics/ is
// used, and a certificate says nothing that is not computed again.
//
// A step is a line "NAME LOW HIGH", rationals in lowest terms, in the order of the definitions up to the one
// that is claimed. After "by INPUT CUT ..", once or twice, the range of the definition is computed over each
// part of the input's box between two cuts (parts.h), and every one of these is inside the definition's box.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "boxes/parts.h"
#include "boxes/term_range.h"
#include "calculus/program.h"
#include "contract/contract.h"

namespace hallmark::boxes {

// Of one program; what was computed for one claim serves the next.
class Boxes {
 public:
  Boxes(const calculus::Program& program, const contract::Contract& contract);
  // A sentence that says why the steps do not show it, or nothing when they do. Never throws for what they
  // hold.
  std::string check(const std::string& definition, const std::vector<std::string>& steps);
  // Steps that check, or nothing: a missing certificate means nothing.
  std::optional<std::vector<std::string>> find(const std::string& definition);

 private:
  struct Step {
    std::string name;
    Range box;
    Cuts cuts{};
  };
  static Step parse(const std::string& line);
  Range range_by_parts(const calculus::Definition& d, Ranges& known, std::vector<Step>& steps);
  // The box of one step over parts, where the reader reads it and that makes it narrower.
  void narrow(const calculus::Definition& reader, Ranges& known, Step& step, long parts);
  Range range_of(const calculus::Definition& definition, const Ranges& known);

  const calculus::Program& program_;
  Ranges given_;             // of inputs and constants
  std::string why_nothing_;  // nothing is shown of any definition
  std::map<std::string, Range> computed_;
};

}  // namespace hallmark::boxes
