#include "validator/checks/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "validator/checks/specification.h"
#include "validator/interpreter/float_round.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Format;
using calculus::Term;

namespace {

constexpr long element_limit = 1L << 20;          // of buffers that are filled or compared as a whole
constexpr std::uint64_t end_elements = 1 << 16;   // at both ends of larger ones
constexpr std::uint64_t part_elements = 1 << 10;  // compared at either end after a part of a launch

std::uint64_t mixed(std::uint64_t x) {
  // splitmix64 (Steele, Lea, Flood, 2014).
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t hash_name(const std::string& name) {
  std::uint64_t h = 1469598103934665603u;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

// Floats of all signs and many magnitudes; every eighth is a special one from seed 1 on. Few digits keep
// small sums exact. `in_bits`: where values are compared bit for bit every other one has as many digits as
// the format, so that roundings show, and infinities and NaNs occur, which are no reals.
// `exact_in`: of floats as narrow as these sums of a hundred products are exact as well.
std::uint64_t float_element(Format format, std::uint64_t random, std::uint64_t seed, bool in_bits,
                            Format exact_in = Format::f32) {
  const ir::Type type = format == Format::f64    ? ir::Type::f64
                        : format == Format::f16  ? ir::Type::f16
                        : format == Format::bf16 ? ir::Type::bf16
                                                 : ir::Type::f32;
  if (seed % 2 == 1 && random % 8 == 0) {
    switch (in_bits ? (random >> 8) % 5 : 2 + (random >> 8) % 3) {
      case 0:
        return interpreter::canonical_nan(type);
      case 1:
        return interpreter::infinity(type, (random >> 12) % 2 == 0);
      case 2:
        return interpreter::zero(type, true);
      case 3:
        return interpreter::zero(type, false);
      default:
        // The smallest subnormal; over the reals, where underflow is a rounding, a small number.
        if (in_bits) return 1;
        return interpreter::round_to(type, Rational(Integer(1), Integer(64)), ir::Rounding::nearest_even);
    }
  }
  const bool halves = exact_in == Format::f16, wholes = exact_in == Format::bf16;
  long numerator = wholes   ? 64 * (static_cast<long>((random >> 16) % 5) - 2)
                   : halves ? 32 * (static_cast<long>((random >> 16) % 9) - 4)
                            : static_cast<long>((random >> 16) % 4095) - 2047;
  if (seed == seed_negative) numerator = -std::abs(numerator);
  if (seed == seed_positive) numerator = std::abs(numerator);
  if (seed == seed_alike) numerator = 64 * (numerator % 2);
  if (numerator == 0) return interpreter::zero(type, (random & 1) != 0);
  // What is added to keep a divisor from 0 shows beside small numbers.
  if (seed == seed_small)
    return interpreter::round_to(type, Rational(Integer(numerator), Integer(64L << 11)),
                                 ir::Rounding::nearest_even);
  if (in_bits && (random >> 32) % 2 == 0)
    return interpreter::round_to(type, Rational(Integer(numerator), Integer(3 + 64 * ((random >> 40) % 3))),
                                 ir::Rounding::nearest_even);
  return interpreter::round_to(type, Rational(Integer(numerator), Integer(64)), ir::Rounding::nearest_even);
}

std::vector<std::string> symbols_of(const plan::KernelSpec& spec) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const calculus::SymbolRange& range : spec.symbols) add(range.name);
  for (const plan::Parameter& p : spec.parameters)
    if (p.scalar && calculus::is_integer(p.scalar->format)) add(p.scalar->name);
  return out;
}

Interval range_of(const plan::KernelSpec& spec, const std::string& name) {
  Interval out;
  for (const calculus::SymbolRange& range : spec.symbols)
    if (range.name == name) out = intersect(out, {range.low, range.high});
  for (const plan::Parameter& p : spec.parameters)
    if (p.scalar && p.scalar->name == name && calculus::is_integer(p.scalar->format))
      out = intersect(out, format_range(p.scalar->format));
  return out;
}

}  // namespace

