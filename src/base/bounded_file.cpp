#include "base/bounded_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace hallmark {

namespace {

[[noreturn]] void too_large(std::size_t most, const std::string& path) {
  throw UserError("E0001", "larger than " + std::to_string(most) + " bytes, which no such file needs",
                  {path});
}

}  // namespace

void expect_settings_text(std::string_view text, const std::string& file) {
  if (text.size() > most_settings_bytes) too_large(most_settings_bytes, file);
  // A quote begins a string only where a key or a value may begin: elsewhere toml++ reads on over it to find
  // the end of what is no value.
  std::size_t line = 1, begin = 0;
  char before = '\n';  // the last character that is no blank
  bool comment = false, escaped = false;
  // Behind a `.` only a part of a key may begin: not in a value, nor in an array over several lines. What
  // stands in a string of several lines is not looked at, so nothing is known of brackets behind one.
  bool value = false, bracketed = true;
  int depth = 0;
  char quote = 0;
  for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      begin = at + 1;
      comment = false;
      quote = 0;
      before = c;
      value = depth > 0;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      if (!comment && quote == 0)
        throw UserError("E0004",
                        "a character beyond ASCII that is neither in a comment nor in a string of one line",
                        {file, line, at - begin + 1}, line_of(text, line));
      escaped = false;
    } else if (comment) {
      continue;
    } else if (quote != 0) {
      if (escaped || (c == '\\' && quote == '"'))
        escaped = !escaped;
      else if (c == quote)
        quote = 0;
    } else if (c == '#') {
      comment = true;
    } else if (c == '"' || c == '\'') {
      // Three quotes begin a string of several lines: nothing beyond ASCII is read in one.
      const bool several = text.substr(at, 3) == std::string(3, c);
      bracketed = bracketed && !several;
      const bool begins = std::string_view("\n=[,{").find(before) != std::string_view::npos ||
                          (before == '.' && !value && bracketed);
      if (!several && begins) {
        quote = c;
        escaped = false;
      }
      before = c;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      before = c;
      value = value || c == '=';
      if (value && (c == '[' || c == '{')) ++depth;
      if (value && (c == ']' || c == '}') && depth > 0) --depth;
    }
  }
}

std::string read_file(const std::string& path, std::size_t most) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, ignored))
    throw UserError("E0001", std::string("cannot read the file: ") + std::strerror(in ? EISDIR : errno),
                    {path});
  std::string bytes, part(1 << 16, '\0');
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
    bytes.append(part, 0, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > most) too_large(most, path);
  }
  if (in.bad()) throw UserError("E0001", "the file could not be read to its end", {path});
  return bytes;
}

}  // namespace hallmark
