#include "bundle/waiver.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  bundle::parse_waivers(bytes, "waivers.toml");
}

}  // namespace hallmark::fuzz
