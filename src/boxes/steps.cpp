#include "boxes/steps.h"

namespace hallmark::boxes {

using namespace calculus;

// What is read and not defined: inputs by the contract, constants by their data.
Ranges given_ranges(const Program& program, const contract::Contract& contract) {
  if (contract.nan_allowed || contract.infinity_allowed) throw NotShown{"inputs without a finite value"};
  Ranges out;
  for (const Declaration& input : program.inputs)
    if (const auto box = contract.inputs.find(input.name); box != contract.inputs.end())
      out[input.name] = {box->second.low, box->second.high};
  for (const Constant& constant : program.constants) {
    try {
      out[constant.declaration.name] = data_range(*constant.data);
    } catch (const NotShown&) {
      // Only what reads it has no certificate.
    }
  }
  return out;
}

std::optional<Rational> rational(const std::string& text) {
  if (text.empty() || text.size() > 4000 || text.find_first_not_of("0123456789-/") != std::string::npos)
    return std::nullopt;
  Rational out;
  if (out.set_str(text, 10) != 0 || out.get_den() == 0) return std::nullopt;
  Rational canonical = out;
  canonical.canonicalize();
  if (canonical.get_str() != text) return std::nullopt;
  return canonical;
}

// The definitions that `wanted` rests on, itself included.
std::set<std::string> needed_definitions(const Program& program, const std::string& wanted) {
  std::set<std::string> out{wanted};
  for (std::size_t i = program.definitions.size(); i-- > 0;) {
    const Definition& d = program.definitions[i];
    if (!out.contains(d.declaration.name)) continue;
    for_each_node(d.body, [&](Term n) {
      if (n->kind == Kind::load) out.insert(n->name);
    });
  }
  return out;
}

}  // namespace hallmark::boxes
