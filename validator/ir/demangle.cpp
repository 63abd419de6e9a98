#include "validator/ir/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace hallmark::validator::ir {

namespace {

std::string demangle(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status != 0 || !text ? symbol : std::string(text.get());
}

}  // namespace

std::string short_name(const std::string& symbol) {
  const std::string name = demangle(symbol);
  const std::size_t colon = name.rfind("::");
  if (name == symbol || colon == std::string::npos) return name;
  const std::string last = name.substr(colon + 2);
  return last.empty() || last.find_first_of("()<> ") != std::string::npos ? name : last;
}

std::string demangled_name(const std::string& symbol) {
  std::string name = demangle(symbol);
  if (name == symbol) return symbol;
  // Cut the parameter list: the last "(" outside <>; "(anonymous namespace)::" stands before it.
  int depth = 0;
  std::size_t end = name.size();
  for (std::size_t n = name.size(); n-- > 0;) {
    if (name[n] == ')') ++depth;
    if (name[n] == '(' && --depth == 0) {
      end = n;
      break;
    }
  }
  name.resize(end);
  // A template's result type stands before the name: "void tile<16>".
  depth = 0;
  std::size_t start = 0;
  for (std::size_t n = 0; n < name.size(); ++n) {
    if (name[n] == '<' || name[n] == '(') ++depth;
    if (name[n] == '>' || name[n] == ')') --depth;
    if (name[n] == ' ' && depth == 0) start = n + 1;
  }
  return name.substr(start);
}

}  // namespace hallmark::validator::ir
