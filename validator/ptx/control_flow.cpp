#include "validator/ptx/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace hallmark::validator::ptx {

namespace {

// Instructions that only compute registers and are defined for all operands: their guard may become a select.
// Integer division is not among them, because its divisor may be zero where the guard is false.
const std::set<std::string, std::less<>>& pure_names() {
  static const std::set<std::string, std::less<>> names{
      "abs",      "add",  "addc",  "and",  "bfe",   "bfi",   "bfind", "brev", "clz",  "cnot",
      "copysign", "cos",  "cvt",   "cvta", "ex2",   "fma",   "lg2",   "lop3", "mad",  "madc",
      "max",      "min",  "mov",   "mul",  "mul24", "mad24", "neg",   "not",  "or",   "popc",
      "prmt",     "rcp",  "rsqrt", "sad",  "selp",  "set",   "setp",  "shf",  "shl",  "shr",
      "sin",      "slct", "sqrt",  "sub",  "subc",  "tanh",  "testp", "xor",  "dp4a", "dp2a"};
  return names;
}

class BlockBuilder {
 public:
  BlockBuilder(const Function& flat, const Context& context) : flat_(flat), context_(context) {}

  std::vector<PreBlock> run() {
    blocks_.emplace_back();
    blocks_[0].name = "entry";
    for (const Statement& s : flat_.statements)
      if (s.kind == Statement::Kind::label) {
        const auto [it, fresh] = labels_.try_emplace({s.scope, s.name}, new_block(s.name));
        if (!fresh) context_.reject(s.place, fmt::format("the label {} stands twice", s.name), "E3102");
      }
    current_ = new_block("");
    blocks_[0].end = PreBlock::End::jump;
    blocks_[0].targets = {current_};
    for (const Statement& s : flat_.statements) statement(s);
    if (open_) {
      // Reachable only if some path really comes here: decided after the order is known.
      blocks_[current_].end = PreBlock::End::jump;
      end_block_ = new_block("end");
      blocks_[current_].targets = {end_block_};
      if (!flat_.statements.empty()) blocks_[end_block_].place = flat_.statements.back().place;
    }
    return ordered();
  }

