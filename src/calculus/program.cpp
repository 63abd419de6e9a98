#include "calculus/program.h"

#include <set>

#include "base/error.h"

namespace hallmark::calculus {
namespace {

void check_body(const Definition& definition, const std::map<std::string, const Declaration*>& known) {
  const std::string& where = definition.declaration.name;
  const Sort sort = definition.body->sort;
  ensure(
      sort == exact_sort(definition.declaration.format) || sort == stored_sort(definition.declaration.format),
      "the body of " + where + " has sort " + to_string(sort));
  ensure(!definition.body->open, "the body of " + where + " has a free variable");
  for_each_node(definition.body, [&](Term node) {
    if (node->kind == Kind::axis)
      ensure(node->number < static_cast<int>(definition.declaration.extents.size()),
             where + " uses an axis that it does not have");
    if (node->kind != Kind::load) return;
    const auto found = known.find(node->name);
    ensure(found != known.end(), where + " loads the unknown tensor " + node->name);
    ensure(found->second->extents.size() == node->children.size(),
           where + " loads " + node->name + " with a wrong rank");
    const Format format = found->second->format;
    ensure(node->sort == exact_sort(format) || node->sort == stored_sort(format),
           where + " loads " + node->name + " as " + to_string(node->sort));
  });
}

}  // namespace

std::int64_t TensorData::element_count() const {
  std::int64_t count = 1;
  for (std::int64_t extent : extents) count *= extent;
  return count;
}

void check_program(const Program& program) {
  std::map<std::string, const Declaration*> known;
  const auto declare = [&](const Declaration& declaration) {
    ensure(known.emplace(declaration.name, &declaration).second, declaration.name + " is declared twice");
  };
  for (const Declaration& input : program.inputs) declare(input);
  for (const Constant& constant : program.constants) declare(constant.declaration);
  for (const Definition& definition : program.definitions) {
    check_body(definition, known);
    declare(definition.declaration);
  }
  for (const std::string& output : program.outputs)
    ensure(known.count(output) != 0, "the output " + output + " is not defined");
}

Term expand_functions(Term a, const std::vector<Function>& functions) {
  // Rewriting takes binders apart under new names, of which each stays for ever: not where there is nothing
  // to do.
  bool any = false;
  for_each_node(a, [&](Term node) {
    any = any || (node->kind == Kind::operation && node->op == Op::custom && !functions.empty());
  });
  if (!any) return a;
  return rewrite(a, [&](Term node) {
    if (node->kind != Kind::operation || node->op != Op::custom) return node;
    for (const Function& function : functions) {
      if (function.name != node->name) continue;
      ensure(function.parameters.size() == node->children.size(),
             function.name + " is applied to a wrong number of arguments");
      Substitution map;
      for (std::size_t i = 0; i < node->children.size(); ++i) map[function.parameters[i]] = node->children[i];
      // A function uses only earlier ones, so the recursion ends.
      const std::vector<Function> earlier(functions.data(), &function);
      return substitute(expand_functions(function.body, earlier), map);
    }
    return node;
  });
}

const Declaration* find_declaration(const Program& program, std::string_view name) {
  for (const Declaration& input : program.inputs)
    if (input.name == name) return &input;
  for (const Constant& constant : program.constants)
    if (constant.declaration.name == name) return &constant.declaration;
  const Definition* definition = find_definition(program, name);
  return definition != nullptr ? &definition->declaration : nullptr;
}

const Definition* find_definition(const Program& program, std::string_view name) {
  for (const Definition& definition : program.definitions)
    if (definition.declaration.name == name) return &definition;
  return nullptr;
}

}  // namespace hallmark::calculus
