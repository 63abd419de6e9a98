// What to change when an obligation of a kernel is refuted: one sentence for whoever wrote it, from the kind
// of the obligation and the line of its witness. A hint is advice and no part of any verdict.
#pragma once
#include <string>
#include <vector>

#include "obligation/obligation.h"

namespace hallmark::pipeline {

// Empty where there is nothing to say.
std::string hint(const Obligation& obligation);
// Appends "hint: ..." to the details of what is refuted.
void add_hints(std::vector<Obligation>& obligations);

}  // namespace hallmark::pipeline
