// Integer operations of TermAnalysis: modulo 2^w, so that a range that leaves the format is the whole format.
#include <algorithm>

#include "contract/format_values.h"
#include "numerics/describe.h"
#include "numerics/term_analysis.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

Value TermAnalysis::integer_operation(Term a, const std::vector<Value>& c) {
  const bool exact = std::all_of(c.begin(), c.end(), [](const Value& v) { return v.is_exact(); });
  std::optional<Value> v;
  switch (a->op) {
    case Op::add:
      v = transfer_add(c[0], c[1]);
      break;
    case Op::sub:
      v = transfer_subtract(c[0], c[1]);
      break;
    case Op::mul:
      v = transfer_multiply(c[0], c[1], a->children[0] == a->children[1]);
      break;
    case Op::max:
      v = transfer_max(c[0], c[1]);
      break;
    case Op::min:
      v = transfer_min(c[0], c[1]);
      break;
    case Op::neg:
      v = transfer_negate(c[0]);
      break;
    case Op::abs:
      v = transfer_abs(c[0]);
      break;
    case Op::div:
    case Op::mod:
    case Op::rem:
      if (c[1].rounded.contains_zero())
        fail(Failure::Kind::domain,
             describe(a) + " may divide by zero: its divisor lies in " + text(c[1].rounded));
      [[fallthrough]];
    default:
      v = exact_value(
          Interval(contract::least_value(a->sort.format), contract::largest_value(a->sort.format)));
      if (!exact) unbound(*v);
  }
  return fit(std::move(*v), a->sort.format);
}

}  // namespace hallmark::numerics
