// Compiled bodies: a small register program over blocks of lanes, lanes being consecutive values of one axis.
// A register holds one value for all lanes of the block, or one for each.
#pragma once
#include <memory>
#include <vector>

#include "evaluator/tensor.h"

namespace hallmark::evaluator {

// number: Real and Float (the double that equals it). integer: Index and Int. truth: Bool.
enum class RegisterType : std::uint8_t { number, integer, truth };
struct RegisterInfo {
  RegisterType type = RegisterType::integer;
  bool varies = false;
};

struct Instruction;
struct Region {
  std::vector<Instruction> code;
};

// coefficient * lane + register; the register does not vary unless the coefficient is 0.
struct LaneIndex {
  int rest = -1;
  std::int64_t coefficient = 0;
};

struct GuardCode {
  std::vector<LaneIndex> bounds;  // each at most 0
  Region rest;                    // run for the lanes within all bounds
  int truth = -1;                 // -1: no other condition
};

struct LoadCode {
  const Tensor* tensor = nullptr;
  bool checked = false;
  std::vector<LaneIndex> dimensions;  // checked: one per axis; otherwise the offset
  std::vector<std::int64_t> strides;  // of the checked dimensions; all 0 for a splat
  int fault = -1;                     // where a read outside is noted; -1: it is an error at once
};

struct BranchCode {
  GuardCode guard;
  Region sides[2];
  int values[2] = {-1, -1};
};

struct LoopCode {
  LaneIndex extent;
  int variable = -1;
  Region before;  // what the guard needs, for each step
  GuardCode guard;
  std::vector<int> init, states, right;  // right: the right operands of combine
  Region step, combine;
  std::vector<int> stepped, combined;
  const calculus::Order* order = nullptr;
};

struct Instruction {
  enum class Kind : std::uint8_t {
    lane_index,  // the axis value of each lane
    integer,     // immediate
    number,      // constant
    polynomial,  // immediate + sum of coefficients[i] * operands[i]
    product,     // of the operands
    floor_div,   // total: 0 for a divisor of 0
    minimum,
    maximum,
    at_most_zero,
    is_zero,
    all,  // of truths
    any,
    inverse,
    compare,  // term
    is_nan,
    operation,  // term
    from_index,
    to_index,
    cast,
    load,
    blend,  // operands: truth, a, b
    branch,
    loop,
    copy,
    clear_fault,  // result: a fault register
    check_fault,  // operand: a fault register; result: where it is passed on, or -1: it is an error
  } kind = Kind::copy;
  int result = -1;
  std::vector<int> operands;
  std::vector<std::int64_t> coefficients;
  std::int64_t immediate = 0;
  double constant = 0;
  bool exact = true;  // integer arithmetic that cannot leave 64 bits
  calculus::Term term = nullptr;
  std::unique_ptr<LoadCode> load{};
  std::unique_ptr<BranchCode> branch{};
  std::unique_ptr<LoopCode> loop{};
};

struct Code {
  std::vector<RegisterInfo> registers;
  std::vector<std::int64_t> extents;
  int lane_axis = 0;
  std::vector<int> axis_registers;  // by axis; -1 when unused or the lane axis
  // Run once; when the value of an outer axis changes (outermost first); for each block of lanes.
  Region start;
  std::vector<Region> outer;  // for each axis but the lane axis, in order
  Region block;
  int result = -1;
};

}  // namespace hallmark::evaluator
