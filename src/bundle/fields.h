// Strict reading of JSON objects that somebody else may have written: every member is asked for by name and
// type, and a member that was not asked for is an error (what a checker does not read, it has not checked).
// Errors: UserError E5120 with the file and the path inside it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace hallmark::bundle {

class Fields {
 public:
  // `place` is the path to `value` inside the file, for messages: "predicate.obligations[3]".
  Fields(const json::value& value, std::string file, std::string place);
  std::string text(const char* name);
  std::uint64_t number(const char* name);
  bool flag(const char* name);
  const json::value& any(const char* name);
  bool has(const char* name) const;
  bool is_null(const char* name);  // also marks it as read
  Fields object(const char* name);
  std::vector<std::string> texts(const char* name);
  // Calls `read` for each element of the list.
  void each(const char* name, const std::function<void(Fields)>& read);
  // Throws when the object has a member that was not read.
  void done() const;
  [[noreturn]] void fail(const std::string& what) const;
  // 64 lower-case hexadecimal digits, or an error.
  std::string digest(const char* name);

 private:
  const json::object* object_ = nullptr;
  std::string file_, place_;
  std::vector<std::string> read_;
};

bool is_sha256(std::string_view text);
// The text with every byte that is no part of well-formed UTF-8 replaced by '?': JSON can hold nothing else,
// and solvers that crash print anything.
std::string valid_utf8(std::string_view text);
// Control characters but line breaks and tabs as '?': a terminal would obey them.
std::string for_terminal(std::string_view text);
// Line breaks as blanks: what a bundle says must not begin a line of the report's own.
std::string one_line(std::string text);
bool has_control_characters(std::string_view text);
// Whether `bytes`, which hold `value`, are its canonical form. A floating-point number has none.
bool is_canonical(const json::value& value, std::string_view bytes);

}  // namespace hallmark::bundle
