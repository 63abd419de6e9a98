// Names of C++ functions without their parameters.
#pragma once
#include <string>

namespace hallmark::validator::ir {

// "_Z7k01_badPKjPji" -> "k01_bad", "void tile<16>(float*)" -> "tile<16>"; the symbol itself when it is no
// mangled name.
std::string demangled_name(const std::string& symbol);

// A variable's own name: "_ZZ7k01_badPKjPjiE4part" -> "part", "_ZN2ns5tableE" -> "table".
std::string short_name(const std::string& symbol);

}  // namespace hallmark::validator::ir
