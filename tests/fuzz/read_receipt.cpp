// All obligations of the seed file make the same statement.
#include "base/sha256.h"
#include "bundle/receipt.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  bundle::parse_receipt(bytes, "receipt.json", {{sha256_hex("a statement"), "a statement"}});
}

}  // namespace hallmark::fuzz
