#include "validator/ir/fragment_use.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "validator/ir/builder.h"
#include "validator/ir/divergence.h"
#include "validator/ir/repack.h"
#include "validator/ir/split_halves.h"

namespace hallmark::validator::ir {

namespace {

// Operations that may be done to each element of a fragment.
bool is_of_elements(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::min_signed:
    case Opcode::max_signed:
    case Opcode::bitcast:
    case Opcode::float_convert:
    case Opcode::signed_to_float:
    case Opcode::float_add:
    case Opcode::float_sub:
    case Opcode::float_mul:
    case Opcode::float_fma:
    case Opcode::float_div:
    case Opcode::float_sqrt:
    case Opcode::float_reciprocal:
    case Opcode::float_reciprocal_sqrt:
    case Opcode::float_exp2:
    case Opcode::float_log2:
    case Opcode::float_tanh:
    case Opcode::float_min:
    case Opcode::float_max:
    case Opcode::float_neg:
    case Opcode::float_abs:
    case Opcode::library_call:
      return true;
    default:
      return false;
  }
}

bool same_operation(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.operands.size() == b.operands.size() && a.results.size() == 1 &&
         b.results.size() == 1 && a.rounding == b.rounding && a.flush_subnormals == b.flush_subnormals &&
         a.saturate == b.saturate && a.approximate == b.approximate && a.contractible == b.contractible &&
         a.propagate_nan == b.propagate_nan && a.text == b.text;
}

class FragmentUse {
 public:
  FragmentUse(const Kernel& kernel, const std::vector<Fragment>& results)
      : kernel_(kernel), definitions_(kernel.values.size()) {
    std::set<BlockId> together;
    for (BlockId b = 0; b < kernel.blocks.size(); ++b) {
      for (const Instruction& i : kernel.blocks[b].instructions)
        if (i.of_fragment && (i.opcode == Opcode::shuffle || i.opcode == Opcode::vote)) together.insert(b);
      for (std::size_t p = 0; p < kernel.blocks[b].parameters.size(); ++p)
        definitions_[kernel.blocks[b].parameters[p]] = {nullptr, b, p};
      for (const Instruction& i : kernel.blocks[b].instructions)
        for (ValueId r : i.results) definitions_[r] = {&i, b, 0};
    }
    for (const Fragment& fragment : results)
      for (std::size_t n = 0; n < fragment.registers.size(); ++n)
        // The register, and the same bits as another type.
        for (ValueId v = fragment.registers[n]; v != none; v = unconverted(v)) origin_[v] = {&fragment, n};
    diverging_ = diverging_joins(kernel, together);
  }

  // Each register is, at its place, the same function of alike fragments and of what all lanes share.
  bool is_fragment(const std::vector<ValueId>& list, const Fragment& like) {
    if (!seen_.insert({list, like.distribution}).second) return true;  // round a loop
    if (std::all_of(list.begin(), list.end(), [&](ValueId v) { return v == list[0]; }) &&
        is_shared(list[0], 0))
      return !like.packed || has_equal_halves(list[0]);
    bool all = true, none_of_them = true;
    for (std::size_t n = 0; n < list.size(); ++n) {
      const auto found = origin_.find(list[n]);
      none_of_them = none_of_them && found == origin_.end();
      all = all && found != origin_.end() && found->second.second == n &&
            found->second.first->registers.size() == list.size() &&
            found->second.first == origin_.at(list[0]).first &&
            found->second.first->distribution == like.distribution;
    }
    if (all) return true;
    if (!none_of_them) return false;
    const Definition& first = definitions_[list[0]];
    if (first.block == none) return false;  // constants that differ
    if (first.instruction == nullptr) return are_parameters_of_fragments(list, like);
    return is_done_to_each(list, like);
  }

