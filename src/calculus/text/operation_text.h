// The written names of operations: "fma", "add.rz.ftz", casts such as "f16" and "real.f16".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "calculus/term.h"

namespace hallmark::calculus::text {

struct WrittenOperation {
  Op op = Op::none;
  Rounding rounding = Rounding::none;  // none: the default of the sort
  bool ftz = false;
};
// Empty when the name is none of an operation.
std::optional<WrittenOperation> operation_named(std::string_view name);
std::string operation_name(Term operation);
std::size_t operand_count(Op op);

struct WrittenCast {
  Sort sort;
  Format format = Format::f64;
  bool has_format = false;  // "real" alone is a conversion from an index only
};
std::optional<WrittenCast> cast_named(std::string_view name);
std::string cast_name(Term cast);

// Every function-like word of the language: such a name is quoted when it is a custom operation.
bool is_built_in(std::string_view name);

}  // namespace hallmark::calculus::text
