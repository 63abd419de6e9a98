#include <fmt/format.h>

#include "smt/solver.h"

namespace hallmark::smt {

std::vector<std::string> arguments_of(Dialect dialect) {
  if (dialect == Dialect::z3) return {"-in", "-smt2"};
  return {"-q", "--lang=smt2"};
}

// Z3: measured on small linear queries, its default strategy costs 7 ms a query after (reset) and the plain
// SMT core 2 ms; on the nonlinear index queries of kernels and rules the core was as fast or faster. Bit
// vectors keep the default, which bit-blasts after preprocessing.
std::string prelude_of(Dialect dialect, std::string_view logic, unsigned long units, unsigned seed) {
  if (dialect == Dialect::z3) {
    const bool bits = logic.ends_with("BV");
    return fmt::format(
        "(set-option :tactic.default_tactic {})\n(set-option :smt.random_seed {})\n"
        "(set-option :sat.random_seed {})\n(set-option :rlimit {})\n",
        bits ? "\"\"" : "smt", seed, seed, units);
  }
  return fmt::format(
      "(set-option :produce-models true)\n(set-option :seed {})\n(set-option :sat-random-seed {})\n"
      "(set-option :reproducible-resource-limit {})\n",
      seed, seed, units);
}

}  // namespace hallmark::smt
