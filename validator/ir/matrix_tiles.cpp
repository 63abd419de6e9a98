#include "validator/ir/matrix_tiles.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "validator/ir/matrix_fragments.h"
#include "validator/ir/warp_lanes.h"

namespace hallmark::validator::ir {

namespace {

constexpr unsigned warp_lanes = 32;

class TileAccess {
 public:
  TileAccess(Builder& builder, const Tile& tile, const Placement& place)
      : builder_(builder), tile_(tile), place_(place), lanes_(builder) {
    lanes_.together();
    const unsigned parts = tile.length / tile.in_lane();
    line_ = lanes_.remainder(lanes_.quotient(lanes_.lane(), bits(parts)), tile.lines);
    first_ = lanes_.times(lanes_.remainder(lanes_.lane(), parts), tile.in_lane());
  }

  // Address of a slot of this lane.
  ValueId address(unsigned slot) {
    const ValueId along = lanes_.plus(first_, slot);
    const ValueId apart = place_.lines_apart ? line_ : along, close = place_.lines_apart ? along : line_;
    return at(wide(apart), wide(close));
  }
  unsigned bytes() const { return bytes_of(tile_.element); }
  // A tile begins at a multiple of 32 bytes, each of its lines in memory at one of 16 (CUDA C++ Programming
  // Guide, warp matrix functions: mptr and ldm).
  std::uint32_t alignment() const { return std::min(tile_.in_lane() * bytes(), 16u); }
  static void begins_tile(Instruction& access) { access.index = 0; }
  // Where lanes access single elements of several lines, the lines' starts are read beside them.
  void read_lines() {
    const ValueId line = wide(lanes_.remainder(lanes_.lane(), tile_.length));
    Instruction& start =
        builder_.emit(Opcode::load, {at(line, wide(lanes_.number(0)))}, {stored_type(tile_)});
    mark(start, 16);
    begins_tile(start);
  }
  void mark(Instruction& access, std::uint32_t alignment) {
    access.space = place_.space;
    access.alignment = alignment;
    access.text = "warp " + tile_.name;
  }

 private:
  static unsigned bits(unsigned power_of_two) {
    return static_cast<unsigned>(std::countr_zero(power_of_two));
  }
  ValueId wide(ValueId number) {
    const Type type = builder_.type_of(place_.address);
    return type == Type::i32 ? number : builder_.value(Opcode::zero_extend, {number}, type);
  }
  ValueId at(ValueId apart, ValueId close) {
    const Type type = builder_.type_of(place_.address);
    const ValueId stride = wide(place_.stride);
    const ValueId element =
        builder_.value(Opcode::add, {builder_.value(Opcode::mul, {apart, stride}, type), close}, type);
    const ValueId offset = builder_.value(Opcode::mul, {element, builder_.constant(type, bytes())}, type);
    return builder_.value(Opcode::add, {place_.address, offset}, type);
  }

 public:
  static Type stored_type(const Tile& tile) {
    return tile.element == Type::f32 ? Type::f32 : integer_type(bits_of(tile.element));
  }

