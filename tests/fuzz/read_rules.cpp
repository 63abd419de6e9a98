#include "rules/rule_text.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  rules::parse_rules(bytes, "rules.hm");
}

}  // namespace hallmark::fuzz
