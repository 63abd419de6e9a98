// The first byte says whether the rest is text or protocol buffers.
#include "model/import.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  if (!bytes.empty()) model::import_bytes(bytes.substr(1), (bytes[0] & 1) != 0);
}

}  // namespace hallmark::fuzz
