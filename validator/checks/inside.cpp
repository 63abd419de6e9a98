// Whether an access lies in its buffer.
#include <fmt/format.h>

#include "validator/checks/examine.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/shapes.h"

namespace hallmark::validator {

using calculus::Term;

// 0 <= offset and offset + bytes <= size, directly or index by index in a shape of the buffer.
bool Examiner::inside(const Event& event) {
  const Memory& memory = trace_.memories[static_cast<std::size_t>(event.memory)];
  const Term low = calculus::at_most(calculus::integer(0), event.offset);
  const Term high = calculus::at_most(
      calculus::add(event.offset, calculus::integer(static_cast<long>(event.bytes))), memory.bytes);
  if (prover_.rely(event.scope, low) && prover_.rely(event.scope, high)) return true;
  if (memory.parameter == nullptr) return false;
  Arithmetic arithmetic(prover_, true);
  const Integer size = from_u64(calculus::storage_bits(*memory.format) / 8);
  if (size != event.bytes) return false;
  // `facts` are shown too.
  const auto fits = [&](const std::vector<Term>& extents, const std::vector<Term>& facts) {
    std::vector<Term> indices;
    for (std::size_t d = 0; d < extents.size(); ++d)
      indices.push_back(calculus::variable(fmt::format("index.{}", d)));
    const Term flat = flat_index(extents, indices);
    for (const InvertOptions& options : invert_attempts) {
      const std::size_t mark = prover_.mark();
      const auto inverse =
          invert(calculus::scale(size, flat), indices, {}, event.offset, event.scope, arithmetic, options);
      if (!inverse) continue;
      std::vector<Term> goals = facts;
      goals.push_back(
          calculus::equal(calculus::scale(size, calculus::substitute(flat, *inverse)), event.offset));
      for (std::size_t d = 0; d < extents.size(); ++d)
        goals.push_back(calculus::in_range(inverse->at(indices[d]), extents[d]));
      bool ok = true;
      for (Term goal : goals) ok = ok && prover_.rely(event.scope, goal);
      if (ok) return true;
      prover_.rewind(mark);
    }
    return false;
  };
  const std::vector<std::vector<Term>> shapes = shapes_of(memory, event.offset);
  for (const std::vector<Term>& extents : shapes)
    if (fits(extents, {})) return true;
  for (const SmallerShape& shape : smaller_shapes(shapes, event.offset))
    if (fits(shape.extents, {shape.smaller})) return true;
  return false;
}

}  // namespace hallmark::validator
