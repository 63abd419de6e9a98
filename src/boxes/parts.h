// Boxes that a single evaluation is too wide for: the box of an input is cut into parts, and the elements of
// a definition are computed over each. That takes a definition each of whose elements depends on one element
// of the input (what it reads put in its place, and no fold): the element is in one of the parts.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "boxes/term_error.h"
#include "boxes/term_range.h"

namespace hallmark::boxes {

// Where the box of an input is cut, increasing and inside the box: the parts between them cover it.
using Cuts = std::map<std::string, std::vector<Rational>>;

// The hull of the definition's range over every combination of parts. Throws NotShown where it is not over
// single elements of these inputs, where cuts are not as described, or for an operation that is not inside
// its domain on some part.
Range range_over_parts(const calculus::Program& program, const calculus::Definition& definition,
                       const Ranges& tensors, const Cuts& cuts);

// The same for the distance of computed from exact elements: the hulls of both, and the greatest of the
// errors that the parts have. A definition of which an encoding stands for another number than in the one
// that reads it is not put in its place.
Approximation error_over_parts(const calculus::Program& program, const calculus::Definition& definition,
                               const std::vector<ExactConstant>& constants, const Approximations& tensors,
                               const Cuts& cuts);

// Cuts into that many parts, or into fewer of two inputs, of what the definition reads more than once;
// nothing where there is no such input. Adds the operations that looking at the parts takes.
std::optional<Cuts> propose_cuts(const calculus::Program& program, const calculus::Definition& definition,
                                 const std::vector<ExactConstant>& constants, const Ranges& tensors,
                                 long parts, std::size_t& work);

// "by x 1/2 3/4 by w 0", with a space before; empty for no cuts.
std::string text(const Cuts& cuts);
// Throws NotShown for a text that says none.
Cuts parse_cuts(const std::string& text);

}  // namespace hallmark::boxes
