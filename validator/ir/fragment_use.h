// Whether a kernel's results can depend on how fragments of wmma are distributed over registers and lanes,
// which is not specified (PTX ISA 9.0, 9.7.15.4.1). They cannot where each list of registers that a wmma
// instruction takes holds, at each place n, one function of what lists of the same distribution hold at n and
// of values that are the same in all lanes, and where nothing else looks at a fragment's register. Where
// lanes come together from different ways no list of parameters is known to be such a list (divergence.h).
#pragma once
#include <string>
#include <vector>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

struct Fragment {
  // Those of one name are alike. Without a name: operands that are no fragments, an address or a stride.
  std::string distribution;
  std::vector<ValueId> registers;
  bool packed = false;  // several elements a register
};

// `kernel` is normalised. Empty, or what depends on the distribution.
std::string depends_on_distribution(const Kernel& kernel, const std::vector<Fragment>& results,
                                    const std::vector<Fragment>& uses);

}  // namespace hallmark::validator::ir
