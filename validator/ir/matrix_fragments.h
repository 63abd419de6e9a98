// Products of small matrices by a whole warp, spelled out as instructions of each lane: which element of
// which matrix lies in which register of which lane, and the sums of products that a lane gets.
//
// Sources: PTX ISA 9.0, 9.7.15.5 (matrix fragments of mma.sync, m16n8k*) and 9.7.15.5.15 (ldmatrix).
// A sum of products is one library_call "mma.SHAPE.TYPES" of (c, a1, b1, a2, b2, ...), because the order and
// the roundings of the sum are not specified: over the reals it is c + a1 b1 + a2 b2 + ... Products of
// integers wrap.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "validator/ir/builder.h"

namespace hallmark::validator::ir {

// D = A B + C, where A has 16 (or 8) rows and B has 8 columns.
struct MatrixProduct {
  std::string name;  // "mma.m16n8k16.f32.f16.f16.f32"
  unsigned rows = 16, depth = 16;
  Type element = Type::f16;               // of A and B: f16, bf16, f32 (tf32) or i8
  bool a_signed = true, b_signed = true;  // of integers
  Type accumulator = Type::f32;           // of C and D: f32, f16 or i32

  unsigned elements_in_register() const { return 32 / bits_of(element); }
  std::size_t a_registers() const { return rows / 8 * depth / (4 * elements_in_register()); }
  std::size_t b_registers() const { return depth / (4 * elements_in_register()); }
  // Elements of C and D in a lane; f16 ones lie in pairs.
  std::size_t outputs() const { return rows / 4; }
};

// `a` and `b`: registers of 32 bits; `c`: one value for each output. Returns one value for each output.
std::vector<ValueId> multiply(Builder& builder, const MatrixProduct& product, const std::vector<ValueId>& a,
                              const std::vector<ValueId>& b, const std::vector<ValueId>& c);

// start + f1 f2 + f3 f4 + ... rounded to `type` (f32, f16) or modulo 2^32 (i32). Floats are f32, and the sum
// of them is one library_call of this name.
ValueId sum_of_products(Builder& builder, const std::string& name, Type type, ValueId start,
                        const std::vector<ValueId>& factors);

// What lane t gets of `count` (1, 2 or 4) matrices of 8 x 8 elements of 16 bits in shared memory: lane 8j + r
// names the address of row r of matrix j. Two elements a matrix, of f16's width: of row t/4, columns 2(t%4)
// and the next; `transposed`: of column t/4, rows 2(t%4) and the next. Each row is 16 bytes at a multiple of
// 16, and is read by its lane too, so that bounds and alignment are those of whole rows.
std::vector<std::array<ValueId, 2>> load_matrices(Builder& builder, ValueId address, unsigned count,
                                                  bool transposed);

}  // namespace hallmark::validator::ir
