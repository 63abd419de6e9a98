#include <algorithm>

#include "smt/evaluate.h"
#include "smt/query.h"

namespace hallmark::smt {
namespace {

bool is_nonlinear(Term t) {
  const auto& args = t.args();
  switch (t.op()) {
    case Op::multiply:
      return std::count_if(args.begin(), args.end(), [](Term a) { return !a.is_constant(); }) > 1;
    case Op::divide:
    case Op::div:
    case Op::mod:
      return !args[1].is_constant() || args[1].value() == 0;
    default:
      return false;
  }
}

}  // namespace

// Z3 4.8.12 answers `unsupported` to combined logics such as QF_UFLIRA, so mixtures are ALL.
std::string logic_of(const std::vector<Term>& assertions) {
  bool integers = false, reals = false, nonlinear = false, functions = false, bits = false;
  for (const Term t : subterms(assertions)) {
    const auto see = [&](Sort sort) {
      integers |= sort.is_integer();
      reals |= sort.is_real();
      bits |= sort.is_bit_vector();
      functions |= sort.kind() == SortKind::uninterpreted;
    };
    see(t.sort());
    functions |= t.op() == Op::apply && !t.args().empty();
    nonlinear |= is_nonlinear(t);
  }
  if ((integers && reals) || (bits && (integers || reals))) return "ALL";
  const std::string theory = bits       ? "BV"
                             : integers ? (nonlinear ? "NIA" : "LIA")
                             : reals    ? (nonlinear ? "NRA" : "LRA")
                                        : "";
  if (theory.empty()) return "QF_UF";
  return (functions ? "QF_UF" : "QF_") + theory;
}

}  // namespace hallmark::smt