bool admissible(const plan::KernelSpec& spec, const Sizes& sizes, std::optional<long> most_threads) {
  try {
    Reference reference(spec, sizes.symbols, nullptr);
    for (const std::string& name : symbols_of(spec))
      if (!range_of(spec, name).contains(sizes.symbols.at(name))) return false;
    for (Term requirement : spec.requirements)
      if (!reference.condition(requirement)) return false;
    Integer threads = 1, block = 1;
    for (int d = 0; d < 3; ++d) {
      const Integer b = reference.index(block_extent(spec, d)), g = reference.index(grid_extent(spec, d));
      if (b < 1 || g < 1 || g >= power_of_two(d == 0 ? 31 : 16)) return false;
      block *= b;
      threads *= b * g;
    }
    if (block > 1024 || (most_threads && threads > *most_threads)) return false;
    for (const plan::Parameter& p : spec.parameters) {
      if (!p.buffer) continue;
      Integer n = 1;
      for (Term extent : p.buffer->declaration.extents) n *= reference.index(extent);
      if (n < 0 || n >= power_of_two(40)) return false;
      // Elements that no number can be: there are no such inputs.
      const plan::Buffer& b = *p.buffer;
      if (n > 0 && b.element_low != nullptr && b.element_high != nullptr &&
          reference.index(b.element_low) >= reference.index(b.element_high))
        return false;
    }
    return true;
  } catch (const Refusal&) {
    return false;
  }
}

