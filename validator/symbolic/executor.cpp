#include "validator/symbolic/executor.h"

#include <algorithm>

#include "base/error.h"
#include "validator/ir/contraction.h"

namespace hallmark::validator {

using calculus::Term;
using ir::BlockId;

Term thread_symbol(int dimension) {
  return calculus::symbol(std::string("tid.") + "xyz"[dimension]);
}
Term block_symbol(int dimension) {
  return calculus::symbol(std::string("ctaid.") + "xyz"[dimension]);
}
Term block_extent(const plan::KernelSpec& spec, int dimension) {
  return spec.launch.block[dimension] != nullptr ? spec.launch.block[dimension] : calculus::integer(1);
}
Term grid_extent(const plan::KernelSpec& spec, int dimension) {
  return spec.launch.grid[dimension] != nullptr ? spec.launch.grid[dimension] : calculus::integer(1);
}

Term address_window(ir::Space space) {
  if (space == ir::Space::shared) return calculus::symbol("&.shared");
  if (space == ir::Space::local) return calculus::symbol("&.local");
  return calculus::integer(0);
}

namespace {

// What holds for every thread of every launch that the specification allows.
std::vector<Term> launch_facts(const plan::KernelSpec& spec) {
  std::vector<Term> facts = spec.requirements;
  for (const calculus::SymbolRange& range : spec.symbols) {
    const Term s = calculus::symbol(range.name);
    facts.push_back(calculus::at_most(calculus::integer(range.low), s));
    if (range.high) facts.push_back(calculus::at_most(s, calculus::integer(*range.high)));
  }
  for (const plan::Parameter& parameter : spec.parameters) {
    if (!parameter.scalar || !calculus::is_integer(parameter.scalar->format)) continue;
    const Interval range = format_range(parameter.scalar->format);
    const Term s = calculus::symbol(parameter.scalar->name);
    facts.push_back(calculus::at_most(calculus::integer(*range.low), s));
    facts.push_back(calculus::at_most(s, calculus::integer(*range.high)));
  }
  // Limits of every device since sm_30 (CUDA C++ Programming Guide, table of technical specifications).
  const long grid_limit[3] = {2147483647L, 65535, 65535};
  const long block_limit[3] = {1024, 1024, 64};
  const Term one = calculus::integer(1);
  Term threads = one;
  for (int d = 0; d < 3; ++d) {
    const Term block = block_extent(spec, d), grid = grid_extent(spec, d);
    threads = calculus::multiply(threads, block);
    facts.push_back(calculus::at_most(grid, calculus::integer(grid_limit[d])));
    facts.push_back(calculus::at_most(block, calculus::integer(block_limit[d])));
    if (block != one) facts.push_back(calculus::in_range(thread_symbol(d), block));
    if (grid != one) facts.push_back(calculus::in_range(block_symbol(d), grid));
  }
  facts.push_back(calculus::at_most(threads, calculus::integer(1024)));
  return facts;
}

void check_parameters(const plan::KernelSpec& spec, const ir::Kernel& kernel) {
  const auto fail = [&](const std::string& what) {
    throw UserError("E4001",
                    "kernel " + kernel.name + " does not have the parameters of its specification: " + what,
                    Location{kernel.text_file, 0, 0, "kernel " + kernel.name});
  };
  if (spec.parameters.size() != kernel.parameters.size())
    fail("expected " + std::to_string(spec.parameters.size()) + ", found " +
         std::to_string(kernel.parameters.size()));
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const ir::Parameter& have = kernel.parameters[i];
    if (spec.parameters[i].buffer && (have.kind == ir::Parameter::Kind::aggregate || have.bytes != 8))
      fail("parameter " + std::to_string(i) + " should be a pointer");
    if (spec.parameters[i].scalar &&
        have.bytes != calculus::storage_bits(spec.parameters[i].scalar->format) / 8)
      fail("parameter " + std::to_string(i) + " (" + spec.parameters[i].scalar->name + ") has another width");
  }
}

// Symbols that stand for threads, blocks and addresses here: a size of that name would be one of them.
void check_names(const plan::KernelSpec& spec) {
  std::vector<std::string> names;
  for (const calculus::SymbolRange& range : spec.symbols) names.push_back(range.name);
  for (const plan::Parameter& parameter : spec.parameters)
    if (parameter.scalar) names.push_back(parameter.scalar->name);
  for (const std::string& name : names) {
    std::string plain = name;
    while (!plain.empty() && plain.back() == '\'') plain.pop_back();
    bool reserved = !name.empty() && name[0] == '&';
    for (int d = 0; d < 3; ++d)
      reserved = reserved || plain == thread_symbol(d)->name || plain == block_symbol(d)->name;
    if (reserved)
      throw Refusal("E4005", "a size named " + name + ": the name stands for a thread, a block or an address",
                    Location{spec.kernel, 0, 0, "kernel " + spec.kernel});
  }
}

std::vector<Term> conjuncts(Term condition) {
  if (condition->kind == calculus::Kind::conjunction) return condition->children;
  return {condition};
}

// The disjunction, with what all parts have in common taken out.
Term any_of(const std::vector<Term>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<Term> common = conjuncts(parts[0]);
  for (Term part : parts) {
    const std::vector<Term> mine = conjuncts(part);
    std::erase_if(common, [&](Term c) { return std::find(mine.begin(), mine.end(), c) == mine.end(); });
  }
  std::vector<Term> rest;
  for (Term part : parts) {
    std::vector<Term> mine = conjuncts(part);
    std::erase_if(mine, [&](Term c) { return std::find(common.begin(), common.end(), c) != common.end(); });
    rest.push_back(calculus::conjunction(mine));
  }
  common.push_back(calculus::disjunction(rest));
  return calculus::conjunction(common);
}

}  // namespace

