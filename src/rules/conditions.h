// What a rule's conditions do: whether each is needed, and which one a refuted rule lacks.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rules/prove_rule.h"

namespace hallmark::rules {

enum class Need {
  needed,     // without it an executed instance differs
  redundant,  // without it the rule is proved all the same
  undecided,  // neither
};

struct ConditionReport {
  std::string text;  // as written: "require s <= e"
  Need need = Need::undecided;
  std::optional<Witness> witness;  // needed: the instance
};

// The rule with one axis for each of its classes.
const Rule& instance_with_one_axis_each(const RuleFamily& family);

// Bounds of sizes are as many questions again as all other conditions.
enum class Examined { conjuncts, all };

// Each conjunct of each `require` and `given` of the rule, in order, then with `all` each bound of a size
// that is not the one of every size, looked at in the instance with one axis for each class.
std::vector<ConditionReport> examine_conditions(const RuleFamily& family, smt::Portfolio& portfolio,
                                                Examined examined = Examined::all);

// Single conditions with which a refuted rule is proved: equations and orders of two sizes, bounds of one,
// signs of one tensor's elements. Those that leave fewer than ten instances to execute are no suggestions. At
// most `most`, in a fixed order.
std::vector<std::string> suggest_conditions(const RuleFamily& family, smt::Portfolio& portfolio,
                                            std::size_t most = 3);

}  // namespace hallmark::rules