namespace {

// Combinations of small and telling values, by their product; not all of them admissible.
std::vector<std::vector<Integer>> candidate_points(const plan::KernelSpec& spec,
                                                   const std::vector<std::string>& names) {
  static const long values[] = {0,  1,  2,  3,   4,   5,   7,   8,   15,  16,  17,  20,  31,  32,   33,
                                48, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 300, 513, 1024, 2000};
  std::vector<std::vector<Integer>> choices;
  for (const std::string& name : names) {
    const Interval range = range_of(spec, name);
    std::vector<Integer> mine;
    if (range.low && *range.low > 0) mine.push_back(*range.low);
    for (long v : values)
      if (range.contains(v) && std::find(mine.begin(), mine.end(), Integer(v)) == mine.end())
        mine.push_back(v);
    if (mine.empty() && range.low) mine.push_back(*range.low);
    std::sort(mine.begin(), mine.end());
    choices.push_back(mine);
  }
  // All combinations where few, otherwise a fixed sample; then by the product of what was chosen.
  std::vector<std::vector<Integer>> points;
  double combinations = 1;
  for (const auto& c : choices) combinations *= static_cast<double>(c.size());
  if (combinations <= 4000) {
    points.push_back({});
    for (const auto& c : choices) {
      std::vector<std::vector<Integer>> next;
      for (const auto& p : points)
        for (const Integer& v : c) {
          next.push_back(p);
          next.back().push_back(v);
        }
      points = std::move(next);
    }
  } else {
    for (std::uint64_t i = 0; i < 4000; ++i) {
      std::vector<Integer> p;
      for (std::size_t n = 0; n < choices.size(); ++n) {
        // Every second sample keeps to the smaller half.
        const std::size_t count = i % 2 == 0 ? (choices[n].size() + 1) / 2 : choices[n].size();
        p.push_back(choices[n][mixed(i * 31 + n) % count]);
      }
      points.push_back(p);
    }
  }
  const auto weight = [](const std::vector<Integer>& p) {
    Integer w = 1;
    for (const Integer& v : p) w *= v + 1;
    return w;
  };
  std::stable_sort(points.begin(), points.end(),
                   [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

Sizes sizes_at(const std::vector<std::string>& names, const std::vector<Integer>& point) {
  Sizes sizes;
  for (std::size_t n = 0; n < names.size(); ++n) sizes.symbols[names[n]] = point[n];
  return sizes;
}

}  // namespace

std::vector<Sizes> small_sizes(const plan::KernelSpec& spec, std::size_t limit) {
  const std::vector<std::string> names = symbols_of(spec);
  std::vector<Sizes> fitting;
  for (const std::vector<Integer>& p : candidate_points(spec, names)) {
    const Sizes sizes = sizes_at(names, p);
    if (admissible(spec, sizes)) fitting.push_back(sizes);
    if (fitting.size() >= 40 * limit) break;
  }
  // The smallest ones, and from there on ever larger steps.
  std::vector<Sizes> out;
  const std::size_t first = limit / 2;
  for (std::size_t i = 0; i < fitting.size() && out.size() < limit;
       i += i < first ? 1 : std::max<std::size_t>(1, (fitting.size() - first) / (limit - first + 1)))
    out.push_back(fitting[i]);
  return out;
}

std::vector<Sizes> smallest_sizes(const plan::KernelSpec& spec, std::size_t limit) {
  const std::vector<std::string> names = symbols_of(spec);
  std::vector<Sizes> out;
  for (const std::vector<Integer>& p : candidate_points(spec, names)) {
    const Sizes sizes = sizes_at(names, p);
    if (admissible(spec, sizes, std::nullopt)) out.push_back(sizes);
    if (out.size() >= limit) break;
  }
  return out;
}

std::vector<Sizes> covering_sizes(const plan::KernelSpec& spec, std::size_t limit) {
  const std::vector<std::string> names = symbols_of(spec);
  std::set<std::pair<std::size_t, Integer>> seen;
  std::vector<Sizes> out;
  for (const std::vector<Integer>& p : candidate_points(spec, names)) {
    bool news = false;
    for (std::size_t n = 0; n < p.size(); ++n) news = news || seen.count({n, p[n]}) == 0;
    if (!news) continue;
    const Sizes sizes = sizes_at(names, p);
    if (!admissible(spec, sizes)) continue;
    for (std::size_t n = 0; n < p.size(); ++n) seen.insert({n, p[n]});
    out.push_back(sizes);
    if (out.size() >= limit) break;
  }
  return out;
}

std::vector<LargeSizes> sizes_beyond_words(const plan::KernelSpec& spec) {
  const std::vector<std::string> names = symbols_of(spec);
  static const long values[] = {1,     2,      3,        128,      1000,     8960,          46341,
                                65535, 262144, 1L << 20, 1L << 24, 1L << 30, (1L << 31) - 1};
  std::vector<Sizes> points{Sizes{}};
  for (const std::string& name : names) {
    std::vector<Sizes> next;
    const Interval range = range_of(spec, name);
    std::vector<Integer> mine;
    for (long v : values)
      if (range.contains(v)) mine.push_back(v);
    if (range.high && std::find(mine.begin(), mine.end(), *range.high) == mine.end() && !mine.empty() &&
        *range.high < power_of_two(31))
      mine.push_back(*range.high);
    for (const Sizes& p : points)
      for (const Integer& v : mine) {
        next.push_back(p);
        next.back().symbols[name] = v;
      }
    points = std::move(next);
    if (points.size() > 30000) return {};
  }
  std::vector<LargeSizes> fitting;
  for (Sizes& p : points) {
    if (p.symbols.empty() || !admissible(spec, p, std::nullopt)) continue;
    Reference reference(spec, p.symbols, nullptr);
    LargeSizes large;
    large.threads = 1;
    for (int d = 0; d < 3; ++d)
      large.threads *= reference.index(block_extent(spec, d)) * reference.index(grid_extent(spec, d));
    for (const plan::Parameter& parameter : spec.parameters) {
      if (!parameter.buffer) continue;
      Integer n = 1;
      for (Term extent : parameter.buffer->declaration.extents) n *= reference.index(extent);
      large.elements = std::max(large.elements, n);
    }
    if (large.elements < power_of_two(31)) continue;
    p.greatest_elements = true;
    large.sizes = p;
    fitting.push_back(std::move(large));
  }
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](const auto& a, const auto& b) { return a.elements < b.elements; });
  return fitting;
}

std::vector<Sizes> large_sizes(const plan::KernelSpec& spec, std::size_t limit) {
  std::vector<Sizes> fitting, out;
  for (const LargeSizes& large : sizes_beyond_words(spec))
    if (large.threads <= 10000) fitting.push_back(large.sizes);
  const std::size_t step = std::max<std::size_t>(1, fitting.size() / std::max<std::size_t>(1, limit));
  for (std::size_t i = 0; i < fitting.size() && out.size() < limit; i += step) out.push_back(fitting[i]);
  return out;
}

namespace {

// The same kernel with every rounding to nearest in one direction.
ir::Kernel rounded(const ir::Kernel& kernel, ir::Rounding direction) {
  ir::Kernel out = kernel;
  for (ir::Block& block : out.blocks)
    for (ir::Instruction& i : block.instructions)
      if (i.rounding == ir::Rounding::nearest_even && i.opcode != ir::Opcode::round_to_integral &&
          i.opcode != ir::Opcode::float_to_signed && i.opcode != ir::Opcode::float_to_unsigned)
        i.rounding = direction;
  return out;
}

// How far the kernel's own roundings move an element: by launches of it that round down and up (stochastic
// arithmetic with its two extreme directions; Vignes, "Discrete stochastic arithmetic for validating results
// of numerical software", 2004). Executed when it is first asked for.
class Spread {
 public:
  Spread(const ir::Kernel& kernel, const interpreter::Request& request)
      : kernel_(kernel), request_(request) {}
  // Nothing where a launch does not come to an end.
  std::optional<double> of(std::size_t buffer, std::uint64_t offset, unsigned bytes, ir::Type type) {
    if (results_.empty())
      for (const ir::Rounding direction : {ir::Rounding::down, ir::Rounding::up})
        results_.push_back(interpreter::launch(rounded(kernel_, direction), request_));
    std::vector<double> values;
    for (const interpreter::Result& result : results_) {
      if (result.end != interpreter::Result::End::finished) return std::nullopt;
      values.push_back(interpreter::to_double(type, result.buffers.at(buffer)->read(offset, bytes)));
    }
    return std::fabs(values[1] - values[0]);
  }

