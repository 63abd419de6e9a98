#include "validator/ptx/register_types.h"

#include <optional>
#include <utility>

namespace hallmark::validator::ptx {

namespace {

class Inference {
 public:
  explicit Inference(const Function& flat) : flat_(flat), state_(flat.registers.size()) {
    for (std::size_t r = 0; r < state_.size(); ++r) {
      const TypeSuffix& type = flat.registers[r].type;
      if (type.kind != TypeSuffix::Kind::bits) state_[r] = type.type;
    }
  }

  std::vector<ir::Type> run() {
    for (const Statement& s : flat_.statements)
      if (s.kind == Statement::Kind::instruction) instruction(s);
    // A plain copy of a float is a float, as far as nothing says otherwise.
    bool changed = true;
    while (changed) {
      changed = false;
      for (const auto& [a, b] : copies_) changed = adopt(a, b) || adopt(b, a) || changed;
    }
    std::vector<ir::Type> result;
    for (std::size_t r = 0; r < state_.size(); ++r)
      result.push_back(state_[r].value_or(flat_.registers[r].type.type));
    return result;
  }

 private:
  bool adopt(std::uint32_t from, std::uint32_t to) {
    if (!state_[from] || !ir::is_float(*state_[from]) || state_[to]) return false;
    if (ir::bits_of(*state_[from]) != ir::bits_of(flat_.registers[to].type.type)) return false;
    state_[to] = state_[from];
    return true;
  }

  void mark(const Operand& o, const std::optional<TypeSuffix>& type) {
    if (o.kind == Operand::Kind::address)
      for (const Operand& e : o.elements) mark(e, std::nullopt);
    if (o.kind == Operand::Kind::vector)
      for (const Operand& e : o.elements) mark(e, type);
    for (const Operand& e : o.second) mark(e, std::nullopt);
    if (o.kind != Operand::Kind::reg) return;
    const TypeSuffix& declared = flat_.registers[o.number].type;
    if (declared.kind != TypeSuffix::Kind::bits) return;
    ir::Type wanted = declared.type;
    if (type && type->is_float() && ir::bits_of(type->type) == ir::bits_of(declared.type))
      wanted = type->type;
    std::optional<ir::Type>& state = state_[o.number];
    if (!state)
      state = wanted;
    else if (*state != wanted)
      state = declared.type;  // an integer type: both views occur
  }

  void copy(const Operand& a, const Operand& b) {
    if (a.kind == Operand::Kind::reg && b.kind == Operand::Kind::reg)
      copies_.emplace_back(a.number, b.number);
  }

  static bool is_neutral(const std::optional<TypeSuffix>& type) {
    return type && (type->kind == TypeSuffix::Kind::bits || type->kind == TypeSuffix::Kind::is_unsigned);
  }

  void instruction(const Statement& s) {
    std::vector<TypeSuffix> types;
    for (const std::string& word : s.suffixes)
      if (const auto type = type_suffix(word)) types.push_back(*type);
    const std::optional<TypeSuffix> first = types.empty() ? std::nullopt : std::optional(types.front());
    const std::optional<TypeSuffix> last = types.empty() ? std::nullopt : std::optional(types.back());
    const auto& o = s.operands;
    if (s.name == "mov" && is_neutral(first) && o.size() == 2) {
      copy(o[0], o[1]);
      for (const Operand& operand : o)
        if (operand.kind == Operand::Kind::vector) mark(&operand == &o[0] ? o[1] : o[0], std::nullopt);
      return;
    }
    if (s.name == "selp" && is_neutral(first) && o.size() == 4) {
      copy(o[0], o[1]);
      copy(o[0], o[2]);
      return;
    }
    if (s.name == "shfl" && o.size() >= 2) {
      Operand d = o[0];
      d.second.clear();
      copy(d, o[1]);
      for (std::size_t n = 2; n < o.size(); ++n) mark(o[n], std::nullopt);
      return;
    }
    if ((s.name == "ld" || s.name == "ldu" || s.name == "st") && is_neutral(last) && o.size() == 2) {
      for (const Operand& operand : o)
        if (operand.kind == Operand::Kind::address) mark(operand, std::nullopt);
      return;
    }
    if (s.name == "mma" && types.size() >= 2 && o.size() == 4) {
      // Fragments of A and B hold several elements a register.
      mark(o[0], last);
      mark(o[1], std::nullopt);
      mark(o[2], std::nullopt);
      mark(o[3], last);
      return;
    }
    if (s.name == "wmma") {
      // Lists are fragments; what stands alone is a stride.
      for (const Operand& operand : o)
        mark(operand, operand.kind == Operand::Kind::vector ? last : std::nullopt);
      return;
    }
    if ((s.name == "cvt" || s.name == "set") && types.size() == 2 && !o.empty()) {
      mark(o[0], first);
      for (std::size_t n = 1; n < o.size(); ++n) mark(o[n], last);
      return;
    }
    if (s.name == "slct" && types.size() == 2 && o.size() == 4) {
      for (std::size_t n = 0; n < 3; ++n) mark(o[n], first);
      mark(o[3], last);
      return;
    }
    for (const Operand& operand : o) mark(operand, last);
  }

  const Function& flat_;
  std::vector<std::optional<ir::Type>> state_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> copies_;
};

}  // namespace

std::vector<ir::Type> infer_register_types(const Function& flat) {
  return Inference(flat).run();
}

}  // namespace hallmark::validator::ptx
