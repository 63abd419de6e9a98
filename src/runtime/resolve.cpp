#include "runtime/resolve.h"

#include <algorithm>

#include "base/error.h"

namespace hallmark::runtime {
namespace {

using calculus::Term;

constexpr std::uint64_t alignment = 256;

class Resolver {
 public:
  Resolver(const plan::LaunchPlan& plan, const std::map<std::string, Integer>& symbols) : plan_(plan) {
    for (const auto& entry : symbols) {
      const std::string& name = entry.first;
      const Integer& value = entry.second;
      const bool known = std::any_of(plan.symbols.begin(), plan.symbols.end(),
                                     [&](const calculus::SymbolRange& range) { return range.name == name; });
      if (!known) throw UserError("E7301", "the plan has no symbol '" + name + "'");
      map_[calculus::symbol(name)] = calculus::integer(value);
    }
    for (const calculus::SymbolRange& range : plan.symbols) {
      const auto found = symbols.find(range.name);
      if (found == symbols.end()) throw UserError("E7301", "the symbol '" + range.name + "' needs a value");
      if (found->second < range.low || (range.high && found->second > *range.high))
        throw UserError("E7301", "the symbol '" + range.name + "' = " + found->second.get_str() +
                                     " is outside the range for which the kernels were proved");
    }
  }

  Integer number(Term term) const {
    const Term value = calculus::substitute(term, map_);
    const Integer* result = calculus::as_integer(value);
    ensure(result != nullptr, "a launch plan's term is not a number once its symbols are");
    return *result;
  }

  std::uint64_t within(Term term, std::uint64_t least, std::uint64_t most, const std::string& what) const {
    const Integer value = number(term);
    if (value < from_u64(least) || value > from_u64(most))
      throw UserError("E7303", what + " is " + value.get_str() + ", outside " + std::to_string(least) +
                                   " to " + std::to_string(most));
    return *to_u64(value);
  }

  ResolvedLaunch launch(const plan::PlannedLaunch& source) const {
    ResolvedLaunch out;
    out.kernel = source.kernel;
    out.binary = source.binary;
    out.binary_sha256 = source.binary_sha256;
    out.prepare = source.prepare;
    static constexpr std::uint64_t grid_limits[3] = {2147483647, 65535, 65535};
    std::uint64_t threads = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::string axis(1, "xyz"[d]);
      out.grid[d] = source.grid[d] == nullptr
                        ? 1
                        : static_cast<unsigned>(
                              within(source.grid[d], 0, grid_limits[d], source.kernel + ": grid " + axis));
      out.block[d] =
          source.block[d] == nullptr
              ? 1
              : static_cast<unsigned>(within(source.block[d], 1, 1024, source.kernel + ": block " + axis));
      threads *= out.block[d];
      out.skipped = out.skipped || out.grid[d] == 0;
    }
    if (threads > 1024) throw UserError("E7303", source.kernel + ": more than 1024 threads in a block");
    if (source.dynamic_shared_bytes != nullptr)
      out.dynamic_shared_bytes = static_cast<unsigned>(
          within(source.dynamic_shared_bytes, 0, 232448, source.kernel + ": shared memory"));
    for (const plan::Argument& argument : source.arguments) {
      ResolvedArgument one;
      one.is_buffer = argument.scalar == nullptr;
      if (one.is_buffer) {
        const auto found =
            std::find_if(plan_.buffers.begin(), plan_.buffers.end(),
                         [&](const plan::PlannedBuffer& b) { return b.declaration.name == argument.buffer; });
        one.buffer = static_cast<std::size_t>(found - plan_.buffers.begin());
      } else {
        const unsigned bits = calculus::storage_bits(argument.scalar_format);
        ensure(calculus::is_integer(argument.scalar_format), "a scalar argument of a float format");
        const Integer value = number(argument.scalar);
        const bool sign = calculus::is_signed(argument.scalar_format);
        const Integer high = power_of_two(sign ? bits - 1 : bits) - 1,
                      low = sign ? Integer(-high - 1) : Integer(0);
        if (value < low || value > high)
          throw UserError("E7303", source.kernel + ": the argument " + argument.parameter + " = " +
                                       value.get_str() + " does not fit " +
                                       std::string(calculus::name(argument.scalar_format)));
        one.bytes = bits / 8;
        one.value = *to_u64(floor_mod(value, power_of_two(64)));
      }
      out.arguments.push_back(one);
    }
    return out;
  }

