// wmma.load, wmma.mma and wmma.store by rows (ISA 9.7.15.4) on matrices of halves, bfloat16, tf32 and bytes.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "validator/ir/matrix_tiles.h"
#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

namespace {

using ir::Tile;
using ir::Type;

struct Shape {
  unsigned m = 0, n = 0, k = 0;
};

std::optional<Shape> take_shape(Suffixes& suffixes) {
  if (suffixes.take("m16n16k16")) return Shape{16, 16, 16};
  if (suffixes.take("m32n8k16")) return Shape{32, 8, 16};
  if (suffixes.take("m8n32k16")) return Shape{8, 32, 16};
  if (suffixes.take("m16n16k8")) return Shape{16, 16, 8};
  return std::nullopt;
}

struct Element {
  std::string_view name;
  Type type;
  bool is_signed;
};

std::optional<Element> element_of(std::string_view word) {
  static constexpr std::array<Element, 7> known{{{"f16", Type::f16, true},
                                                 {"bf16", Type::bf16, true},
                                                 {"tf32", Type::f32, true},
                                                 {"f32", Type::f32, true},
                                                 {"s8", Type::i8, true},
                                                 {"u8", Type::i8, false},
                                                 {"s32", Type::i32, true}}};
  for (const Element& e : known)
    if (e.name == word) return e;
  return std::nullopt;
}

std::optional<Element> take_element(Suffixes& suffixes) {
  for (std::string_view word : suffixes.rest())
    if (const auto known = element_of(word)) {
      suffixes.take(known->name);
      return known;
    }
  return std::nullopt;
}

// `which`: a, b, or c for both C and D. Rows and columns as the text calls them belong to the distribution of
// A and B.
std::optional<Tile> tile_of(char which, const Shape& shape, const Element& element, std::string_view layout,
                            std::size_t registers) {
  Tile tile;
  tile.name = fmt::format("{}.m{}n{}k{}.{}{}", which, shape.m, shape.n, shape.k, element.name,
                          which == 'c' ? "" : "." + std::string(layout));
  tile.lines = which == 'b' ? shape.n : shape.m;
  tile.length = which == 'c' ? shape.n : shape.k;
  tile.element = element.type;
  tile.is_signed = element.is_signed;
  tile.registers = registers;
  return tile.is_regular() ? std::optional(tile) : std::nullopt;
}

}  // namespace

// Results and uses of fragments are kept for run(), which looks at all of them together.
void Lowering::note_fragment(std::vector<ir::Fragment>& list, const Tile& tile,
                             std::vector<ValueId> registers) {
  list.push_back({tile.name, std::move(registers), tile.in_register() > 1});
}

void Lowering::wmma(Work& w) {
  Suffixes rest = w.suffixes;
  while (!w.suffixes.rest().empty()) w.suffixes.take(w.suffixes.rest().front());
  ir::Block& block = builder_.kernel().blocks[builder_.block()];
  const std::size_t first = block.instructions.size();
  const bool known = opaque_fragments_.empty() && rest.take("sync") && rest.take("aligned") &&
                     (rest.take("load")    ? wmma_access(w, rest, false)
                      : rest.take("store") ? wmma_access(w, rest, true)
                      : rest.take("mma")   ? wmma_multiply(w, rest)
                                           : false);
  if (!known) return unknown(w);
  auto& instructions = builder_.kernel().blocks[builder_.block()].instructions;
  for (std::size_t n = first; n < instructions.size(); ++n) instructions[n].of_fragment = true;
}

// wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {registers}, [address], stride
bool Lowering::wmma_access(Work& w, Suffixes& rest, bool stores) {
  const std::string_view which = rest.take_any({"a", "b", "c", "d"});
  const std::string_view layout = rest.take_any({"row", "col"});
  const auto shape = take_shape(rest);
  const std::string_view space = rest.take_any({"global", "shared", "shared::cta"});
  const auto element = take_element(rest);
  if (which.empty() || (which == "d") != stores || layout.empty() || !shape || !element ||
      !rest.rest().empty() || w.count() < 2 || w.count() > 3)
    return false;
  const Operand &list = w.operand(stores ? 1 : 0), &memory = w.operand(stores ? 0 : 1);
  if (list.kind != Operand::Kind::vector) return false;
  const bool accumulator = which == "c" || which == "d";
  const auto tile = tile_of(accumulator ? 'c' : which[0], *shape, *element, layout, list.elements.size());
  if (!tile || (accumulator ? element->type == Type::i8 || element->type == Type::bf16
                            : element->name == "f32" || element->type == Type::i32))
    return false;
  ir::Placement place;
  place.space = space.empty()       ? ir::Space::generic
                : space == "global" ? ir::Space::global
                                    : ir::Space::shared;
  place.address = address(w, memory, place.space);
  // Without a stride the lines follow each other.
  place.lines_apart = (which == "b") != (layout == "row");
  if (stores && !place.lines_apart) return false;
  const unsigned close = place.lines_apart ? tile->length : tile->lines;
  place.stride = w.count() == 3 ? read_i32(w, 2) : constant(Type::i32, close);
  fragments_.uses.push_back({"", {place.address, place.stride}, false});
  if (!stores) {
    const std::vector<ValueId> loaded = ir::load_tile(builder_, *tile, place);
    for (std::size_t n = 0; n < loaded.size(); ++n) write_bits(w, list.elements[n], loaded[n]);
    note_fragment(fragments_.results, *tile, loaded);
    return true;
  }
  const std::vector<ValueId> stored = wmma_registers(w, list, *tile);
  ir::store_tile(builder_, *tile, place, stored);
  note_fragment(fragments_.uses, *tile, stored);
  return true;
}

// wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 d, a, b, c, with the types of A and B unless they are
// halves.
bool Lowering::wmma_multiply(Work& w, Suffixes& rest) {
  const std::vector<std::string_view> words = rest.rest();
  const auto shape = take_shape(rest);
  if (!shape || words.size() < 5 || (words[0] != "row" && words[0] != "col") ||
      (words[1] != "row" && words[1] != "col") || w.count() != 4)
    return false;
  const std::vector<std::string_view> types(words.begin() + 3, words.end());
  if (types.size() != 2 && types.size() != 4) return false;
  const auto d = element_of(types.front()), c = element_of(types.back());
  const auto a = element_of(types.size() == 2 ? "f16" : types[1]),
             b = element_of(types.size() == 2 ? "f16" : types[2]);
  if (!a || !b || !c || !d || a->type != b->type || (a->type == Type::i8) != (c->type == Type::i32) ||
      (a->type == Type::i8) != (d->type == Type::i32) || c->type != d->type)
    return false;
  const auto size = [&](std::size_t n) {
    return w.operand(n).kind == Operand::Kind::vector ? w.operand(n).elements.size() : 0;
  };
  const auto tile_a = tile_of('a', *shape, *a, words[0], size(1)),
             tile_b = tile_of('b', *shape, *b, words[1], size(2)),
             tile_c = tile_of('c', *shape, *c, {}, size(3));
  if (!tile_a || !tile_b || !tile_c || size(0) != size(3) ||
      tile_c->lines * tile_c->length != 32 * tile_c->in_lane())
    return false;
  const std::vector<ValueId> in_a = wmma_registers(w, w.operand(1), *tile_a),
                             in_b = wmma_registers(w, w.operand(2), *tile_b),
                             in_c = wmma_registers(w, w.operand(3), *tile_c);
  note_fragment(fragments_.uses, *tile_a, in_a);
  note_fragment(fragments_.uses, *tile_b, in_b);
  note_fragment(fragments_.uses, *tile_c, in_c);
  const std::string name =
      fmt::format("mma.wmma.m{}n{}k{}.{}.{}", shape->m, shape->n, shape->k, d->name, a->name);
  const std::vector<ValueId> out =
      ir::multiply_tiles(builder_, name, *tile_a, *tile_b, *tile_c, in_a, in_b, in_c);
  for (std::size_t n = 0; n < out.size(); ++n) write_bits(w, w.operand(0).elements[n], out[n]);
  note_fragment(fragments_.results, *tile_c, out);
  return true;
}

std::vector<ir::ValueId> Lowering::wmma_registers(const Work& w, const Operand& list, const Tile& tile) {
  const TypeSuffix bits{TypeSuffix::Kind::bits, Type::i32};
  std::vector<ValueId> out;
  for (const Operand& element : list.elements) {
    if (element.kind == Operand::Kind::reg && tile.in_register() == 1)
      out.push_back(read_register(element.number));
    else
      out.push_back(read(w, element, Type::i32, bits));
  }
  return out;
}

// In the type of the register.
void Lowering::write_bits(const Work& w, const Operand& to, ValueId value) {
  if (to.kind == Operand::Kind::reg) value = cast_bits(value, register_types_[to.number]);
  write(w, to, value);
}

}  // namespace hallmark::validator::ptx
