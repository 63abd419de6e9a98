#include "tests/fuzz/target.h"

#include "base/error.h"

namespace hallmark::fuzz {

void check(bool holds, std::string_view what) {
  ensure(holds, what);
}

bool run(std::string_view bytes) {
  try {
    read(bytes);
    return true;
  } catch (const UserError&) {
  } catch (const Refusal&) {
  }
  return false;
}

}  // namespace hallmark::fuzz
