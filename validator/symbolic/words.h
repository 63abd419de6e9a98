// Numbers in machine words: to_index(from_index(p)) is p reduced to its format.
#pragma once
#include "calculus/term.h"

namespace hallmark::validator {

// p of to_index(from_index(p)) for an integer format; nullptr for every other term.
calculus::Term number_in_word(calculus::Term term);
// What a word of the format makes of a number, and the same as a polynomial with a floor division.
Integer in_word(const Integer& number, calculus::Format format);
calculus::Term in_word(calculus::Term number, calculus::Format format);

}  // namespace hallmark::validator
