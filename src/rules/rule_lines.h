// Lines of a rule file, before they are read as terms.
#pragma once
#include <string>
#include <string_view>

namespace hallmark::rules {

// Without white space at both ends.
std::string trimmed(const std::string& line);
// The line's first word is this one.
bool starts_with_word(const std::string& line, std::string_view word);

}  // namespace hallmark::rules
