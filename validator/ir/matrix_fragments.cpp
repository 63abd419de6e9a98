#include "validator/ir/matrix_fragments.h"

#include "validator/ir/warp_lanes.h"

namespace hallmark::validator::ir {

namespace {

// One element of a register as a number: floats in f32, integers in i32.
ValueId element(Builder& builder, const MatrixProduct& product, ValueId packed, unsigned which,
                bool is_signed) {
  const Type type = product.element;
  if (type == Type::f32)
    return builder.type_of(packed) == Type::f32 ? packed
                                                : builder.value(Opcode::bitcast, {packed}, Type::f32);
  if (which > 0) {
    const ValueId by = builder.constant(Type::i32, which * bits_of(type));
    packed = builder.value(Opcode::shift_right_logical, {packed, by}, Type::i32);
    builder.modify().shift_overflow = ShiftOverflow::clamp;
  }
  const ValueId bits = builder.value(Opcode::truncate, {packed}, integer_type(bits_of(type)));
  if (is_integer(type))
    return builder.value(is_signed ? Opcode::sign_extend : Opcode::zero_extend, {bits}, Type::i32);
  return builder.value(Opcode::float_convert, {builder.value(Opcode::bitcast, {bits}, type)}, Type::f32);
}

}  // namespace

ValueId sum_of_products(Builder& builder, const std::string& name, Type type, ValueId start,
                        const std::vector<ValueId>& factors) {
  if (type == Type::i32) {
    for (std::size_t n = 0; n < factors.size(); n += 2)
      start = builder.value(Opcode::add,
                            {start, builder.value(Opcode::mul, {factors[n], factors[n + 1]}, Type::i32)},
                            Type::i32);
    return start;
  }
  std::vector<ValueId> operands{start};
  operands.insert(operands.end(), factors.begin(), factors.end());
  const ValueId sum = builder.value(Opcode::library_call, std::move(operands), Type::f32);
  builder.modify().text = name;
  if (type == Type::f32) return sum;
  const ValueId result = builder.value(Opcode::float_convert, {sum}, type);
  builder.modify().rounding = Rounding::nearest_even;
  return result;
}

std::vector<ValueId> multiply(Builder& builder, const MatrixProduct& product, const std::vector<ValueId>& a,
                              const std::vector<ValueId>& b, const std::vector<ValueId>& c) {
  WarpLanes lanes(builder);
  // Lane 4 g + s holds of A rows g and g + 8, of B column g; of C columns 2 s and 2 s + 1 of rows g and g
  // + 8.
  const ValueId group = lanes.quotient(lanes.lane(), 2), in_group = lanes.remainder(lanes.lane(), 4);
  const unsigned packed = product.elements_in_register(), row_blocks = product.rows / 8;
  std::array<ValueId, 4> of_row{};
  std::array<std::array<ValueId, 4>, 2> of_column{};
  for (unsigned s = 0; s < 4; ++s) {
    of_row[s] = lanes.plus(lanes.times(group, 4), s);
    for (unsigned n = 0; n < 2; ++n) of_column[n][s] = lanes.plus(lanes.times(in_group, 8), 4 * n + s);
  }
  std::vector<ValueId> out;
  for (std::size_t j = 0; j < product.outputs(); ++j) {
    std::vector<ValueId> factors;
    for (std::size_t block = 0; block < product.b_registers(); ++block)
      for (unsigned s = 0; s < 4; ++s)
        for (unsigned i = 0; i < packed; ++i) {
          const ValueId left = lanes.from(a.at(row_blocks * block + j / 2), of_row[s]);
          const ValueId right = lanes.from(b.at(block), of_column[j % 2][s]);
          factors.push_back(element(builder, product, left, i, product.a_signed));
          factors.push_back(element(builder, product, right, i, product.b_signed));
        }
    const bool narrow = product.accumulator == Type::f16;
    const ValueId start = narrow ? builder.value(Opcode::float_convert, {c.at(j)}, Type::f32) : c.at(j);
    out.push_back(sum_of_products(builder, product.name, product.accumulator, start, factors));
  }
  return out;
}

std::vector<std::array<ValueId, 2>> load_matrices(Builder& builder, ValueId address, unsigned count,
                                                  bool transposed) {
  WarpLanes lanes(builder);
  // Shared memory is addressed by 32 bits.
  if (builder.type_of(address) == Type::i64) address = builder.value(Opcode::truncate, {address}, Type::i32);
  constexpr std::uint32_t row_bytes = 16, element_bytes = 2;
  const ValueId group = lanes.quotient(lanes.lane(), 2), in_group = lanes.remainder(lanes.lane(), 4);
  // Of fewer than four matrices the last lanes' addresses mean nothing.
  const ValueId whole_row =
      count == 4 ? address : lanes.from(address, lanes.remainder(lanes.lane(), 8 * std::uint64_t{count}));
  const auto load = [&](ValueId at, std::size_t elements, std::uint32_t alignment) {
    Instruction& i = builder.emit(Opcode::load, {at}, std::vector<Type>(elements, Type::i16));
    i.space = Space::shared;
    i.alignment = alignment;
    i.text = "warp ldmatrix";
    return i.results;
  };
  load(whole_row, row_bytes / element_bytes, row_bytes);
  std::vector<std::array<ValueId, 2>> out;
  for (unsigned j = 0; j < count; ++j) {
    std::array<ValueId, 2> pair{};
    if (transposed) {
      for (unsigned i = 0; i < 2; ++i) {
        const ValueId row = lanes.from(address, lanes.plus(lanes.times(in_group, 2), 8 * j + i));
        const ValueId at = builder.value(Opcode::add, {row, lanes.times(group, element_bytes)}, Type::i32);
        pair[i] = load(at, 1, element_bytes)[0];
      }
    } else {
      const ValueId row = lanes.from(address, lanes.plus(group, 8 * j));
      const ValueId at =
          builder.value(Opcode::add, {row, lanes.times(in_group, 2 * element_bytes)}, Type::i32);
      const std::vector<ValueId> both = load(at, 2, 2 * element_bytes);
      pair = {both[0], both[1]};
    }
    out.push_back(pair);
  }
  return out;
}

}  // namespace hallmark::validator::ir