 private:
  const plan::LaunchPlan& plan_;
  calculus::Substitution map_;
};

// What runs once must not need what changes afterwards, or a second call would differ from the first.
void check_preparation(const plan::LaunchPlan& plan) {
  bool each_call = false;
  for (const plan::PlannedLaunch& launch : plan.launches) {
    each_call = each_call || !launch.prepare;
    if (launch.prepare && each_call)
      throw UserError("E7307", launch.kernel + " runs once and stands after a launch of each call");
    for (const plan::Argument& argument : launch.arguments) {
      if (argument.scalar != nullptr) continue;
      const plan::Role role = plan::find_buffer(plan, argument.buffer)->role;
      const bool written =
          std::find(launch.computes.begin(), launch.computes.end(), argument.buffer) != launch.computes.end();
      const bool kept = role == plan::Role::prepared;
      if (written ? kept != launch.prepare : launch.prepare && !kept && role != plan::Role::constant)
        throw UserError(
            "E7307", launch.kernel + ": the buffer " + argument.buffer + " is not what a launch that runs " +
                         (launch.prepare ? "once" : "on each call") + " may " + (written ? "write" : "read"));
    }
  }
}

void check_arena(const ResolvedPlan& plan) {
  for (const ResolvedBuffer& buffer : plan.buffers) {
    if (buffer.role != plan::Role::arena) continue;
    if (buffer.arena_offset % alignment != 0 || buffer.arena_offset > plan.arena_bytes ||
        buffer.bytes > plan.arena_bytes - buffer.arena_offset)
      throw UserError("E7304", "the buffer " + buffer.name + " does not lie in the arena");
  }
  for (const ResolvedLaunch& launch : plan.launches)
    for (const ResolvedArgument& a : launch.arguments)
      for (const ResolvedArgument& b : launch.arguments) {
        if (!a.is_buffer || !b.is_buffer || a.buffer >= b.buffer) continue;
        const ResolvedBuffer &x = plan.buffers[a.buffer], &y = plan.buffers[b.buffer];
        if (x.role != plan::Role::arena || y.role != plan::Role::arena) continue;
        if (x.arena_offset < y.arena_offset + y.bytes && y.arena_offset < x.arena_offset + x.bytes)
          throw UserError("E7304", launch.kernel + ": the buffers " + x.name + " and " + y.name + " overlap");
      }
}

}  // namespace

ResolvedPlan resolve(const plan::LaunchPlan& plan, const std::map<std::string, Integer>& symbols) {
  plan::check_plan(plan);
  const Resolver resolver(plan, symbols);
  for (Term requirement : plan.requirements)
    if (resolver.number(requirement) < 0)
      throw UserError("E7302", "a condition of the plan does not hold for these symbols");
  ResolvedPlan out;
  // 2^47: no device has more memory, and sums of a few sizes cannot wrap.
  constexpr std::uint64_t most = std::uint64_t{1} << 47;
  out.arena_bytes = resolver.within(plan.arena_bytes, 0, most, "the arena's size");
  for (const plan::PlannedBuffer& buffer : plan.buffers) {
    ResolvedBuffer one{buffer.declaration.name, buffer.role, 0, 0};
    for (Term extent : buffer.declaration.extents)
      resolver.within(extent, 0, most, "an extent of " + one.name);
    one.bytes = resolver.within(plan::byte_size(buffer.declaration), 0, most, "the size of " + one.name);
    if (buffer.arena_offset != nullptr)
      one.arena_offset = resolver.within(buffer.arena_offset, 0, most, "the offset of " + one.name);
    out.buffers.push_back(std::move(one));
  }
  for (const plan::PlannedLaunch& launch : plan.launches) out.launches.push_back(resolver.launch(launch));
  check_preparation(plan);
  check_arena(out);
  return out;
}

}  // namespace hallmark::runtime
