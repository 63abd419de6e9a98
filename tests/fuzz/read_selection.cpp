// The data files of the selection; the first byte says which one the rest is.
#include <string>

#include "select/constraints.h"
#include "select/cost_model.h"
#include "select/target.h"
#include "select/workload.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view text = bytes.substr(1);
  switch (static_cast<unsigned char>(bytes[0]) % 4) {
    case 0:
      select::parse_target(text, "target.toml");
      return;
    case 1:
      select::parse_workload(text, "workload.toml");
      return;
    case 2:
      select::parse_constraints(text, "constraints.toml");
      return;
    default:
      select::parse_cost_model(text, "cost-model.toml");
  }
}

}  // namespace hallmark::fuzz
