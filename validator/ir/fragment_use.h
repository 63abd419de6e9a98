// Whether a kernel's results can depend on how fragments of wmma are distributed over registers and lanes,
// which is not specified (PTX ISA 9.0, 9.7.15.4.1). They cannot where each list of registers that a wmma
// instruction takes holds, at each place n, one function of what lists of the same distribution hold at n and
// of values that are the same in all lanes, and where nothing else looks at a fragment's register. Where
// lanes come together from different ways no list of parameters is known to be such a list (divergence.h).
#pragma once
#include <functional>
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

// Of one kernel: what its wmma instructions give and what they take.
struct Fragments {
  std::vector<Fragment> results, uses;
};

// `kernel` is normalised. Empty, or what depends on the distribution.
std::string depends_on_distribution(const Kernel& kernel, const Fragments& fragments);

// What both readers do at the end: normalises the kernel, and where nothing depends on the distribution of
// its fragments takes apart what split_halves.h says. Returns what depends on it.
std::string finish_reading(Kernel& kernel, Fragments fragments);

// The kernel that `read` makes of `empty`. `read` returns what finish_reading() does; where something depends
// on the distribution it is called once more, with the reason why fragments are not to be understood.
Kernel read_with_fragments(const Kernel& empty,
                           const std::function<std::string(Kernel&, const std::string& opaque)>& read);

}  // namespace hallmark::validator::ir