 private:
  const ir::Kernel& kernel_;
  const interpreter::Request& request_;
  std::vector<interpreter::Result> results_;
};

ir::Type type_of(Format format) {
  return format == Format::f64    ? ir::Type::f64
         : format == Format::f16  ? ir::Type::f16
         : format == Format::bf16 ? ir::Type::bf16
                                  : ir::Type::f32;
}

// Far more than what rounding can explain in a launch as small as those that are executed: half of the digits
// that the format has, and many times what the specification's own formula loses. `spread`: what the kernel's
// own roundings do, asked for where it matters.
template <class Spread, class Differ>
void compare_reals(const Reference::Real& wanted, std::uint64_t bits, Format format, bool overflowed,
                   const std::string& place, const Spread& spread, const Differ& differ) {
  const double expected = wanted.value;
  double tolerance = std::ldexp(1, -11);
  if (format == Format::f64) tolerance = std::ldexp(1, -24);
  if (format == Format::f16) tolerance = std::ldexp(1, -4);
  if (format == Format::bf16) tolerance = std::ldexp(1, -2);
  const double actual = interpreter::to_double(type_of(format), bits);
  if ((wanted.pole || overflowed) && !std::isfinite(actual)) return;
  const double allowed = std::max(tolerance * (1 + std::fabs(expected)), 16 * wanted.error);
  if (!std::isfinite(expected) || !std::isfinite(allowed) || std::fabs(actual - expected) <= allowed) return;
  const std::optional<double> moved = spread();
  if (!moved || std::fabs(actual - expected) <= allowed + 64 * *moved) return;
  differ(ObligationKind::value, place, fmt::format("{} up to rounding", expected), fmt::format("{}", actual));
}

// The format of the fewest digits in which the kernel computes: where roundings are erased, they must not
// look like a fault.
Format narrowest_format(const ir::Kernel& kernel) {
  bool halves = false;
  for (const ir::Block& block : kernel.blocks)
    for (const ir::Instruction& i : block.instructions) {
      for (ir::ValueId result : i.results) {
        if (kernel.type_of(result) == ir::Type::bf16) return Format::bf16;
        halves = halves || kernel.type_of(result) == ir::Type::f16;
      }
      halves = halves || i.text.find(".tf32") != std::string::npos;
    }
  return halves ? Format::f16 : Format::f32;
}

// Of a computation whose narrowest format it is: relative, and absolute below the normal range.
std::pair<double, double> roundings_of(Format narrowest) {
  if (narrowest == Format::bf16) return {std::ldexp(1, -8), std::ldexp(1, -134)};
  if (narrowest == Format::f16) return {std::ldexp(1, -11), std::ldexp(1, -25)};
  return {std::ldexp(1, -24), std::ldexp(1, -150)};
}

bool has_atomics(const ir::Kernel& kernel) {
  for (const ir::Block& block : kernel.blocks)
    for (const ir::Instruction& i : block.instructions)
      if (i.opcode == ir::Opcode::atomic) return true;
  return false;
}

}  // namespace

Experiment execute(const plan::KernelSpec& spec, const ir::Kernel& kernel, const Sizes& sizes,
                   std::uint64_t seed, interpreter::Schedule schedule, std::uint64_t step_limit) {
  Experiment out;
  out.sizes = sizes;
  out.seed = seed;
  interpreter::Request request;
  Reference index(spec, sizes.symbols, nullptr);
  for (int d = 0; d < 3; ++d) {
    request.grid[static_cast<std::size_t>(d)] =
        static_cast<std::uint32_t>(index.index(grid_extent(spec, d)).get_ui());
    request.block[static_cast<std::size_t>(d)] =
        static_cast<std::uint32_t>(index.index(block_extent(spec, d)).get_ui());
  }
  if (spec.launch.dynamic_shared_bytes != nullptr)
    request.dynamic_shared_bytes = *to_u64(index.index(spec.launch.dynamic_shared_bytes));
  request.blocks = sizes.blocks;
  request.schedule = schedule;
  request.seed = seed;
  request.step_limit = step_limit;
  request.strict_barriers = spec.barrier_rule == plan::BarrierRule::strict;
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> initial;
  std::map<std::string, std::uint64_t> counts;
  const bool in_bits = spec.equality == plan::Equality::bits;
  const Format exact_in = in_bits ? Format::f32 : narrowest_format(kernel);
  for (const plan::Parameter& p : spec.parameters) {
    if (!p.buffer) {
      const unsigned bytes = calculus::storage_bits(p.scalar->format) / 8;
      const std::uint64_t bits =
          calculus::is_float(p.scalar->format)
              ? float_element(p.scalar->format, mixed(seed ^ hash_name(p.scalar->name)), seed, in_bits,
                              exact_in)
              : *to_u64(floor_mod(sizes.symbols.at(p.scalar->name), power_of_two(8 * bytes)));
      if (calculus::is_float(p.scalar->format)) initial[p.scalar->name][0] = bits;
      request.arguments.push_back(interpreter::Argument::scalar(bits, bytes));
      continue;
    }
    const plan::Buffer& b = *p.buffer;
    const unsigned bytes = calculus::storage_bits(b.declaration.format) / 8;
    Integer n = 1;
    for (Term extent : b.declaration.extents) n *= index.index(extent);
    const std::uint64_t count = *to_u64(n);
    const std::uint64_t row =
        b.declaration.extents.empty() ? 1 : to_u64(index.index(b.declaration.extents.back())).value_or(1);
    counts[b.declaration.name] = count;
    interpreter::Buffer buffer;
    buffer.name = b.declaration.name;
    buffer.bytes = count * bytes;
    buffer.writable = b.access != plan::Access::in;
    const auto element = [&](std::uint64_t i) -> std::uint64_t {
      const std::uint64_t random =
          mixed(mixed(seed + 77) ^ hash_name(b.declaration.name) ^ (i * 0x9e3779b97f4a7c15u));
      // One missing summand of many is less than their roundings may be, unless it is nearly all there is.
      if (seed == seed_ends && calculus::is_float(b.declaration.format) && row > 1 && i % row != 0 &&
          i % row != row - 1)
        return 0;
      if (calculus::is_float(b.declaration.format))
        return float_element(b.declaration.format, random, seed, in_bits, exact_in);
      if (b.declaration.format == Format::boolean) return (random >> 8) & 1;
      Integer value = static_cast<long>(random % 97) + 1;
      if (seed == seed_negative || (seed == seed_positive && (random >> 8) % 2 == 0)) value = -value;
      if (seed == seed_alike) value = static_cast<long>(random % 2);
      // Hardly two alike: which of them is the greatest shows.
      if (seed == seed_unlike && bytes >= 4) value = static_cast<long>((random >> 20) % (1 << 20)) + 1;
      // From seed 1 on every fourth is 0, -1 or, where no sum of a few overflows 32 bits, anything.
      if (seed % 2 == 1 && random % 4 == 0) {
        value = (random >> 8) % 3 == 0 ? 0 : -1;
        if ((random >> 8) % 3 == 2 && bytes <= 2) value = from_u64(random >> 16);
      }
      if (b.element_low != nullptr && b.element_high != nullptr) {
        const Integer low = index.index(b.element_low), high = index.index(b.element_high);
        if (sizes.greatest_elements && high > low)
          return *to_u64(floor_mod(Integer(high - 1), power_of_two(8 * bytes)));
        value = high > low ? Integer(low + floor_mod(from_u64(random), Integer(high - low))) : low;
      }
      return *to_u64(floor_mod(value, power_of_two(8 * bytes)));
    };
    const auto fill = [&](std::uint64_t from, std::uint64_t to) {
      std::vector<std::uint8_t> data((to - from) * bytes);
      for (std::uint64_t i = from; i < to; ++i) {
        std::uint64_t bits = element(i);
        if (const auto given = sizes.elements.find(b.declaration.name); given != sizes.elements.end())
          if (const auto at = given->second.find(i); at != given->second.end())
            bits = *to_u64(floor_mod(at->second, power_of_two(8 * bytes)));
        initial[b.declaration.name][i] = bits;
        for (unsigned k = 0; k < bytes; ++k)
          data[(i - from) * bytes + k] = static_cast<std::uint8_t>(bits >> (8 * k));
      }
      buffer.contents[from * bytes] = std::move(data);
    };
    if (b.access != plan::Access::out && count <= static_cast<std::uint64_t>(element_limit)) {
      fill(0, count);
    } else if (b.access != plan::Access::out) {
      // Zeros, but for both ends.
      buffer.fill = 0;
      fill(0, end_elements);
      fill(count - end_elements, count);
    }
    request.arguments.push_back(interpreter::Argument::pointer(request.buffers.size()));
    request.buffers.push_back(std::move(buffer));
  }
  out.result = interpreter::launch(kernel, request);
  out.request = std::move(request);
  if (out.result.end != interpreter::Result::End::finished) {
    out.skipped = "the launch did not finish";
    return out;
  }
  // What several blocks gather is not there yet.
  if (!sizes.blocks.empty() && has_atomics(kernel)) {
    out.skipped = "a part of the grid leaves a part of what atomic operations gather";
    return out;
  }
  // --- Outputs.
  Reference reference(spec, sizes.symbols,
                      [&](const std::string& buffer, std::uint64_t i) -> std::optional<std::uint64_t> {
                        if (const auto found = initial.find(buffer); found != initial.end())
                          if (const auto at = found->second.find(i); at != found->second.end())
                            return at->second;
                        const plan::Buffer& b = buffer_of(spec, buffer);
                        if (b.access != plan::Access::out && i < counts[buffer] &&
                            counts[buffer] > static_cast<std::uint64_t>(element_limit))
                          return 0;
                        return std::nullopt;
                      });
  const auto [unit, least] = roundings_of(exact_in);
  reference.set_roundings(unit, least);
  std::map<std::string, std::set<std::uint64_t>> ensured;
  const auto differ = [&](ObligationKind kind, std::string place, std::string expected, std::string actual) {
    for (const Difference& d : out.differences)
      if (d.kind == kind) return;
    out.differences.push_back({kind, std::move(place), std::move(expected), std::move(actual)});
  };
  std::size_t slot = 0;
  std::map<std::string, const interpreter::Contents*> contents;
  std::map<std::string, std::size_t> slots;
  for (const plan::Parameter& p : spec.parameters)
    if (p.buffer) {
      slots[p.buffer->declaration.name] = slot;
      contents[p.buffer->declaration.name] = out.result.buffers.at(slot++).get();
    }
  Spread spread(kernel, out.request);
  std::string undefined;
  try {
    for (const plan::Ensure& ensure : spec.ensures) {
      const plan::Buffer& b = buffer_of(spec, ensure.buffer);
      const unsigned bytes = calculus::storage_bits(b.declaration.format) / 8;
      std::vector<Integer> extents;
      Integer total = 1;
      for (Term extent : ensure.domain) {
        extents.push_back(index.index(extent));
        total *= extents.back() < 0 ? Integer(0) : extents.back();
      }
      const bool in_part = !sizes.blocks.empty();
      if (total > element_limit && !in_part) {
        out.skipped = "too many elements to compare";
        continue;
      }
      std::uint64_t compared = 0;
      for (Integer n = 0; n < total; ++n) {
        // Of a part of a launch what it wrote at either end of the output is enough.
        const Integer tail = total - from_u64(end_elements);
        if (in_part && n < tail && (n == from_u64(end_elements) || compared == part_elements)) {
          n = tail;
          compared = 0;
        }
        if (in_part && compared == part_elements) break;
        std::vector<Integer> point(extents.size());
        Integer rest = n;
        for (std::size_t d = extents.size(); d-- > 0;) {
          point[d] = floor_mod(rest, extents[d]);
          rest = floor_div(rest, extents[d]);
        }
        if (!reference.holds_at(ensure, point)) continue;
        const std::uint64_t at = *to_u64(reference.target(ensure, point));
        ensured[ensure.buffer].insert(at);
        const interpreter::Contents& now = *contents.at(ensure.buffer);
        const std::string place = fmt::format("{}[{}]", ensure.buffer, at);
        const bool written = now.written(at * bytes, bytes);
        if (in_part && !written) continue;
        ++compared;
        if (!written && b.access == plan::Access::out) {
          differ(ObligationKind::coverage, place, "written", "not written");
          differ(ObligationKind::value, place, "its value", "what was there before");
          continue;
        }
        // What keeps its contents need not be written where those are its value (a bin that nothing falls
        // into).
        const auto differs = [&](ObligationKind kind, std::string where, std::string expected,
                                 std::string actual) {
          if (!written) differ(ObligationKind::coverage, where, "written", "not written");
          differ(kind, std::move(where), std::move(expected), std::move(actual));
        };
        if (spec.equality == plan::Equality::safety || !out.skipped.empty()) continue;
        if (spec.equality == plan::Equality::reals && calculus::is_float(b.declaration.format)) {
          try {
            compare_reals(
                reference.real(ensure, point), now.read(at * bytes, bytes), b.declaration.format,
                out.result.overflowed, place,
                [&] {
                  return spread.of(slots.at(ensure.buffer), at * bytes, bytes, type_of(b.declaration.format));
                },
                differs);
          } catch (const Refusal& refusal) {
            undefined = refusal.message();  // of this element alone
          }
          continue;
        }
        if (out.result.approximate) continue;
        std::uint64_t expected = 0;
        try {
          expected = reference.value(ensure, point);
        } catch (const Refusal& refusal) {
          out.skipped = refusal.message();
          continue;
        }
        const std::uint64_t actual = now.read(at * bytes, bytes);
        const bool both_nan =
            calculus::is_float(b.declaration.format) && bytes == 4 &&
            interpreter::classify(ir::Type::f32, expected).kind == interpreter::FloatParts::Kind::nan &&
            interpreter::classify(ir::Type::f32, actual).kind == interpreter::FloatParts::Kind::nan;
        if (expected != actual && !both_nan) {
          const auto show = [&](std::uint64_t bits) {
            return b.declaration.format == Format::f32
                       ? fmt::format("{} (0x{:08x})", interpreter::to_double(ir::Type::f32, bits), bits)
                       : fmt::format("0x{:x}", bits);
          };
          differs(ObligationKind::value, place, show(expected), show(actual));
        }
      }
    }
    for (const auto& [name, now] : contents) {
      if (!sizes.blocks.empty()) break;
      const plan::Buffer& b = buffer_of(spec, name);
      if (spec.equality == plan::Equality::safety && b.access != plan::Access::in) continue;
      const unsigned bytes = calculus::storage_bits(b.declaration.format) / 8;
      if (counts[name] > static_cast<std::uint64_t>(element_limit)) continue;
      for (std::uint64_t i = 0; i < counts[name]; ++i)
        if (ensured[name].count(i) == 0 && now->touched(i * bytes, bytes))
          differ(ObligationKind::frame, fmt::format("{}[{}]", name, i), "its old contents", "written");
    }
  } catch (const Refusal& refusal) {
    out.skipped = refusal.message();
  }
  if (out.skipped.empty()) out.skipped = undefined;
  return out;
}

std::string element_text(Format format, std::uint64_t bits) {
  const unsigned size = calculus::storage_bits(format) / 8;
  std::string words;
  if (format == Format::f32) words = fmt::format("{}", interpreter::to_double(ir::Type::f32, bits));
  if (format == Format::f64) words = fmt::format("{}", interpreter::to_double(ir::Type::f64, bits));
  if (calculus::is_signed(format))
    words = std::to_string(static_cast<std::int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size));
  else if (calculus::is_integer(format))
    words = std::to_string(bits);
  return fmt::format("{} (0x{:0{}x})", words, bits, 2 * size);
}

