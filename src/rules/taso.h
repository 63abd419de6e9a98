// The substitutions that TASO (Jia et al., SOSP 2019) generates, as rules of ours. Its file is a protocol
// buffer (package GraphSubst, proto2) without shapes: the ranks of free inputs follow from the operators that
// read them, and the extents by unification. What both sides need beyond what the source side alone needs is
// a condition that the file leaves out; those are written into the rule and listed.
//
// Operators: convolution (SAME or VALID padding, strides, groups = input channels / weight channels), relu,
// add and mul of equal shapes, matrix product, concat, split (where the tensor was joined).
#pragma once
#include <string>
#include <vector>

#include "rules/rule_text.h"

namespace hallmark::rules {

struct ImportedRule {
  std::string name;                     // taso/017, or taso/017.1 for the second output of a rule with two
  std::vector<std::string> conditions;  // shape conditions that the file leaves out: "d4 = d7"
  // As rule text, one for each choice of groups (1 or 2 for each convolution), the plain one first; empty
  // when the operators do not fit together for any extents, with the reason in `failure`.
  std::vector<std::string> texts;
  std::string failure;
};

// Throws UserError E2120 when the bytes are not such a file.
std::vector<ImportedRule> import_taso(const std::string& bytes, const std::string& file);

}  // namespace hallmark::rules
