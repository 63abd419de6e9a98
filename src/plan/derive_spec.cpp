#include "plan/derive_spec.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"

namespace hallmark::plan {
namespace {

using namespace calculus;

// The plan may come from a file that somebody wrote.
void fits(bool holds, const std::string& otherwise) {
  if (!holds) throw UserError("E7103", "the launch plan does not fit the formulation: " + otherwise);
}

class Inliner {
 public:
  Inliner(const Program& program, const std::vector<std::string>& available)
      : program_(program), available_(available.begin(), available.end()) {}

  // The body of a definition with every load of a tensor that is not available replaced. Definitions use only
  // earlier ones, so this ends.
  Term body(const Definition& definition) {
    const auto found = bodies_.find(definition.declaration.name);
    if (found != bodies_.end()) return found->second;
    const Term result = rewrite(definition.body, [&](Term node) {
      if (node->kind != Kind::load || available_.count(node->name) != 0) return node;
      const Definition* producer = find_definition(program_, node->name);
      fits(producer != nullptr,
           definition.declaration.name + " needs " + node->name + ", which its launch does not receive");
      return instantiate(body(*producer), node->children);
    });
    bodies_.emplace(definition.declaration.name, result);
    return result;
  }

 private:
  const Program& program_;
  std::set<std::string> available_;
  std::map<std::string, Term> bodies_;
};

bool same(const Declaration& a, const Declaration& b) {
  return a.name == b.name && a.format == b.format && a.extents == b.extents;
}

void collect_functions(Term a, const Program& program, std::set<std::string>& used) {
  for_each_node(a, [&](Term node) {
    if (node->kind != Kind::operation || node->op != Op::custom || !used.insert(node->name).second) return;
    for (const Function& function : program.functions)
      if (function.name == node->name) collect_functions(function.body, program, used);
  });
}

KernelSpec derive(const Program& program, const LaunchPlan& plan, const PlannedLaunch& launch,
                  const ElementRanges& elements) {
  KernelSpec spec;
  spec.kernel = launch.kernel;
  spec.symbols = plan.symbols;
  for (Term requirement : plan.requirements) spec.requirements.push_back(at_most(integer(0L), requirement));
  // Where these do not hold the program has no meaning; that they do is an obligation
  // (pipeline/conditions.h).
  spec.requirements.insert(spec.requirements.end(), program.preconditions.begin(),
                           program.preconditions.end());
  const auto computes = [&](const std::string& name) {
    return std::find(launch.computes.begin(), launch.computes.end(), name) != launch.computes.end();
  };
  std::vector<std::string> available;
  for (const Argument& argument : launch.arguments) {
    Parameter parameter;
    if (argument.scalar != nullptr) {
      // A symbol is passed under its own name; any other expression names a symbol that equals it.
      if (argument.scalar->kind == Kind::symbol) {
        parameter.scalar = {argument.scalar->name, argument.scalar_format};
      } else {
        parameter.scalar = {argument.parameter, argument.scalar_format};
        spec.symbols.push_back({argument.parameter, 0, {}});
        spec.requirements.push_back(equal(symbol(argument.parameter), argument.scalar));
      }
    } else {
      const Declaration* declared = find_declaration(program, argument.buffer);
      const PlannedBuffer* planned = find_buffer(plan, argument.buffer);
      fits(declared != nullptr && planned != nullptr && same(*declared, planned->declaration),
           "the plan's buffer " + argument.buffer + " is not the program's");
      const bool out = computes(argument.buffer);
      parameter.buffer = Buffer{*declared, out ? Access::out : Access::in, nullptr, nullptr};
      if (!out) available.push_back(argument.buffer);
      if (const auto range = elements.find(argument.buffer); range != elements.end() && !out) {
        parameter.buffer->element_low = integer(range->second.first);
        parameter.buffer->element_high = integer(range->second.second);
      }
    }
    spec.parameters.push_back(std::move(parameter));
  }
  for (int d = 0; d < 3; ++d) {
    spec.launch.grid[d] = launch.grid[d];
    spec.launch.block[d] = launch.block[d];
  }
  spec.launch.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  Inliner inliner(program, available);
  std::set<std::string> used;
  for (const std::string& name : launch.computes) {
    const Definition* definition = find_definition(program, name);
    fits(definition != nullptr, launch.kernel + " computes the unknown definition " + name);
    Ensure clause;
    clause.buffer = name;
    clause.axis_names = definition->axis_names;
    clause.domain = definition->declaration.extents;
    for (std::size_t d = 0; d < clause.domain.size(); ++d) clause.target.push_back(axis(static_cast<int>(d)));
    clause.value = inliner.body(*definition);
    fits(clause.value->sort == stored_sort(definition->declaration.format),
         name + " is not computed in its stored format");
    collect_functions(clause.value, program, used);
    spec.ensures.push_back(std::move(clause));
  }
  for (const Function& function : program.functions)
    if (used.count(function.name) != 0) spec.functions.push_back(function);
  check_spec(spec);
  return spec;
}

}  // namespace

Term inline_definitions(const Program& formulation, const std::string& definition,
                        const std::vector<std::string>& available) {
  const Definition* found = find_definition(formulation, definition);
  ensure(found != nullptr, "unknown definition " + definition);
  return Inliner(formulation, available).body(*found);
}

std::vector<KernelSpec> derive_specs(const Program& formulation, const LaunchPlan& plan,
                                     const ElementRanges& elements) {
  check_plan(plan);
  std::vector<KernelSpec> specs;
  for (const PlannedLaunch& launch : plan.launches)
    specs.push_back(derive(formulation, plan, launch, elements));
  return specs;
}

}  // namespace hallmark::plan
