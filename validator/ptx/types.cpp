#include "validator/ptx/types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hallmark::validator::ptx {

std::optional<TypeSuffix> type_suffix(std::string_view word) {
  using ir::Type;
  using K = TypeSuffix::Kind;
  static constexpr auto table = std::to_array<std::pair<std::string_view, TypeSuffix>>({
      {"b8", {K::bits, Type::i8}},
      {"b16", {K::bits, Type::i16}},
      {"b32", {K::bits, Type::i32}},
      {"b64", {K::bits, Type::i64}},
      {"u8", {K::is_unsigned, Type::i8}},
      {"u16", {K::is_unsigned, Type::i16}},
      {"u32", {K::is_unsigned, Type::i32}},
      {"u64", {K::is_unsigned, Type::i64}},
      {"s8", {K::is_signed, Type::i8}},
      {"s16", {K::is_signed, Type::i16}},
      {"s32", {K::is_signed, Type::i32}},
      {"s64", {K::is_signed, Type::i64}},
      {"f16", {K::floating, Type::f16}},
      {"bf16", {K::floating, Type::bf16}},
      {"f32", {K::floating, Type::f32}},
      {"f64", {K::floating, Type::f64}},
      {"pred", {K::predicate, Type::i1}},
      {"f16x2", {K::packed_half, Type::i32}},
      {"bf16x2", {K::packed_bfloat, Type::i32}},
  });
  for (const auto& [name, type] : table)
    if (name == word) return type;
  return std::nullopt;
}

Suffixes::Suffixes(const std::vector<std::string>& words) : words_(words.begin(), words.end()) {}

bool Suffixes::take(std::string_view word) {
  const auto found = std::find(words_.begin(), words_.end(), word);
  if (found == words_.end()) return false;
  words_.erase(found);
  return true;
}

std::string_view Suffixes::take_any(std::initializer_list<std::string_view> words) {
  for (std::string_view word : words)
    if (take(word)) return word;
  return {};
}

std::optional<TypeSuffix> Suffixes::take_type() {
  for (auto word = words_.begin(); word != words_.end(); ++word)
    if (const auto type = type_suffix(*word)) {
      words_.erase(word);
      return type;
    }
  return std::nullopt;
}

bool Suffixes::take_prefix(std::string_view prefix) {
  const auto found = std::find_if(words_.begin(), words_.end(),
                                  [prefix](std::string_view w) { return w.starts_with(prefix); });
  if (found == words_.end()) return false;
  words_.erase(found);
  return true;
}

}  // namespace hallmark::validator::ptx
