// Names as keys of TOML tables.
#pragma once
#include <string>

namespace hallmark {

// The name itself where TOML takes it bare, else a basic string with quotes, backslashes and control
// characters escaped (TOML 1.0, sections Keys and String).
std::string toml_key(const std::string& name);

}  // namespace hallmark
