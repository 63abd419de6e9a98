// Lines of a rule file, before they are read as terms, and terms as lines again.
#pragma once
#include <string>
#include <string_view>

#include "rules/rule.h"

namespace hallmark::rules {

// Without white space at both ends.
std::string trimmed(const std::string& line);
// The line's first word is this one.
bool starts_with_word(const std::string& line, std::string_view word);
// A term of the rule as text, its axes being i0, i1, ...
std::string text_in(const Rule& rule, calculus::Term term);

}  // namespace hallmark::rules
