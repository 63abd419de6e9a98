#include "lowering/names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace hallmark::lowering {
namespace {

// Words that a tensor's name may not be: keywords, types and built-ins that occur in kernel texts.
constexpr std::array<std::string_view, 62> words{
    "alignas",   "and",      "asm",      "auto",      "bool",     "break",  "case",     "catch",    "char",
    "class",     "const",    "continue", "default",   "delete",   "do",     "double",   "else",     "enum",
    "explicit",  "export",   "extern",   "false",     "float",    "for",    "friend",   "goto",     "if",
    "inline",    "int",      "long",     "namespace", "new",      "not",    "operator", "or",       "private",
    "protected", "public",   "register", "return",    "short",    "signed", "sizeof",   "static",   "struct",
    "switch",    "template", "this",     "throw",     "true",     "try",    "typedef",  "typename", "union",
    "unsigned",  "using",    "virtual",  "void",      "volatile", "while",  "size_t",   "xor"};

// i3, k0, acc1, v12, ...: short lower-case stem and a number, or one of the writer's fixed names.
bool is_reserved(const std::string& name) {
  static constexpr std::array<std::string_view, 20> stems{
      "i",   "k",    "acc",  "v",     "t",     "lane", "warp",  "red",  "next", "row",
      "col", "tile", "left", "right", "block", "g",    "total", "part", "max",  "min"};
  std::size_t stem = name.size();
  while (stem > 0 && std::isdigit(static_cast<unsigned char>(name[stem - 1])) != 0) --stem;
  return std::find(stems.begin(), stems.end(), std::string_view(name).substr(0, stem)) != stems.end();
}

}  // namespace

std::string identifier(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    // Runs of other characters become one '_': "/block/attn.0" reads block_attn_0.
    if (fine)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.front() == '_') out.erase(out.begin());
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0) out = "t_" + out;
  const bool word = std::find(words.begin(), words.end(), out) != words.end();
  const bool intrinsic = out.find("__") != std::string::npos || out.find("Idx") != std::string::npos ||
                         out.find("Dim") != std::string::npos;
  if (word || intrinsic || is_reserved(out)) out += "_tensor";
  // Two underscores are reserved in C++.
  for (std::size_t at = 0; (at = out.find("__", at)) != std::string::npos;) out.erase(at, 1);
  return out;
}

std::string NameSet::unique(const std::string& wanted) {
  std::string name = wanted;
  for (int n = 2; !taken_.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
  return name;
}

}  // namespace hallmark::lowering
