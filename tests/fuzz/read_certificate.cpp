#include "certificate/certificate.h"
#include "certificate/smtlib.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

// A query, a zero byte, and a certificate. Whatever the two hold, the answer is a sentence or nothing;
// without a zero byte the query alone is read.
void read(std::string_view bytes) {
  const std::size_t zero = bytes.find('\0');
  const certificate::Query query(bytes.substr(0, zero));
  if (zero == std::string_view::npos) return;
  certificate::check(bytes.substr(0, zero), bytes.substr(zero + 1));
}

}  // namespace hallmark::fuzz
