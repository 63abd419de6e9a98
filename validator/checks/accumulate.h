// What a buffer holds after the launch where atomic additions alone write it: the content from before the
// launch and, for each block, thread and iteration that comes to one of the atomics with the element's
// address, the value that it adds. Additions of integers modulo 2^w commute, and so do those of reals; no
// result of such an atomic is used, so that no value depends on their order.
#pragma once
#include <optional>
#include <string>

#include "validator/checks/examine.h"

namespace hallmark::validator {

// Whether atomics write the buffer.
bool accumulates(const Trace& trace, const std::string& buffer);

struct Accumulated {
  // The content of the element: an index term that is right modulo 2^w for an integer buffer, an element for
  // one of floats. nullptr: not known, see `failure`.
  calculus::Term value = nullptr;
  std::string failure;
};
// `target`: the element, flat. `spec` with its definitions (Examiner).
Accumulated accumulated(const Trace& trace, const plan::KernelSpec& spec, const ir::Kernel& kernel,
                        const plan::Buffer& buffer, calculus::Term target);

// The sum over all threads of the block, and all iterations of the loops in `inner`, of what one atomic adds
// at the byte `offset`; with `whole_grid` over all blocks as well. nullptr where it cannot be written:
// `failure`.
calculus::Term contribution(const Trace& trace, const plan::KernelSpec& spec, const Event& atomic,
                            const std::vector<int>& inner, calculus::Term offset, bool whole_grid,
                            std::string& failure);

// Whether that gives each element that the ensure names its value; `launch`: what holds for every launch. On
// failure the finding says why.
bool adds_up(const Trace& trace, const plan::KernelSpec& spec, const ir::Kernel& kernel,
             const plan::Ensure& ensure, const Scope& launch, Prover& prover, Finding& finding);

}  // namespace hallmark::validator
