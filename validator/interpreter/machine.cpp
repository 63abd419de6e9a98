#include "validator/interpreter/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "validator/ir/demangle.h"

namespace hallmark::validator::interpreter {

namespace {

std::uint64_t volume(const std::array<std::uint32_t, 3>& size) {
  return std::uint64_t{size[0]} * size[1] * size[2];
}
constexpr std::uint64_t most_threads = 1 << 22;

std::uint64_t executed_blocks(const Request& request) {
  return request.blocks.empty() ? volume(request.grid) : request.blocks.size();
}
constexpr std::uint64_t block_quantum = 200'000;

// Before anything is sized by them.
const Request& checked_sizes(const Request& request) {
  for (const auto& size : {request.grid, request.block})
    for (std::uint32_t n : size)
      if (n == 0 || n > (request.blocks.empty() ? most_threads : 0x7fffffff))
        throw UserError("E3302", fmt::format("a grid or block size of {} cannot be executed", n));
  if (volume(request.block) > 1024)
    throw UserError("E3302", fmt::format("a block of {} threads; at most 1024", volume(request.block)));
  for (std::uint64_t number : request.blocks)
    if (number >= volume(request.grid))
      throw UserError("E3302", fmt::format("block {} lies outside the grid", number));
  if (executed_blocks(request) > most_threads / volume(request.block))
    throw UserError("E3302",
                    fmt::format("a launch of more than {} threads is too large to execute", most_threads));
  return request;
}

}  // namespace

Result launch(const ir::Kernel& kernel, const Request& request) {
  return Machine(kernel, request).run();
}

Machine::Machine(const ir::Kernel& kernel, const Request& request)
    : k_(kernel),
      request_(checked_sizes(request)),
      blocks_(static_cast<std::uint32_t>(executed_blocks(request))),
      threads_per_block_(static_cast<std::uint32_t>(volume(request.block))),
      clocks_(blocks_, threads_per_block_),
      random_(request.seed) {
  check_request();
  try {
    flow_.emplace(kernel);
  } catch (const Refusal&) {
    flow_.reset();  // irreducible: which iteration a barrier belongs to is not compared
  }
  make_global_memory();
}

void Machine::check_request() const {
  const auto reject = [this](const std::string& why) {
    throw UserError("E3302", fmt::format("the launch of {} cannot be executed: {}", k_.source_name, why));
  };
  if (request_.arguments.size() != k_.parameters.size())
    reject(
        fmt::format("it takes {} arguments, {} are given", k_.parameters.size(), request_.arguments.size()));
  for (std::size_t n = 0; n < request_.arguments.size(); ++n) {
    const Argument& a = request_.arguments[n];
    if (a.buffer) {
      if (*a.buffer >= request_.buffers.size()) reject(fmt::format("argument {} names no buffer", n));
      if (k_.parameters[n].bytes != 8)
        reject(fmt::format("argument {} is a pointer, parameter {} is none", n, n));
    } else if (a.bytes.size() < k_.parameters[n].bytes) {
      reject(fmt::format("argument {} has {} bytes, {} needed", n, a.bytes.size(), k_.parameters[n].bytes));
    }
  }
  for (std::size_t d = 0; d < 3; ++d) {
    if (k_.required_block[d] != 0 && request_.block[d] != k_.required_block[d])
      reject("its block size is fixed to another one");
  }
  for (const Buffer& b : request_.buffers)
    if (b.bytes >= std::uint64_t{1} << (global_region_bits - 1) || b.alignment == 0 ||
        (b.alignment & (b.alignment - 1)) != 0)
      reject(fmt::format("buffer {} has a size or alignment that cannot be", b.name));
  for (const ir::Array& a : k_.arrays)
    if ((a.space == ir::Space::shared || a.space == ir::Space::local) &&
        (a.dynamic ? request_.dynamic_shared_bytes : a.bytes) >= std::uint64_t{1} << (small_region_bits - 1))
      reject(fmt::format("array {} is too large", a.name));
}

void Machine::make_global_memory() {
  for (const Buffer& b : request_.buffers) {
    auto region = std::make_shared<Region>(
        b.name, b.bytes, region_base(global_.size(), global_region_bits, b.alignment), b.writable);
    region->set_contents(b.contents, b.fill);
    global_.push_back(std::move(region));
  }
  std::size_t small[2] = {0, 0};
  std::optional<std::size_t> dynamic;  // all dynamic arrays coincide
  for (const ir::Array& a : k_.arrays) {
    if (a.space == ir::Space::shared || a.space == ir::Space::local) {
      const std::size_t own = small[a.space == ir::Space::local]++;
      if (a.dynamic && !dynamic) dynamic = own;
      array_region_.push_back(a.dynamic ? *dynamic : own);
      continue;
    }
    array_region_.push_back(global_.size());
    auto region = std::make_shared<Region>(ir::short_name(a.name), a.bytes,
                                           region_base(global_.size(), global_region_bits, a.alignment),
                                           a.space == ir::Space::global);
    if (a.initial)
      region->set_contents({{0, *a.initial}}, std::nullopt);
    else
      region->set_contents({}, std::uint8_t{0});
    global_.push_back(std::move(region));
  }
}

void Machine::start_block(BlockRun& b, std::uint32_t number) {
  b.number = number;
  b.position = thread_name(number * threads_per_block_).block;
  const auto regions_of = [&](ir::Space space) {
    std::vector<std::shared_ptr<Region>> regions;
    for (const ir::Array& a : k_.arrays)
      if (a.space == space)
        regions.push_back(std::make_shared<Region>(
            ir::short_name(a.name), a.dynamic ? request_.dynamic_shared_bytes : a.bytes,
            region_base(regions.size(), small_region_bits, a.alignment), true));
    return regions;
  };
  b.shared = regions_of(ir::Space::shared);
  const std::size_t loops = flow_ ? flow_->loops().size() : 0;
  b.threads.resize(threads_per_block_);
  b.alive = threads_per_block_;
  for (std::uint32_t n = 0; n < threads_per_block_; ++n) {
    Thread& t = b.threads[n];
    t.index = number * threads_per_block_ + n;
    t.position = thread_name(t.index).thread;
    t.values.resize(k_.values.size());
    for (std::size_t v = 0; v < k_.values.size(); ++v) t.values[v].bits = k_.values[v].bits;
    t.iterations.resize(loops, 0);
    t.local = regions_of(ir::Space::local);
  }
  b.order.resize(threads_per_block_);
  std::iota(b.order.begin(), b.order.end(), 0);
  if (request_.schedule == Schedule::reverse_threads) std::reverse(b.order.begin(), b.order.end());
  if (request_.schedule == Schedule::reverse_warps)
    std::stable_sort(b.order.begin(), b.order.end(),
                     [](std::uint32_t x, std::uint32_t y) { return x / 32 > y / 32; });
}

Result Machine::run() {
  std::vector<std::uint32_t> order(blocks_);
  std::iota(order.begin(), order.end(), 0);
  if (request_.schedule == Schedule::reverse_threads || request_.schedule == Schedule::reverse_warps)
    std::reverse(order.begin(), order.end());
  if (request_.schedule == Schedule::random)
    for (std::size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[random_() % n]);
  rank_.resize(blocks_);
  for (std::uint32_t n = 0; n < blocks_; ++n) rank_[order[n]] = n;
  // Blocks run one after another. One that outlasts its quantum may wait for another block: they take turns.
  std::vector<std::unique_ptr<BlockRun>> waiting;
  std::size_t started = 0;
  while (!stop_ && (started < order.size() || !waiting.empty())) {
    std::unique_ptr<BlockRun> b;
    if (started < order.size()) {
      b = std::make_unique<BlockRun>();
      start_block(*b, order[started++]);
    } else {
      b = std::move(waiting.front());
      waiting.erase(waiting.begin());
    }
    if (!run_block(*b, block_quantum)) waiting.push_back(std::move(b));
  }
  result_.buffers.assign(global_.begin(),
                         global_.begin() + static_cast<std::ptrdiff_t>(request_.buffers.size()));
  return std::move(result_);
}

std::optional<std::uint32_t> Machine::pick(BlockRun& b) {
  if (request_.schedule != Schedule::random) {
    for (std::uint32_t n : b.order)
      if (b.threads[n].state == State::ready) return n;
    return std::nullopt;
  }
  const auto start = static_cast<std::uint32_t>(random_() % b.threads.size());
  for (std::uint32_t n = 0; n < b.threads.size(); ++n) {
    const auto at = static_cast<std::uint32_t>((start + n) % b.threads.size());
    if (b.threads[at].state == State::ready) return at;
  }
  return std::nullopt;
}

bool Machine::run_block(BlockRun& b, std::uint64_t quantum) {
  const std::uint64_t end = result_.steps + quantum * std::max<std::uint64_t>(1, threads_per_block_ / 32);
  while (!stop_) {
    const std::optional<std::uint32_t> next = pick(b);
    if (!next) {
      if (std::any_of(b.threads.begin(), b.threads.end(),
                      [](const Thread& t) { return t.state != State::exited; }))
        report_stuck(b);
      return true;
    }
    // A thread that spins must not keep the others from running.
    run_thread(b, b.threads[*next],
               request_.schedule == Schedule::random ? 1 + random_() % 16 : block_quantum);
    if (request_.schedule != Schedule::random && b.threads[*next].state == State::ready) {
      b.order.erase(std::find(b.order.begin(), b.order.end(), *next));
      b.order.push_back(*next);
    }
    if (result_.steps >= end) return false;
  }
  return true;
}

bool Machine::run_thread(BlockRun& b, Thread& t, std::uint64_t quantum) {
  for (; quantum > 0 && t.state == State::ready && !stop_; --quantum) {
    if (++result_.steps > request_.step_limit) {
      result_.end = Result::End::step_limit;
      stop_ = true;
      return false;
    }
    const ir::Block& block = k_.blocks[t.block];
    if (t.next == block.instructions.size()) {
      transfer(b, t, block.terminator);
      continue;
    }
    const ir::Instruction& i = block.instructions[t.next++];
    execute(b, t, i);
    // Whoever completes a barrier does not run ahead of those who waited.
    if (i.opcode == ir::Opcode::barrier || i.opcode == ir::Opcode::warp_sync) return false;
  }
  return quantum == 0;
}

Cell Machine::value(const Thread& t, ir::ValueId id) const {
  return t.values[id];
}
void Machine::set(Thread& t, ir::ValueId id, Cell cell) {
  const std::uint64_t mask = ir::mask_of(k_.type_of(id));
  t.values[id] = {cell.bits & mask, cell.undefined & mask};
}

void Machine::take_edge(Thread& t, const ir::Edge& edge) {
  const auto& parameters = k_.blocks[edge.target].parameters;
  // All are read before the first is set.
  arguments_.clear();
  for (ir::ValueId a : edge.arguments) arguments_.push_back(value(t, a));
  for (std::size_t n = 0; n < parameters.size(); ++n) t.values[parameters[n]] = arguments_[n];
  if (flow_) {
    const std::uint32_t loop = flow_->loop_of(edge.target);
    if (loop != ir::none && flow_->loops()[loop].header == edge.target) {
      const bool back = flow_->loops()[loop].contains(t.block);
      t.iterations[loop] = back ? t.iterations[loop] + 1 : 0;
    }
  }
  t.block = edge.target;
  t.next = 0;
}

void Machine::transfer(BlockRun& b, Thread& t, const ir::Terminator& terminator) {
  switch (terminator.kind) {
    case ir::Terminator::Kind::jump:
      return take_edge(t, terminator.edges[0]);
    case ir::Terminator::Kind::branch: {
      const Cell c = value(t, terminator.condition);
      if (c.undefined != 0)
        fault(ObligationKind::init, t, terminator.place, "branches on an undefined value");
      return take_edge(t, terminator.edges[c.bits != 0 ? 0 : 1]);
    }
    case ir::Terminator::Kind::trap:
      fault(ObligationKind::termination, t, terminator.place, "reaches a trap, which ends the launch");
      result_.end = Result::End::trapped;
      stop_ = true;
      return;
    case ir::Terminator::Kind::unreachable:
      fault(ObligationKind::ub, t, terminator.place, "reaches a place that must not be reached");
      return leave(b, t);
    case ir::Terminator::Kind::leave:
      return leave(b, t);
  }
}

void Machine::leave(BlockRun& b, Thread& t) {
  t.state = State::exited;
  --b.alive;
  // Others may have waited for this thread only.
  for (std::uint32_t id = 0; id < b.waiting.size(); ++id)
    if (b.waiting[id] != 0) try_barrier(b, id);
  const std::uint32_t first = t.index % threads_per_block_ / 32 * 32;
  for (std::uint32_t n = first; n < std::min(first + 32, threads_per_block_); ++n)
    if (b.threads[n].state == State::at_warp) try_warp(b, b.threads[n]);
}

std::uint32_t Machine::special(const BlockRun& b, const Thread& t, ir::SpecialRegister r) const {
  using R = ir::SpecialRegister;
  const std::uint32_t l = lane(t), bit = std::uint32_t{1} << l;
  switch (r) {
    case R::thread_x:
    case R::thread_y:
    case R::thread_z:
      return t.position[static_cast<std::size_t>(r) - static_cast<std::size_t>(R::thread_x)];
    case R::block_size_x:
    case R::block_size_y:
    case R::block_size_z:
      return request_.block[static_cast<std::size_t>(r) - static_cast<std::size_t>(R::block_size_x)];
    case R::block_x:
    case R::block_y:
    case R::block_z:
      return b.position[static_cast<std::size_t>(r) - static_cast<std::size_t>(R::block_x)];
    case R::grid_size_x:
    case R::grid_size_y:
    case R::grid_size_z:
      return request_.grid[static_cast<std::size_t>(r) - static_cast<std::size_t>(R::grid_size_x)];
    case R::lane:
      return l;
    case R::warp:
      return t.index % threads_per_block_ / 32;
    case R::warps_per_block:
      return (threads_per_block_ + 31) / 32;
    case R::lane_mask_equal:
      return bit;
    case R::lane_mask_less:
      return bit - 1;
    case R::lane_mask_less_equal:
      return bit | (bit - 1);
    case R::lane_mask_greater:
      return ~(bit | (bit - 1));
    case R::lane_mask_greater_equal:
      return ~(bit - 1);
    case R::dynamic_shared_bytes:
      return static_cast<std::uint32_t>(request_.dynamic_shared_bytes);
  }
  return 0;
}

Cell Machine::parameter(const ir::Instruction& i) const {
  const Argument& a = request_.arguments[i.index];
  const unsigned bytes = ir::bytes_of(k_.type_of(i.results[0]));
  std::uint64_t whole = 0;
  if (a.buffer) {
    whole = global_[*a.buffer]->base() + a.offset;
    whole >>= 8 * i.offset;
  } else {
    for (unsigned n = 0; n < bytes; ++n) whole |= std::uint64_t{a.bytes[i.offset + n]} << (8 * n);
  }
  return {whole, 0};
}

std::uint64_t Machine::symbol_address(const BlockRun& b, const Thread& t, const ir::Instruction& i) const {
  const ir::Array& a = k_.arrays[i.index];
  const auto& regions = a.space == ir::Space::shared  ? b.shared
                        : a.space == ir::Space::local ? t.local
                                                      : global_;
  return regions[array_region_[i.index]]->base();
}

std::uint64_t Machine::cast_address(std::uint64_t address, ir::Space from, ir::Space to) {
  const auto window = [](ir::Space s) {
    return s == ir::Space::shared ? shared_window : s == ir::Space::local ? local_window : 0;
  };
  return address + window(from) - window(to);
}

void Machine::execute(BlockRun& b, Thread& t, const ir::Instruction& i) {
  using ir::Opcode;
  switch (i.opcode) {
    case Opcode::parameter:
      return set(t, i.results[0], parameter(i));
    case Opcode::special_register:
      return set(t, i.results[0], {special(b, t, i.special), 0});
    case Opcode::symbol_address:
      return set(t, i.results[0], {symbol_address(b, t, i), 0});
    case Opcode::address_cast: {
      const Cell a = value(t, i.operands[0]);
      return set(t, i.results[0], {cast_address(a.bits, i.from_space, i.space), a.undefined});
    }
    case Opcode::load:
      return load(b, t, i);
    case Opcode::store:
      return store(b, t, i);
    case Opcode::atomic:
      return atomic(b, t, i);
    case Opcode::fence:
      return clocks_.fence(t.index, i.scope != ir::Scope::block && i.scope != ir::Scope::thread);
    case Opcode::async_commit:
      ++t.groups;
      return;
    case Opcode::async_wait:
      return wait_for_copies(b, t, i);
    case Opcode::barrier:
    case Opcode::barrier_arrive:
      return arrive_at_barrier(b, t, i);
    case Opcode::warp_sync:
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match_any:
    case Opcode::match_all:
    case Opcode::warp_reduce:
      return arrive_at_warp(b, t, i);
    case Opcode::active_mask:
      // Which lanes run together is not determined; here each runs alone.
      return set(t, i.results[0], {std::uint64_t{1} << lane(t), 0});
    default:
      break;
  }
  std::array<Cell, 4> few;
  Cells many;
  std::span<const Cell> operands;
  if (i.operands.size() <= few.size()) {
    for (std::size_t n = 0; n < i.operands.size(); ++n) few[n] = value(t, i.operands[n]);
    operands = {few.data(), i.operands.size()};
  } else {
    for (ir::ValueId o : i.operands) many.push_back(value(t, o));
    operands = many;
  }
  Notes notes;
  const std::uint64_t bits =
      i.opcode == Opcode::arbitrary || i.opcode == Opcode::freeze ? garbage() : 0x5a5a5a5a5a5a5a5a;
  set(t, i.results[0], evaluate(k_, i, operands, bits, notes));
  if (notes.approximate) result_.approximate = true;
  if (notes.overflowed) result_.overflowed = true;
  if (notes.fault) fault(*notes.fault, t, i.place, fmt::format("at {}: {}", at_line(i.place), notes.summary));
}

}  // namespace hallmark::validator::interpreter
