// The program that shows what is wrong with a rule or a rewrite step: both sides in C++, computed on the
// tensors of the witness. Nothing of this program is needed to compile or run it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "obligation/obligation.h"
#include "rules/rule.h"

namespace hallmark::pipeline {

// A tensor of the witness: its values as they are written, "3/2", row-major.
struct RuleTensor {
  std::string name;
  calculus::Format format{};
  std::vector<long> extents;
  std::vector<std::string> values;
};
// What the bindings of a witness say of the tensors of this rule; nothing when they are of another instance.
std::optional<std::vector<RuleTensor>> rule_tensors(const rules::Rule& rule, const Witness& witness);

// Reals are computed as long double with the conventions of the total model (x / 0 = 0), integers modulo
// their width. Exit status 0 when the sides differ in shape, in an element by more than rounding, or one of
// them reads outside a tensor; 1 when they do not. Nothing, with the reason, when the witness is of none of
// these instances or a side uses an operation without a counterpart.
std::optional<std::string> rule_program(const std::vector<rules::Rule>& instances, const Obligation& o,
                                        std::string& why_not);

// Writes reproduce.cpp, tensors/NAME.npy (reals as f64), statement.txt with the rule as it is written,
// witness.json and README.txt into `folder` (new or empty). Throws UserError E7405 when it is not empty,
// E0002.
void write_rule_reproducer(const std::vector<rules::Rule>& instances, const Obligation& o,
                           const std::string& folder);
// The files of it, by path; README.txt says why there is no program where there is none.
std::vector<std::pair<std::string, std::string>> rule_reproducer_files(
    const std::vector<rules::Rule>& instances, const Obligation& o);

// NumPy's format 1.0, row-major, little-endian: `bits` of elements of this format.
std::string npy_file(calculus::Format format, const std::string& shape,
                     const std::vector<std::uint64_t>& bits);

}  // namespace hallmark::pipeline
