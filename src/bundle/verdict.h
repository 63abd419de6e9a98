// The verdict sentence, assembled from the states and from nothing else (design, section 1; soundness E5, G4,
// G9).
//
// The end-to-end sentence is printed only if every obligation of links 1, 2 and 4 is proved and none of the
// kinds that it rests on is absent from the list: `tolerance` of every output at level model; `defined` and
// `erasure`; at level ptx `bounds`, `init`, `race`, `coverage`, `frame`, `value`, `termination`; and
// `launch`, `handoff`, `order`, `compose` at some level. Otherwise the sentence names the missing link. Where
// the PTX of no kernel has an access to memory, as for tensors without elements, there are no `bounds` to
// keep; then the receipt says that (setting `ptx-memory-accesses`) and the sentence too. Source-level
// obligations are no link of that chain.
#pragma once
#include <string>
#include <vector>

#include "obligation/obligation.h"

namespace hallmark::bundle {

struct Identities;

struct Counts {
  std::size_t proved = 0, refuted = 0, unrun = 0;
  std::size_t total() const { return proved + refuted + unrun; }
  bool operator==(const Counts&) const = default;
};
Counts count(const std::vector<Obligation>&);

// "unrun 5 (gap 2, tool-missing 3)" with the reasons in the order of the closed set.
std::string counts_line(const std::vector<Obligation>&);

// What stands between these states and the end-to-end sentence, one line a missing link; empty when nothing
// does.
std::vector<std::string> missing_links(const std::vector<Obligation>&, const Identities&);

// The setting of a bundle whose kernels access no memory, with the value "none".
inline constexpr const char* memory_accesses = "ptx-memory-accesses";

// For a bundle.
std::string program_verdict(const std::vector<Obligation>&, const Identities&);

// For `rules prove` ("rule", "rules") and `kernel check` ("obligation", "obligations"): how many of what are
// proved, the scopes other than universal ones, and the number of single-solver proofs.
std::string plain_verdict(const std::vector<Obligation>&, const std::string& singular,
                          const std::string& plural);

}  // namespace hallmark::bundle
