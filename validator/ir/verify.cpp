#include <fmt/format.h>

#include <algorithm>

#include "validator/ir/cfg.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : k_(kernel) {}

  void run() {
    require(!k_.blocks.empty(), "no blocks");
    edges();
    definitions();
    uses();
    for (const Block& block : k_.blocks)
      for (const Instruction& i : block.instructions) {
        current_ = &i;
        instruction(i);
      }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InternalError(fmt::format(
        "kernel {} breaks the rules of the IR: {}{}", k_.name, what,
        current_ ? fmt::format(" in `{}` (line {})", print(k_, *current_), current_->place.line) : ""));
  }
  void require(bool holds, const char* what) const {
    if (!holds) fail(what);
  }
  Type type(ValueId id) const { return k_.type_of(id); }

  void edges() {
    std::vector<char> reached(k_.blocks.size(), 0);
    reached[0] = 1;
    require(k_.blocks[0].parameters.empty(), "the entry has parameters");
    for (BlockId b = 0; b < k_.blocks.size(); ++b) {
      require(reached[b], "a block stands before all its predecessors");
      const Terminator& t = k_.blocks[b].terminator;
      const std::size_t expected = t.kind == Terminator::Kind::jump     ? 1
                                   : t.kind == Terminator::Kind::branch ? 2
                                                                        : 0;
      require(t.edges.size() == expected, "a terminator has a wrong number of edges");
      for (const Edge& edge : t.edges) {
        require(edge.target < k_.blocks.size() && edge.target != 0, "an edge to no block or to the entry");
        reached[edge.target] = 1;
        const auto& parameters = k_.blocks[edge.target].parameters;
        require(parameters.size() == edge.arguments.size(), "an edge has a wrong number of arguments");
        for (std::size_t n = 0; n < parameters.size(); ++n) {
          require(edge.arguments[n] < k_.values.size(), "an edge has an argument that is no value");
          require(type(parameters[n]) == type(edge.arguments[n]), "an edge's argument has a wrong type");
        }
      }
    }
  }

  void definition(ValueId id, Origin origin, BlockId b, std::size_t index, std::size_t result) {
    require(id < k_.values.size() && !defined_[id], "a value is defined twice");
    defined_[id] = 1;
    const Value& v = k_.values[id];
    require(v.origin == origin && v.block == b && v.index == index && v.result == result,
            "a value does not name its definition");
  }

  void definitions() {
    defined_.assign(k_.values.size(), 0);
    for (BlockId b = 0; b < k_.blocks.size(); ++b) {
      const Block& block = k_.blocks[b];
      for (std::size_t p = 0; p < block.parameters.size(); ++p)
        definition(block.parameters[p], Origin::block_parameter, b, p, 0);
      for (std::size_t n = 0; n < block.instructions.size(); ++n)
        for (std::size_t r = 0; r < block.instructions[n].results.size(); ++r)
          definition(block.instructions[n].results[r], Origin::result, b, n, r);
    }
    for (ValueId id = 0; id < k_.values.size(); ++id) {
      const Value& v = k_.values[id];
      if (v.origin == Origin::constant)
        require((v.bits & ~mask_of(v.type)) == 0, "a constant is wider than its type");
      else
        require(defined_[id], "a value has no definition");
    }
  }

  void use(ValueId id, BlockId b, std::size_t index, const std::vector<std::uint32_t>& dominators) const {
    require(id < k_.values.size(), "an operand is no value");
    const Value& v = k_.values[id];
    if (v.origin == Origin::constant) return;
    if (v.block == b) {
      require(v.origin == Origin::block_parameter || v.index < index,
              "a value is used before its definition");
      return;
    }
    for (BlockId up = dominators[b]; up != none; up = dominators[up])
      if (up == v.block) return;
    fail(fmt::format("{} is used where its definition does not dominate", value_name(k_, id)));
  }

  void uses() {
    std::vector<std::vector<std::uint32_t>> graph(k_.blocks.size());
    for (BlockId b = 0; b < k_.blocks.size(); ++b) graph[b] = successors(k_.blocks[b]);
    const std::vector<std::uint32_t> dominators = immediate_dominators(graph);
    for (BlockId b = 0; b < k_.blocks.size(); ++b) {
      const Block& block = k_.blocks[b];
      for (std::size_t n = 0; n < block.instructions.size(); ++n) {
        current_ = &block.instructions[n];
        for (ValueId o : current_->operands) use(o, b, n, dominators);
      }
      current_ = nullptr;
      if (block.terminator.kind == Terminator::Kind::branch) {
        use(block.terminator.condition, b, block.instructions.size(), dominators);
        require(type(block.terminator.condition) == Type::i1, "a branch condition is not i1");
      }
      for (const Edge& edge : block.terminator.edges)
        for (ValueId a : edge.arguments) use(a, b, block.instructions.size(), dominators);
    }
  }

  void shape(const Instruction& i, std::size_t operands, std::size_t results) const {
    require(i.operands.size() == operands, "a wrong number of operands");
    require(i.results.size() == results, "a wrong number of results");
  }
  // All operands and the one result have one type.
  void uniform(const Instruction& i, std::size_t operands, bool floats) const {
    shape(i, operands, 1);
    const Type t = type(i.results[0]);
    require(is_float(t) == floats,
            floats ? "a float operation on integers" : "an integer operation on floats");
    for (ValueId o : i.operands) require(type(o) == t, "operand types differ");
  }
  void address(const Instruction& i) const {
    const Type t = type(i.operands.at(0));
    require(t == Type::i64 || (t == Type::i32 && (i.space == Space::shared || i.space == Space::local)),
            "an address has a wrong type");
  }
  void memory_alignment(const Instruction& i) const {
    require(i.alignment != 0 && (i.alignment & (i.alignment - 1)) == 0, "a memory access without alignment");
  }
  void vector_width(std::size_t width) const {
    require(width == 1 || width == 2 || width == 4 || width == 8, "a wrong vector width");
  }
  void i32_operand(const Instruction& i, std::size_t n) const {
    require(type(i.operands.at(n)) == Type::i32, "an operand is not i32");
  }
  void conversion(const Instruction& i, bool from_float, bool to_float) const {
    shape(i, 1, 1);
    require(is_float(type(i.operands[0])) == from_float && is_float(type(i.results[0])) == to_float,
            "a conversion between wrong kinds of types");
  }

  void instruction(const Instruction& i) const {
    switch (i.opcode) {
      case Opcode::parameter:
        shape(i, 0, 1);
        require(i.index < k_.parameters.size() &&
                    i.offset + bytes_of(type(i.results[0])) <= k_.parameters[i.index].bytes,
                "a parameter that is not there");
        break;
      case Opcode::special_register:
        shape(i, 0, 1);
        require(type(i.results[0]) == Type::i32 || type(i.results[0]) == Type::i64, "a wrong type");
        break;
      case Opcode::symbol_address:
        shape(i, 0, 1);
        require(i.index < k_.arrays.size(), "an array that is not there");
        require(type(i.results[0]) == Type::i64 ||
                    (type(i.results[0]) == Type::i32 &&
                     (k_.arrays[i.index].space == Space::shared || k_.arrays[i.index].space == Space::local)),
                "an address has a wrong type");
        break;
      case Opcode::arbitrary:
        shape(i, 0, 1);
        break;
      case Opcode::freeze:
        shape(i, 1, 1);
        require(type(i.operands[0]) == type(i.results[0]), "operand types differ");
        break;
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::mul_high_signed:
      case Opcode::mul_high_unsigned:
      case Opcode::div_signed:
      case Opcode::div_unsigned:
      case Opcode::rem_signed:
      case Opcode::rem_unsigned:
      case Opcode::bit_and:
      case Opcode::bit_or:
      case Opcode::bit_xor:
      case Opcode::min_signed:
      case Opcode::min_unsigned:
      case Opcode::max_signed:
      case Opcode::max_unsigned:
        uniform(i, 2, false);
        break;
      case Opcode::shift_left:
      case Opcode::shift_right_logical:
      case Opcode::shift_right_arithmetic:
        shape(i, 2, 1);
        require(is_integer(type(i.results[0])) && type(i.operands[0]) == type(i.results[0]) &&
                    (type(i.operands[1]) == Type::i32 || type(i.operands[1]) == type(i.results[0])),
                "wrong types of a shift");
        break;
      case Opcode::bit_not:
      case Opcode::abs_signed:
      case Opcode::bit_reverse:
        uniform(i, 1, false);
        break;
      case Opcode::population_count:
      case Opcode::count_leading_zeros:
      case Opcode::find_leading_signed:
      case Opcode::find_leading_unsigned:
        shape(i, 1, 1);
        require(is_integer(type(i.operands[0])) && type(i.results[0]) == Type::i32, "wrong types");
        break;
      case Opcode::extract_bits_signed:
      case Opcode::extract_bits_unsigned:
        shape(i, 3, 1);
        require(is_integer(type(i.results[0])) && type(i.operands[0]) == type(i.results[0]), "wrong types");
        i32_operand(i, 1);
        i32_operand(i, 2);
        break;
      case Opcode::insert_bits:
        shape(i, 4, 1);
        require(is_integer(type(i.results[0])) && type(i.operands[0]) == type(i.results[0]) &&
                    type(i.operands[1]) == type(i.results[0]),
                "wrong types");
        i32_operand(i, 2);
        i32_operand(i, 3);
        break;
      case Opcode::byte_permute:
      case Opcode::funnel_left:
      case Opcode::funnel_right:
        uniform(i, 3, false);
        require(type(i.results[0]) == Type::i32, "wrong types");
        break;
      case Opcode::zero_extend:
      case Opcode::sign_extend:
        conversion(i, false, false);
        require(bits_of(type(i.operands[0])) < bits_of(type(i.results[0])),
                "an extension that does not widen");
        break;
      case Opcode::truncate:
        conversion(i, false, false);
        require(bits_of(type(i.operands[0])) > bits_of(type(i.results[0])),
                "a truncation that does not narrow");
        break;
      case Opcode::bitcast:
        shape(i, 1, 1);
        require(bits_of(type(i.operands[0])) == bits_of(type(i.results[0])), "a bitcast between widths");
        break;
      case Opcode::float_convert:
        conversion(i, true, true);
        break;
      case Opcode::round_to_integral:
        uniform(i, 1, true);
        break;
      case Opcode::float_to_signed:
      case Opcode::float_to_unsigned:
        conversion(i, true, false);
        break;
      case Opcode::signed_to_float:
      case Opcode::unsigned_to_float:
        conversion(i, false, true);
        break;
      case Opcode::address_cast:
        shape(i, 1, 1);
        require(type(i.operands[0]) == type(i.results[0]), "operand types differ");
        break;
      case Opcode::compare_integer:
      case Opcode::compare_float:
        shape(i, 2, 1);
        require(type(i.results[0]) == Type::i1 && type(i.operands[0]) == type(i.operands[1]) &&
                    is_float(type(i.operands[0])) == (i.opcode == Opcode::compare_float) &&
                    (i.predicate >= Predicate::ordered_equal) == (i.opcode == Opcode::compare_float),
                "wrong types of a comparison");
        break;
      case Opcode::select:
        shape(i, 3, 1);
        require(type(i.operands[0]) == Type::i1 && type(i.operands[1]) == type(i.results[0]) &&
                    type(i.operands[2]) == type(i.results[0]),
                "wrong types of a select");
        break;
      case Opcode::float_add:
      case Opcode::float_sub:
      case Opcode::float_mul:
      case Opcode::float_div:
      case Opcode::float_min:
      case Opcode::float_max:
      case Opcode::float_copysign:
        uniform(i, 2, true);
        break;
      case Opcode::float_fma:
        uniform(i, 3, true);
        break;
      case Opcode::float_sqrt:
      case Opcode::float_reciprocal:
      case Opcode::float_reciprocal_sqrt:
      case Opcode::float_exp2:
      case Opcode::float_log2:
      case Opcode::float_sin:
      case Opcode::float_cos:
      case Opcode::float_tanh:
      case Opcode::float_neg:
      case Opcode::float_abs:
        uniform(i, 1, true);
        break;
      case Opcode::library_call:
        require(i.results.size() == 1 && !i.text.empty(), "a library call without name or result");
        break;
      case Opcode::load:
        require(i.operands.size() == 1 && !i.results.empty(), "a wrong number of operands or results");
        vector_width(i.results.size());
        for (ValueId r : i.results) require(type(r) == type(i.results[0]), "a vector of several types");
        address(i);
        memory_alignment(i);
        break;
      case Opcode::store:
        require(i.operands.size() >= 2 && i.results.empty(), "a wrong number of operands or results");
        vector_width(i.operands.size() - 1);
        for (std::size_t n = 1; n < i.operands.size(); ++n)
          require(type(i.operands[n]) == type(i.operands[1]), "a vector of several types");
        address(i);
        memory_alignment(i);
        break;
      case Opcode::atomic:
        require(i.atomic_operation != AtomicOperation::none && i.results.size() <= 1 &&
                    i.operands.size() == (i.atomic_operation == AtomicOperation::compare_swap ? 3U : 2U),
                "a wrong number of operands or results");
        for (std::size_t n = 2; n < i.operands.size(); ++n)
          require(type(i.operands[n]) == type(i.operands[1]), "operand types differ");
        if (!i.results.empty()) require(type(i.results[0]) == type(i.operands[1]), "operand types differ");
        address(i);
        memory_alignment(i);
        break;
      case Opcode::fence:
      case Opcode::async_commit:
      case Opcode::async_wait:
        shape(i, 0, 0);
        break;
      case Opcode::barrier:
        require((i.operands.size() == 1 || i.operands.size() == 2) && i.results.empty(), "a wrong shape");
        for (std::size_t n = 0; n < i.operands.size(); ++n) i32_operand(i, n);
        break;
      case Opcode::barrier_arrive:
        shape(i, 2, 0);
        i32_operand(i, 0);
        i32_operand(i, 1);
        break;
      case Opcode::warp_sync:
        shape(i, 1, 0);
        i32_operand(i, 0);
        break;
      case Opcode::shuffle:
        require(i.operands.size() == 4 && (i.results.size() == 1 || i.results.size() == 2), "a wrong shape");
        require(bits_of(type(i.operands[0])) == 32 && type(i.operands[0]) == type(i.results[0]),
                "wrong types");
        for (std::size_t n = 1; n < 4; ++n) i32_operand(i, n);
        if (i.results.size() == 2) require(type(i.results[1]) == Type::i1, "wrong types");
        break;
      case Opcode::vote:
        shape(i, 2, 1);
        require(type(i.operands[0]) == Type::i1 &&
                    type(i.results[0]) == (i.vote_mode == VoteMode::ballot ? Type::i32 : Type::i1),
                "wrong types");
        i32_operand(i, 1);
        break;
      case Opcode::match_any:
      case Opcode::match_all:
        require(i.operands.size() == 2 && !i.results.empty() &&
                    i.results.size() <= (i.opcode == Opcode::match_all ? 2U : 1U),
                "a wrong shape");
        require(type(i.results[0]) == Type::i32, "wrong types");
        i32_operand(i, 1);
        break;
      case Opcode::warp_reduce:
        shape(i, 2, 1);
        i32_operand(i, 0);
        i32_operand(i, 1);
        require(type(i.results[0]) == Type::i32 && i.atomic_operation != AtomicOperation::none,
                "wrong types");
        break;
      case Opcode::active_mask:
        shape(i, 0, 1);
        require(type(i.results[0]) == Type::i32, "wrong types");
        break;
    }
  }

  const Kernel& k_;
  const Instruction* current_ = nullptr;
  std::vector<char> defined_;
};

}  // namespace

void verify(const Kernel& kernel) {
  Verifier(kernel).run();
}

}  // namespace hallmark::validator::ir
