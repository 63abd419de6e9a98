#include "validator/checks/side_by_side.h"

#include <fmt/format.h>

#include "base/error.h"
#include "validator/checks/experiment.h"
#include "validator/ir/contraction.h"

namespace hallmark::validator {
namespace {

bool is_nan(calculus::Format format, std::uint64_t bits) {
  using calculus::Format;
  if (format != Format::f16 && format != Format::bf16 && format != Format::f32 && format != Format::f64)
    return false;
  const unsigned fraction = calculus::significand_bits(format) - 1;
  const std::uint64_t exponents = (std::uint64_t{1} << (calculus::storage_bits(format) - 1 - fraction)) - 1;
  return (bits >> fraction & exponents) == exponents && (bits & ((std::uint64_t{1} << fraction) - 1)) != 0;
}

std::optional<Witness> difference(const plan::KernelSpec& spec, const Experiment& a, const Experiment& b) {
  std::size_t slot = 0;
  for (const plan::Parameter& p : spec.parameters) {
    if (!p.buffer) continue;
    const interpreter::Contents &mine = *a.result.buffers.at(slot), &theirs = *b.result.buffers.at(slot);
    ++slot;
    if (p.buffer->access == plan::Access::in) continue;
    const calculus::Format format = p.buffer->declaration.format;
    const unsigned bytes = calculus::storage_bits(format) / 8;
    for (std::uint64_t at = 0; at + bytes <= std::min(mine.size(), theirs.size()); at += bytes) {
      if (!mine.defined(at, bytes) || !theirs.defined(at, bytes)) continue;
      const std::uint64_t left = mine.read(at, bytes), right = theirs.read(at, bytes);
      if (left == right || (is_nan(format, left) && is_nan(format, right))) continue;
      Witness out;
      out.expected = element_text(format, left);
      out.actual = element_text(format, right);
      out.summary = fmt::format("{}[{}]: the one leaves {}, the other {}", p.buffer->declaration.name,
                                at / bytes, out.expected, out.actual);
      out.executed_by = "interpreter";
      out.bindings = bindings(spec, b);
      return out;
    }
  }
  return std::nullopt;
}

bool says_something(const Experiment& e) {
  return e.result.end == interpreter::Result::End::finished && e.result.faults.empty() &&
         !e.result.approximate;
}

// Making the inputs of large buffers takes longer than what is learnt from them is worth.
bool are_small(const plan::KernelSpec& spec, const Sizes& sizes) {
  constexpr long most_elements = 1 << 16;
  Reference reference(spec, sizes.symbols, nullptr);
  Integer total = 0;
  for (const plan::Parameter& p : spec.parameters) {
    if (!p.buffer) continue;
    Integer n = 1;
    for (calculus::Term extent : p.buffer->declaration.extents) n *= reference.index(extent);
    total += n;
  }
  return total <= most_elements;
}

}  // namespace

std::optional<Witness> difference_side_by_side(const plan::KernelSpec& first, const ir::Kernel& first_kernel,
                                               const plan::KernelSpec& second,
                                               const ir::Kernel& second_kernel) {
  // Executed is the form in which nothing is fused; what the assembler makes of it may have other bits.
  for (const ir::Kernel* kernel : {&first_kernel, &second_kernel})
    if (!ir::fusible_additions(*kernel).empty()) return std::nullopt;
  constexpr std::size_t small = 10, covering = 6;
  constexpr long threads = 4096;
  constexpr std::uint64_t steps = 200'000, seeds = 4;
  // What the outputs should be is not asked here.
  plan::KernelSpec one = first, two = second;
  one.ensures.clear();
  two.ensures.clear();
  std::vector<Sizes> tried = small_sizes(two, small);
  for (Sizes& sizes : covering_sizes(two, covering)) tried.push_back(std::move(sizes));
  for (const Sizes& sizes : tried) {
    if (!admissible(one, sizes, threads) || !admissible(two, sizes, threads) || !are_small(two, sizes))
      continue;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      try {
        const auto run = [&](const plan::KernelSpec& spec, const ir::Kernel& kernel) {
          return execute(spec, kernel, sizes, seed, interpreter::Schedule::forward, steps);
        };
        const Experiment a = run(one, first_kernel);
        if (!says_something(a)) continue;
        const Experiment b = run(two, second_kernel);
        if (!says_something(b)) continue;
        if (auto found = difference(second, a, b)) return found;
      } catch (const Refusal&) {
        return std::nullopt;  // an instruction that the interpreter does not execute
      }
    }
  }
  return std::nullopt;
}

}  // namespace hallmark::validator
