#include "contract/contract.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  contract::parse(bytes, "contract.toml");
}

}  // namespace hallmark::fuzz
