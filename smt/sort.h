// Sorts of SMT terms. A Sort is a small value; equal sorts compare equal wherever they were made.
#pragma once
#include <compare>
#include <string>

namespace hallmark::smt {

enum class SortKind : unsigned char { boolean, integer, real, bit_vector, uninterpreted };

class Sort {
 public:
  Sort() = default;  // Bool
  static Sort boolean() { return {}; }
  static Sort integer() { return {SortKind::integer, 0, nullptr}; }
  static Sort real() { return {SortKind::real, 0, nullptr}; }
  // Throws InternalError for width 0.
  static Sort bit_vector(unsigned width);
  // A named sort without any structure, for example an axis class of any rank. Throws InternalError for an
  // empty name. The name lives as long as the program.
  static Sort uninterpreted(const std::string& name);

  SortKind kind() const { return kind_; }
  unsigned width() const { return width_; }  // bit vectors only; 0 otherwise
  const std::string& name() const;           // uninterpreted sorts only
  bool is_boolean() const { return kind_ == SortKind::boolean; }
  bool is_integer() const { return kind_ == SortKind::integer; }
  bool is_real() const { return kind_ == SortKind::real; }
  bool is_bit_vector() const { return kind_ == SortKind::bit_vector; }
  bool operator==(const Sort&) const = default;
  std::size_t hash() const;

 private:
  Sort(SortKind kind, unsigned width, const std::string* name) : kind_(kind), width_(width), name_(name) {}
  SortKind kind_ = SortKind::boolean;
  unsigned width_ = 0;
  const std::string* name_ = nullptr;  // interned, so that equal names are equal pointers
};

std::string to_string(Sort);  // "Bool", "Int", "Real", "(_ BitVec 32)", the name

}  // namespace hallmark::smt
