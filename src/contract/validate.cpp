#include <algorithm>

#include "contract/contract.h"
#include "contract/format_values.h"
#include "contract/nearest.h"
#include "contract/number.h"

namespace hallmark::contract {
namespace {

using namespace calculus;

class Validator {
 public:
  Validator(const Contract& contract, const Program& program, const std::vector<std::string>& numbers)
      : contract_(contract), program_(program), numbers_(numbers) {}

  void run() const {
    for (const auto& [name, range] : contract_.dimensions) dimension(name, range);
    for (const auto& [name, box] : contract_.inputs) input(name, box);
    for (const auto& [name, tolerance] : contract_.outputs) output(name, tolerance);
  }

 private:
  [[noreturn]] void fail(const std::string& code, const std::string& message, const std::string& path) const {
    const auto found = contract_.places.find(path);
    Location where;
    if (found != contract_.places.end()) where = found->second;
    throw UserError(code, message, where,
                    where.line != 0 ? line_of(contract_.text, where.line) : std::string());
  }

  void dimension(const std::string& name, const DimensionRange& range) const {
    const std::string path = "dimensions." + name;
    if (std::find(numbers_.begin(), numbers_.end(), name) != numbers_.end()) return;
    std::vector<std::string> known = numbers_;
    for (const SymbolRange& symbol : program_.symbols) {
      known.push_back(symbol.name);
      if (symbol.name != name) continue;
      if ((range.high && *range.high < symbol.low) || (symbol.high && range.low > *symbol.high))
        fail("E8014",
             "no size of '" + name + "' is in the program's range: " + symbol.low.get_str() + " to " +
                 (symbol.high ? symbol.high->get_str() : "any size"),
             path);
      return;
    }
    fail("E8010", "the program has no dimension '" + name + "'" + suggestion(name, known), path);
  }

  void input(const std::string& name, const InputBox& box) const {
    const std::string path = "inputs." + name;
    std::vector<std::string> known;
    for (const Declaration& declaration : program_.inputs) {
      known.push_back(declaration.name);
      if (declaration.name != name) continue;
      const Format format = declaration.format;
      const std::string text(calculus::name(format));
      if (box.format && *box.format != format)
        fail("E8011", "the input '" + name + "' has the format " + text + " in the program",
             path + ".format");
      const std::string both = print_number(box.low) + " to " + print_number(box.high);
      if (box.low < least_value(format) || box.high > largest_value(format))
        fail("E8012",
             "the box " + both + " of '" + name + "' leaves the range of " + text + ", " +
                 print_number(least_value(format)) + " to " + print_number(largest_value(format)),
             path + (box.low < least_value(format) ? ".low" : ".high"));
      if (round_down(box.high, format) < box.low)
        fail("E8008", "the box " + both + " of '" + name + "' contains no value of " + text, path + ".low");
      return;
    }
    fail("E8010", "the program has no input '" + name + "'" + suggestion(name, known), path);
  }

  void output(const std::string& name, const Tolerance& tolerance) const {
    const std::string path = "outputs." + name;
    if (std::find(program_.outputs.begin(), program_.outputs.end(), name) == program_.outputs.end())
      fail("E8010", "the program has no output '" + name + "'" + suggestion(name, program_.outputs), path);
    if (is_float(find_declaration(program_, name)->format)) return;
    for (const auto& [part, text] :
         {std::pair(tolerance.absolute, ".absolute"), std::pair(tolerance.relative, ".relative"),
          std::pair(tolerance.ulp, ".ulp")})
      if (part && *part != 0)
        fail("E8013", "the output '" + name + "' is not a float: its values are exact or wrong", path + text);
  }

  const Contract& contract_;
  const Program& program_;
  const std::vector<std::string>& numbers_;
};

}  // namespace

void validate(const Contract& contract, const Program& program, const std::vector<std::string>& numbers) {
  Validator(contract, program, numbers).run();
}

const Tolerance& tolerance_of(const Contract& contract, const std::string& output) {
  const auto found = contract.outputs.find(output);
  return found != contract.outputs.end() ? found->second : contract.tolerance;
}

DimensionRange range_of(const Contract& contract, const SymbolRange& symbol) {
  DimensionRange range{symbol.low, symbol.high};
  const auto found = contract.dimensions.find(symbol.name);
  if (found == contract.dimensions.end()) return range;
  range.low = std::max(range.low, found->second.low);
  if (found->second.high)
    range.high = range.high ? std::min(*range.high, *found->second.high) : *found->second.high;
  return range;
}

}  // namespace hallmark::contract
