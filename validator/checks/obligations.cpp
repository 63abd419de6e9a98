#include "validator/checks/obligations.h"

#include <fmt/format.h>

#include "plan/spec_text.h"

namespace hallmark::validator {

using ir::Opcode;
using Kind = ObligationKind;

namespace {

std::vector<Site> sites(const ir::Kernel& kernel, bool (*wanted)(Opcode)) {
  std::vector<Site> out;
  for (ir::BlockId b = 0; b < kernel.blocks.size(); ++b)
    for (std::uint32_t i = 0; i < kernel.blocks[b].instructions.size(); ++i)
      if (wanted(kernel.blocks[b].instructions[i].opcode)) out.push_back({b, i});
  return out;
}

}  // namespace

std::vector<Site> memory_sites(const ir::Kernel& kernel) {
  return sites(kernel,
               [](Opcode o) { return o == Opcode::load || o == Opcode::store || o == Opcode::atomic; });
}
std::vector<Site> barrier_sites(const ir::Kernel& kernel) {
  return sites(kernel, [](Opcode o) { return o == Opcode::barrier || o == Opcode::barrier_arrive; });
}
std::vector<Site> warp_sites(const ir::Kernel& kernel) {
  return sites(kernel, [](Opcode o) {
    return o == Opcode::shuffle || o == Opcode::vote || o == Opcode::warp_sync || o == Opcode::match_any ||
           o == Opcode::match_all || o == Opcode::warp_reduce || o == Opcode::active_mask;
  });
}

namespace {

// Under which sizes it is claimed: a verdict that holds up to a bound has to say so where it stands.
std::string scope_of(const plan::KernelSpec& spec) {
  std::string out;
  for (const calculus::SymbolRange& r : spec.symbols)
    out += fmt::format("{} from {} {}, ", r.name, r.low.get_str(),
                       r.high ? "to " + r.high->get_str() : std::string("up"));
  if (!spec.requirements.empty()) out += "where the requirements of the specification hold, ";
  return out + "every launch of the stated shape";
}

}  // namespace

std::string statement_context(const plan::KernelSpec& spec) {
  std::string out = plan::print_spec(spec);
  out +=
      "buffers start at multiples of 256 bytes and do not overlap; shared memory and outputs start "
      "arbitrary\n";
  return out;
}

std::vector<Obligation> list_obligations(const plan::KernelSpec& spec, const ir::Kernel& kernel,
                                         Level level) {
  std::vector<Obligation> out;
  const std::string context = statement_context(spec);
  const std::string scope = scope_of(spec);
  const std::string& k = spec.kernel;
  const auto add = [&](Kind kind, const std::string& part, const ir::Place* place, const std::string& claim) {
    Obligation o;
    o.kind = kind;
    o.level = level;
    o.subject = place != nullptr ? fmt::format("{}:{} {}", k, place->line, part) : k;
    o.id = fmt::format("{}/{}{}/{}", name(kind), k, part.empty() ? "" : " " + part, name(level));
    o.statement = fmt::format("{}\n{}", claim, context);
    o.scope = scope;
    o.strength = kind == Kind::value ? (spec.equality == plan::Equality::bits ? "bits" : "reals") : "";
    if (place != nullptr)
      o.location = kernel.location(*place);
    else
      o.location = Location{kernel.text_file, 0, 0, "kernel " + kernel.name};
    out.push_back(std::move(o));
  };
  const auto at = [&](const Site& s) -> const ir::Instruction& {
    return kernel.blocks[s.block].instructions[s.index];
  };
  std::size_t loads = 0, stores = 0, atomics = 0;
  for (const Site& site : memory_sites(kernel)) {
    const ir::Instruction& i = at(site);
    const std::string part = i.opcode == Opcode::load    ? fmt::format("load {}", ++loads)
                             : i.opcode == Opcode::store ? fmt::format("store {}", ++stores)
                                                         : fmt::format("atomic {}", ++atomics);
    add(Kind::bounds, part, &i.place,
        fmt::format("Every {} by this instruction is inside its buffer or array: {}", ir::name(i.opcode),
                    ir::print(kernel, i)));
  }
  add(Kind::alignment, "", nullptr, "Every memory access is aligned as its instruction needs.");
  add(Kind::overflow, "", nullptr,
      level == Level::source ? "No operation on signed integers overflows."
                             : "Every address and every number of iterations is the value of its formula "
                               "over unbounded integers.");
  if (level == Level::source)
    add(Kind::ub, "", nullptr,
        "No shift by the width or more, no division by zero, no conversion of a float to an integer that "
        "does not hold it, no use of an uninitialised local, and no place reached that must not be.");
  add(Kind::init, "", nullptr, "Every value that is read has been written before, or belongs to an input.");
  add(Kind::race, "", nullptr,
      "No two threads access one place of memory without a barrier between them, one of them writing; equal "
      "values count as well.");
  std::size_t n = 0;
  for (const Site& site : barrier_sites(kernel))
    add(Kind::barrier, fmt::format("barrier {}", ++n), &at(site).place,
        "All threads of a block that have not exited arrive at this barrier, in the same iteration of every "
        "loop around it.");
  n = 0;
  for (const Site& site : warp_sites(kernel))
    add(Kind::shuffle, fmt::format("warp {}", ++n), &at(site).place,
        fmt::format(
            "Every lane that the mask names exists and executes this instruction in the same iteration: {}",
            ir::print(kernel, at(site))));
  add(Kind::termination, "", nullptr, "Every loop ends, and no trap is reached.");
  add(Kind::launch, "", nullptr,
      "Grid and block are within the limits of the programming model and of the kernel's own bounds.");
  add(Kind::coverage, "", nullptr,
      "Every element that an ensure names is written, or keeps contents that are its value.");
  add(Kind::frame, "", nullptr, "Nothing else of the buffers is written.");
  add(Kind::value, "", nullptr, "Every element that an ensure names holds its value after the launch.");
  return out;
}

}  // namespace hallmark::validator
