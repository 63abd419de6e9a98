// Folds that keep their state in some steps and forget it in others, written otherwise. Whatever the elements
// are, the same is computed, so that this holds bit for bit.
#pragma once
#include "calculus/term.h"

namespace hallmark::rules {

//   fold(k < n where g; s = a -> if c then t else s)  =  fold(k < n where g and c; s = a -> t)
//   fold(k < n where g; s = a -> t)                   =  if any(k < n where g) true then t else a,
//                                                        t mentioning neither k nor s
// with g and c that do not mention s. Law SETTLE: by induction on n; a step that keeps the state is none, and
// of steps that all give t the last one counts if there is one. It is what a scatter of one value to indices
// of which some are equal computes.
calculus::Term settled(calculus::Term term);

}  // namespace hallmark::rules
