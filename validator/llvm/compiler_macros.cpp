#include "validator/llvm/compiler_macros.h"

#include <algorithm>
#include <array>

namespace hallmark::validator::source {

namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

bool identifies_compiler(std::string_view name) {
  static constexpr auto names = std::to_array<std::string_view>({"__GNUC__",
                                                                 "__GNUG__",
                                                                 "__GNUC_MINOR__",
                                                                 "__GNUC_PATCHLEVEL__",
                                                                 "__VERSION__",
                                                                 "_MSC_VER",
                                                                 "_MSC_FULL_VER",
                                                                 "__INTEL_COMPILER",
                                                                 "__EDG__",
                                                                 "__EDG_VERSION__",
                                                                 "__CUDACC_RTC__",
                                                                 "__CUDACC_DEBUG__",
                                                                 "__OPTIMIZE__",
                                                                 "__NO_INLINE__",
                                                                 "__CUDA__",
                                                                 "__CUDA_FTZ",
                                                                 "__CUDA_PREC_DIV",
                                                                 "__CUDA_PREC_SQRT",
                                                                 "__DATE__",
                                                                 "__TIME__",
                                                                 "__TIMESTAMP__",
                                                                 "__COUNTER__",
                                                                 "__NVCOMPILER",
                                                                 "__PGI",
                                                                 "__CUDA_LIBDEVICE__",
                                                                 "__CUDACC_RELAXED_CONSTEXPR__",
                                                                 "__CUDACC_EXTENDED_LAMBDA__",
                                                                 "__CUDA_ARCH_FEAT_SM90_ALL",
                                                                 "__CUDA_ARCH_LIST__",
                                                                 "__NVVM__",
                                                                 "__NVPTX__",
                                                                 "__PTX__",
                                                                 "__FAST_MATH__",
                                                                 "__HIP__",
                                                                 "__HIPCC__",
                                                                 "__SYCL_DEVICE_ONLY__"});
  if (name.starts_with("__clang") || name.starts_with("__has_") || name.starts_with("__NV_") ||
      name.starts_with("__hallmark"))
    return true;
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<CompilerMacro> find_compiler_macro(std::string_view text) {
  std::size_t line = 1, line_start = 0;
  const auto at = [&](std::size_t n) { return n < text.size() ? text[n] : '\0'; };
  for (std::size_t n = 0; n < text.size();) {
    const char c = text[n];
    if (c == '\n') {
      ++line;
      line_start = ++n;
    } else if (c == '/' && at(n + 1) == '/') {
      while (n < text.size() && text[n] != '\n') ++n;
    } else if (c == '/' && at(n + 1) == '*') {
      n += 2;
      while (n < text.size() && !(text[n] == '*' && at(n + 1) == '/')) {
        if (text[n] == '\n') {
          ++line;
          line_start = n + 1;
        }
        ++n;
      }
      n += 2;
    } else if (c == '"' || c == '\'') {
      ++n;
      while (n < text.size() && text[n] != c && text[n] != '\n') n += text[n] == '\\' ? 2 : 1;
      ++n;
    } else if (is_name_character(c)) {
      const std::size_t start = n;
      const bool is_number = c >= '0' && c <= '9';  // in which ' separates digits
      while (n < text.size() &&
             (is_name_character(text[n]) || (is_number && text[n] == '\'' && is_name_character(at(n + 1)))))
        ++n;
      const std::string_view name = text.substr(start, n - start);
      // Where a raw string ends would have to be known to see what stands behind it.
      const bool raw_string = at(n) == '"' && name.ends_with('R');
      if (raw_string || identifies_compiler(name))
        return CompilerMacro{std::string(name), line, start - line_start + 1};
    } else {
      ++n;
    }
  }
  return std::nullopt;
}

}  // namespace hallmark::validator::source
