// The kernel IR: what both readers (PTX, and CUDA through LLVM IR) yield and what symbolic execution, checks
// and interpreter consume (design, section 5). A kernel is a control-flow graph of basic blocks over SSA
// values; phi nodes are block parameters, filled by the arguments of the edges.
//
// Guaranteed by the readers and checked by verify():
//   - block 0 is the entry; it has no parameters and no predecessors; blocks stand in reverse post-order and
//     each is reachable; device functions are inlined;
//   - each value is defined once, in a block that dominates its uses; constants are defined nowhere;
//   - memory instructions name their space; an address operand is i64, or i32 in shared and local space;
//   - the type of a load's results and a store's values is what lies in memory (ld.u8 is a load of i8 and a
//     zero_extend).
// Nothing is promised about loops: see cfg.h.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "validator/ir/opcode.h"
#include "validator/ir/type.h"

namespace hallmark::validator::ir {

using ValueId = std::uint32_t;
using BlockId = std::uint32_t;
inline constexpr std::uint32_t none = 0xffffffffu;

// Where an instruction stands: in the text that was read, and in the CUDA text that text was made from (.loc
// of PTX). At source level both are the CUDA line. Lines are 1-based; 0: not known.
struct Place {
  std::uint32_t line = 0, column = 0;
  std::uint32_t source_file = none;  // index into Kernel::source_files
  std::uint32_t source_line = 0;
  bool operator==(const Place&) const = default;
};

enum class Origin : std::uint8_t { constant, block_parameter, result };

struct Value {
  Type type = Type::i32;
  Origin origin = Origin::constant;
  std::uint64_t bits = 0;    // constants: the encoding, zero above the type's width
  BlockId block = none;      // where it is defined
  std::uint32_t index = 0;   // which block parameter, or which instruction of the block
  std::uint32_t result = 0;  // which result of that instruction
  std::string hint{};        // register or variable name, for people
};

struct Instruction {
  Opcode opcode{};
  std::vector<ValueId> operands, results;
  Place place{};

