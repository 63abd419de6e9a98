// One reader under fuzzing. Each fuzz_NAME is built from one definition of `read` and either libFuzzer
// (preset `fuzz`) or the driver of this folder (every other preset, so that the same targets run as tests).
#pragma once
#include <string_view>

namespace hallmark::fuzz {

// Reads `bytes` as the reader's input. May throw UserError or Refusal; anything else that it throws, a crash,
// a hang and a failed check are findings.
void read(std::string_view bytes);

// A check inside `read`: throws InternalError naming `what` when `holds` is false.
void check(bool holds, std::string_view what);

// Calls `read`; true when the input was accepted, false for the answers UserError and Refusal. Whatever else
// it throws is passed on.
bool run(std::string_view bytes);

}  // namespace hallmark::fuzz
