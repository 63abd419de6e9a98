#include "pipeline/counts.h"

namespace hallmark::pipeline {

namespace ir = validator::ir;

namespace {

std::string space_key(ir::Space space) {
  switch (space) {
    case ir::Space::global:
      return "global";
    case ir::Space::shared:
      return "shared";
    case ir::Space::local:
      return "local";
    case ir::Space::constant:
      return "const";
    case ir::Space::generic:
      break;
  }
  return "generic";
}

std::string key_of(const ir::Instruction& i) {
  switch (i.opcode) {
    case ir::Opcode::load:
      return "load " + space_key(i.space);
    case ir::Opcode::store:
      return "store " + space_key(i.space);
    case ir::Opcode::atomic:
      return "atomic " + space_key(i.space);
    case ir::Opcode::barrier:
    case ir::Opcode::barrier_arrive:
      return "barrier";
    case ir::Opcode::warp_sync:
    case ir::Opcode::shuffle:
    case ir::Opcode::vote:
    case ir::Opcode::match_any:
    case ir::Opcode::match_all:
    case ir::Opcode::warp_reduce:
    case ir::Opcode::active_mask:
      return "shuffle";
    default:
      return {};
  }
}

}  // namespace

std::map<std::string, std::size_t> construct_counts(const ir::Kernel& kernel) {
  std::map<std::string, std::size_t> out;
  for (const ir::Block& block : kernel.blocks)
    for (const ir::Instruction& instruction : block.instructions)
      if (const std::string key = key_of(instruction); !key.empty()) ++out[key];
  return out;
}

}  // namespace hallmark::pipeline
