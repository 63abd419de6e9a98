#include "evaluator/machine.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "evaluator/float_format.h"
#include "evaluator/integer_operation.h"
#include "evaluator/value.h"

namespace hallmark::evaluator {

using namespace calculus;
using Do = Instruction::Kind;

namespace {

[[noreturn]] void overflow() {
  throw Refusal("E1006", "an index does not fit 64 bits");
}
std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t c = 0;
  if (__builtin_add_overflow(a, b, &c)) overflow();
  return c;
}
std::int64_t checked_times(std::int64_t a, std::int64_t b) {
  std::int64_t c = 0;
  if (__builtin_mul_overflow(a, b, &c)) overflow();
  return c;
}
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return checked_times(a, -1);
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

}  // namespace

Machine::Machine(const Code& code, const Symbols& symbols) : code_(code), symbols_(symbols) {
  std::size_t size = 0;
  for (const RegisterInfo& info : code.registers) {
    offsets_.push_back(size);
    const std::size_t element = info.type == RegisterType::truth ? 1 : 8;
    size += info.varies ? element * block_lanes : 8;
    size = (size + 63) / 64 * 64;
  }
  memory_ = std::make_unique<std::byte[]>(size + 64);
}

std::size_t Machine::width(int reg) const {
  return (type(reg) == RegisterType::truth ? 1 : 8) *
         (varies(reg) ? static_cast<std::size_t>(block_lanes) : 1);
}

