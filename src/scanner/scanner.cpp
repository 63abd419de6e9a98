#include "scanner/scanner.h"

#include <set>

namespace hallmark::scanner {

std::string_view name(What what) {
  constexpr std::string_view names[] = {"load",    "store", "atomic",         "barrier",
                                        "shuffle", "loop",  "float constant", "call"};
  return names[static_cast<std::size_t>(what)];
}

std::map<std::string, std::size_t> counts(const Unit& unit) {
  std::map<std::string, std::size_t> out;
  for (const Construct& c : unit.constructs) {
    const bool memory = c.what == What::load || c.what == What::store || c.what == What::atomic;
    ++out[std::string(name(c.what)) + (memory ? " " + c.detail : "")];
  }
  return out;
}

Unit with_callees(const Unit& unit, const std::vector<Unit>& text) {
  Unit out = unit;
  std::set<std::string> seen{unit.name};
  for (std::size_t i = 0; i < out.constructs.size(); ++i) {
    if (out.constructs[i].what != What::call || !seen.insert(out.constructs[i].detail).second) continue;
    for (const Unit& callee : text)
      if (callee.name == out.constructs[i].detail)
        out.constructs.insert(out.constructs.end(), callee.constructs.begin(), callee.constructs.end());
  }
  return out;
}

}  // namespace hallmark::scanner
