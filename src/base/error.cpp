#include "base/error.h"

#include <fmt/format.h>

namespace hallmark {
namespace {

std::string position(const Location& where) {
  std::string out = where.file;
  if (where.line != 0) out += fmt::format(":{}:{}", where.line, where.column);
  if (!where.node.empty()) out += fmt::format("{}node '{}'", out.empty() ? "" : ":", where.node);
  return out;
}

}  // namespace

Error::Error(std::string code, std::string message, Location where, std::string source_line)
    : std::runtime_error(message),
      code_(std::move(code)),
      message_(std::move(message)),
      source_line_(std::move(source_line)),
      where_(std::move(where)) {}

std::string Error::render() const {
  const std::string place = position(where_);
  std::string out = fmt::format("{}{}error: {} [{}]\n", place, place.empty() ? "" : ": ", message_, code_);
  if (source_line_.empty()) return out;
  out += source_line_ + "\n";
  if (where_.column > 0) {
    // Tabs are kept so that the caret stays below its character whatever the tab width is.
    for (std::size_t i = 0; i + 1 < where_.column; ++i)
      out += i < source_line_.size() && source_line_[i] == '\t' ? '\t' : ' ';
    out += "^\n";
  }
  return out;
}

void ensure(bool holds, std::string_view what) {
  if (!holds) throw InternalError(std::string(what));
}

std::string line_of(std::string_view text, std::size_t line) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < line; ++i) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::string_view rest = text.substr(begin);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return std::string(rest);
}

}  // namespace hallmark
