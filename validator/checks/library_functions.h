// Library functions in the values of a kernel, for equality over the reals: instructions that approximate one
// (PTX ISA 9.7.3: ex2.approx, rcp.approx and their kin), and the sequences that nvcc writes in place of a
// call (corpus/accuracy/inlined.ptx, executed symbolically and compared as terms). Flushing of subnormals is
// erased as roundings are. That a sequence computes its function is an assumption, which is named.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "validator/checks/sums.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator {

class LibraryFunctions {
 public:
  explicit LibraryFunctions(Prover& prover) : prover_(prover) {}
  // The value with approximations as functions, and those that the calculus does not have by others: log1p(x)
  // is log(1 + x), exp2(x) and 2^x are exp(x log 2).
  static calculus::Term named(calculus::Term value);
  // The same, and every inlined sequence by the function for which it stands; nothing where there is none.
  // What the executions of the sequences rely on goes to the prover's log.
  std::optional<calculus::Term> without_sequences(calculus::Term value);
  // Whether a kernel's value is the specification's over the reals: with library functions as such first; a
  // specification may also spell out what the kernel computes instead.
  bool equal(calculus::Term have, calculus::Term wanted, const Scope& scope, SumMatcher& sums);
  // "inlined:expf": the functions that were found in the values that are equal().
  const std::set<std::string>& assumptions() const { return assumptions_; }

 private:
  struct Sequence {
    std::string name;
    std::vector<calculus::Term> holes;  // in the order of the function's arguments
    calculus::Term pattern = nullptr;
    bool of_minus = false;  // of the first argument
  };
  // Those that may stand in a value with these constants.
  std::vector<Sequence> sequences(const std::set<std::uint64_t>& constants);
  Sequence executed(const ir::Kernel& kernel, const std::string& entry);

  Prover& prover_;
  std::map<std::string, Sequence> sequences_;  // by entry
  std::set<std::string> assumptions_, found_;
};

}  // namespace hallmark::validator
