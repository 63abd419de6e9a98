#include <fmt/format.h>

#include "base/toml_key.h"
#include "contract/contract.h"
#include "contract/number.h"

namespace hallmark::contract {
namespace {

std::string number(const Rational& value) {
  const std::string text = print_number(value);
  return is_toml_number(text) ? text : "\"" + text + "\"";
}

std::string list(const std::vector<std::string>& names) {
  std::string out = "[";
  for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "\"" : ", \"") + names[i] + "\"";
  return out + "]";
}

std::string list(const std::vector<calculus::Format>& formats) {
  std::vector<std::string> names;
  for (const calculus::Format format : formats) names.emplace_back(calculus::name(format));
  return list(names);
}

std::string tolerance(const Tolerance& t) {
  std::string out;
  if (t.absolute) out += "absolute = " + number(*t.absolute) + "\n";
  if (t.relative) out += "relative = " + number(*t.relative) + "\n";
  if (t.ulp) out += "ulp = " + number(*t.ulp) + "\n";
  if (t.assumed) out += "assumed = true\n";
  return out;
}

std::string policy(bool allowed) {
  return allowed ? "\"allowed\"" : "\"forbidden\"";
}

}  // namespace

std::string print(const Contract& c) {
  std::string out = "version = 1\n";
  out += fmt::format("casts = \"{}\"\n", c.casts == Casts::storage ? "storage" : "exact");
  out += fmt::format("ftz = {}\nfma = {}\n", c.ftz, c.fma);
  out += "nan = " + policy(c.nan_allowed) + "\ninfinity = " + policy(c.infinity_allowed) + "\n";
  out += "storage = " + list(c.storage) + "\naccumulation = " + list(c.accumulation) + "\n";
  out += "orders = " + list(c.orders) + "\n";
  if (!c.dimensions.empty()) out += "\n[dimensions]\n";
  for (const auto& [name, range] : c.dimensions) {
    out += toml_key(name) + " = ";
    if (!range.high)
      out += fmt::format("{{ low = {} }}\n", range.low.get_str());
    else if (*range.high == range.low)
      out += range.low.get_str() + "\n";
    else
      out += fmt::format("{{ low = {}, high = {} }}\n", range.low.get_str(), range.high->get_str());
  }
  if (!c.tolerance.empty() || c.tolerance.assumed) out += "\n[tolerance]\n" + tolerance(c.tolerance);
  for (const auto& [name, box] : c.inputs) {
    out += fmt::format("\n[inputs.{}]\nlow = {}\nhigh = {}\n", toml_key(name), number(box.low),
                       number(box.high));
    if (box.format) out += fmt::format("format = \"{}\"\n", calculus::name(*box.format));
    if (box.assumed) out += "assumed = true\n";
  }
  for (const auto& [name, t] : c.outputs)
    out += fmt::format("\n[outputs.{}]\n", toml_key(name)) + tolerance(t);
  return out;
}

}  // namespace hallmark::contract
