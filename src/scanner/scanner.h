// The second witness that no obligation was forgotten (soundness D2). It counts what a kernel's text
// contains, with tokenizers of its own and no code of the validator, whose readers it may contradict. It
// understands enough to count, never to prove, and stays below 500 lines. What each construct must be the
// subject of: bundle/coverage.h.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hallmark::scanner {

enum class What { load, store, atomic, barrier, shuffle, loop, float_constant, call };
std::string_view name(What);

struct Construct {
  What what{};
  std::string detail;  // memory space (global, shared, local, const, generic), instruction, callee or literal
  std::size_t line = 0;
};

// One kernel or device function.
struct Unit {
  std::string name;
  bool kernel = false;
  std::size_t line = 0;
  std::vector<Construct> constructs;
};

// In the order of the text. Never throws: what is not understood is not counted, and the comparison shows it.
std::vector<Unit> scan_ptx(std::string_view text);
std::vector<Unit> scan_cuda(std::string_view text);

// "load global" -> 3, "barrier" -> 2, ... of one unit; memory constructs with their space.
std::map<std::string, std::size_t> counts(const Unit&);

// A unit with everything that it reaches through calls to units of the same text.
Unit with_callees(const Unit&, const std::vector<Unit>& text);

}  // namespace hallmark::scanner
