// From the basic blocks of one flat function to kernel IR. Each family of instructions has its own file
// (lower_*.cpp); not for use outside ptx/.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "validator/ir/builder.h"
#include "validator/ir/fragment_use.h"
#include "validator/ir/matrix_fragments.h"
#include "validator/ir/matrix_tiles.h"
#include "validator/ir/ssa.h"
#include "validator/ptx/assembly.h"
#include "validator/ptx/control_flow.h"

namespace hallmark::validator::ptx {

// A register and the number of the operand that it starts with.
struct Bound {
  std::uint32_t reg;
  std::uint32_t operand;
};

// A register whose content at the end is a result.
struct Result {
  std::uint32_t reg;
  bool early_clobber;
};

class Lowering {
 public:
  // `opaque_fragments`: why wmma instructions are not understood, if they are not to be.
  Lowering(const ModuleSyntax& module, const Function& flat, const Context& context, ir::Kernel& kernel,
           std::string opaque_fragments = {});
  // What depends on how fragments of wmma are distributed, if anything does: then the kernel is to be read
  // with opaque ones.
  std::string run();
  // The same of inline assembly: `inputs` start with the parameters of these numbers, and what `outputs` hold
  // at the end is the result.
  void run_assembly(const std::vector<Bound>& inputs, const std::vector<Result>& outputs,
                    AssemblyReading& reading);

 private:
  using ValueId = ir::ValueId;
  using Type = ir::Type;
  using Op = ir::Opcode;
  // One statement being lowered.
  struct Work {
    const Statement& s;
    Suffixes suffixes;
    Step::Form form = Step::Form::plain;
    const Operand& operand(std::size_t n) const { return s.operands[n]; }
    std::size_t count() const { return s.operands.size(); }
  };
  using Handler = void (Lowering::*)(Work&);
  static const std::map<std::string_view, Handler>& handlers();

  // --- core (lower.cpp) ---
  void block(std::uint32_t number, const PreBlock& pre);
  void end_block(const PreBlock& pre);
  void step(const Step& step);
  void declare_parameters();
  void declare_param_variables();
  void fill_blocks(const std::vector<Bound>& inputs);
  bool may_share(const std::vector<Bound>& inputs, const std::vector<Result>& outputs) const;
  ir::Place place_of(const ir::Place& place) const;
  [[noreturn]] void refuse(const Work& w, const std::string& why) const;
  [[noreturn]] void reject(const Work& w, const std::string& why) const;
  void expect_count(const Work& w, std::size_t count) const;
  void expect_done(const Work& w) const;  // every suffix was taken, all operands are plain
  TypeSuffix type(Work& w) const;         // the next type suffix; refuses when there is none

  ValueId read_register(std::uint32_t reg);
  // An operand as a value of this type: registers of that width, immediates as the suffix allows.
  ValueId read(const Work& w, const Operand& o, Type want, const TypeSuffix& suffix);
  ValueId read(const Work& w, std::size_t n, const TypeSuffix& suffix);
  ValueId read_i32(const Work& w, std::size_t n);
  ValueId read_predicate(const Work& w, const Operand& o);
  // Registers may be wider than the type (ld, st, cvt): the low bits.
  ValueId read_low(const Work& w, const Operand& o, const TypeSuffix& suffix);
  void write(const Work& w, const Operand& o, ValueId value);
  // Into a register that may be wider: extended by the sign of the type.
  void write_extended(const Work& w, const Operand& o, ValueId value, bool is_signed);
  ValueId cast_bits(ValueId value, Type to) { return builder_.cast_bits(value, to); }
  ValueId constant(Type type, std::uint64_t bits) { return builder_.constant(type, bits); }
  ValueId emit(Op op, std::vector<ValueId> operands, Type result) {
    return builder_.value(op, std::move(operands), result);
  }
  ValueId compare(ir::Predicate predicate, ValueId a, ValueId b);
  ValueId extend(ValueId a, Type to, bool is_signed);
  ValueId low_bits(ValueId a, Type to) { return emit(Op::truncate, {a}, to); }
  ValueId special(const Work& w, const std::string& name, Type want);
  std::uint32_t array(const Work& w, const std::string& name);
  // --- packed halves: element-wise on both parts ---
  std::array<ValueId, 2> unpack(ValueId packed, Type element);
  ValueId pack(const std::array<ValueId, 2>& parts);

  // --- integers (lower_integer.cpp) ---
  void add_sub(Work& w);
  void in_halves(Work& w, Op op);
  void carry_add(Work& w, ValueId a, ValueId b, bool with_carry_in, bool subtract, bool carry_out);
  void mul(Work& w);
  void mad(Work& w);
  void mul24(Work& w);
  void sad(Work& w);
  void div_rem(Work& w);
  void abs_neg(Work& w);
  void min_max(Work& w);
  void dot_product(Work& w);
  ValueId multiply(Work& w, const TypeSuffix& t, std::string_view part);
  std::uint32_t carry_flag();

  // --- bits (lower_bits.cpp) ---
  void logic(Work& w);
  void bit_not(Work& w);
  void lop3(Work& w);
  void shift(Work& w);
  void funnel(Work& w);
  void permute(Work& w);
  void bit_field(Work& w);
  void count_bits(Work& w);