Executor::Executor(const plan::KernelSpec& spec, const ir::Kernel& kernel, Prover& prover,
                   calculus::Substitution definitions, Doubts doubts, KnownReads known, Pieces pieces)
    : spec_(spec),
      kernel_(kernel),
      prover_(prover),
      definitions_(std::move(definitions)),
      flow_(kernel),
      fusible_(ir::fusible_additions(kernel)),
      values_(kernel.values.size()),
      doubts_(std::move(doubts)),
      known_(std::move(known)),
      pieces_(std::move(pieces)) {
  check_parameters(spec, kernel);
  check_names(spec);
  std::vector<Term> facts = launch_facts(spec);
  for (const plan::Parameter& parameter : spec.parameters) {
    if (!parameter.buffer) continue;
    Memory memory;
    memory.name = parameter.buffer->declaration.name;
    memory.format = parameter.buffer->declaration.format;
    memory.parameter = &*parameter.buffer;
    memory.bytes = calculus::integer(static_cast<long>(calculus::storage_bits(*memory.format) / 8));
    for (Term extent : parameter.buffer->declaration.extents) {
      memory.bytes = calculus::multiply(memory.bytes, extent);
      facts.push_back(calculus::at_most(calculus::integer(0), extent));
    }
    trace_.memories.push_back(memory);
  }
  std::optional<std::size_t> dynamic;
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    // All dynamic arrays start at one address: they are one memory.
    if (kernel.arrays[i].dynamic && dynamic) {
      array_memory_.push_back(*dynamic);
      continue;
    }
    Memory memory;
    // The specification may call a parameter as the text calls an array.
    memory.name = kernel.arrays[i].name;
    const auto taken = [&](const Memory& other) { return other.name == memory.name; };
    while (std::any_of(trace_.memories.begin(), trace_.memories.end(), taken)) memory.name += "~";
    memory.space = kernel.arrays[i].space;
    memory.array = static_cast<int>(i);
    memory.bytes = kernel.arrays[i].dynamic
                       ? (spec.launch.dynamic_shared_bytes != nullptr ? spec.launch.dynamic_shared_bytes
                                                                      : calculus::integer(0))
                       : calculus::integer(from_u64(kernel.arrays[i].bytes));
    array_memory_.push_back(trace_.memories.size());
    if (kernel.arrays[i].dynamic) dynamic = trace_.memories.size();
    trace_.memories.push_back(memory);
  }
  trace_.base = Context::make(facts);
}

Trace Executor::run() {
  Region region;
  region.scope = trace_.base;
  region.incoming[0].push_back({calculus::truth(true), {}, -1});
  execute_region(region, 0);
  return std::move(trace_);
}

