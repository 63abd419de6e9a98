#include "validator/ir/ssa.h"

namespace hallmark::validator::ir {

SsaVariables::SsaVariables(Builder& builder, std::vector<std::vector<BlockId>> predecessors)
    : builder_(builder), predecessors_(std::move(predecessors)), current_(predecessors_.size()) {}

Variable SsaVariables::add(Type type, std::string name) {
  variables_.push_back({type, std::move(name)});
  return static_cast<Variable>(variables_.size() - 1);
}

void SsaVariables::write(Variable variable, ValueId value) {
  ensure(builder_.type_of(value) == variables_[variable].type,
         "register written with a value of another type");
  current_[builder_.block()][variable] = value;
}

ValueId SsaVariables::read(Variable variable) {
  return read_at(variable, builder_.block());
}

ValueId SsaVariables::read_at(Variable variable, BlockId block) {
  std::vector<BlockId> path;
  ValueId result = none;
  for (BlockId b = block; result == none;) {
    if (const auto found = current_[b].find(variable); found != current_[b].end()) {
      result = found->second;
      break;
    }
    path.push_back(b);
    const auto& predecessors = predecessors_[b];
    if (predecessors.size() == 1) {
      b = predecessors[0];
    } else if (predecessors.empty()) {
      Info& info = variables_[variable];
      if (info.initial == none) {
        const BlockId here = builder_.block();
        builder_.set_block(0);
        info.initial = builder_.value(Opcode::arbitrary, {}, info.type);
        builder_.set_block(here);
      }
      result = info.initial;
    } else {
      result = builder_.add_block_parameter(b, variables_[variable].type, variables_[variable].name);
      pending_.push_back({b, result, variable});
    }
  }
  for (BlockId b : path) current_[b][variable] = result;
  return result;
}

void SsaVariables::finish() {
  while (!pending_.empty()) {
    const Pending p = pending_.back();
    pending_.pop_back();
    const std::uint32_t index = builder_.kernel().values[p.parameter].index;
    for (BlockId predecessor : predecessors_[p.block]) {
      const ValueId argument = read_at(p.variable, predecessor);
      for (Edge& edge : builder_.kernel().blocks[predecessor].terminator.edges)
        if (edge.target == p.block) {
          if (edge.arguments.size() <= index) edge.arguments.resize(index + 1, none);
          edge.arguments[index] = argument;
        }
    }
  }
}

}  // namespace hallmark::validator::ir