 private:
  std::uint32_t new_block(std::string name) {
    blocks_.emplace_back();
    blocks_.back().name = std::move(name);
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  PreBlock& here() { return blocks_[current_]; }
  void close(PreBlock::End end, std::vector<std::uint32_t> targets, const Statement& s) {
    here().end = end;
    here().targets = std::move(targets);
    here().place = s.place;
    open_ = false;
  }
  void start(std::uint32_t block) {
    current_ = block;
    open_ = true;
  }

  std::uint32_t label(const Statement& s, const Operand& o) const {
    if (o.kind != Operand::Kind::symbol) context_.reject(s.place, "expected a label");
    for (std::uint32_t scope = s.scope; scope != ir::none; scope = flat_.scope_parents[scope])
      if (const auto found = labels_.find({scope, o.name}); found != labels_.end()) return found->second;
    context_.reject(s.place, fmt::format("the label {} does not exist", o.name), "E3102");
  }

  void only_suffix(const Statement& s, std::string_view allowed) const {
    for (const std::string& suffix : s.suffixes)
      if (suffix != allowed) context_.refuse(s.place, fmt::format("{} is not understood", opcode_text(s)));
  }

  void statement(const Statement& s) {
    if (s.kind == Statement::Kind::label) {
      const std::uint32_t block = labels_.at({s.scope, s.name});
      if (open_) {
        close(PreBlock::End::jump, {block}, s);
      }
      start(block);
      return;
    }
    if (!open_) start(new_block(""));  // unreachable text
    if (s.name == "bra") {
      only_suffix(s, "uni");
      if (s.operands.size() != 1) context_.reject(s.place, "bra takes one label");
      transfer(s, PreBlock::End::jump, {label(s, s.operands[0])});
    } else if (s.name == "ret" || s.name == "exit") {
      only_suffix(s, "uni");
      if (!s.operands.empty()) context_.reject(s.place, "this instruction takes no operand");
      transfer(s, PreBlock::End::leave, {});
    } else if (s.name == "trap") {
      only_suffix(s, "");
      if (!s.operands.empty()) context_.reject(s.place, "this instruction takes no operand");
      transfer(s, PreBlock::End::trap, {});
    } else if (s.name == "brx") {
      table(s);
    } else if (s.guard && !pure_names().contains(s.name)) {
      const std::uint32_t body = new_block(""), after = new_block("");
      guard_branch(s, body, after);
      start(body);
      unguarded(s);
      close(PreBlock::End::jump, {after}, s);
      start(after);
    } else if (s.guard) {
      here().steps.push_back({&s, true});
    } else {
      unguarded(s);
    }
  }

  void unguarded(const Statement& s) {
    constexpr std::size_t with_part = 4;
    const bool part_in_register = s.name == "cp" && s.operands.size() == with_part &&
                                  s.operands[2].kind == Operand::Kind::integer &&
                                  s.operands[3].kind == Operand::Kind::reg;
    if (!part_in_register) return here().steps.push_back({&s, false});
    const Operand& part = s.operands[3];
    if (ir::bits_of(flat_.registers[part.number].type.type) != 32)
      context_.reject(s.place, "a number of bytes has 32 bits");
    const std::uint32_t after = new_block("");
    const auto where_equal = [&](std::uint64_t bytes, Step::Form form) {
      const std::uint32_t equal = new_block(""), other = new_block("");
      here().reg = part.number;
      here().constant = bytes;
      close(PreBlock::End::branch_if_equal, {equal, other}, s);
      start(equal);
      here().steps.push_back({&s, false, form});
      close(PreBlock::End::jump, {after}, s);
      start(other);
    };
    where_equal(s.operands[2].value, Step::Form::all);
    where_equal(0, Step::Form::zeros);
    here().steps.push_back({&s, false, Step::Form::part});
    close(PreBlock::End::jump, {after}, s);
    start(after);
  }

  void guard_branch(const Statement& s, std::uint32_t taken, std::uint32_t otherwise) {
    here().reg = *s.guard;
    here().negated = s.guard_negated;
    close(PreBlock::End::branch, {taken, otherwise}, s);
  }

  // bra, ret, exit, trap, with or without guard.
  void transfer(const Statement& s, PreBlock::End end, std::vector<std::uint32_t> targets) {
    if (!s.guard) return close(end, std::move(targets), s);
    const std::uint32_t after = new_block("");
    if (end == PreBlock::End::jump) {
      guard_branch(s, targets[0], after);
    } else {
      const std::uint32_t body = new_block("");
      guard_branch(s, body, after);
      start(body);
      close(end, std::move(targets), s);
    }
    start(after);
  }

  // brx.idx as a chain of comparisons; an index outside the list is undefined (ISA 9.7.12.4).
  void table(const Statement& s) {
    for (const std::string& suffix : s.suffixes)
      if (suffix != "idx" && suffix != "uni")
        context_.refuse(s.place, fmt::format("{} is not understood", opcode_text(s)));
    if (s.operands.size() != 2 || s.operands[0].kind != Operand::Kind::reg ||
        s.operands[1].kind != Operand::Kind::vector)
      context_.reject(s.place, "brx.idx takes an index and a list of labels");
    std::uint32_t after = 0;
    if (s.guard) {
      after = new_block("");
      const std::uint32_t body = new_block("");
      guard_branch(s, body, after);
      start(body);
    }
    for (std::size_t n = 0; n < s.operands[1].elements.size(); ++n) {
      const std::uint32_t next = new_block("");
      here().reg = s.operands[0].number;
      here().constant = n;
      close(PreBlock::End::branch_if_equal, {label(s, s.operands[1].elements[n]), next}, s);
      start(next);
    }
    close(PreBlock::End::unreachable, {}, s);
    if (s.guard) start(after);
  }

  std::vector<PreBlock> ordered() {
    std::vector<std::uint32_t> order;
    std::vector<char> seen(blocks_.size(), 0);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
    seen[0] = 1;
    while (!stack.empty()) {
      const std::uint32_t b = stack.back().first;
      const auto& targets = blocks_[b].targets;
      if (stack.back().second < targets.size()) {
        const std::uint32_t next = targets[targets.size() - 1 - stack.back().second++];
        if (!seen[next]) {
          seen[next] = 1;
          stack.emplace_back(next, 0);
        }
      } else {
        order.push_back(b);
        stack.pop_back();
      }
    }
    if (end_block_ != ir::none && seen[end_block_])
      context_.refuse(blocks_[end_block_].place, "control can run off the end of the kernel");
    std::reverse(order.begin(), order.end());
    std::vector<std::uint32_t> position(blocks_.size(), ir::none);
    for (std::size_t n = 0; n < order.size(); ++n) position[order[n]] = static_cast<std::uint32_t>(n);
    std::vector<PreBlock> result;
    for (std::uint32_t b : order) {
      result.push_back(std::move(blocks_[b]));
      for (std::uint32_t& target : result.back().targets) target = position[target];
    }
    return result;
  }

  const Function& flat_;
  const Context& context_;
  std::vector<PreBlock> blocks_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> labels_;
  std::uint32_t current_ = 0, end_block_ = ir::none;
  bool open_ = true;
};

}  // namespace

std::vector<PreBlock> build_blocks(const Function& flat, const Context& context) {
  return BlockBuilder(flat, context).run();
}

}  // namespace hallmark::validator::ptx
