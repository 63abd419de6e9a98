// Errors are of three kinds, each with its own exit code at the command line (design, section 6):
//   UserError      bad input: file, line or node, caret, what was expected, stable code    exit 4 (usage: 2)
//   Refusal        valid input that this program does not understand; names the construct  exit 4
//   InternalError  a fault of ours; says how to reproduce it                                exit 70
// A checker turns a Refusal into `unrun: unsupported`; nothing may turn any of them into `proved`.
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hallmark {

struct Location {
  std::string file{};      // empty when the text has no file
  std::size_t line = 0;    // 1-based; 0 when there is no text
  std::size_t column = 0;  // 1-based
  std::string node{};      // ONNX node, plan node or kernel instruction, when there is no text
  bool operator==(const Location&) const = default;
};

class Error : public std::runtime_error {
 public:
  Error(std::string code, std::string message, Location where = {}, std::string source_line = {});
  const std::string& code() const { return code_; }        // stable, for example "E0107"
  const std::string& message() const { return message_; }  // what happened and what was expected
  const Location& where() const { return where_; }
  const std::string& source_line() const { return source_line_; }
  // "FILE:LINE:COLUMN: error: MESSAGE [CODE]" with the source line and a caret below it.
  std::string render() const;

 private:
  std::string code_, message_, source_line_;
  Location where_;
};

class UserError : public Error {
  using Error::Error;
};
class Refusal : public Error {
  using Error::Error;
};
class InternalError : public Error {
 public:
  explicit InternalError(std::string message) : Error("E9000", std::move(message)) {}
};

// Throws InternalError when `holds` is false; for invariants of our own, never for user input.
void ensure(bool holds, std::string_view what);

// The 1-based line of `text`, without its line end; used to show the source line above a caret.
std::string line_of(std::string_view text, std::size_t line);

}  // namespace hallmark
