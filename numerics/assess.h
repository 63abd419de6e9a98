// What a formulation is worth, without a search for witnesses and without a receipt: the obligations of
// admission.h that would stay open, and the error bounds of the outputs.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "numerics/admission.h"

namespace hallmark::numerics {

struct AssessedOutput {
  bool within_tolerance = false;
  std::optional<Rational> error;  // upper bound of |computed - exact|; nothing: none is known
  std::string detail;             // in words
};

struct Assessment {
  std::map<std::string, std::string> open;  // by id, all kinds but tolerance: why it is not proved
  std::map<std::string, AssessedOutput> outputs;
};

Assessment assess(const AdmissionInput& input);

}  // namespace hallmark::numerics
