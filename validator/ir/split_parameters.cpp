#include "validator/ir/split_parameters.h"

#include <map>

namespace hallmark::validator::ir {
namespace {

// Offset and type of each read of one parameter; nothing where two of them overlap.
std::optional<std::map<std::uint32_t, Type>> reads_of(const Kernel& kernel, std::uint32_t parameter) {
  std::map<std::uint32_t, Type> reads;
  for (const Block& block : kernel.blocks)
    for (const Instruction& i : block.instructions) {
      if (i.opcode != Opcode::parameter || i.index != parameter) continue;
      const Type type = kernel.type_of(i.results[0]);
      const auto [at, fresh] = reads.emplace(i.offset, type);
      if (!fresh && at->second != type) return std::nullopt;
    }
  std::uint32_t end = 0;
  for (const auto& [offset, type] : reads) {
    if (offset < end) return std::nullopt;
    end = offset + bytes_of(type);
  }
  return reads;
}

}  // namespace

void split_parameters(Kernel& kernel) {
  std::vector<Parameter> parameters;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;  // of a read
  std::vector<std::optional<std::uint32_t>> kept(kernel.parameters.size());
  for (std::uint32_t p = 0; p < kernel.parameters.size(); ++p) {
    const Parameter& old = kernel.parameters[p];
    const auto reads = old.kind == Parameter::Kind::aggregate ? reads_of(kernel, p) : std::nullopt;
    if (!reads) {
      kept[p] = static_cast<std::uint32_t>(parameters.size());
      parameters.push_back(old);
      continue;
    }
    for (const auto& [offset, type] : *reads) {
      numbers[{p, offset}] = static_cast<std::uint32_t>(parameters.size());
      Parameter part;
      part.name = old.name + "_" + std::to_string(offset);
      part.type = type;
      part.bytes = part.alignment = bytes_of(type);
      parameters.push_back(std::move(part));
    }
  }
  for (Block& block : kernel.blocks)
    for (Instruction& i : block.instructions) {
      if (i.opcode != Opcode::parameter) continue;
      if (kept[i.index]) {
        i.index = *kept[i.index];
        continue;
      }
      i.index = numbers.at({i.index, i.offset});
      i.offset = 0;
    }
  kernel.parameters = std::move(parameters);
}

}  // namespace hallmark::validator::ir
