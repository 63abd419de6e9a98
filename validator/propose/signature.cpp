#include "validator/propose/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"

namespace hallmark::validator {

using calculus::Format;
using calculus::Term;
using ir::Opcode;
using ir::Type;
using ir::ValueId;

namespace {

Format format_of(Type type, bool is_signed) {
  switch (type) {
    case Type::i1:
    case Type::i8:
      return is_signed ? Format::i8 : Format::u8;
    case Type::i16:
      return is_signed ? Format::i16 : Format::u16;
    case Type::i64:
      return is_signed ? Format::i64 : Format::u64;
    case Type::f16:
      return Format::f16;
    case Type::bf16:
      return Format::bf16;
    case Type::f32:
      return Format::f32;
    case Type::f64:
      return Format::f64;
    default:
      return is_signed ? Format::i32 : Format::u32;
  }
}

// What the text does with values, from their definitions to their uses and back.
class Uses {
 public:
  explicit Uses(const ir::Kernel& kernel) : kernel_(kernel) {
    for (const ir::Block& block : kernel.blocks) {
      for (const ir::Instruction& i : block.instructions)
        for (ValueId v : i.operands) users_[v].push_back(&i);
      for (const ir::Edge& edge : block.terminator.edges)
        for (std::size_t n = 0; n < edge.arguments.size(); ++n)
          incoming_[kernel.blocks[edge.target].parameters[n]].push_back(edge.arguments[n]);
    }
    for (const ir::Block& block : kernel.blocks)
      for (const ir::Instruction& i : block.instructions)
        if (i.opcode == Opcode::load || i.opcode == Opcode::store || i.opcode == Opcode::atomic) reach(i);
  }

  struct Access {
    bool read = false, written = false;
    std::map<Type, int> types;
  };
  // Of the parameter as a pointer; nothing when no address starts from it.
  const Access* access(std::uint32_t parameter) const {
    const auto found = accesses_.find(parameter);
    return found == accesses_.end() ? nullptr : &found->second;
  }

  // Whether the text reads the number as a signed one: by its uses, signed where they do not say.
  bool is_signed(std::uint32_t parameter) const {
    int signed_uses = 0, unsigned_uses = 0;
    std::set<ValueId> seen;
    std::vector<ValueId> open;
    for (const ir::Block& block : kernel_.blocks)
      for (const ir::Instruction& i : block.instructions)
        if (i.opcode == Opcode::parameter && i.index == parameter) open.push_back(i.results[0]);
    while (!open.empty()) {
      const ValueId v = open.back();
      open.pop_back();
      if (!seen.insert(v).second) continue;
      const auto users = users_.find(v);
      if (users == users_.end()) continue;
      for (const ir::Instruction* i : users->second) {
        count(*i, signed_uses, unsigned_uses);
        if (i->opcode == Opcode::add || i->opcode == Opcode::sub) open.push_back(i->results[0]);
      }
    }
    return signed_uses >= unsigned_uses;
  }

  bool reads(ir::SpecialRegister a, ir::SpecialRegister b) const {
    for (const ir::Block& block : kernel_.blocks)
      for (const ir::Instruction& i : block.instructions)
        if (i.opcode == Opcode::special_register && (i.special == a || i.special == b)) return true;
    return false;
  }
  bool has_warp_operations() const {
    for (const ir::Block& block : kernel_.blocks)
      for (const ir::Instruction& i : block.instructions) switch (i.opcode) {
          case Opcode::shuffle:
          case Opcode::vote:
          case Opcode::warp_sync:
          case Opcode::match_any:
          case Opcode::match_all:
          case Opcode::warp_reduce:
            return true;
          default:
            break;
        }
    return false;
  }

 private:
  static void count(const ir::Instruction& i, int& signed_uses, int& unsigned_uses) {
    using ir::Predicate;
    switch (i.opcode) {
      case Opcode::compare_integer:
        if (i.predicate >= Predicate::less_signed && i.predicate <= Predicate::greater_equal_signed)
          signed_uses += 2;
        else if (i.predicate >= Predicate::less_unsigned && i.predicate <= Predicate::greater_equal_unsigned)
          unsigned_uses += 2;
        break;
      case Opcode::sign_extend:
      case Opcode::div_signed:
      case Opcode::rem_signed:
      case Opcode::shift_right_arithmetic:
      case Opcode::min_signed:
      case Opcode::max_signed:
      case Opcode::signed_to_float:
        ++signed_uses;
        break;
      case Opcode::zero_extend:
      case Opcode::div_unsigned:
      case Opcode::rem_unsigned:
      case Opcode::shift_right_logical:
      case Opcode::min_unsigned:
      case Opcode::max_unsigned:
      case Opcode::unsigned_to_float:
        ++unsigned_uses;
        break;
      default:
        if (i.no_signed_wrap) ++signed_uses;
        break;
    }
  }

