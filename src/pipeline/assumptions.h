// What is trusted and not proved: listed in every receipt (design, section 1; soundness D7).
#pragma once
#include <optional>
#include <vector>

#include "bundle/receipt.h"
#include "pipeline/evidence.h"

namespace hallmark::pipeline {

std::vector<bundle::Assumption> assumptions_of(const Evidence& evidence,
                                               const std::vector<std::string>& of_import);
// What an assumption that an outcome names says, and where it comes from; nothing for one that is another
// obligation of the same list.
std::optional<bundle::Assumption> named_assumption(const std::string& id);
// Those that proofs name and the list has not, by their ids.
void add_named(std::vector<bundle::Assumption>& to, const std::vector<Obligation>& obligations);
// "x in [-1, 1]" for each input whose box nobody stated.
std::vector<std::string> default_boxes_of(const contract::Contract& contract);
// The stated choices of the design's section 7 with their values, and by their SHA-256 what decides beside
// the files of the bundle: nvcc, and the tables of accuracy.
inline constexpr const char* accuracy_tables = "accuracy-tables-sha256";
std::map<std::string, std::string> settings_of(const Evidence& evidence);

}  // namespace hallmark::pipeline
