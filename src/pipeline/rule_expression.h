// Exact terms of the calculus as expressions of C++ over the small prelude of rule_program.cpp.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "calculus/term.h"

namespace hallmark::pipeline {

// An identifier: PREFIX_ and the name with what C++ does not allow replaced by its code.
std::string cpp_name(const std::string& prefix, std::string_view name);

// Axes are i0, i1, ...; symbols and tensors carry the prefixes s and t. Throws Refusal E7406 for what has no
// counterpart: floats with roundings, unknown operations.
class RuleExpression {
 public:
  std::string index(calculus::Term term);
  std::string condition(calculus::Term term);
  std::string element(calculus::Term term);

 private:
  std::string fold(calculus::Term term);
  std::string operation(calculus::Term term);
  std::string list(calculus::Term term, const char* between,
                   std::string (RuleExpression::*part)(calculus::Term));
  std::map<calculus::Term, std::string> variables_;
  int next_ = 0;
};

}  // namespace hallmark::pipeline
