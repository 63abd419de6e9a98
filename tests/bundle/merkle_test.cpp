#include "bundle/merkle.h"

#include <gtest/gtest.h>

namespace hallmark::bundle {
namespace {

// The leaves and roots of the Certificate Transparency reference tests (RFC 6962;
// certificate-transparency-go, merkle tests).
const std::vector<std::string> ct_leaves{
    std::string(""),
    std::string("\x00", 1),
    std::string("\x10"),
    std::string("\x20\x21"),
    std::string("\x30\x31"),
    std::string("\x40\x41\x42\x43"),
    std::string("\x50\x51\x52\x53\x54\x55\x56\x57"),
    std::string("\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f"),
};
const std::vector<std::string> ct_roots{
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
};

TEST(Merkle, KnownRootsOfRfc6962) {
  EXPECT_EQ(merkle_tree({}).root, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  for (std::size_t n = 1; n <= ct_leaves.size(); ++n) {
    const MerkleTree tree = merkle_tree({ct_leaves.begin(), ct_leaves.begin() + static_cast<long>(n)});
    EXPECT_EQ(tree.root, ct_roots[n - 1]) << n;
    EXPECT_EQ(tree.count, n);
  }
}

// Soundness D3: a tree that repeats its last leaf to fill a level cannot tell these two apart.
TEST(Merkle, ARepeatedLastLeafChangesRootAndCount) {
  const MerkleTree three = merkle_tree({"a", "b", "c"}), four = merkle_tree({"a", "b", "c", "c"});
  EXPECT_NE(three.root, four.root);
  EXPECT_NE(three.count, four.count);
}

TEST(Merkle, OrderAndPrefixesMatter) {
  EXPECT_NE(merkle_tree({"a", "b"}).root, merkle_tree({"b", "a"}).root);
  // A leaf that spells an inner node's bytes is no inner node.
  const Digest a = sha256(std::string(1, '\0') + "a"), b = sha256(std::string(1, '\0') + "b");
  std::string node(1, '\1');
  node.append(reinterpret_cast<const char*>(a.data()), a.size())
      .append(reinterpret_cast<const char*>(b.data()), b.size());
  EXPECT_NE(merkle_tree({node}).root, merkle_tree({"a", "b"}).root);
}

}  // namespace
}  // namespace hallmark::bundle