  // Back from an address to the parameters that it may start from. A cast between spaces says that its
  // operand is an address; where several summands come from parameters without one, each may be the pointer.
  void reach(const ir::Instruction& access) {
    std::set<ValueId> seen;
    std::vector<ValueId> open{access.operands[0]};
    while (!open.empty()) {
      const ValueId v = open.back();
      open.pop_back();
      if (!seen.insert(v).second || kernel_.is_constant(v)) continue;
      if (const auto found = incoming_.find(v); found != incoming_.end()) {
        open.insert(open.end(), found->second.begin(), found->second.end());
        continue;
      }
      const ir::Instruction* from = kernel_.definition(v);
      if (from == nullptr) continue;
      switch (from->opcode) {
        case Opcode::parameter:
          if (kernel_.parameters[from->index].bytes == 8) note(access, from->index);
          break;
        case Opcode::add:
        case Opcode::sub: {
          std::vector<ValueId> addresses;
          for (ValueId operand : from->operands)
            if (const ir::Instruction* d = kernel_.definition(operand);
                d != nullptr && d->opcode == Opcode::address_cast)
              addresses.push_back(operand);
          const std::vector<ValueId>& next = addresses.size() == 1 ? addresses : from->operands;
          open.insert(open.end(), next.begin(), next.end());
          break;
        }
        case Opcode::select:
          open.insert(open.end(), from->operands.begin() + 1, from->operands.end());
          break;
        case Opcode::address_cast:
        case Opcode::bitcast:
        case Opcode::freeze:
          open.push_back(from->operands[0]);
          break;
        default:
          break;
      }
    }
  }

  void note(const ir::Instruction& access, std::uint32_t parameter) {
    Access& out = accesses_[parameter];
    if (access.opcode != Opcode::store) out.read = true;
    if (access.opcode != Opcode::load) out.written = true;
    ++out.types[accessed_type(access)];
  }

  // The type in memory; halves travel in 16-bit registers and say what they are where they are used.
  Type accessed_type(const ir::Instruction& access) const {
    const ValueId v = access.opcode == Opcode::load ? access.results[0] : access.operands[1];
    const Type type = kernel_.type_of(v);
    if (type != Type::i16) return type;
    if (access.opcode == Opcode::load) {
      if (const auto users = users_.find(v); users != users_.end())
        for (const ir::Instruction* i : users->second)
          if (i->opcode == Opcode::bitcast && ir::is_float(kernel_.type_of(i->results[0])))
            return kernel_.type_of(i->results[0]);
    } else if (const ir::Instruction* from = kernel_.definition(v);
               from != nullptr && from->opcode == Opcode::bitcast) {
      return kernel_.type_of(from->operands[0]);
    }
    return type;
  }

  const ir::Kernel& kernel_;
  std::map<ValueId, std::vector<const ir::Instruction*>> users_;
  std::map<ValueId, std::vector<ValueId>> incoming_;
  std::map<std::uint32_t, Access> accesses_;
};

Format buffer_format(const ir::Parameter& parameter, const Uses::Access* access) {
  if (access == nullptr) return format_of(parameter.pointee.value_or(Type::i8), false);
  // The type that most instructions access; the first of them in the order of the types.
  Type best = access->types.begin()->first;
  for (const auto& [type, n] : access->types)
    if (n > access->types.at(best)) best = type;
  return format_of(best, true);
}

class Proposal {
 public:
  Proposal(const ir::Kernel& kernel, const LaunchHint& hint) : kernel_(kernel), hint_(hint), uses_(kernel) {}

  Signature run() {
    plan::KernelSpec& spec = out_.spec;
    spec.kernel = kernel_.source_name.empty() ? kernel_.name : kernel_.source_name;
    spec.equality = plan::Equality::safety;
    out_.assumptions.push_back("buffers do not overlap and start at multiples of 256 bytes");
    for (std::uint32_t p = 0; p < kernel_.parameters.size(); ++p) parameter(p);
    if (!sizes_.empty())
      out_.assumptions.push_back(
          fmt::format("integer scalars are sizes, from 1 to 2^30 (64 bits: 2^40): {}", sizes_));
    launch();
    return std::move(out_);
  }

 private:
  void parameter(std::uint32_t number) {
    const ir::Parameter& p = kernel_.parameters[number];
    plan::Parameter made;
    if (p.kind == ir::Parameter::Kind::aggregate)
      throw Refusal("E4010",
                    fmt::format("the parameter {} is a struct of {} bytes passed by value; a specification "
                                "cannot describe it",
                                p.name, p.bytes),
                    Location{kernel_.text_file, 0, 0, "kernel " + kernel_.name});
    const Uses::Access* access = uses_.access(number);
    if (p.kind == ir::Parameter::Kind::pointer || access != nullptr) {
      plan::Buffer buffer;
      buffer.declaration.name = p.name;
      buffer.declaration.format = buffer_format(p, access);
      buffer.declaration.extents = {ghost(elements_symbol(p.name), 0, {})};
      buffer.access = access == nullptr || !access->written ? plan::Access::in
                      : !access->read                       ? plan::Access::out
                                                            : plan::Access::inout;
      made.buffer = std::move(buffer);
    } else {
      const Format format = format_of(p.type, uses_.is_signed(number));
      made.scalar = plan::Scalar{p.name, format};
      if (calculus::is_integer(format)) scalar_range(p.name, format);
    }
    out_.spec.parameters.push_back(std::move(made));
  }

