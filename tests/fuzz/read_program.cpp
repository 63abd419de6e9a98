// A program that is read prints a text that reads back as itself.
#include <string>

#include "calculus/text/text.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  const std::string printed =
      calculus::text::print_program(calculus::text::parse_program(bytes, "program.hm"));
  check(calculus::text::print_program(calculus::text::parse_program(printed, "printed.hm")) == printed,
        "a printed program reads back as itself");
}

}  // namespace hallmark::fuzz
