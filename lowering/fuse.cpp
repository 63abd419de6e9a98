#include "lowering/fuse.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "lowering/prepare.h"
#include "lowering/shape.h"
#include "lowering/simplify.h"

namespace hallmark::lowering {

using namespace calculus;

namespace {

// A kernel's text should stay readable, and its proof small.
constexpr std::size_t most_nodes = 600;

struct Work {
  std::size_t nodes = 0, operations = 0;
  bool has_fold = false, has_function = false, has_select = false;
};

Work work_of(Term term) {
  Work work;
  for_each_node(term, [&](Term node) {
    ++work.nodes;
    work.has_fold = work.has_fold || node->kind == Kind::fold;
    work.has_select = work.has_select || node->kind == Kind::select;
    if (node->kind != Kind::operation) return;
    ++work.operations;
    work.has_function =
        work.has_function || node->op == Op::custom || node->op == Op::div || node->op == Op::sqrt;
  });
  return work;
}

// How many times a definition may be computed over before it is better kept in memory.
double limit(const Work& work) {
  if (work.has_fold) return 1;
  if (work.has_function || work.has_select) return 2;
  if (work.operations > 0) return 3;
  return 1e18;  // only other indices
}

std::size_t sequential_folds(Term term) {
  std::set<Term> folds;
  for_each_node(term, [&](Term node) {
    if (node->kind == Kind::fold && node->order->kind == Order::Kind::seq && !node->open) folds.insert(node);
  });
  return folds.size();
}

Term replace_loads(Term term, const Definition& producer, Term body) {
  return rewrite(term, [&](Term node) {
    if (node->kind != Kind::load || node->name != producer.declaration.name) return node;
    return instantiate(body, node->children);
  });
}

bool loads(Term term, const std::string& tensor) {
  bool found = false;
  for_each_node(term,
                [&](Term node) { found = found || (node->kind == Kind::load && node->name == tensor); });
  return found;
}

// Whether a fold of the term runs over elements of the tensor.
bool folds_over(Term term, const std::string& tensor) {
  bool found = false;
  for_each_node(term, [&](Term node) { found = found || (node->kind == Kind::fold && loads(node, tensor)); });
  return found;
}

// A kernel that no schedule can write is worse than two that can be written.
bool can_be_lowered(Term before, Term after, std::size_t rank) {
  if (has_strided_fold(after) && !row_shape(after, rank)) return false;
  // A second loop nest beside the first would stand in the way of tiling either.
  const std::size_t folds = sequential_folds(after);
  return folds <= 1 || folds <= sequential_folds(before);
}

// The definition with what it is made of in place, as far as that has no more elements than it, up to the
// first reduction of a row: how it looks once those are fused into the same kernel.
Term with_its_row(const Definition& definition, const Program& program,
                  const std::set<std::string>& outputs) {
  const double count = nominal_count(definition.declaration, program) * 1.001;
  Term body = definition.body;
  for (auto producer = program.definitions.rbegin(); producer != program.definitions.rend(); ++producer) {
    if (has_strided_fold(body) || work_of(body).has_fold) break;
    if (outputs.contains(producer->declaration.name) || !loads(body, producer->declaration.name)) continue;
    if (nominal_count(producer->declaration, program) <= count)
      body = replace_loads(body, *producer, producer->body);
  }
  return body;
}

// Whether a value that has no fold of its own comes out once a row of the user when its producers' folds are
// the folds of that row, as in a deviation made of a variance.
bool is_row_value(const Definition& definition, Term user, const Declaration& declaration,
                  const Program& program, const std::set<std::string>& outputs) {
  if (nominal_count(definition.declaration, program) * 1.999 > nominal_count(declaration, program) ||
      folds_over(user, definition.declaration.name))
    return false;
  const Term body = with_its_row(definition, program, outputs);
  if (!has_strided_fold(body)) return false;
  const Term value =
      simplify_indices(replace_loads(user, definition, body), known_ranges(program, declaration));
  const auto shape = row_shape(value, declaration.extents.size());
  if (!shape || work_of(value).nodes > most_nodes) return false;
  double count = 1;
  for (const int d : shape->rows) count *= nominal(declaration.extents[static_cast<std::size_t>(d)], program);
  const double elements = nominal_count(definition.declaration, program);
  return count <= elements * 1.001 && elements <= count * 1.001;
}

}  // namespace

std::vector<Group> fuse_definitions(const Program& formulation, bool fuse) {
  const std::set<std::string> outputs(formulation.outputs.begin(), formulation.outputs.end());
  const std::set<std::string> fixed = fixed_definitions(formulation);
  std::vector<Group> groups;  // roots found so far, latest definition first
  for (auto definition = formulation.definitions.rbegin(); definition != formulation.definitions.rend();
       ++definition) {
    const std::string& name = definition->declaration.name;
    std::vector<Group*> users;
    for (Group& group : groups)
      if (loads(group.value, name)) users.push_back(&group);
    // What nobody uses is not computed.
    if (users.empty() && outputs.count(name) == 0) continue;
    bool inlined = fuse && outputs.count(name) == 0;
    // What can be computed once for all calls is not computed on each of them inside another kernel.
    if (fixed.contains(name) && worth_preparing(*definition))
      for (const Group* user : users) inlined = inlined && fixed.contains(user->root->declaration.name);
    std::vector<Term> values;
    if (inlined) {
      const Work work = work_of(definition->body);
      double asked = 0;
      for (const Group* user : users) {
        const Declaration& declaration = user->root->declaration;
        const Term value = simplify_indices(replace_loads(user->value, *definition, definition->body),
                                            known_ranges(formulation, declaration));
        values.push_back(value);
        // A product or convolution inside a reduction would leave its threads to the reduction's few rows.
        inlined = inlined && !(sequential_folds(definition->body) > 0 && folds_over(user->value, name)) &&
                  can_be_lowered(user->value, value, declaration.extents.size()) &&
                  work_of(value).nodes <= most_nodes;
        if (!inlined) break;
        // Folds of the definition itself may become folds of a row, so the count is taken where it will
        // stand: as often as its folds' own operands are asked for, or as it is loaded when it has none.
        if (!work.has_fold && is_row_value(*definition, user->value, declaration, formulation, outputs)) {
          asked += nominal_count(definition->declaration, formulation);
          continue;
        }
        asked += evaluations(user->value, name, formulation, declaration);
        if (work.has_fold && row_shape(value, declaration.extents.size())) {
          double rows = 1;
          const auto shape = row_shape(value, declaration.extents.size());
          for (const int d : shape->rows)
            rows *= nominal(declaration.extents[static_cast<std::size_t>(d)], formulation);
          if (has_strided_fold(definition->body))
            asked += rows - evaluations(user->value, name, formulation, declaration);
        }
      }
      inlined = inlined && asked <= limit(work) * nominal_count(definition->declaration, formulation) * 1.001;
    }
    if (!inlined) {
      groups.push_back(
          {&*definition,
           simplify_indices(definition->body, known_ranges(formulation, definition->declaration)),
           {name}});
      continue;
    }
    for (std::size_t u = 0; u < users.size(); ++u) {
      users[u]->value = values[u];
      users[u]->fused.push_back(name);
    }
  }
  std::reverse(groups.begin(), groups.end());
  for (Group& group : groups) std::reverse(group.fused.begin(), group.fused.end());
  return groups;
}

}  // namespace hallmark::lowering
