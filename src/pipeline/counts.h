// How many constructs of each sort the validator's reader found in a kernel of PTX, under the scanner's keys
// ("load global", "barrier"): audit compares them with what the scanner counts in the text.
#pragma once
#include <map>
#include <string>

#include "validator/ir/kernel.h"

namespace hallmark::pipeline {

// Memory accesses by space, barriers, and instructions that talk to other lanes. Loops, constants and calls
// have no count of their own in the IR: loops are a property of its graph, constants are shared, calls are
// inlined.
std::map<std::string, std::size_t> construct_counts(const validator::ir::Kernel& kernel);

}  // namespace hallmark::pipeline
