// The rules of a library for a reader: Markdown, one section a family of names, one entry a rule.
#pragma once
#include <string>
#include <vector>

#include "rules/rule_text.h"

namespace hallmark::rules {

// In the order of the names; the same text for the same rules. Each entry: name, source, sizes and ranks for
// which it is claimed, the statement as written, and its digest, which is the one that proofs and steps name.
// Says nothing of verdicts, which `rules prove` gives.
std::string reference(const std::vector<RuleFamily>& families);

}  // namespace hallmark::rules
