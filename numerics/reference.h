// The exact real value of an exact program's elements on concrete inputs, enclosed by MPFI with the precision
// raised until the enclosure is narrow.
//
// This is the reference that every refutation is measured against. It walks the terms as they are written: no
// rewriting, no closed forms, nothing shared with the bounds that it is compared with except the interval
// type.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "calculus/program.h"
#include "contract/contract.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

// Concrete inputs and sizes.
struct Point {
  std::map<std::string, Integer> symbols;
  std::map<std::string, calculus::TensorData> inputs;
};

struct ReferenceOptions {
  mpfr_prec_t first_precision = 96;
  mpfr_prec_t last_precision = 1536;
  // Narrow: width at most 2^-relative_bits of the magnitude, or at most 2^-absolute_bits.
  long relative_bits = 60;
  long absolute_bits = 200;
  contract::Casts casts = contract::Casts::exact;
  // Elements of definitions and steps of folds of one call; beyond it the value is unresolved.
  std::size_t work_limit = 2'000'000;
};

struct ReferenceValue {
  enum class Kind {
    real,  // enclosed
    integer,
    truth,
    undefined,   // an operation certainly leaves its domain (design: `defined`)
    unresolved,  // not narrow, or a comparison or a domain undecided, at the last precision; or too much work
  } kind = Kind::unresolved;
  std::optional<Interval> real;
  Integer integer;
  bool truth = false;
  mpfr_prec_t precision = 0;  // of the last try
  std::string reason;         // for undefined and unresolved
};

class Reference {
 public:
  // Both outlive this object.
  Reference(const calculus::Program& exact, const Point& point, ReferenceOptions options = {});
  ~Reference();
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  ReferenceValue element(const std::string& tensor, const std::vector<std::int64_t>& indices);
  // The extents of a tensor at this point.
  std::vector<std::int64_t> extents(const std::string& tensor) const;

 private:
  const calculus::Program& program_;
  const Point& point_;
  ReferenceOptions options_;
  std::vector<calculus::Definition> definitions_;  // functions expanded
  // Elements once evaluated at a precision are kept for later calls.
  struct Walks;
  std::unique_ptr<Walks> walks_;
};

// An index term over the symbols of a point; for extents.
Integer evaluate_size(calculus::Term size, const Point& point);

}  // namespace hallmark::numerics