  // The first use of a fragment's register that is neither a wmma instruction's nor an operation on elements;
  // `reached`: what follows from fragments, where there is none.
  const Instruction* other_use(bool& branches, std::set<ValueId>& reached) const {
    for (const auto& [value, origin] : origin_) reached.insert(value);
    const auto among = [&](ValueId v) { return reached.count(v) != 0; };
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const Block& block : kernel_.blocks) {
        for (const Instruction& i : block.instructions) {
          if (i.of_fragment || std::none_of(i.operands.begin(), i.operands.end(), among)) continue;
          if (!is_of_elements(i.opcode)) return &i;
          reached.insert(i.results.begin(), i.results.end());
        }
        if (block.terminator.condition != none && among(block.terminator.condition)) {
          branches = true;
          return nullptr;
        }
        for (const Edge& edge : block.terminator.edges)
          for (std::size_t n = 0; n < edge.arguments.size(); ++n)
            if (among(edge.arguments[n])) reached.insert(kernel_.blocks[edge.target].parameters[n]);
      }
    }
    return nullptr;
  }

 private:
  struct Definition {
    const Instruction* instruction = nullptr;
    BlockId block = none;
    std::size_t parameter = 0;
  };

  // The same in all lanes of a warp, whatever path they took.
  bool is_shared(ValueId value, int depth) const {
    if (kernel_.is_constant(value)) return true;
    const Instruction* i = definitions_[value].instruction;
    if (i == nullptr || depth > 64) return false;
    if (i->opcode == Opcode::parameter) return true;
    return (is_of_elements(i->opcode) || is_pair(*i)) && !i->operands.empty() &&
           std::all_of(i->operands.begin(), i->operands.end(),
                       [&](ValueId operand) { return is_shared(operand, depth + 1); });
  }
  // What the bits were before they became another type; none where they did not.
  ValueId unconverted(ValueId v) const {
    const Instruction* i = kernel_.is_constant(v) ? nullptr : definitions_[v].instruction;
    return i != nullptr && i->opcode == Opcode::bitcast ? i->operands[0] : none;
  }
  ValueId bits_of_value(ValueId v) const {
    while (unconverted(v) != none) v = unconverted(v);
    return v;
  }
  static bool is_pair(const Instruction& i) {
    return i.opcode == Opcode::bit_or || i.opcode == Opcode::shift_left || i.opcode == Opcode::zero_extend ||
           i.opcode == Opcode::truncate;
  }

  // x << 16 | x
  bool has_equal_halves(ValueId value) const {
    constexpr unsigned width = 16;
    if (kernel_.is_constant(value)) {
      const std::uint64_t bits = kernel_.value(value).bits;
      return (bits & 0xffff) == bits >> width;
    }
    const auto operands = [&](ValueId v, Opcode opcode) -> const std::vector<ValueId>* {
      const Instruction* i = definitions_[v].instruction;
      return i != nullptr && i->opcode == opcode ? &i->operands : nullptr;
    };
    const auto* both = operands(value, Opcode::bit_or);
    const auto* low = both == nullptr ? nullptr : operands((*both)[0], Opcode::zero_extend);
    const auto* shifted = both == nullptr ? nullptr : operands((*both)[1], Opcode::shift_left);
    const auto* high = shifted == nullptr ? nullptr : operands((*shifted)[0], Opcode::zero_extend);
    return low != nullptr && high != nullptr && bits_of_value((*low)[0]) == bits_of_value((*high)[0]) &&
           kernel_.type_of((*low)[0]) == Type::i16 && kernel_.is_constant((*shifted)[1]) &&
           kernel_.value((*shifted)[1]).bits == width;
  }

  bool are_parameters_of_fragments(const std::vector<ValueId>& list, const Fragment& like) {
    const BlockId block = definitions_[list[0]].block;
    if (diverging_.count(block) != 0) return false;
    for (ValueId v : list)
      if (definitions_[v].instruction != nullptr || definitions_[v].block != block) return false;
    for (const Block& from : kernel_.blocks)
      for (const Edge& edge : from.terminator.edges) {
        if (edge.target != block) continue;
        std::vector<ValueId> arguments;
        for (ValueId v : list) arguments.push_back(edge.arguments[definitions_[v].parameter]);
        if (!is_fragment(arguments, like)) return false;
      }
    return true;
  }

  bool is_done_to_each(const std::vector<ValueId>& list, const Fragment& like) {
    const Instruction& first = *definitions_[list[0]].instruction;
    // What is done to a register that holds several elements may be done to one of them alone.
    if (!is_of_elements(first.opcode) || (like.packed && first.opcode != Opcode::bitcast) ||
        first.operands.empty())
      return false;
    for (ValueId v : list) {
      const Instruction* i = definitions_[v].instruction;
      if (i == nullptr || !same_operation(first, *i) || kernel_.type_of(v) != kernel_.type_of(list[0]))
        return false;
    }
    for (std::size_t k = 0; k < first.operands.size(); ++k) {
      std::vector<ValueId> operands;
      for (ValueId v : list) operands.push_back(definitions_[v].instruction->operands[k]);
      if (!is_fragment(operands, like)) return false;
    }
    return true;
  }

  const Kernel& kernel_;
  std::vector<Definition> definitions_;
  std::set<BlockId> diverging_;
  std::map<ValueId, std::pair<const Fragment*, std::size_t>> origin_;
  std::set<std::pair<std::vector<ValueId>, std::string>> seen_;
};

}  // namespace

std::string depends_on_distribution(const Kernel& kernel, const Fragments& fragments) {
  FragmentUse check(kernel, fragments.results);
  bool branches = false;
  std::set<ValueId> reached;
  if (const Instruction* use = check.other_use(branches, reached)) return print(kernel, *use);
  if (branches) return "a branch";
  for (const Fragment& use : fragments.uses) {
    if (use.distribution.empty()) {
      for (ValueId v : use.registers)
        if (reached.count(v) != 0) return "an operand that is no fragment";
      continue;
    }
    const auto gone = std::count(use.registers.begin(), use.registers.end(), none);
    if (static_cast<std::size_t>(gone) == use.registers.size()) continue;  // nobody needs the result
    if (gone > 0 || !check.is_fragment(use.registers, use))
      return "the registers that are taken as a fragment " + use.distribution;
  }
  return {};
}

std::string finish_reading(Kernel& kernel, Fragments fragments) {
  std::vector<ValueId> values;
  for (const auto* list : {&fragments.results, &fragments.uses})
    for (const Fragment& fragment : *list)
      values.insert(values.end(), fragment.registers.begin(), fragment.registers.end());
  normalise(kernel, &values);
  if (repack(kernel, values)) normalise(kernel, &values);
  auto value = values.begin();
  for (auto* list : {&fragments.results, &fragments.uses})
    for (Fragment& fragment : *list)
      for (ValueId& id : fragment.registers) id = *value++;
  if (!values.empty())
    if (std::string found = depends_on_distribution(kernel, fragments); !found.empty()) return found;
  if (split_halves(kernel)) normalise(kernel);
  return {};
}

Kernel read_with_fragments(const Kernel& empty,
                           const std::function<std::string(Kernel&, const std::string& opaque)>& read) {
  Kernel kernel = empty;
  const std::string found = read(kernel, {});
  if (found.empty()) return kernel;
  kernel = empty;
  read(kernel,
       "which element of a fragment a register holds is not specified, and a result depends on it: " + found);
  return kernel;
}

}  // namespace hallmark::validator::ir
