// Mutants of kernels: the text with one fault put in.
#pragma once
#include <string>
#include <vector>

namespace hallmark::validator::testing {

struct Mutant {
  std::string name, text;
};
// PTX of one entry: immediates off by one, dropped barriers and guards, exchanged operands, wrong opcodes,
// doubled or moved offsets. The same list in every run.
std::vector<Mutant> ptx_mutants(const std::string& text, const std::string& kernel);

}  // namespace hallmark::validator::testing
