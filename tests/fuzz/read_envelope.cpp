#include "bundle/dsse.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  bundle::check_envelope(bytes, "receipt.dsse.json", {});
}

}  // namespace hallmark::fuzz
