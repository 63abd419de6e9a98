// Executes compiled bodies.
#pragma once
#include <memory>
#include <vector>

#include "evaluator/code.h"
#include "evaluator/evaluator.h"
#include "evaluator/lanes.h"

namespace hallmark::evaluator {

// Where results go: one element per point, row-major. real: doubles; otherwise encodings of `format`.
struct Output {
  std::byte* data = nullptr;
  bool real = false;
  calculus::Format format = calculus::Format::f32;
};

class Machine {
 public:
  Machine(const Code& code, const Symbols& symbols);
  // The rows (points of all axes but the lane axis, row-major) first <= row < last, lanes low <= lane < high.
  void run(std::int64_t first_row, std::int64_t last_row, std::int64_t low, std::int64_t high,
           const Output& output);

 private:
  // Active lanes: low <= lane < high where mask is null or mask[lane] is not 0.
  struct Span {
    int low = 0, high = 0;
    const std::uint8_t* mask = nullptr;
    bool empty() const { return low >= high; }
    bool active(int lane) const { return mask == nullptr || mask[lane] != 0; }
    // Without inactive lanes at the ends: empty when none is active. What is done once for all lanes is done
    // only when there is one.
    Span trimmed() const {
      Span out = *this;
      while (!out.empty() && !active(out.low)) ++out.low;
      while (!out.empty() && !active(out.high - 1)) --out.high;
      return out;
    }
  };
  using Snapshot = std::vector<std::vector<std::byte>>;  // one per state

  void run(const Region& region, const Span& span);
  void run(const Instruction& instruction, const Span& span);
  void number_instruction(const Instruction& i, int low, int high);
  void integer_instruction(const Instruction& i, const Span& span);
  void cast(const Instruction& i, int low, int high);
  void from_index(const Instruction& i, int low, int high);
  void load(const Instruction& i, const Span& span);
  void load_lane_by_lane(const Instruction& i, const Span& span, bool checked);
  void branch(const Instruction& i, const Span& span);
  void loop(const LoopCode& l, const Span& span);
  void check_fault(const Instruction& i, const Span& span);
  [[noreturn]] void outside(const Instruction& i, std::size_t dimension, std::int64_t index) const;

  Span narrow(const GuardCode& guard, const Span& span, std::vector<std::uint8_t>& mask);
  Span narrow(const Span& span, std::int64_t rest, std::int64_t coefficient) const;
  Span within_extent(const LoopCode& l, const Span& span, std::int64_t k, std::vector<std::uint8_t>& mask);
  void step(const LoopCode& l, const Span& span, std::int64_t k);
  void start_states(const LoopCode& l, const Span& span);
  std::int64_t trip_count(const LoopCode& l, const Span& span) const;
  Snapshot snapshot(const LoopCode& l) const;
  void restore(const std::vector<int>& registers, const Snapshot& from);
  Snapshot leaves(const LoopCode& l, const calculus::Order& order, const std::vector<Snapshot>& parts,
                  std::size_t from, std::size_t to, const Span& span);
  Snapshot combine(const LoopCode& l, const Snapshot& left, const Snapshot& right, const Span& span);
  std::int64_t order_size(calculus::Term size) const;
  // result = value in the active lanes.
  void assign(int result, int value, const Span& span);

  template <typename T>
  T* at(int reg) {
    return reinterpret_cast<T*>(memory_.get() + offsets_[static_cast<std::size_t>(reg)]);
  }
  template <typename T>
  const T* at(int reg) const {
    return reinterpret_cast<const T*>(memory_.get() + offsets_[static_cast<std::size_t>(reg)]);
  }
  bool varies(int reg) const { return code_.registers[static_cast<std::size_t>(reg)].varies; }
  RegisterType type(int reg) const { return code_.registers[static_cast<std::size_t>(reg)].type; }
  template <typename T>
  Operand<T> operand(int reg) const {
    return {at<T>(reg), varies(reg)};
  }
  std::size_t width(int reg) const;

  const Code& code_;
  const Symbols& symbols_;
  std::vector<std::size_t> offsets_;
  std::unique_ptr<std::byte[]> memory_;
  std::int64_t first_lane_ = 0;  // axis value of lane 0 of the block
};

}  // namespace hallmark::evaluator
