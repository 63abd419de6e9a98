#include "plan/launch_plan.h"

#include <algorithm>
#include <map>
#include <set>

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

namespace {

std::string malformed_arguments(const LaunchPlan& plan, const PlannedLaunch& launch,
                                const std::map<std::string, std::size_t>& buffers) {
  std::map<std::string, Term> terms;  // by the parameter that stands for them
  for (const Argument& argument : launch.arguments) {
    if (argument.buffer.empty() != (argument.scalar != nullptr)) return "an argument is a buffer or a scalar";
    if (argument.scalar == nullptr) {
      if (!buffers.contains(argument.buffer))
        return launch.kernel + " has the unknown buffer " + argument.buffer;
      continue;
    }
    if (!calculus::is_integer(argument.scalar_format))
      return "the scalar " + argument.parameter + " has no integer format";
    if (argument.scalar->kind == calculus::Kind::symbol) continue;
    for (const calculus::SymbolRange& range : plan.symbols)
      if (range.name == argument.parameter)
        return "the parameter " + argument.parameter + " has the name of a symbol and another value";
    if (buffers.contains(argument.parameter))
      return "the scalar " + argument.parameter + " has the name of a buffer";
    const auto [at, fresh] = terms.emplace(argument.parameter, argument.scalar);
    if (!fresh && at->second != argument.scalar)
      return "two parameters " + argument.parameter + " with different values";
  }
  for (const std::string& definition : launch.computes)
    if (std::none_of(launch.arguments.begin(), launch.arguments.end(),
                     [&](const Argument& argument) { return argument.buffer == definition; }))
      return launch.kernel + " computes " + definition + " without its buffer";
  return {};
}

bool same(const calculus::Declaration& a, const calculus::Declaration& b) {
  return a.name == b.name && a.format == b.format && a.extents == b.extents;
}

}  // namespace

std::string malformed(const LaunchPlan& plan) {
  std::set<std::string> symbols, kernels;
  for (const calculus::SymbolRange& range : plan.symbols)
    if (!symbols.insert(range.name).second) return "the symbol " + range.name + " stands twice";
  if (plan.arena_bytes == nullptr) return "the arena has no size";
  std::map<std::string, std::size_t> writes;
  for (const PlannedBuffer& buffer : plan.buffers) {
    const std::string& name = buffer.declaration.name;
    if (!writes.emplace(name, 0).second) return "the buffer " + name + " is planned twice";
    if (symbols.contains(name)) return "the buffer " + name + " has the name of a symbol";
    if ((buffer.role == Role::arena) != (buffer.arena_offset != nullptr))
      return "an arena buffer, and no other, has an offset: " + name;
  }
  for (const PlannedLaunch& launch : plan.launches) {
    if (!kernels.insert(launch.kernel).second) return "the kernel " + launch.kernel + " is launched twice";
    if (std::string why = malformed_arguments(plan, launch, writes); !why.empty()) return why;
    for (const std::string& definition : launch.computes) ++writes.at(definition);
  }
  for (const PlannedBuffer& buffer : plan.buffers) {
    const bool written = buffer.role != Role::input && buffer.role != Role::constant;
    if (writes.at(buffer.declaration.name) != (written ? 1U : 0U))
      return "the buffer " + buffer.declaration.name + " is not written exactly as its role says";
  }
  for (const auto& [earlier, later] : plan.edges)
    if (earlier >= later || later >= plan.launches.size())
      return "an edge of the launch plan points backwards";
  return {};
}

void check_plan(const LaunchPlan& plan) {
  const std::string why = malformed(plan);
  ensure(why.empty(), why);
}

std::string unlike(const LaunchPlan& plan, const calculus::Program& program) {
  std::set<std::string> wanted, there;
  for (const calculus::SymbolRange& range : program.symbols) wanted.insert(range.name);
  for (const calculus::SymbolRange& range : plan.symbols) there.insert(range.name);
  if (wanted != there) return "the symbols of the launch plan are not the program's";
  const std::set<std::string> outputs(program.outputs.begin(), program.outputs.end());
  const auto one_of = [](const auto& all, const std::string& name) {
    return std::any_of(all.begin(), all.end(),
                       [&](const calculus::Declaration& d) { return d.name == name; });
  };
  for (const PlannedBuffer& buffer : plan.buffers) {
    const std::string& name = buffer.declaration.name;
    const calculus::Declaration* declared = calculus::find_declaration(program, name);
    if (declared == nullptr || !same(*declared, buffer.declaration))
      return "the plan's buffer " + name + " is not the program's";
    const bool kept = buffer.role == Role::arena || buffer.role == Role::prepared;
    const Role role = one_of(program.inputs, name)                          ? Role::input
                      : outputs.contains(name)                              ? Role::output
                      : calculus::find_definition(program, name) == nullptr ? Role::constant
                      : kept                                                ? buffer.role
                                                                            : Role::arena;
    if (role != buffer.role)
      return "the buffer " + name + " is planned as " + std::string(plan::name(buffer.role)) +
             ", which it is not in the program";
  }
  for (const PlannedLaunch& launch : plan.launches)
    for (const std::string& name : launch.computes)
      if (calculus::find_definition(program, name) == nullptr)
        return launch.kernel + " computes the unknown definition " + name;
  return {};
}

}  // namespace hallmark::plan
