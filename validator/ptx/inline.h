// One kernel as one flat function: device functions are copied into their callers, so that no `call` remains.
#pragma once
#include <string>
#include <string_view>

#include "validator/ptx/syntax.h"

namespace hallmark::validator::ptx {

// Where messages about one kernel point.
struct Context {
  std::string_view text;
  const std::string& file;
  std::string kernel;  // source name

  // "E3110 ...": an instruction that is not understood; names it and its line.
  [[noreturn]] void refuse(const ir::Place& place, const std::string& message,
                           const char* code = "E3110") const;
  // Text that is no valid PTX.
  [[noreturn]] void reject(const ir::Place& place, const std::string& message,
                           const char* code = "E3103") const;
};

std::string opcode_text(const Statement& s);  // "ld.global.u32"

// The copy has its own registers, scopes, .param variables and arrays for each inlined call. Throws Refusal
// E3113 for indirect calls, functions without a body (vprintf, malloc), recursion, and parameters in
// registers.
Function flatten(const ModuleSyntax& module, const Function& entry, const Context& context);

}  // namespace hallmark::validator::ptx