int Executor::new_node(BlockId block, const Region& region, const std::vector<Incoming>& in) {
  const int id = static_cast<int>(trace_.nodes.size());
  TraceNode node;
  node.block = block;
  node.loop = region.loops.empty() ? -1 : region.loops.back();
  trace_.nodes.push_back(node);
  for (const Incoming& edge : in) {
    if (edge.node < 0) continue;
    const bool outermost = region.loop == ir::none && edge.kind == TraceEdge::Kind::plain;
    trace_.nodes[static_cast<std::size_t>(edge.node)].successors.push_back(
        {id, edge.kind, edge.loop, outermost ? edge.condition : nullptr});
    trace_.nodes.back().predecessors.push_back(edge.node);
  }
  return id;
}

void Executor::execute_region(Region& region, BlockId entry) {
  for (BlockId block = entry; block < kernel_.blocks.size(); ++block) {
    const auto in = region.incoming.find(block);
    if (in == region.incoming.end()) continue;
    const std::uint32_t innermost = flow_.loop_of(block);
    if (innermost == region.loop || (region.loop != ir::none && block == entry)) {
      execute_block(region, block);
      continue;
    }
    // The outermost loop that the region does not contain and whose header this is.
    std::uint32_t loop = innermost;
    while (loop != ir::none && flow_.loops()[loop].parent != region.loop) loop = flow_.loops()[loop].parent;
    if (loop == ir::none || flow_.loops()[loop].header != block)
      throw InternalError("a block of a loop was reached without its header");
    execute_loop(region, loop);
  }
}

// The condition of a block from its incoming edges, and its parameters' values.
Term Executor::merge(Region& region, BlockId block, const std::vector<Incoming>& in,
                     std::vector<Value>& arguments) {
  std::vector<Term> parts;
  for (const Incoming& edge : in) parts.push_back(edge.condition);
  Term condition = any_of(parts);
  if (in.size() > 1) {
    BlockId dominator = flow_.immediate_dominator(block);
    // A dominator inside a loop that has ended stands for the loop's header.
    while (dominator != ir::none && region.condition.count(dominator) == 0) {
      const std::uint32_t loop = flow_.loop_of(dominator);
      if (loop == ir::none || flow_.loops()[loop].header == dominator) break;
      dominator = flow_.loops()[loop].header;
    }
    if (dominator != ir::none && region.condition.count(dominator) != 0 &&
        flow_.post_dominates(block, dominator))
      condition = region.condition.at(dominator);
  }
  const Scope scope = Context::extend(region.scope, condition);
  const std::vector<ir::ValueId>& parameters = kernel_.blocks[block].parameters;
  arguments.clear();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    Value value = in.back().arguments[p];
    for (std::size_t i = in.size() - 1; i-- > 0;) {
      std::vector<Term> own = conjuncts(in[i].condition);
      std::erase_if(own, [&](Term part) { return scope->knows(part); });
      value =
          join(calculus::conjunction(own), in[i].arguments[p], value, kernel_.type_of(parameters[p]), scope);
    }
    arguments.push_back(value);
  }
  return condition;
}

