#include "bundle/merkle.h"

#include <bit>
#include <span>

namespace hallmark::bundle {
namespace {

Digest hash(std::span<const std::string> leaves) {
  if (leaves.size() == 1) return sha256(std::string(1, '\0') + leaves[0]);
  const std::size_t split = std::bit_floor(leaves.size() - 1);
  const Digest left = hash(leaves.first(split)), right = hash(leaves.subspan(split));
  std::string node(1, '\1');
  node.append(reinterpret_cast<const char*>(left.data()), left.size());
  node.append(reinterpret_cast<const char*>(right.data()), right.size());
  return sha256(node);
}

}  // namespace

MerkleTree merkle_tree(const std::vector<std::string>& leaves) {
  return {leaves.size(), leaves.empty() ? sha256_hex("") : hex(hash(leaves))};
}

}  // namespace hallmark::bundle
