// Turns mutable registers into SSA values: Braun et al., "Simple and efficient construction of static single
// assignment form" (2013), without recursion. Blocks must be filled in reverse post-order, so that the only
// predecessor of a block is filled before it; block parameters get their arguments in finish().
#pragma once
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "validator/ir/builder.h"

namespace hallmark::validator::ir {

using Variable = std::uint32_t;

class SsaVariables {
 public:
  // `predecessors` of every block of the builder's kernel, known before any block is filled.
  SsaVariables(Builder& builder, std::vector<std::vector<BlockId>> predecessors);
  Variable add(Type type, std::string name);
  void write(Variable variable, ValueId value);  // in the builder's block
  ValueId read(Variable variable);               // in the builder's block
  // Once, after every block has its terminator. A variable read before any write gets an `arbitrary` of the
  // entry block.
  void finish();

 private:
  struct Info {
    Type type;
    std::string name;
    ValueId initial = none;
  };
  ValueId read_at(Variable variable, BlockId block);

  Builder& builder_;
  std::vector<std::vector<BlockId>> predecessors_;
  std::vector<Info> variables_;
  std::vector<std::unordered_map<Variable, ValueId>> current_;
  struct Pending {
    BlockId block;
    ValueId parameter;
    Variable variable;
  };
  std::vector<Pending> pending_;
};

}  // namespace hallmark::validator::ir
