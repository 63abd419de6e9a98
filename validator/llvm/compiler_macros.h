// A text that asks which compiler or which headers read it may mean one thing to Clang, which sees the stub
// headers, and another to nvcc, which sees CUDA's (soundness A4, G2).
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace hallmark::validator::source {

struct CompilerMacro {
  std::string name;
  std::size_t line = 0, column = 0;
};

// The names that #define directives of this text give a meaning to.
std::set<std::string> defined_names(std::string_view text);

// The first mention, outside comments and strings,
//   - anywhere: of a name that differs between compilers, as __clang__ and its kin, __GNUC__, __has_builtin;
//   - in #if, #ifdef, #ifndef, #elif: of a name that only headers or the compiler can define, other than
//   those
//     that are forced to nvcc's values (__CUDA_ARCH__, __CUDACC__, __NVCC__, __CUDACC_VER_*, __cplusplus):
//     reserved names, CUDA_VERSION and its kin, and macros of the stub headers; unless `own`, the names
//     defined in the user's files and on the command line, has it.
// A raw string literal counts too, because what follows it is not looked through.
std::optional<CompilerMacro> find_compiler_macro(std::string_view text,
                                                 const std::set<std::string>& own = {});

}  // namespace hallmark::validator::source
