#include "calculus/sort.h"

#include <array>

#include "base/error.h"

namespace hallmark::calculus {
namespace {

struct Facts {
  std::string_view name;
  unsigned bits, significand;  // significand 0: not a float
  int minimum, maximum;
  bool is_signed;
};

// Order of enum Format. f8e4m3 is the OCP format without infinities (largest value 448 = 1.75 * 2^8).
constexpr std::array<Facts, 16> facts{{{"f64", 64, 53, -1022, 1023, true},
                                       {"f32", 32, 24, -126, 127, true},
                                       {"tf32", 32, 11, -126, 127, true},
                                       {"f16", 16, 11, -14, 15, true},
                                       {"bf16", 16, 8, -126, 127, true},
                                       {"f8e4m3", 8, 4, -6, 8, true},
                                       {"f8e5m2", 8, 3, -14, 15, true},
                                       {"i8", 8, 0, 0, 0, true},
                                       {"i16", 16, 0, 0, 0, true},
                                       {"i32", 32, 0, 0, 0, true},
                                       {"i64", 64, 0, 0, 0, true},
                                       {"u8", 8, 0, 0, 0, false},
                                       {"u16", 16, 0, 0, 0, false},
                                       {"u32", 32, 0, 0, 0, false},
                                       {"u64", 64, 0, 0, 0, false},
                                       {"bool", 8, 0, 0, 0, false}}};

const Facts& of(Format format) {
  return facts.at(static_cast<std::size_t>(format));
}

const Facts& of_float(Format format) {
  ensure(is_float(format), "a float format was expected");
  return of(format);
}

}  // namespace

bool is_float(Format format) {
  return of(format).significand != 0;
}
bool is_integer(Format format) {
  return !is_float(format) && format != Format::boolean;
}
bool is_signed(Format format) {
  return is_integer(format) && of(format).is_signed;
}
unsigned storage_bits(Format format) {
  return of(format).bits;
}
unsigned significand_bits(Format format) {
  return of_float(format).significand;
}
int maximum_exponent(Format format) {
  return of_float(format).maximum;
}
int minimum_exponent(Format format) {
  return of_float(format).minimum;
}
std::string_view name(Format format) {
  return of(format).name;
}

std::optional<Format> format_of(std::string_view text) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (facts[i].name == text) return static_cast<Format>(i);
  return std::nullopt;
}

std::string to_string(Sort sort) {
  switch (sort.kind) {
    case Sort::Kind::index:
      return "index";
    case Sort::Kind::boolean:
      return "bool";
    case Sort::Kind::real:
      return "real";
    default:
      return std::string(name(sort.format));
  }
}

Sort exact_sort(Format format) {
  if (is_float(format)) return Sort::real();
  return format == Format::boolean ? Sort::boolean() : Sort::integer(format);
}

Sort stored_sort(Format format) {
  if (is_float(format)) return Sort::floating(format);
  return format == Format::boolean ? Sort::boolean() : Sort::integer(format);
}

}  // namespace hallmark::calculus
