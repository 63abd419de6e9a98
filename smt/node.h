// The node behind a Term; not for use outside smt/.
#pragma once
#include "smt/term.h"

namespace hallmark::smt {

struct Node {
  Op op;
  Sort sort;
  std::vector<Term> args;
  const Function* function = nullptr;
  Rational value;
  unsigned first = 0, second = 0;
  std::size_t number = 0;
  Arena* arena = nullptr;
};

// The sort of an application; throws InternalError when it is ill-sorted.
Sort check_sorts(Op op, const std::vector<Term>& args, unsigned first, unsigned second);

}  // namespace hallmark::smt
