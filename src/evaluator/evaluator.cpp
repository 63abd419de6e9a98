#include "evaluator/evaluator.h"

#include <set>

#include "base/error.h"
#include "evaluator/float_format.h"
#include "evaluator/walker.h"

namespace hallmark::evaluator {

using namespace calculus;

namespace {

std::string extents_text(const std::vector<std::int64_t>& extents) {
  std::string out = "[";
  for (std::size_t d = 0; d < extents.size(); ++d) out += (d > 0 ? ", " : "") + std::to_string(extents[d]);
  return out + "]";
}

void check_input(const Declaration& declaration, const Symbols& symbols, const Tensors& inputs) {
  const auto found = inputs.find(declaration.name);
  if (found == inputs.end())
    throw UserError("E1011", "the input " + declaration.name + " has no value", {.node = declaration.name});
  const Tensor& tensor = found->second;
  const std::vector<std::int64_t> extents = evaluate_extents(declaration, symbols);
  if (tensor.format() != declaration.format || tensor.extents() != extents)
    throw UserError("E1011",
                    "the input " + declaration.name + " should be " + std::string(name(declaration.format)) +
                        extents_text(extents) + " and is " + std::string(name(tensor.format())) +
                        extents_text(tensor.extents()),
                    {.node = declaration.name});
}

void check_symbols(const Program& program, const Symbols& symbols) {
  for (const SymbolRange& range : program.symbols) {
    const auto found = symbols.find(range.name);
    if (found == symbols.end()) throw UserError("E1011", "the symbol " + range.name + " has no value");
    const Integer value = from_i64(found->second);
    if (value < range.low || (range.high && value > *range.high))
      throw UserError("E1011", "the symbol " + range.name + " is " + value.get_str() + ", outside its range");
  }
}

std::set<std::string> loaded_by(Term body) {
  std::set<std::string> names;
  for_each_node(body, [&](Term node) {
    if (node->kind == Kind::load) names.insert(node->name);
  });
  return names;
}

}  // namespace

std::int64_t evaluate_index(Term term, const Symbols& symbols, const std::vector<std::int64_t>& axes) {
  ensure(term->sort == Sort::index(), "an index term was expected");
  const Tensors none;
  return std::get<std::int64_t>(evaluate_term(term, symbols, none, axes));
}

std::vector<std::int64_t> evaluate_extents(const Declaration& declaration, const Symbols& symbols) {
  std::vector<std::int64_t> out;
  for (Term extent : declaration.extents) out.push_back(evaluate_index(extent, symbols));
  return out;
}

Value evaluate_term(Term term, const Symbols& symbols, const Tensors& tensors,
                    const std::vector<std::int64_t>& axes, Reals reals) {
  return Walker(term, {&symbols, &tensors, {}, reals}).run(axes);
}

Term with_symbols(Term term, const Symbols& symbols) {
  Substitution map;
  for (const auto& [name, value] : symbols) map.emplace(symbol(name), integer(from_i64(value)));
  return substitute(term, map);
}

Value evaluate_element(const Definition& definition, const std::vector<Function>& functions,
                       const Symbols& symbols, const Tensors& tensors,
                       const std::vector<std::int64_t>& indices, Reals reals) {
  ensure(indices.size() == definition.declaration.extents.size(),
         "an element is named by one index per axis");
  return evaluate_term(with_symbols(expand_functions(definition.body, functions), symbols), symbols, tensors,
                       indices, reals);
}

Tensors evaluate(const Program& program, const Symbols& symbols, const Tensors& inputs,
                 const Options& options) {
  check_symbols(program, symbols);
  Tensors known;
  for (const Declaration& input : program.inputs) {
    check_input(input, symbols, inputs);
    known.emplace(input.name, inputs.at(input.name));
  }
  for (std::size_t i = 0; i < program.preconditions.size(); ++i)
    if (std::get<std::int64_t>(evaluate_term(program.preconditions[i], symbols, known)) == 0)
      throw UserError("E1010",
                      "the inputs do not meet precondition " + std::to_string(i + 1) + " of the program");
  for (const Constant& constant : program.constants)
    known.emplace(constant.declaration.name, Tensor(constant.data));

  // Backwards: what the outputs need, and where each tensor is read last.
  const std::set<std::string> outputs(program.outputs.begin(), program.outputs.end());
  std::set<std::string> needed = outputs;
  std::vector<std::vector<std::string>> last_reads(program.definitions.size());
  std::vector<bool> computed(program.definitions.size(), false);
  std::set<std::string> read_later = outputs;
  for (std::size_t i = program.definitions.size(); i-- > 0;) {
    const Definition& definition = program.definitions[i];
    if (needed.count(definition.declaration.name) == 0) continue;
    computed[i] = true;
    for (const std::string& name : loaded_by(definition.body)) {
      needed.insert(name);
      if (read_later.insert(name).second) last_reads[i].push_back(name);
    }
  }
  for (std::size_t i = 0; i < program.definitions.size(); ++i) {
    if (!computed[i]) continue;
    const Definition& definition = program.definitions[i];
    try {
      known.insert_or_assign(definition.declaration.name,
                             evaluate(definition, program.functions, symbols, known, options));
    } catch (const UserError& error) {
      throw UserError(error.code(), error.message(), {.node = definition.declaration.name});
    } catch (const Refusal& error) {
      throw Refusal(error.code(), error.message(), {.node = definition.declaration.name});
    }
    for (const std::string& name : last_reads[i]) known.erase(name);
  }
  Tensors result;
  for (const std::string& name : program.outputs) {
    const auto found = known.find(name);
    ensure(found != known.end(), "the output " + name + " is not defined");
    result.emplace(name, found->second);
  }
  return result;
}

}  // namespace hallmark::evaluator
