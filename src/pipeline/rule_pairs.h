// The matched sums of rules and rewrite steps, for certificates of kind "bijection" (pairs/pairs.h): what the
// certificate is about, and the maps that the rule prover would guess. That they are right is shown by
// pairs/.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pairs/pairs.h"
#include "rules/rule_text.h"

namespace hallmark::pipeline {

// The instances that the proof of a rule rests on; of a single rule or step itself. Throws pairs::NotShown
// for one about unbounded integers.
std::vector<pairs::Sides> sides_of(const rules::RuleFamily& family);
pairs::Sides sides_of(const rules::Rule& rule);

// Whether a proof of this strength claims no more than equality over the reals or over integers.
bool is_of_sums(const std::string& strength);

// Steps that check, or nothing.
std::optional<std::vector<std::string>> find_pairs(const std::vector<pairs::Sides>& instances);

}  // namespace hallmark::pipeline
