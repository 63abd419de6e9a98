// The counting scanner never refuses: it counts what it sees.
#include "scanner/scanner.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  scanner::scan_ptx(bytes);
  scanner::scan_cuda(bytes);
}

}  // namespace hallmark::fuzz
