// Basic blocks of a flat function, before its registers become SSA values.
#pragma once
#include <string>
#include <vector>

#include "validator/ptx/inline.h"

namespace hallmark::validator::ptx {

struct Step {
  const Statement* statement;
  bool select;  // its guard is still to be honoured, by selects
  // A copy whose number of bytes is in a register: of all bytes, of none (zeros instead), of some.
  enum class Form : std::uint8_t { plain, all, zeros, part } form = Form::plain;
};

struct PreBlock {
  std::string name;
  std::vector<Step> steps;
  enum class End : std::uint8_t {
    jump,             // targets[0]
    branch,           // register (negated?) ? targets[0] : targets[1]
    branch_if_equal,  // register == constant ? targets[0] : targets[1]
    leave,
    trap,
    unreachable,
  } end = End::leave;
  std::uint32_t reg = 0;
  bool negated = false;
  std::uint64_t constant = 0;
  std::vector<std::uint32_t> targets;
  ir::Place place;
};

// Block 0 is an empty entry. Only blocks that it reaches, in reverse post-order. Throws UserError E3102 for
// an unknown label, Refusal when control can run off the end.
std::vector<PreBlock> build_blocks(const Function& flat, const Context& context);

}  // namespace hallmark::validator::ptx