void Machine::run(std::int64_t first_row, std::int64_t last_row, std::int64_t low, std::int64_t high,
                  const Output& output) {
  const auto rank = code_.extents.size();
  std::vector<std::int64_t> index(rank, 0), strides(rank, 1);
  for (std::size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * code_.extents[d];
  std::vector<std::size_t> outer;  // axes but the lane axis
  for (std::size_t d = 0; d < rank; ++d)
    if (static_cast<int>(d) != code_.lane_axis) outer.push_back(d);
  std::int64_t rest = first_row;
  for (std::size_t n = outer.size(); n-- > 0; rest /= code_.extents[outer[n]])
    index[outer[n]] = rest % code_.extents[outer[n]];
  const Span one{0, 1, nullptr};
  run(code_.start, one);
  const std::int64_t lane_stride = strides[static_cast<std::size_t>(code_.lane_axis)];
  std::size_t changed = 0;  // the outermost axis that changed
  for (std::int64_t row = first_row; row < last_row; ++row) {
    std::int64_t offset = 0;
    for (std::size_t n = 0; n < outer.size(); ++n) {
      const std::size_t d = outer[n];
      offset += index[d] * strides[d];
      if (n < changed) continue;
      if (code_.axis_registers[d] != -1) *at<std::int64_t>(code_.axis_registers[d]) = index[d];
      run(code_.outer[n], one);
    }
    for (first_lane_ = low; first_lane_ < high; first_lane_ += block_lanes) {
      const Span span{0, static_cast<int>(std::min<std::int64_t>(block_lanes, high - first_lane_)), nullptr};
      run(code_.block, span);
      const std::int64_t to = offset + first_lane_ * lane_stride;
      if (type(code_.result) == RegisterType::number) {
        const Format format = output.real ? Format::f64 : output.format;
        if (output.real) {
          const auto value = operand<double>(code_.result);
          auto* data = reinterpret_cast<double*>(output.data);
          for (int lane = 0; lane < span.high; ++lane) data[to + lane * lane_stride] = value[lane];
        } else {
          store_numbers(format, output.data, to, lane_stride, operand<double>(code_.result), 0, span.high);
        }
      } else if (type(code_.result) == RegisterType::truth) {
        const auto value = operand<std::uint8_t>(code_.result);
        for (int lane = 0; lane < span.high; ++lane)
          output.data[to + lane * lane_stride] = static_cast<std::byte>(value[lane]);
      } else {
        store_integers(output.format, output.data, to, lane_stride, operand<std::int64_t>(code_.result), 0,
                       span.high);
      }
    }
    changed = outer.size();
    while (changed > 0) {
      const std::size_t d = outer[--changed];
      if (++index[d] < code_.extents[d]) break;
      index[d] = 0;
    }
  }
}

void Machine::run(const Region& region, const Span& span) {
  for (const Instruction& instruction : region.code) run(instruction, span);
}

void Machine::run(const Instruction& i, const Span& span) {
  const bool lanes = i.result >= 0 && varies(i.result);
  const int low = lanes ? span.low : 0, high = lanes ? span.high : 1;
  switch (i.kind) {
    case Do::lane_index:
      for (int l = low; l < high; ++l) at<std::int64_t>(i.result)[l] = first_lane_ + l;
      return;
    case Do::integer:
      if (type(i.result) == RegisterType::truth)
        *at<std::uint8_t>(i.result) = static_cast<std::uint8_t>(i.immediate);
      else
        *at<std::int64_t>(i.result) = i.immediate;
      return;
    case Do::number:
      *at<double>(i.result) = i.constant;
      return;
    case Do::polynomial:
    case Do::product:
    case Do::floor_div:
    case Do::minimum:
    case Do::maximum:
      return integer_instruction(i, lanes ? span : Span{0, 1, nullptr});
    case Do::at_most_zero:
    case Do::is_zero: {
      const auto p = operand<std::int64_t>(i.operands[0]);
      auto* result = at<std::uint8_t>(i.result);
      const bool equality = i.kind == Do::is_zero;
      for (int l = low; l < high; ++l) result[l] = equality ? p[l] == 0 : p[l] <= 0;
      return;
    }
    case Do::all:
    case Do::any: {
      auto* result = at<std::uint8_t>(i.result);
      const bool conjunction = i.kind == Do::all;
      for (int l = low; l < high; ++l) {
        bool value = conjunction;
        for (const int part : i.operands)
          value = conjunction ? value && operand<std::uint8_t>(part)[l] != 0
                              : value || operand<std::uint8_t>(part)[l] != 0;
        result[l] = value ? 1 : 0;
      }
      return;
    }
    case Do::inverse: {
      const auto a = operand<std::uint8_t>(i.operands[0]);
      for (int l = low; l < high; ++l) at<std::uint8_t>(i.result)[l] = a[l] == 0 ? 1 : 0;
      return;
    }
    case Do::compare: {
      const Sort sort = i.term->children[0]->sort;
      auto* result = at<std::uint8_t>(i.result);
      const int a = i.operands[0], b = i.operands[1];
      if (type(a) == RegisterType::number)
        return number_compare(i.term->op, result, operand<double>(a), operand<double>(b), low, high);
      if (type(a) == RegisterType::integer)
        return integer_compare_lanes(i.term->op, is_signed(sort.format), result, operand<std::int64_t>(a),
                                     operand<std::int64_t>(b), low, high);
      const auto x = operand<std::uint8_t>(a), y = operand<std::uint8_t>(b);
      for (int l = low; l < high; ++l)
        result[l] = integer_compare(i.term->op, Format::i64, x[l], y[l]) ? 1 : 0;
      return;
    }
    case Do::is_nan: {
      const auto a = operand<double>(i.operands[0]);
      for (int l = low; l < high; ++l) at<std::uint8_t>(i.result)[l] = std::isnan(a[l]) ? 1 : 0;
      return;
    }
    case Do::operation:
      return number_instruction(i, low, high);
    case Do::from_index:
      return from_index(i, low, high);
    case Do::to_index: {
      auto* result = at<std::int64_t>(i.result);
      if (type(i.operands[0]) == RegisterType::truth) {
        for (int l = low; l < high; ++l) result[l] = operand<std::uint8_t>(i.operands[0])[l];
        return;
      }
      const bool wide = i.term->children[0]->sort == Sort::integer(Format::u64);
      const auto a = operand<std::int64_t>(i.operands[0]);
      for (int l = low; l < high; ++l) {
        if (wide && a[l] < 0 && span.active(l)) overflow();
        result[l] = a[l];
      }
      return;
    }
    case Do::cast:
      return cast(i, low, high);
    case Do::load:
      return load(i, lanes ? span : Span{0, 1, nullptr});
    case Do::blend: {
      const auto condition = operand<std::uint8_t>(i.operands[0]);
      const int a = i.operands[1], b = i.operands[2];
      const auto choose = [&](auto* result, auto x, auto y) {
        if (!condition.varies) {
          const auto& side = condition[0] != 0 ? x : y;
          for (int l = low; l < high; ++l) result[l] = side[l];
        } else if (x.varies && y.varies) {
          for (int l = low; l < high; ++l) result[l] = condition.data[l] != 0 ? x.data[l] : y.data[l];
        } else {
          for (int l = low; l < high; ++l) result[l] = condition.data[l] != 0 ? x[l] : y[l];
        }
      };
      if (type(i.result) == RegisterType::number)
        choose(at<double>(i.result), operand<double>(a), operand<double>(b));
      else if (type(i.result) == RegisterType::integer)
        choose(at<std::int64_t>(i.result), operand<std::int64_t>(a), operand<std::int64_t>(b));
      else
        choose(at<std::uint8_t>(i.result), operand<std::uint8_t>(a), operand<std::uint8_t>(b));
      return;
    }
    case Do::branch:
      return branch(i, span);
    case Do::loop:
      return loop(*i.loop, i.loop->states.empty() || varies(i.loop->states[0]) ? span : Span{0, 1, nullptr});
    case Do::copy:
      return assign(i.result, i.operands[0], lanes ? Span{low, high, nullptr} : Span{0, 1, nullptr});
    case Do::clear_fault:
      std::memset(at<std::uint8_t>(i.result), 0, width(i.result));
      return;
    case Do::check_fault:
      return check_fault(i, span);
  }
}

void Machine::integer_instruction(const Instruction& i, const Span& span) {
  auto* result = at<std::int64_t>(i.result);
  const std::size_t count = i.operands.size();
  if (i.kind == Do::polynomial && i.exact) {
    if (!varies(i.result)) {
      std::int64_t sum = i.immediate;
      for (std::size_t j = 0; j < count; ++j) sum += i.coefficients[j] * *at<std::int64_t>(i.operands[j]);
      *result = sum;
      return;
    }
    for (int l = span.low; l < span.high; ++l) result[l] = i.immediate;
    for (std::size_t j = 0; j < count; ++j) {
      const auto a = operand<std::int64_t>(i.operands[j]);
      const std::int64_t c = i.coefficients[j];
      if (a.varies) {
        for (int l = span.low; l < span.high; ++l)
          result[l] = static_cast<std::int64_t>(static_cast<std::uint64_t>(result[l]) +
                                                static_cast<std::uint64_t>(c) *
                                                    static_cast<std::uint64_t>(a.data[l]));
      } else {
        const std::int64_t part = c * a.data[0];
        for (int l = span.low; l < span.high; ++l)
          result[l] = static_cast<std::int64_t>(static_cast<std::uint64_t>(result[l]) +
                                                static_cast<std::uint64_t>(part));
      }
    }
    return;
  }
  for (int l = span.low; l < span.high; ++l) {
    if (!span.active(l)) continue;
    const auto x = [&](std::size_t j) { return operand<std::int64_t>(i.operands[j])[l]; };
    std::int64_t value = i.kind == Do::polynomial ? i.immediate : x(0);
    switch (i.kind) {
      case Do::polynomial:
        for (std::size_t j = 0; j < count; ++j)
          value = checked_add(value, checked_times(i.coefficients[j], x(j)));
        break;
      case Do::product:
        for (std::size_t j = 1; j < count; ++j) value = checked_times(value, x(j));
        break;
      case Do::floor_div:
        value = floor_quotient(value, x(1));
        break;
      case Do::minimum:
        for (std::size_t j = 1; j < count; ++j) value = std::min(value, x(j));
        break;
      default:
        for (std::size_t j = 1; j < count; ++j) value = std::max(value, x(j));
        break;
    }
    result[l] = value;
  }
}

void Machine::number_instruction(const Instruction& i, int low, int high) {
  const std::size_t count = i.operands.size();
  if (type(i.result) == RegisterType::number) {
    bool all_numbers = true;
    for (const int o : i.operands) all_numbers = all_numbers && type(o) == RegisterType::number;
    if (all_numbers) {
      Operand<double> operands[3];
      for (std::size_t j = 0; j < count; ++j) operands[j] = operand<double>(i.operands[j]);
      return number_operation(i.term, at<double>(i.result), operands, low, high);
    }
    // scale2 by an integer.
    for (int l = low; l < high; ++l) {
      Value x[3];
      for (std::size_t j = 0; j < count; ++j)
        if (type(i.operands[j]) == RegisterType::number)
          x[j] = operand<double>(i.operands[j])[l];
        else
          x[j] = operand<std::int64_t>(i.operands[j])[l];
      at<double>(i.result)[l] = std::get<double>(operate(i.term, x));
    }
    return;
  }
  if (type(i.result) == RegisterType::integer) {
    Operand<std::int64_t> operands[3];
    for (std::size_t j = 0; j < count; ++j) operands[j] = operand<std::int64_t>(i.operands[j]);
    return integer_lanes(i.term, at<std::int64_t>(i.result), operands, low, high);
  }
  for (int l = low; l < high; ++l) {
    bool x[3] = {false, false, false};
    for (std::size_t j = 0; j < count; ++j) x[j] = operand<std::uint8_t>(i.operands[j])[l] != 0;
    at<std::uint8_t>(i.result)[l] = boolean_operation(i.term->op, x) ? 1 : 0;
  }
}

void Machine::from_index(const Instruction& i, int low, int high) {
  const auto index = operand<std::int64_t>(i.operands[0]);
  const Sort sort = i.term->sort;
  for (int l = low; l < high; ++l) {
    if (sort.kind == Sort::Kind::integer)
      at<std::int64_t>(i.result)[l] = wrap(sort.format, static_cast<std::uint64_t>(index[l]));
    else if (sort.kind == Sort::Kind::boolean)
      at<std::uint8_t>(i.result)[l] = index[l] != 0 ? 1 : 0;
    else if (sort.kind == Sort::Kind::real)
      at<double>(i.result)[l] = static_cast<double>(index[l]);
    else
      at<double>(i.result)[l] = std::get<double>(from_index_value(index[l], sort, Reals::in_double));
  }
}

void Machine::cast(const Instruction& i, int low, int high) {
  const Sort from = i.term->children[0]->sort, to = i.term->sort;
  const Format format = i.term->format;
  const int source = i.operands[0];
  const bool to_number = type(i.result) == RegisterType::number;
  if (type(source) == RegisterType::number && to_number && is_float(format)) {
    const auto a = operand<double>(source);
    auto* result = at<double>(i.result);
    const Format last = to.kind == Sort::Kind::floating ? to.format : Format::f64;
    for (int l = low; l < high; ++l)
      result[l] = round_to(last, round_to(format, a[l], Rounding::nearest), Rounding::nearest);
    return;
  }
  for (int l = low; l < high; ++l) {
    Value value;
    if (type(source) == RegisterType::number)
      value = operand<double>(source)[l];
    else if (type(source) == RegisterType::integer)
      value = operand<std::int64_t>(source)[l];
    else
      value = std::int64_t{operand<std::uint8_t>(source)[l]};
    const Value out = cast_value(value, from, format, to, Reals::in_double);
    if (to_number)
      at<double>(i.result)[l] = std::get<double>(out);
    else if (type(i.result) == RegisterType::integer)
      at<std::int64_t>(i.result)[l] = std::get<std::int64_t>(out);
    else
      at<std::uint8_t>(i.result)[l] = static_cast<std::uint8_t>(std::get<std::int64_t>(out));
  }
}

void Machine::assign(int result, int value, const Span& span) {
  if (result == value) return;
  const auto move = [&](auto* to, auto from) {
    if (!varies(result)) {
      to[0] = from[0];
    } else if (span.mask != nullptr) {
      for (int l = span.low; l < span.high; ++l)
        if (span.mask[l] != 0) to[l] = from[l];
    } else if (from.varies) {
      std::copy(from.data + span.low, from.data + span.high, to + span.low);
    } else {
      std::fill(to + span.low, to + span.high, from.data[0]);
    }
  };
  if (type(result) == RegisterType::number)
    move(at<double>(result), operand<double>(value));
  else if (type(result) == RegisterType::integer)
    move(at<std::int64_t>(result), operand<std::int64_t>(value));
  else
    move(at<std::uint8_t>(result), operand<std::uint8_t>(value));
}

// --- loads ---

void Machine::outside(const Instruction& i, std::size_t d, std::int64_t index) const {
  throw UserError("E1012", "index " + std::to_string(index) + " of axis " + std::to_string(d) +
                               " is outside " + i.term->name + ", whose extent there is " +
                               std::to_string(i.load->tensor->extents()[d]));
}

void Machine::load(const Instruction& i, const Span& span) {
  const LoadCode& l = *i.load;
  std::int64_t offset = 0, stride = 0;
  bool straight = true;  // one offset and one stride for all lanes, all inside
  for (std::size_t d = 0; d < l.dimensions.size() && straight; ++d) {
    const LaneIndex& index = l.dimensions[d];
    if (index.coefficient == 0 && varies(index.rest)) {
      straight = false;
      break;
    }
    const std::int64_t start = *at<std::int64_t>(index.rest) + index.coefficient * first_lane_;
    if (l.checked) {
      const std::int64_t a = start + index.coefficient * span.low,
                         b = start + index.coefficient * (span.high - 1);
      const std::int64_t extent = l.tensor->extents()[d];
      straight = std::min(a, b) >= 0 && std::max(a, b) < extent;
    }
    const std::int64_t step = l.checked ? l.strides[d] : 1;
    offset += start * step;
    stride += index.coefficient * step;
  }
  if (!straight) return load_lane_by_lane(i, span, l.checked);
  const Tensor& tensor = *l.tensor;
  if (type(i.result) == RegisterType::number) {
    auto* result = at<double>(i.result);
    if (const auto* doubles = tensor.doubles())
      return load_numbers(Format::f64, result, reinterpret_cast<const std::byte*>((**doubles).data()), offset,
                          stride, span.low, span.high);
    if (tensor.rationals() != nullptr) {
      for (int lane = span.low; lane < span.high; ++lane)
        result[lane] = tensor.number(offset + lane * stride);
      return;
    }
    return load_numbers(tensor.format(), result, (**tensor.encoded()).bytes.data(), offset, stride, span.low,
                        span.high);
  }
  const std::byte* data = (**tensor.encoded()).bytes.data();
  if (type(i.result) == RegisterType::integer)
    return load_integers(tensor.format(), at<std::int64_t>(i.result), data, offset, stride, span.low,
                         span.high);
  for (int lane = span.low; lane < span.high; ++lane)
    at<std::uint8_t>(i.result)[lane] = data[offset + lane * stride] != std::byte{0} ? 1 : 0;
}

void Machine::load_lane_by_lane(const Instruction& i, const Span& span, bool checked) {
  const LoadCode& l = *i.load;
  const Tensor& tensor = *l.tensor;
  for (int lane = span.low; lane < span.high; ++lane) {
    if (!span.active(lane)) continue;
    std::int64_t offset = 0;
    bool inside = true;
    for (std::size_t d = 0; d < l.dimensions.size(); ++d) {
      const LaneIndex& index = l.dimensions[d];
      const std::int64_t at_d =
          operand<std::int64_t>(index.rest)[lane] + index.coefficient * (first_lane_ + lane);
      if (checked && (at_d < 0 || at_d >= tensor.extents()[d])) {
        if (l.fault == -1) outside(i, d, at_d);
        at<std::uint8_t>(l.fault)[varies(l.fault) ? lane : 0] = 1;
        inside = false;
        break;
      }
      offset += at_d * (checked ? l.strides[d] : 1);
    }
    if (type(i.result) == RegisterType::number)
      at<double>(i.result)[lane] = inside ? tensor.number(offset) : 0;
    else if (type(i.result) == RegisterType::integer)
      at<std::int64_t>(i.result)[lane] = inside ? tensor.integer(offset) : 0;
    else
      at<std::uint8_t>(i.result)[lane] = inside && tensor.integer(offset) != 0 ? 1 : 0;
  }
}

void Machine::check_fault(const Instruction& i, const Span& span) {
  const int fault = i.operands[0];
  const auto noted = operand<std::uint8_t>(fault);
  for (int l = span.low; l < span.high; ++l) {
    if (!span.active(l) || noted[l] == 0) continue;
    if (i.result == -1) throw UserError("E1012", "an element outside a tensor is read");
    at<std::uint8_t>(i.result)[varies(i.result) ? l : 0] = 1;
  }
}

}  // namespace hallmark::evaluator