  // Modifiers; each is meaningful only for the opcodes that name it in opcode.h.
  Predicate predicate = Predicate::equal;
  Rounding rounding = Rounding::none;
  bool flush_subnormals = false;    // .ftz
  bool saturate = false;            // float results to [0, 1], NaN to +0
  bool approximate = false;         // .approx or .full: the bits are not specified
  bool contractible = false;        // bare add, sub, mul of PTX: ptxas may fuse it (soundness G8)
  bool propagate_nan = false;       // float_min, float_max
  bool no_signed_wrap = false;      // nsw
  bool no_unsigned_wrap = false;    // nuw
  bool exact = false;               // exact division or right shift
  bool clamped_conversion = false;  // float_to_*
  bool is_signed = false;           // atomic and warp_reduce min, max
  ShiftOverflow shift_overflow = ShiftOverflow::undefined;
  Space space = Space::generic;       // memory instructions; address_cast: the target
  Space from_space = Space::generic;  // address_cast
  bool is_volatile = false;   // also .relaxed and stronger: another thread may write between two reads
  bool non_coherent = false;  // ld.global.nc, __ldg
  // load, store: of an asynchronous copy, which happens at some time from here to the async_wait that covers
  // it
  bool asynchronous = false;
  std::uint32_t alignment = 0;  // bytes that the access needs: its whole size, or less where the text says so
  AtomicOperation atomic_operation = AtomicOperation::none;
  bool of_fragment = false;  // part of a wmma instruction, spelled out for each lane (matrix_tiles.h)
  bool aligned = false;      // barrier: promises that all threads of a warp execute it together (bar.sync)
  ShuffleMode shuffle_mode = ShuffleMode::index;
  VoteMode vote_mode = VoteMode::all;
  Scope scope = Scope::device;
  SpecialRegister special = SpecialRegister::thread_x;
  // parameter: number of the parameter; symbol_address: number of the array; load, store of a warp: 0 where
  // its first lane accesses the start of a tile, which lies at a multiple of 32 bytes; async_wait: groups.
  std::uint32_t index = none;
  std::uint32_t offset = 0;  // parameter: byte offset
  // library_call: name; float_div: "full" of .full; load, store: "warp NAME" where a warp accesses memory
  // together, and which lane accesses what is not specified: in the same way for one NAME.
  std::string text{};
};

struct Edge {
  BlockId target = none;
  std::vector<ValueId> arguments;  // one for each parameter of the target
};

struct Terminator {
  enum class Kind : std::uint8_t {
    jump,         // edges[0]
    branch,       // condition ? edges[0] : edges[1]
    leave,        // the thread ends
    trap,         // the grid is aborted
    unreachable,  // source level: undefined when reached
  } kind = Kind::leave;
  ValueId condition = none;
  std::vector<Edge> edges;
  Place place{};
};

struct Block {
  std::string name;  // label, for people
  std::vector<ValueId> parameters;
  std::vector<Instruction> instructions;
  Terminator terminator;
};

struct Parameter {
  enum class Kind : std::uint8_t { scalar, pointer, aggregate };
  std::string name;  // as the text has it; at source level the parameter's own name
  Kind kind = Kind::scalar;
  Type type = Type::i64;        // scalar, pointer
  std::uint32_t bytes = 8;      // whole size
  std::uint32_t alignment = 8;  // of the parameter itself
  std::uint32_t pointee_alignment =
      0;                        // .ptr .align, or the element's alignment at source level; 0: not said
  std::optional<Type> pointee;  // source level: element type, when it is a scalar
  bool is_restrict = false;
  bool is_read_only = false;  // pointer to const
};

// A variable that memory instructions reach through symbol_address.
struct Array {
  std::string name;
  Space space = Space::shared;  // shared: one a block; local: one a thread; global, constant: one a module
  std::uint64_t bytes = 0;      // 0 when `dynamic`
  std::uint32_t alignment = 1;
  bool dynamic = false;  // extern __shared__: the launch says the size; all dynamic arrays coincide
  // Read from CUDA and dynamic: what the element type promises, where `alignment` is what nvcc makes of it.
  std::uint32_t declared_alignment = 0;
  std::optional<std::vector<std::uint8_t>> initial;  // global, constant with initialiser; otherwise zero
};

struct Kernel {
  std::string name;         // symbol in the text
  std::string source_name;  // demangled, without parameters: "k01_bad", "tile<16>"
  bool is_source = false;   // read from CUDA: division by zero and the like are undefined (kind `ub`)
  bool rests_on_volatile_assembly = false;  // read from CUDA: see ptx/assembly.h, and the next one too
  bool rests_on_operands_apart = false;
  // Read from CUDA, or from PTX that was made of it here without contraction: multiplications and additions
  // that a compiler may fuse unless it is told not to (nvcc's default is --fmad=true).
  bool rests_on_no_contraction = false;
  // A local variable is accessed with a greater alignment than its type has: what holds if the compiler
  // places it accordingly.
  bool rests_on_placement = false;
  std::string text_file;                  // the text that was read
  std::vector<std::string> source_files;  // named by Place::source_file
  std::vector<Parameter> parameters;
  std::vector<Array> arrays;
  std::array<std::uint32_t, 3> required_block{0, 0, 0};  // .reqntid; 0: none
  std::array<std::uint32_t, 3> maximum_block{0, 0, 0};   // .maxntid, __launch_bounds__ (x only); 0: none
  std::vector<Value> values;
  std::vector<Block> blocks;

  const Value& value(ValueId id) const { return values[id]; }
  Type type_of(ValueId id) const { return values[id].type; }
  bool is_constant(ValueId id) const { return values[id].origin == Origin::constant; }
  // The instruction that defines a value; nullptr for constants and block parameters.
  const Instruction* definition(ValueId id) const;
  // The place as a Location for reports: text file and line, "kernel NAME" as node.
  Location location(const Place&) const;
  // "file.cu:12" when the CUDA line is known, otherwise empty.
  std::string source_location(const Place&) const;
};

std::vector<BlockId> successors(const Block&);
// "%r5" or "12:i32", as the printer has them.
std::string value_name(const Kernel&, ValueId);
// One line: "%v7:f32 = float_fma.rn %v1, %v2, %v3".
std::string print(const Kernel&, const Instruction&);
std::string print(const Kernel&);
// Throws InternalError with the first rule of the header comment or of opcode.h that is broken.
void verify(const Kernel&);

}  // namespace hallmark::validator::ir
