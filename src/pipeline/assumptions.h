// What is trusted and not proved: listed in every receipt (design, section 1; soundness D7).
#pragma once
#include <vector>

#include "bundle/receipt.h"
#include "pipeline/evidence.h"

namespace hallmark::pipeline {

std::vector<bundle::Assumption> assumptions_of(const Evidence& evidence,
                                               const std::vector<std::string>& of_import);
// "x in [-1, 1]" for each input whose box nobody stated.
std::vector<std::string> default_boxes_of(const contract::Contract& contract);
// The stated choices of the design's section 7 with their values.
std::map<std::string, std::string> settings_of(const Evidence& evidence);

}  // namespace hallmark::pipeline