 private:
  Builder& builder_;
  const Tile& tile_;
  const Placement& place_;
  WarpLanes lanes_;
  ValueId line_ = none, first_ = none;
};

// A register from the bits of its elements.
ValueId packed(Builder& builder, const std::vector<ValueId>& elements) {
  ValueId out = none;
  const unsigned width = bits_of(builder.type_of(elements[0]));
  for (std::size_t n = 0; n < elements.size(); ++n) {
    ValueId piece = builder.value(Opcode::zero_extend, {elements[n]}, Type::i32);
    if (n > 0) {
      piece = builder.value(Opcode::shift_left, {piece, builder.constant(Type::i32, n * width)}, Type::i32);
      builder.modify().shift_overflow = ShiftOverflow::clamp;
    }
    out = n == 0 ? piece : builder.value(Opcode::bit_or, {out, piece}, Type::i32);
  }
  return out;
}

// The bits of one element of a register.
ValueId unpacked(Builder& builder, const Tile& tile, ValueId whole, unsigned which) {
  const unsigned width = bits_of(tile.element);
  if (which > 0) {
    whole = builder.value(Opcode::shift_right_logical, {whole, builder.constant(Type::i32, which * width)},
                          Type::i32);
    builder.modify().shift_overflow = ShiftOverflow::clamp;
  }
  return builder.value(Opcode::truncate, {whole}, integer_type(width));
}

ValueId as_type(Builder& builder, ValueId value, Type type) {
  return builder.type_of(value) == type ? value : builder.value(Opcode::bitcast, {value}, type);
}

// What takes part in sums: f32 or i32.
ValueId number(Builder& builder, const Tile& tile, ValueId whole, unsigned which) {
  if (tile.element == Type::f32) return as_type(builder, whole, Type::f32);
  if (tile.element == Type::i32) return whole;
  const ValueId bits = unpacked(builder, tile, whole, which);
  if (is_integer(tile.element))
    return builder.value(tile.is_signed ? Opcode::sign_extend : Opcode::zero_extend, {bits}, Type::i32);
  return builder.value(Opcode::float_convert, {builder.value(Opcode::bitcast, {bits}, tile.element)},
                       Type::f32);
}

}  // namespace

bool Tile::is_regular() const {
  return in_lane() > 0 && in_lane() <= length && length % in_lane() == 0 && std::has_single_bit(lines) &&
         std::has_single_bit(length) && (warp_lanes * in_lane()) % (lines * length) == 0;
}

std::vector<ValueId> load_tile(Builder& builder, const Tile& tile, const Placement& place) {
  TileAccess access(builder, tile, place);
  if (!place.lines_apart) access.read_lines();
  const Type type = TileAccess::stored_type(tile);
  std::vector<ValueId> elements;
  // Eight elements at once at most, one at a time where they do not lie side by side.
  const unsigned together = place.lines_apart ? std::min(tile.in_lane(), 8u) : 1;
  for (unsigned slot = 0; slot < tile.in_lane(); slot += together) {
    const ValueId where = access.address(slot);
    Instruction& load = builder.emit(Opcode::load, {where}, std::vector<Type>(together, type));
    const bool first = place.lines_apart && slot == 0;
    access.mark(load, first ? access.alignment() : access.bytes());
    if (first) TileAccess::begins_tile(load);
    elements.insert(elements.end(), load.results.begin(), load.results.end());
  }
  if (tile.in_register() == 1) return elements;
  std::vector<ValueId> out;
  for (std::size_t n = 0; n < elements.size(); n += tile.in_register())
    out.push_back(packed(builder, {elements.begin() + static_cast<std::ptrdiff_t>(n),
                                   elements.begin() + static_cast<std::ptrdiff_t>(n + tile.in_register())}));
  return out;
}

void store_tile(Builder& builder, const Tile& tile, const Placement& place,
                const std::vector<ValueId>& registers) {
  TileAccess access(builder, tile, place);
  const Type type = TileAccess::stored_type(tile);
  std::vector<ValueId> elements;
  for (ValueId whole : registers)
    for (unsigned which = 0; which < tile.in_register(); ++which)
      elements.push_back(tile.in_register() == 1 ? as_type(builder, whole, type)
                                                 : unpacked(builder, tile, whole, which));
  ensure(place.lines_apart, "a tile whose elements are stored one by one");
  const unsigned together = std::min(tile.in_lane(), 8u);
  for (unsigned slot = 0; slot < tile.in_lane(); slot += together) {
    std::vector<ValueId> operands{access.address(slot)};
    operands.insert(operands.end(), elements.begin() + slot, elements.begin() + slot + together);
    Instruction& store = builder.emit(Opcode::store, std::move(operands), {});
    access.mark(store, slot == 0 ? access.alignment() : access.bytes());
    if (slot == 0) TileAccess::begins_tile(store);
  }
}

std::vector<ValueId> multiply_tiles(Builder& builder, const std::string& name, const Tile& a, const Tile& b,
                                    const Tile& c, const std::vector<ValueId>& a_registers,
                                    const std::vector<ValueId>& b_registers,
                                    const std::vector<ValueId>& c_registers) {
  WarpLanes lanes(builder);
  const unsigned depth = a.length, parts = c.length / c.in_lane();
  const auto shift = [](unsigned power_of_two) {
    return static_cast<unsigned>(std::countr_zero(power_of_two));
  };
  const ValueId row = lanes.quotient(lanes.lane(), shift(parts));
  const ValueId first_column = lanes.times(lanes.remainder(lanes.lane(), parts), c.in_lane());
  std::vector<ValueId> sums;
  for (unsigned slot = 0; slot < c.in_lane(); ++slot) {
    const ValueId column = lanes.plus(first_column, slot);
    std::vector<ValueId> factors;
    const auto element = [&](const Tile& tile, const std::vector<ValueId>& registers, ValueId line,
                             unsigned k) {
      const ValueId lane = lanes.plus(lanes.times(line, depth / tile.in_lane()), k / tile.in_lane());
      const unsigned in_lane = k % tile.in_lane();
      const ValueId whole = lanes.from(registers[in_lane / tile.in_register()], lane);
      return number(builder, tile, whole, in_lane % tile.in_register());
    };
    for (unsigned k = 0; k < depth; ++k) {
      factors.push_back(element(a, a_registers, row, k));
      factors.push_back(element(b, b_registers, column, k));
    }
    const ValueId start = number(builder, c, c_registers[slot / c.in_register()], slot % c.in_register());
    sums.push_back(sum_of_products(builder, name, c.element, start, factors));
  }
  if (c.in_register() == 1) return sums;
  std::vector<ValueId> out;
  for (std::size_t n = 0; n < sums.size(); n += 2)
    out.push_back(
        packed(builder, {as_type(builder, sums[n], Type::i16), as_type(builder, sums[n + 1], Type::i16)}));
  return out;
}

}  // namespace hallmark::validator::ir
