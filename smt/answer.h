// What is asked of a solver and what it answered.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "obligation/obligation.h"
#include "smt/evaluate.h"

namespace hallmark::smt {

// Limits of one query. Resource units are the solver's own and decide; measured here: Z3 4.8.12 about 1 000
// 000 a second, cvc5 1.0.3 about 100 000. Both can work long without spending units (large nonlinear
// numbers), so the wall clock and the address space are backstops.
struct Budget {
  unsigned long z3_units = 8'000'000;
  unsigned long cvc5_units = 1'000'000;
  std::chrono::milliseconds wall{30'000};
  std::size_t memory_bytes = std::size_t{4} << 30;
  bool operator==(const Budget&) const = default;
};

struct Answer {
  enum class Kind { unsat, sat, failed };
  Kind kind = Kind::failed;
  // Why there is no answer: resource_limit, wall_limit, memory_limit, gave_up, solver_missing, solver_crash,
  // interrupted; none with sat and unsat.
  Reason reason = Reason::solver_crash;
  std::string raw;  // what the solver said, or what became of it, when there is no answer
  // sat only: the values of the text's variables that could be read, by symbol name.
  std::vector<std::pair<std::string, Value>> model;
  unsigned process = 0;     // which process of this solver answered: 1, 2, ...; 0 = none, or from a cache
  double milliseconds = 0;  // an observation
  std::uint64_t units = 0;  // resource units spent, an observation; 0: not measured
  bool cached = false;      // an observation
  bool is_unsat() const { return kind == Kind::unsat; }
  bool is_sat() const { return kind == Kind::sat; }

  static Answer failure(Reason reason, std::string raw);
};

// As recorded: "unsat", "sat", "unknown" for gave_up, otherwise the reason's name.
SolverAnswer recorded(const std::string& solver, const Answer& answer);

// Reads a reply to one check-sat: exactly one line `unsat`, `sat` or `unknown`. Anything else, an error line
// before or after included, is no answer (solver_crash, or memory_limit where the text says so).
enum class Word { unsat, sat, unknown, garbage };
Word word_of(std::string_view reply);
Reason reason_of_garbage(std::string_view text);
// (:reason-unknown ...) -> resource_limit, wall_limit, memory_limit or gave_up.
Reason reason_of_unknown(std::string_view text);
// The resource units in a reply to (get-info :rlimit) (Z3) or (get-info :all-statistics) (cvc5); 0: none.
std::uint64_t units_in(std::string_view reply);
// The pairs of a get-value reply whose term is a variable of the text and whose value is a literal (both
// solvers' spellings of negative numbers and fractions). What cannot be read is left out.
std::vector<std::pair<std::string, Value>> parse_model(
    std::string_view reply, const std::vector<std::pair<std::string, std::string>>& variables,
    const std::vector<Sort>& sorts);

}  // namespace hallmark::smt
