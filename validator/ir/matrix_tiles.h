// wmma: fragments whose distribution over a warp is not specified (PTX ISA 9.0, 9.7.15.4). Here each has one
// of our own: element e of a matrix, counted along rows of A and C and along columns of B, lies in slot
// e % per of lane e / per, where `per` is what a lane holds. Nothing but wmma instructions and operations
// that do the same to every element may look at the registers (fragment_use.h), so that any other
// distribution gives the same matrices.
#pragma once
#include <string>
#include <vector>

#include "validator/ir/builder.h"

namespace hallmark::validator::ir {

struct Tile {
  std::string name;           // "a.m16n16k16.f16": tiles of one name are distributed alike
  unsigned lines = 16;        // rows of A and C, columns of B
  unsigned length = 16;       // elements of each
  Type element = Type::f16;   // f16, bf16, f32, i8, i32
  bool is_signed = true;      // of integers
  std::size_t registers = 8;  // of 32 bits
  unsigned in_register() const { return 32 / bits_of(element); }
  unsigned in_lane() const { return static_cast<unsigned>(registers) * in_register(); }
  // Every lane holds a part of one line, and together they hold all of them at least once.
  bool is_regular() const;
};

// Where a tile lies in memory: a line every `stride` elements, or an element of a line every `stride`.
struct Placement {
  ValueId address = none;
  Space space = Space::generic;
  ValueId stride = none;  // i32
  bool lines_apart = true;
};

// Registers of 32 bits: f32 for tiles of f32, otherwise i32.
std::vector<ValueId> load_tile(Builder& builder, const Tile& tile, const Placement& place);
// Lines apart only: nothing would show where columns begin.
void store_tile(Builder& builder, const Tile& tile, const Placement& place,
                const std::vector<ValueId>& registers);
// C + A B in the registers of C's tile; `name` of the instruction.
std::vector<ValueId> multiply_tiles(Builder& builder, const std::string& name, const Tile& a, const Tile& b,
                                    const Tile& c, const std::vector<ValueId>& a_registers,
                                    const std::vector<ValueId>& b_registers,
                                    const std::vector<ValueId>& c_registers);

}  // namespace hallmark::validator::ir
