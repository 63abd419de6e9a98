// The entry that libFuzzer calls. An exception that leaves it ends the process, which libFuzzer reports with
// its input.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hallmark::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
