#include "pipeline/kernel_hints.h"

namespace hallmark::pipeline {

std::string hint(const Obligation& o) {
  if (o.outcome.state != State::refuted) return "";
  const std::string summary = o.outcome.witness ? o.outcome.witness->summary : "";
  const auto says = [&](const char* words) { return summary.find(words) != std::string::npos; };
  switch (o.kind) {
    case ObligationKind::bounds:
      return says("writes") ? "guard the store with the size of its buffer, or leave the thread before it"
                            : "guard the load with the size of its buffer, also where its value is not used";
    case ObligationKind::alignment:
      return "a vector access needs an address that is a multiple of its whole size: pad the row, or load "
             "the "
             "elements one by one";
    case ObligationKind::overflow:
      return "compute the index in 64 bits (size_t, long long) from the first product on, or bound the sizes";
    case ObligationKind::ub:
      return "exclude the operand: a divisor of 0, a shift by the width or more, a variable that is not set "
             "on "
             "every path";
    case ObligationKind::init:
      return "write the place before it is read: a barrier between the two, and a store for every element "
             "that "
             "is read, also beyond the end of the input";
    case ObligationKind::race:
      return says("block (0,0,0)") && says("writes it at") && says("of block (1")
                 ? "two blocks write one element: give each block its own, or use an atomic"
                 : "put __syncthreads() between the two accesses, or let one thread alone touch the place; "
                   "in "
                   "place, read everything before the barrier and write behind it";
    case ObligationKind::barrier:
      return "every thread of the block must reach the barrier: move it out of the branch, and keep threads "
             "that "
             "have nothing to do instead of returning";
    case ObligationKind::shuffle:
      return "every lane that the mask names must execute the instruction: round the loop up to whole warps, "
             "and "
             "put the guard on the value instead of around the shuffle";
    case ObligationKind::termination:
      return "the counter must come nearer to its bound in every iteration";
    case ObligationKind::coverage:
      return "no thread writes the element: look at the rounding of the grid, the guard and the step of the "
             "loop";
    case ObligationKind::frame:
      return "an element outside the view is written: look at the stride and the offset of the store";
    case ObligationKind::value:
      return "compare the expression at the element that is named: which operand, which order, which bound "
             "of "
             "the sum";
    case ObligationKind::launch:
      return "change the launch, or the bounds that the kernel declares";
    default:
      return "";
  }
}

void add_hints(std::vector<Obligation>& obligations) {
  for (Obligation& o : obligations)
    if (const std::string text = hint(o); !text.empty())
      o.outcome.detail += (o.outcome.detail.empty() ? "hint: " : "; hint: ") + text;
}

}  // namespace hallmark::pipeline
