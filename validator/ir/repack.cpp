#include "validator/ir/repack.h"

#include <algorithm>
#include <optional>

namespace hallmark::validator::ir {

namespace {

// Bits of a value, least significant first: `length` bits of `source` from bit `first`, or zeros.
struct Piece {
  ValueId source = none;
  unsigned first = 0, length = 0;
  bool operator==(const Piece&) const = default;
};
using Pieces = std::vector<Piece>;

constexpr std::size_t most_pieces = 16, most_origins = 32;

class Repacking {
 public:
  explicit Repacking(const Kernel& kernel)
      : kernel_(kernel), pieces_(kernel.values.size()), came_from_(kernel.values.size()) {}

  // Blocks stand in reverse post-order: what an operation takes has been seen. The value that the result is,
  // among those that its bits came from, which are therefore defined wherever it is.
  std::optional<ValueId> see(const Instruction& i) {
    if (i.results.size() != 1 || !is_integer(kernel_.type_of(i.results[0]))) return std::nullopt;
    std::optional<Pieces> found = of_operation(i);
    if (!found || found->size() > most_pieces) return std::nullopt;
    const ValueId result = i.results[0];
    pieces_[result] = std::move(*found);
    std::vector<ValueId>& from = came_from_[result];
    const auto add = [&](ValueId v) {
      if (from.size() < most_origins && std::find(from.begin(), from.end(), v) == from.end())
        from.push_back(v);
    };
    for (ValueId operand : i.operands) {
      for (ValueId origin : came_from_[operand]) add(origin);
      add(operand);
    }
    for (ValueId origin : from)
      if (!kernel_.is_constant(origin) && kernel_.type_of(origin) == kernel_.type_of(result) &&
          of(origin) == pieces_[result])
        return origin;
    return std::nullopt;
  }

 private:
  unsigned width(ValueId v) const { return bits_of(kernel_.type_of(v)); }
  std::optional<std::uint64_t> number(ValueId v) const {
    if (!kernel_.is_constant(v)) return std::nullopt;
    return kernel_.value(v).bits;
  }
  Pieces of(ValueId v) const {
    if (number(v) == 0) return {{none, 0, width(v)}};
    return pieces_[v].empty() ? Pieces{{v, 0, width(v)}} : pieces_[v];
  }

  static void append(Pieces& to, const Piece& piece) {
    if (piece.length == 0) return;
    if (!to.empty() && to.back().source == piece.source &&
        (piece.source == none || to.back().first + to.back().length == piece.first))
      to.back().length += piece.length;
    else
      to.push_back(piece);
  }
  // Bits `first` to `first + length` of these.
  static Pieces slice(const Pieces& of, unsigned first, unsigned length) {
    Pieces out;
    unsigned at = 0;
    for (const Piece& p : of) {
      const unsigned from = std::max(at, first), to = std::min(at + p.length, first + length);
      if (from < to) append(out, {p.source, p.source == none ? 0 : p.first + (from - at), to - from});
      at += p.length;
    }
    return out;
  }
  static Pieces joined(Pieces low, const Pieces& high) {
    for (const Piece& p : high) append(low, p);
    return low;
  }
  // Where at each bit one of the two is zero.
  static std::optional<Pieces> either(const Pieces& a, const Pieces& b, unsigned bits) {
    Pieces out;
    for (unsigned bit = 0; bit < bits; ++bit) {
      const Piece x = slice(a, bit, 1)[0], y = slice(b, bit, 1)[0];
      if (x.source != none && y.source != none) return std::nullopt;
      append(out, x.source == none ? y : x);
    }
    return out;
  }

  std::optional<Pieces> of_operation(const Instruction& i) const {
    const unsigned bits = width(i.results[0]);
    const auto shift = [&]() -> std::optional<unsigned> {
      const auto by = number(i.operands[1]);
      return by && *by < bits ? std::optional(static_cast<unsigned>(*by)) : std::nullopt;
    };
    switch (i.opcode) {
      case Opcode::truncate:
        return slice(of(i.operands[0]), 0, bits);
      case Opcode::zero_extend: {
        if (width(i.operands[0]) == 1) return std::nullopt;
        return joined(of(i.operands[0]), {{none, 0, bits - width(i.operands[0])}});
      }
      case Opcode::shift_left:
        if (const auto by = shift(); by && !i.no_signed_wrap && !i.no_unsigned_wrap)
          return joined({{none, 0, *by}}, slice(of(i.operands[0]), 0, bits - *by));
        return std::nullopt;
      case Opcode::shift_right_logical:
        if (const auto by = shift(); by && !i.exact)
          return joined(slice(of(i.operands[0]), *by, bits - *by), {{none, 0, *by}});
        return std::nullopt;
      case Opcode::bit_and: {
        for (std::size_t n = 0; n < 2; ++n)
          if (const auto mask = number(i.operands[n])) {
            Pieces out;
            const Pieces other = of(i.operands[1 - n]);
            for (unsigned bit = 0; bit < bits; ++bit)
              append(out, (*mask >> bit & 1) != 0 ? slice(other, bit, 1)[0] : Piece{none, 0, 1});
            return out;
          }
        return std::nullopt;
      }
      case Opcode::bit_or:
        return either(of(i.operands[0]), of(i.operands[1]), bits);
      default:
        return std::nullopt;
    }
  }

  const Kernel& kernel_;
  std::vector<Pieces> pieces_;
  std::vector<std::vector<ValueId>> came_from_;
};

}  // namespace

bool repack(Kernel& kernel, std::vector<ValueId>& followed) {
  std::vector<ValueId> renamed(kernel.values.size());
  for (ValueId v = 0; v < renamed.size(); ++v) renamed[v] = v;
  bool some = false;
  Repacking repacking(kernel);
  for (const Block& block : kernel.blocks)
    for (const Instruction& i : block.instructions)
      if (const auto whole = repacking.see(i)) {
        renamed[i.results[0]] = renamed[*whole];
        some = true;
      }
  if (!some) return false;
  const auto rename = [&](ValueId& v) {
    if (v != none) v = renamed[v];
  };
  for (Block& block : kernel.blocks) {
    for (Instruction& i : block.instructions) std::for_each(i.operands.begin(), i.operands.end(), rename);
    rename(block.terminator.condition);
    for (Edge& edge : block.terminator.edges)
      std::for_each(edge.arguments.begin(), edge.arguments.end(), rename);
  }
  std::for_each(followed.begin(), followed.end(), rename);
  return true;
}

}  // namespace hallmark::validator::ir
