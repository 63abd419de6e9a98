// Why the analysis of a definition ends without a result. Never a verdict: the obligation becomes `unrun:
// gap` or `unrun: unsupported` with this text.
#pragma once
#include <stdexcept>
#include <string>

namespace hallmark::numerics {

struct Failure {
  enum class Kind {
    domain,       // an operand may leave the domain of an operation
    overflow,     // a rounded value may be infinite
    unbounded,    // a size or an element without an upper bound
    unsupported,  // an operation, order or fold that the analysis does not know
    operand,      // a tensor that it reads has no result itself
  } kind = Kind::unsupported;
  std::string message;
};

class AnalysisFailure : public std::runtime_error {
 public:
  AnalysisFailure(Failure::Kind kind, const std::string& message)
      : std::runtime_error(message), failure_{kind, message} {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

}  // namespace hallmark::numerics