  void scalar_range(const std::string& name, Format format) {
    const unsigned bits = calculus::storage_bits(format);
    const bool is_size = bits >= 32;
    Integer low = calculus::is_signed(format) ? Integer(-power_of_two(bits - 1)) : Integer(0);
    Integer high = power_of_two(bits - (calculus::is_signed(format) ? 1 : 0)) - 1;
    if (is_size) {
      low = 1;
      high = power_of_two(bits == 64 ? 40 : 30);
    }
    out_.spec.symbols.push_back({name, low, high});
    if (is_size) sizes_ += (sizes_.empty() ? "" : ", ") + name;
  }

  Term ghost(const std::string& name, const Integer& low, std::optional<Integer> high) {
    out_.spec.symbols.push_back({name, low, std::move(high)});
    return calculus::symbol(name);
  }

  void launch() {
    using S = ir::SpecialRegister;
    static constexpr S threads[3] = {S::thread_x, S::thread_y, S::thread_z};
    static constexpr S sizes[3] = {S::block_size_x, S::block_size_y, S::block_size_z};
    static constexpr S blocks[3] = {S::block_x, S::block_y, S::block_z};
    static constexpr S grids[3] = {S::grid_size_x, S::grid_size_y, S::grid_size_z};
    static constexpr long block_limit[3] = {1024, 1024, 64};
    static constexpr long grid_limit[3] = {2147483647L, 65535, 65535};
    plan::KernelSpec& spec = out_.spec;
    const bool required = kernel_.required_block[0] != 0;
    Term product = calculus::integer(1);
    std::string ones;
    for (std::size_t d = 0; d < 3; ++d) {
      const char axis = "xyz"[d];
      if (hint_.block) {
        spec.launch.block[d] = calculus::integer((*hint_.block)[d]);
      } else if (required) {
        spec.launch.block[d] = calculus::integer(static_cast<long>(std::max(1u, kernel_.required_block[d])));
      } else if (uses_.reads(threads[d], sizes[d])) {
        spec.launch.block[d] = ghost(fmt::format("blockDim.{}", axis), 1, Integer(block_limit[d]));
      } else {
        ones += fmt::format("{}blockDim.{}", ones.empty() ? "" : ", ", axis);
      }
      if (hint_.grid)
        spec.launch.grid[d] = calculus::integer((*hint_.grid)[d]);
      else if (uses_.reads(blocks[d], grids[d]))
        spec.launch.grid[d] = ghost(fmt::format("gridDim.{}", axis), 1, Integer(grid_limit[d]));
      else
        ones += fmt::format("{}gridDim.{}", ones.empty() ? "" : ", ", axis);
      const Term block = spec.launch.block[d] != nullptr ? spec.launch.block[d] : calculus::integer(1);
      product = calculus::multiply(product, block);
      if (spec.launch.grid[d] != nullptr && calculus::as_integer(spec.launch.grid[d]) == nullptr)
        require(
            calculus::at_most(calculus::multiply(block, spec.launch.grid[d]), calculus::integer(1L << 30)));
    }
    out_.assumptions.push_back("at most 2^30 threads in each dimension of the grid");
    if (!ones.empty()) out_.assumptions.push_back(fmt::format("the text does not read them, so 1: {}", ones));
    long limit = 1024;
    if (kernel_.maximum_block[0] != 0) {
      limit = 1;
      for (std::uint32_t bound : kernel_.maximum_block) limit *= std::max(1u, bound);
      out_.assumptions.push_back(fmt::format("at most {} threads a block: its launch bounds", limit));
    }
    require(calculus::at_most(product, calculus::integer(limit)));
    if (uses_.has_warp_operations() && calculus::as_integer(product) == nullptr) {
      require(calculus::equal(calculus::mod(product, calculus::integer(32)), calculus::integer(0)));
      out_.assumptions.push_back("lanes talk to each other, so blocks are whole warps");
    }
    for (const ir::Array& array : kernel_.arrays) {
      if (!array.dynamic || spec.launch.dynamic_shared_bytes != nullptr) continue;
      spec.launch.dynamic_shared_bytes = hint_.shared_bytes ? calculus::integer(*hint_.shared_bytes)
                                                            : ghost(shared_symbol(), 0, Integer(49152));
    }
  }

  void require(Term condition) {
    if (condition != calculus::truth(true)) out_.spec.requirements.push_back(condition);
  }

  const ir::Kernel& kernel_;
  const LaunchHint& hint_;
  Uses uses_;
  Signature out_;
  std::string sizes_;
};

}  // namespace

std::string elements_symbol(const std::string& buffer) {
  return "elements." + buffer;
}

std::string shared_symbol() {
  return "sharedBytes";
}

Signature propose_signature(const ir::Kernel& kernel, const LaunchHint& hint) {
  return Proposal(kernel, hint).run();
}

}  // namespace hallmark::validator
