#include <algorithm>

#include "base/error.h"
#include "calculus/term.h"

namespace hallmark::calculus {
namespace {

template <typename T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

int compare_terms(Term a, Term b) {
  if (a == b) return 0;
  if (int c = three_way(a->kind, b->kind); c != 0) return c;
  if (int c = three_way(a->op, b->op); c != 0) return c;
  if (int c = three_way(a->number, b->number); c != 0) return c;
  if (int c = a->name.compare(b->name); c != 0) return c < 0 ? -1 : 1;
  if (int c = three_way(a->which, b->which); c != 0) return c;
  if (int c = three_way(a->size, b->size); c != 0) return c;
  if (int c = three_way(a->sort.kind, b->sort.kind); c != 0) return c;
  if (int c = three_way(a->sort.format, b->sort.format); c != 0) return c;
  if (int c = three_way(a->format, b->format); c != 0) return c;
  if (int c = three_way(a->rounding, b->rounding); c != 0) return c;
  if (int c = three_way(a->flush_subnormals, b->flush_subnormals); c != 0) return c;
  if (int c = cmp(a->value, b->value); c != 0) return c < 0 ? -1 : 1;
  if (int c = three_way(a->bits, b->bits); c != 0) return c;
  if (a->order != b->order) {
    const std::string x = a->order != nullptr ? to_string(*a->order) : "",
                      y = b->order != nullptr ? to_string(*b->order) : "";
    if (int c = x.compare(y); c != 0) return c < 0 ? -1 : 1;
  }
  if (int c = three_way(a->children.size(), b->children.size()); c != 0) return c;
  for (std::size_t i = 0; i < a->children.size(); ++i)
    if (int c = compare_terms(a->children[i], b->children[i]); c != 0) return c;
  for (std::size_t i = 0; i < a->coefficients.size() && i < b->coefficients.size(); ++i)
    if (int c = cmp(a->coefficients[i], b->coefficients[i]); c != 0) return c < 0 ? -1 : 1;
  throw InternalError("two different interned terms compare equal");
}

}  // namespace hallmark::calculus
