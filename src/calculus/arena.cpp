#include "calculus/arena.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>
#include <unordered_set>

#include "base/error.h"

namespace hallmark::calculus {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdULL;
  return a ^ (a >> 33);
}

// FNV-1a: std::hash may differ between libraries, and the order of printed terms must not.
std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3ULL;
  return h;
}

std::uint64_t hash_integer(const Integer& value) {
  std::uint64_t h = static_cast<std::uint64_t>(sgn(value) + 7);
  for (std::size_t i = 0; i < mpz_size(value.get_mpz_t()); ++i)
    h = mix(h, mpz_getlimbn(value.get_mpz_t(), static_cast<long>(i)));
  return h;
}

std::uint64_t hash_of(const Node& n) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(n.kind), static_cast<std::uint64_t>(n.op));
  h = mix(h, static_cast<std::uint64_t>(n.rounding) * 2 + (n.flush_subnormals ? 1 : 0));
  h = mix(h, static_cast<std::uint64_t>(n.sort.kind) * 64 + static_cast<std::uint64_t>(n.sort.format));
  h = mix(h, static_cast<std::uint64_t>(n.format));
  h = mix(h, static_cast<std::uint64_t>(n.number + 1000));
  h = mix(h, static_cast<std::uint64_t>(n.which * 131 + n.size));
  h = mix(h, hash_text(n.name));
  for (const Integer& c : n.coefficients) h = mix(h, hash_integer(c));
  h = mix(h, hash_integer(n.value.get_num()));
  h = mix(h, hash_integer(n.value.get_den()));
  h = mix(h, n.bits);
  if (n.order != nullptr) h = mix(h, hash_text(to_string(*n.order)));
  for (Term child : n.children) h = mix(h, child->hash);
  return h;
}

bool same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.op == b.op && a.rounding == b.rounding &&
         a.flush_subnormals == b.flush_subnormals && a.sort == b.sort && a.format == b.format &&
         a.number == b.number && a.which == b.which && a.size == b.size && a.bits == b.bits &&
         a.order == b.order && a.name == b.name && a.children == b.children &&
         a.coefficients == b.coefficients && a.value == b.value;
}

struct Hasher {
  std::size_t operator()(const Node* n) const { return n->hash; }
};
struct Same {
  bool operator()(const Node* a, const Node* b) const { return same(*a, *b); }
};

struct Arena {
  std::mutex lock;
  std::deque<Node> nodes;  // never moves a node
  std::unordered_set<const Node*, Hasher, Same> table;
};

Arena& arena() {
  static Arena* const one = new Arena;  // never destroyed: terms may be held by other statics
  return *one;
}

}  // namespace

Node leaf(Kind kind, Sort sort) {
  Node n;
  n.kind = kind;
  n.sort = sort;
  return n;
}

Term intern(Node node) {
  node.hash = hash_of(node);
  // Derived fields come from the children alone: terms are shared heavily, so no walk may follow every path.
  node.free_heights.clear();
  node.has_variables = node.kind == Kind::variable;
  node.height = 0;
  if (node.kind == Kind::bound || node.kind == Kind::state) node.free_heights = {node.number};
  for (Term child : node.children) {
    node.height = std::max(node.height, child->height);
    node.has_variables = node.has_variables || child->has_variables;
    std::vector<int> both;
    std::set_union(node.free_heights.begin(), node.free_heights.end(), child->free_heights.begin(),
                   child->free_heights.end(), std::back_inserter(both));
    node.free_heights = std::move(both);
  }
  if (node.kind == Kind::fold) {
    node.height = std::max(node.height, node.number);
    node.free_heights.erase(std::remove(node.free_heights.begin(), node.free_heights.end(), node.number),
                            node.free_heights.end());
  }
  node.open = node.has_variables || !node.free_heights.empty();
  Arena& a = arena();
  const std::lock_guard<std::mutex> guard(a.lock);
  const auto found = a.table.find(&node);
  if (found != a.table.end()) return *found;
  a.nodes.push_back(std::move(node));
  a.table.insert(&a.nodes.back());
  return &a.nodes.back();
}

std::size_t interned_nodes() {
  const std::lock_guard<std::mutex> guard(arena().lock);
  return arena().nodes.size();
}

}  // namespace hallmark::calculus
