// Makes a specification's values comparable with what symbolic execution yields: the same term may be written
// in several ways, and one of them is chosen here. Every step keeps the value for every input.
#pragma once
#include "plan/kernel_spec.h"

namespace hallmark::validator {

// load(b, [i, j]) becomes load(b, [i * N + j]); functions are expanded; 1/x is the reciprocal; an integer
// that becomes a float goes through its number. Orders other than seq stay.
calculus::Term prepare_value(const plan::KernelSpec& spec, calculus::Term value);
// The index of an element in its buffer, row by row.
calculus::Term flatten(const plan::Buffer& buffer, const std::vector<calculus::Term>& indices);
const plan::Buffer& buffer_of(const plan::KernelSpec& spec, const std::string& name);
// An Int element as an unbounded integer that is right modulo 2^w.
calculus::Term integer_reading(calculus::Term element);

// A fold with an order other than seq written out as leaves and combinations (term.h says what the orders
// mean). Throws Refusal E4010 when lanes are not a constant or there is no way to combine two states.
calculus::Term expand_order(calculus::Term fold);

}  // namespace hallmark::validator
