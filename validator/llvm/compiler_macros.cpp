#include "validator/llvm/compiler_macros.h"

#include <algorithm>
#include <array>
#include <functional>

#include "validator/llvm/stub_headers.h"

namespace hallmark::validator::source {

namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// One identifier outside comments and strings.
struct Word {
  std::string_view text;
  std::size_t line = 0, column = 0;
  std::string_view directive;  // "if", "define", ... when it stands behind one on its (continued) line
  std::size_t position = 0;    // how many words stand before it behind the directive
  bool starts_raw_string = false;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Until `visit` returns true.
  void run(const std::function<bool(const Word&)>& visit) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        const bool continued = at_ > 0 && text_[at_ - 1] == '\\';
        new_line();
        if (!continued) {
          directive_ = {};
          expects_directive_ = false;
          blank_ = true;
        }
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        skip_comment();
      } else if (c == '"' || c == '\'') {
        skip_quoted(c);
      } else if (is_name_character(c)) {
        if (word(visit)) return;
      } else {
        if (c == '#' && blank_) expects_directive_ = true;
        if (c != ' ' && c != '\t' && c != '\r') blank_ = false;
        ++at_;
      }
    }
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void new_line() {
    ++line_;
    line_start_ = ++at_;
  }
  void skip_comment() {
    at_ += 2;
    while (at_ < text_.size() && !(text_[at_] == '*' && peek(1) == '/')) {
      if (text_[at_] == '\n')
        new_line();
      else
        ++at_;
    }
    at_ += 2;
  }
  void skip_quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    blank_ = false;
  }
  bool word(const std::function<bool(const Word&)>& visit) {
    const std::size_t start = at_;
    const bool is_number = text_[at_] >= '0' && text_[at_] <= '9';  // in which ' separates digits
    while (at_ < text_.size() &&
           (is_name_character(text_[at_]) || (is_number && text_[at_] == '\'' && is_name_character(peek(1)))))
      ++at_;
    Word w;
    w.text = text_.substr(start, at_ - start);
    w.line = line_;
    w.column = start - line_start_ + 1;
    w.directive = directive_;
    w.position = words_;
    w.starts_raw_string = peek(0) == '"' && w.text.ends_with('R');
    blank_ = false;
    if (expects_directive_) {
      expects_directive_ = false;
      directive_ = w.text;
      words_ = 0;
      return false;
    }
    ++words_;
    return visit(w);
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, line_start_ = 0, words_ = 0;
  std::string_view directive_;
  bool expects_directive_ = false, blank_ = true;
};

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

bool is_forced(std::string_view name) {
  return name == "__CUDA_ARCH__" || name == "__CUDACC__" || name == "__NVCC__" || name == "__cplusplus" ||
         name == "__CUDACC_VER_MAJOR__" || name == "__CUDACC_VER_MINOR__" || name == "__CUDACC_VER_BUILD__";
}

bool belongs_to_headers(std::string_view name) {
  static const std::set<std::string> stubs = [] {
    std::set<std::string> all;
    for (const auto& [file, text] : stub_headers()) all.merge(defined_names(text));
    return all;
  }();
  const bool reserved =
      name.starts_with("__") || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
  return reserved || name.starts_with("CUDA") || name.starts_with("CUB_") || name.starts_with("THRUST_") ||
         stubs.contains(std::string(name));
}

bool is_condition(std::string_view directive) {
  return directive == "if" || directive == "ifdef" || directive == "ifndef" || directive == "elif";
}

}  // namespace

std::set<std::string> defined_names(std::string_view text) {
  std::set<std::string> names;
  Scanner(text).run([&names](const Word& w) {
    if (w.directive == "define" && w.position == 0) names.emplace(w.text);
    return false;
  });
  return names;
}

std::optional<CompilerMacro> find_compiler_macro(std::string_view text, const std::set<std::string>& own) {
  std::optional<CompilerMacro> found;
  Scanner(text).run([&](const Word& w) {
    const bool asks_headers = is_condition(w.directive) && belongs_to_headers(w.text) && !is_forced(w.text) &&
                              !own.contains(std::string(w.text));
    if (!w.starts_raw_string && !identifies_compiler(w.text) && !asks_headers) return false;
    found = CompilerMacro{std::string(w.text), w.line, w.column};
    return true;
  });
  return found;
}

}  // namespace hallmark::validator::source