namespace {

std::string list_text(Format format, const std::vector<std::uint8_t>& bytes) {
  const unsigned size = calculus::storage_bits(format) / 8;
  std::string out;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    std::uint64_t bits = 0;
    for (unsigned k = 0; k < size; ++k) bits |= std::uint64_t{bytes[at + k]} << (8 * k);
    if (!out.empty()) out += ", ";
    out += element_text(format, bits);
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> bindings(const plan::KernelSpec& spec,
                                                          const Experiment& experiment) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& name : symbols_of(spec))
    out.emplace_back(name, experiment.sizes.symbols.at(name).get_str());
  for (const auto& [buffer, elements] : experiment.sizes.elements)
    for (const auto& [i, value] : elements)
      out.emplace_back(fmt::format("{}[{}]", buffer, i), value.get_str());
  out.emplace_back("inputs", fmt::format("generated with seed {}", experiment.seed));
  const interpreter::Request& request = experiment.request;
  static constexpr const char* schedules[] = {"forward", "reverse threads", "reverse warps", "random"};
  out.emplace_back("schedule", schedules[static_cast<std::size_t>(request.schedule)]);
  const auto triple = [](const std::array<std::uint32_t, 3>& d) {
    return fmt::format("({}, {}, {})", d[0], d[1], d[2]);
  };
  out.emplace_back("grid", triple(request.grid));
  out.emplace_back("block", triple(request.block));
  if (request.dynamic_shared_bytes != 0)
    out.emplace_back("dynamic shared bytes", std::to_string(request.dynamic_shared_bytes));
  std::size_t argument = 0;
  for (const plan::Parameter& p : spec.parameters) {
    const interpreter::Argument& given = request.arguments.at(argument++);
    if (p.scalar) {
      out.emplace_back("argument " + p.scalar->name, list_text(p.scalar->format, given.bytes));
      continue;
    }
    const interpreter::Buffer& b = request.buffers.at(*given.buffer);
    const Format format = p.buffer->declaration.format;
    const std::uint64_t count = b.bytes / (calculus::storage_bits(format) / 8);
    out.emplace_back("elements of " + b.name, std::to_string(count));
    const auto whole = b.contents.find(0);
    if (whole != b.contents.end() && count <= 4096 && whole->second.size() == b.bytes)
      out.emplace_back(b.name, list_text(format, whole->second));
  }
  return out;
}

}  // namespace hallmark::validator
