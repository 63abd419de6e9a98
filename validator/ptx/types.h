// Type suffixes of PTX instructions (ISA section 5.2) and the modifiers of one opcode.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validator/ir/type.h"

namespace hallmark::validator::ptx {

struct TypeSuffix {
  enum class Kind : unsigned char {
    bits,
    is_unsigned,
    is_signed,
    floating,
    predicate,
    packed_half,
    packed_bfloat
  };
  Kind kind = Kind::bits;
  ir::Type type = ir::Type::i32;  // of a register operand; packed: i32
  bool is_signed() const { return kind == Kind::is_signed; }
  bool is_float() const { return kind == Kind::floating; }
  bool is_packed() const { return kind == Kind::packed_half || kind == Kind::packed_bfloat; }
  // Element of a packed pair.
  ir::Type element() const { return kind == Kind::packed_half ? ir::Type::f16 : ir::Type::bf16; }
};
// "u32", "f16x2", "pred"; nothing for other words and for types outside the subset (b128, tf32, e4m3x2).
std::optional<TypeSuffix> type_suffix(std::string_view word);

// The dotted words of one opcode, taken away one by one, so that what nobody took is seen.
class Suffixes {
 public:
  explicit Suffixes(const std::vector<std::string>& words);
  bool take(std::string_view word);
  // The first remaining word of the list that stands here; empty when none does.
  std::string_view take_any(std::initializer_list<std::string_view> words);
  std::optional<TypeSuffix> take_type();
  bool take_prefix(std::string_view prefix);  // "L2::"
  const std::vector<std::string_view>& rest() const { return words_; }

 private:
  std::vector<std::string_view> words_;
};

}  // namespace hallmark::validator::ptx
