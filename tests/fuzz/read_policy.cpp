#include "bundle/policy.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  bundle::parse_policy(bytes, "policy.toml");
}

}  // namespace hallmark::fuzz
