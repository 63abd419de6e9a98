// C identifiers for tensors, symbols and kernels.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace hallmark::lowering {

// Letters, digits and '_' of the text, other characters as '_'; never empty, never starting with a digit,
// never a C++ or CUDA word, never a name that the writer itself gives to its variables (i0, k1, acc2, v3, g,
// ...).
std::string identifier(std::string_view text);

// Gives each caller another name: the wanted one, or the wanted one with _2, _3, ...
class NameSet {
 public:
  std::string unique(const std::string& wanted);

 private:
  std::set<std::string> taken_;
};

}  // namespace hallmark::lowering