  // --- floats (lower_float.cpp) ---
  struct FloatModifiers {
    ir::Rounding rounding = ir::Rounding::none;
    bool ftz = false, saturate = false, approximate = false, contractible = false, propagate_nan = false;
    bool full_range = false;  // of approximate divisions: .full
  };
  void float_arithmetic(Work& w, Op op, const TypeSuffix& t, std::size_t operands);
  void fma(Work& w);
  void float_division(Work& w, const TypeSuffix& t);
  void float_function(Work& w);
  void float_min_max(Work& w, const TypeSuffix& t, Op op);
  void float_abs_neg(Work& w, const TypeSuffix& t, Op op);
  void copysign(Work& w);
  void testp(Work& w);
  ValueId emit_float(Op op, std::vector<ValueId> operands, Type type, const FloatModifiers& m);
  void emit_float_all(Work& w, Op op, const TypeSuffix& t, std::size_t operands, const FloatModifiers& m);
  static ir::Rounding take_rounding(Work& w);

  // --- conversions (lower_convert.cpp) ---
  void cvt(Work& w);
  void cvt_tf32(Work& w);
  void cvt_pair(Work& w, const TypeSuffix& to);
  void cvt_integer(Work& w, const TypeSuffix& to, const TypeSuffix& from, bool saturate);

  // --- moves and comparisons (lower_move.cpp) ---
  void mov(Work& w);
  void cvta(Work& w);
  void selp(Work& w);
  void slct(Work& w);
  void set(Work& w);
  void setp(Work& w);
  ValueId comparison(Work& w, std::string_view op, const TypeSuffix& t, ValueId a, ValueId b, bool ftz);
  std::string_view take_comparison(Work& w);
  ValueId boolean_operation(std::string_view op, ValueId a, ValueId b);

  // --- memory (lower_memory.cpp) ---
  void undefine_parameter(Work& w);  // of a call: what it held before is none of the call's values
  void load(Work& w);
  void store(Work& w);
  void atomic(Work& w);
  void fence(Work& w);
  struct MemoryModifiers {
    ir::Space space = ir::Space::generic;
    bool is_param = false, is_volatile = false, non_coherent = false;
    ir::Scope scope = ir::Scope::device;
    unsigned vector = 1;
  };
  MemoryModifiers memory_modifiers(Work& w);
  ValueId address(const Work& w, const Operand& o, ir::Space space);
  void parameter_load(Work& w, const MemoryModifiers& m, const TypeSuffix& t);
  void parameter_store(Work& w, const MemoryModifiers& m, const TypeSuffix& t);
  std::vector<const Operand*> elements(const Work& w, const Operand& o, unsigned vector) const;
  struct ParamSlot {
    std::uint32_t param, offset, bits;
    bool operator<(const ParamSlot& b) const {
      return std::tie(param, offset, bits) < std::tie(b.param, b.offset, b.bits);
    }
  };
  ir::Variable param_slot(const Work& w, const Operand& address, std::uint32_t extra, unsigned bits);

  // --- threads (lower_thread.cpp) ---
  void barrier(Work& w);
  void shuffle(Work& w);
  void vote(Work& w);
  void match(Work& w);
  void redux(Work& w);
  void active_mask(Work& w);

  // --- tensor cores (lower_matrix.cpp) ---
  void matrix_multiply(Work& w);
  void load_matrix(Work& w);
  // Nothing for a form that is not modelled.
  static std::optional<ir::MatrixProduct> matrix_product(const Statement& s);
  std::vector<ValueId> fragment(const Work& w, std::size_t n, std::size_t count, Type type);

  // --- wmma (lower_wmma.cpp) ---
  void wmma(Work& w);
  bool wmma_access(Work& w, Suffixes& rest, bool stores);
  bool wmma_multiply(Work& w, Suffixes& rest);
  std::vector<ValueId> wmma_registers(const Work& w, const Operand& list, const ir::Tile& tile);
  void write_bits(const Work& w, const Operand& to, ValueId value);
  static void note_fragment(std::vector<ir::Fragment>& list, const ir::Tile& tile,
                            std::vector<ValueId> registers);

  // --- asynchronous copies (lower_async.cpp) ---
  void async_copy(Work& w);

  // --- what is not modelled (lower_unknown.cpp) ---
  // Its results are not known, and unless it is known to touch registers alone it may have written anywhere:
  // what depends on either is not decided, and everything else is.
  void unknown(Work& w);
  // Instructions that read and write registers alone, or nothing at all.
  static bool only_registers(const std::string& name);
  std::string described(const Statement& s) const;
  ValueId not_understood(const Work& w, Type type);

  const ModuleSyntax& module_;
  const Function& flat_;
  const Context& context_;
  ir::Builder builder_;
  std::vector<PreBlock> blocks_;
  std::vector<Type> register_types_;
  std::optional<ir::SsaVariables> ssa_;
  std::vector<ir::Variable> register_variables_;
  // By register, the first statement that writes it and the last that reads it.
  std::map<std::uint32_t, std::size_t> first_write_, last_read_;
  std::size_t statement_ = 0;  // being lowered
  std::map<ParamSlot, ir::Variable> param_variables_;
  std::optional<std::uint32_t> carry_;
  std::map<std::string, std::uint32_t> array_numbers_;
  std::map<std::uint32_t, std::uint32_t> file_numbers_;
  const std::string opaque_fragments_;
  ir::Fragments fragments_;
  // The guard of the statement being lowered, when it is to become selects.
  std::optional<ValueId> guard_;
  bool guard_negated_ = false;
};

}  // namespace hallmark::validator::ptx
