#include "tests/fuzz/target.h"
#include "validator/ptx/reader.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  validator::ptx::read_ptx(bytes, "kernel.ptx");
}

}  // namespace hallmark::fuzz
