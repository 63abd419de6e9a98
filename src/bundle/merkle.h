// The Merkle tree hash of RFC 6962, section 2.1: leaf prefix 0x00, node prefix 0x01, split at the largest
// power of two below the count. A tree that duplicates its last leaf would give [a,b,c] and [a,b,c,c] one
// root; this one does not, and the count is recorded beside the root all the same.
#pragma once
#include <string>
#include <vector>

#include "base/sha256.h"

namespace hallmark::bundle {

struct MerkleTree {
  std::size_t count = 0;
  std::string root;  // lower-case hexadecimal; of no leaves: SHA-256 of the empty string
  bool operator==(const MerkleTree&) const = default;
};

// `leaves` are the leaf data, not their hashes; their order matters.
MerkleTree merkle_tree(const std::vector<std::string>& leaves);

}  // namespace hallmark::bundle
