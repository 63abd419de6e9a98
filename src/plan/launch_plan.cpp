#include "plan/launch_plan.h"

#include <map>

#include "base/error.h"

namespace hallmark::plan {

using calculus::Term;

std::string_view name(Role role) {
  switch (role) {
    case Role::input:
      return "input";
    case Role::constant:
      return "constant";
    case Role::output:
      return "output";
    case Role::arena:
      return "arena";
    case Role::prepared:
      return "prepared";
  }
  throw InternalError("a buffer role without a name");
}

const PlannedBuffer* find_buffer(const LaunchPlan& plan, std::string_view name) {
  for (const PlannedBuffer& buffer : plan.buffers)
    if (buffer.declaration.name == name) return &buffer;
  return nullptr;
}

Term element_count(const calculus::Declaration& declaration) {
  Term count = calculus::integer(1L);
  for (Term extent : declaration.extents) count = calculus::multiply(count, extent);
  return count;
}

Term byte_size(const calculus::Declaration& declaration) {
  return calculus::scale(calculus::storage_bits(declaration.format) / 8, element_count(declaration));
}

void check_plan(const LaunchPlan& plan) {
  std::map<std::string, std::size_t> writes;
  for (const PlannedBuffer& buffer : plan.buffers) {
    const std::string& name = buffer.declaration.name;
    ensure(writes.emplace(name, 0).second, "the buffer " + name + " is planned twice");
    ensure((buffer.role == Role::arena) == (buffer.arena_offset != nullptr),
           "an arena buffer, and no other, has an offset: " + name);
  }
  for (const PlannedLaunch& launch : plan.launches) {
    for (const Argument& argument : launch.arguments) {
      ensure(argument.buffer.empty() == (argument.scalar != nullptr), "an argument is a buffer or a scalar");
      ensure(argument.buffer.empty() || writes.count(argument.buffer) != 0,
             launch.kernel + " has the unknown buffer " + argument.buffer);
    }
    for (const std::string& definition : launch.computes) {
      bool passed = false;
      for (const Argument& argument : launch.arguments) passed = passed || argument.buffer == definition;
      ensure(passed, launch.kernel + " computes " + definition + " without its buffer");
      ++writes.at(definition);
    }
  }
  for (const PlannedBuffer& buffer : plan.buffers) {
    const bool written = buffer.role != Role::input && buffer.role != Role::constant;
    ensure(writes.at(buffer.declaration.name) == (written ? 1U : 0U),
           "the buffer " + buffer.declaration.name + " is not written exactly as its role says");
  }
  for (const auto& [earlier, later] : plan.edges)
    ensure(earlier < later && later < plan.launches.size(), "an edge of the launch plan points backwards");
}

}  // namespace hallmark::plan
