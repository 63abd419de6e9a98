// A text that asks which compiler reads it may mean one thing to Clang and another to nvcc (soundness A4,
// G2).
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace hallmark::validator::source {

struct CompilerMacro {
  std::string name;
  std::size_t line = 0, column = 0;
};

// The first mention, outside comments and strings, of a name that differs between compilers: __clang__ and
// its kin, __GNUC__, __has_builtin, ... A raw string literal counts too, because what follows it is not
// looked through.
std::optional<CompilerMacro> find_compiler_macro(std::string_view text);

}  // namespace hallmark::validator::source
