// A specification that is read prints a text that reads back as itself.
#include <string>

#include "plan/spec_text.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  const std::string printed = plan::print_spec(plan::parse_spec(bytes, "kernel.hm"));
  check(plan::print_spec(plan::parse_spec(printed, "printed.hm")) == printed,
        "a printed specification reads back as itself");
}

}  // namespace hallmark::fuzz