void Executor::execute_block(Region& region, BlockId block) {
  std::vector<Incoming> in = region.incoming.at(block);
  std::erase_if(in, [](const Incoming& edge) { return edge.condition == calculus::truth(false); });
  if (in.empty()) return;
  std::vector<Value> arguments;
  const Term condition = merge(region, block, in, arguments);
  region.condition[block] = condition;
  const Scope scope = Context::extend(region.scope, condition);
  const int node = new_node(block, region, in);
  const ir::Block& code = kernel_.blocks[block];
  for (std::size_t p = 0; p < arguments.size(); ++p) values_[code.parameters[p]] = arguments[p];
  const auto event_of = [&](std::uint32_t index, Event::Kind kind) {
    Event event;
    event.kind = kind;
    event.instruction = &code.instructions[index];
    event.block = block;
    event.index = index;
    event.scope = scope;
    event.loops = region.loops;
    event.node = node;
    return event;
  };
  const auto record = [&](Event event) {
    trace_.nodes[static_cast<std::size_t>(node)].events.push_back(static_cast<int>(trace_.events.size()));
    trace_.events.push_back(std::move(event));
  };
  for (std::uint32_t i = 0; i < code.instructions.size(); ++i) {
    const ir::Instruction& instruction = code.instructions[i];
    switch (instruction.opcode) {
      case ir::Opcode::load:
      case ir::Opcode::store:
      case ir::Opcode::atomic:
        memory_access(region, block, i, node, scope);
        break;
      case ir::Opcode::barrier:
      case ir::Opcode::barrier_arrive:
      case ir::Opcode::shuffle:
      case ir::Opcode::vote:
      case ir::Opcode::warp_sync:
      case ir::Opcode::match_any:
      case ir::Opcode::match_all:
      case ir::Opcode::warp_reduce: {
        Event event = event_of(
            i, instruction.opcode == ir::Opcode::barrier || instruction.opcode == ir::Opcode::barrier_arrive
                   ? Event::Kind::barrier
                   : Event::Kind::warp);
        // The mask, or the number of the barrier.
        if (!instruction.operands.empty())
          event.value =
              use(event.kind == Event::Kind::warp ? instruction.operands.back() : instruction.operands[0]);
        if (event.kind == Event::Kind::barrier)
          for (int loop : region.loops) trace_.loops[static_cast<std::size_t>(loop)].has_barrier = true;
        record(std::move(event));
        if (instruction.opcode == ir::Opcode::shuffle)
          shuffle(instruction, scope);
        else if (!vote(instruction, scope))
          for (ir::ValueId result : instruction.results)
            values_[result] =
                unsupported(instruction, kernel_.type_of(result), "its result depends on other lanes");
        break;
      }
      case ir::Opcode::fence:
        break;
      case ir::Opcode::async_commit:
      case ir::Opcode::async_wait:
        record(event_of(
            i, instruction.opcode == ir::Opcode::async_wait ? Event::Kind::wait : Event::Kind::commit));
        break;
      default:
        values_[instruction.results.at(0)] =
            shallow(instruction, kernel_.type_of(instruction.results[0]), evaluate(instruction, scope));
    }
  }
  leave_block(region, block, node, condition, scope);
}

void Executor::leave_block(Region& region, BlockId block, int node, Term condition, const Scope& scope) {
  const ir::Terminator& end = kernel_.blocks[block].terminator;
  switch (end.kind) {
    case ir::Terminator::Kind::jump:
      pass_edge(region, block, end.edges[0], node, condition);
      return;
    case ir::Terminator::Kind::branch: {
      Term test = boolean_of(use(end.condition));
      // A branch that intervals decide has one edge.
      if (trial_depth_ == 0) {
        if (Prover::evident(scope, test) && prover_.rely(scope, test))
          test = calculus::truth(true);
        else if (Prover::evident(scope, calculus::negation(test)) &&
                 prover_.rely(scope, calculus::negation(test)))
          test = calculus::truth(false);
      } else if (const auto known = scope->quick(test)) {
        test = calculus::truth(*known);
      }
      pass_edge(region, block, end.edges[0], node, calculus::both(condition, test));
      pass_edge(region, block, end.edges[1], node, calculus::both(condition, calculus::negation(test)));
      return;
    }
    default: {
      Event event;
      event.kind = Event::Kind::leave;
      event.block = block;
      event.scope = scope;
      event.loops = region.loops;
      event.node = node;
      if (end.kind == ir::Terminator::Kind::trap)
        event.detail = "a trap, which ends the launch for all threads,";
      else if (end.kind == ir::Terminator::Kind::unreachable)
        event.detail = "a place that must not be reached";
      trace_.nodes[static_cast<std::size_t>(node)].events.push_back(static_cast<int>(trace_.events.size()));
      trace_.events.push_back(event);
    }
  }
}

void Executor::pass_edge(Region& region, BlockId from, const ir::Edge& edge, int node, Term condition) {
  if (condition == calculus::truth(false)) return;
  Incoming in{condition, {}, node};
  // Passing an undefined value on is no use of it.
  for (ir::ValueId argument : edge.arguments)
    in.arguments.push_back(!kernel_.is_constant(argument) && values_[argument].kind == Value::Kind::arbitrary
                               ? values_[argument]
                               : use(argument));
  if (region.loop != ir::none) {
    const ir::Loop& loop = flow_.loops()[region.loop];
    if (edge.target == loop.header) {
      region.back.push_back(in);
      return;
    }
    if (!loop.contains(edge.target)) {
      region.exits.push_back({edge.target, in});
      return;
    }
  }
  (void)from;
  region.incoming[edge.target].push_back(in);
}

}  // namespace hallmark::validator
