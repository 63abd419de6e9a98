// Element formats and the sorts of calculus terms (design, section 2).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hallmark::calculus {

enum class Format : std::uint8_t {
  f64,
  f32,
  tf32,
  f16,
  bf16,
  f8e4m3,
  f8e5m2,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  boolean
};

bool is_float(Format);
bool is_integer(Format);            // i8..i64, u8..u64; not boolean
bool is_signed(Format);             // i8..i64
unsigned storage_bits(Format);      // boolean and 8-bit formats: 8; tf32: 32
unsigned significand_bits(Format);  // with the implicit bit: f32 24, tf32 11, bf16 8, f8e4m3 4; floats only
int maximum_exponent(Format);       // of the largest finite value 1.x * 2^e: f32 127; floats only
int minimum_exponent(Format);       // of the smallest normal value: f32 -126; floats only
std::string_view name(Format);      // "f32", "bool"
std::optional<Format> format_of(std::string_view);

// The sort of a term. Index terms are unbounded integers; Real terms are exact; Float terms are rounded
// values of a format. Int(w) is the integers modulo 2^w with the signedness of its format.
struct Sort {
  enum class Kind : std::uint8_t { index, boolean, integer, floating, real };
  Kind kind = Kind::index;
  Format format = Format::f64;  // integer and floating only; f64 otherwise so that equality is memberwise
  bool operator==(const Sort&) const = default;

  static Sort index() { return {}; }
  static Sort boolean() { return {Kind::boolean, Format::f64}; }
  static Sort integer(Format f) { return {Kind::integer, f}; }
  static Sort floating(Format f) { return {Kind::floating, f}; }
  static Sort real() { return {Kind::real, Format::f64}; }
};
std::string to_string(Sort);  // "index", "bool", "i32", "f32", "real"

// The sort that a load from a tensor of this format has in an authored (exact) program: floats are reals.
Sort exact_sort(Format);
// The sort that such a load has in a formulation: the format itself.
Sort stored_sort(Format);

}  // namespace hallmark::calculus
