#include "lowering/lower.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.h"
#include "base/sha256.h"
#include "lowering/fuse.h"
#include "lowering/kernel.h"
#include "lowering/memory.h"
#include "lowering/names.h"
#include "lowering/prepare.h"
#include "lowering/shape.h"
#include "plan/derive_spec.h"

namespace hallmark::lowering {

using namespace calculus;

namespace {

// "MatMul_7 (MatMul)" -> "matmul"; without an authored node, the definition's own name.
std::string operation_word(const Definition& definition) {
  const std::size_t from = definition.origin.rfind('('), to = definition.origin.rfind(')');
  std::string word = definition.declaration.name;
  if (from != std::string::npos && to != std::string::npos && to > from + 1)
    word = definition.origin.substr(from + 1, to - from - 1);
  std::string out;
  for (const char c : identifier(word)) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Words of the fused definitions' operations, in order, each once, at most four: "matmul_add_div".
std::string group_words(const Program& program, const Group& group) {
  std::vector<std::string> words;
  for (const std::string& name : group.fused) {
    const std::string word = operation_word(*find_definition(program, name));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == 3 && words.size() > 4) {
      out += "_etc";
      break;
    }
    out += (i > 0 ? "_" : "") + words[i];
  }
  return out;
}

bool worth_tiling(const KernelRequest& request) {
  const std::vector<Term>& extents = request.domain;
  const auto shape = matmul_shape(request.value, extents);
  if (!shape) return false;
  const Integer &rows = *as_integer(extents[static_cast<std::size_t>(shape->row)]),
                &columns = *as_integer(extents[static_cast<std::size_t>(shape->column)]),
                &depth = *as_integer(shape->parts.extent);
  Term batches = integer(1L);
  for (int d = 0; d < static_cast<int>(extents.size()); ++d)
    if (d != shape->row && d != shape->column)
      batches = multiply(batches, extents[static_cast<std::size_t>(d)]);
  const Integer* batch_count = as_integer(batches);
  return rows >= 16 && columns >= 16 && depth >= 16 && rows <= 16 * 65535 && columns < power_of_two(31) &&
         (batch_count == nullptr || *batch_count <= 65535);
}

// An axis of extent 1 has one index, and no text has to compute it.
void fix_unit_axes(KernelRequest& request) {
  Substitution units;
  for (std::size_t d = 0; d < request.domain.size(); ++d)
    if (is_unit(request.domain[d])) units[axis(static_cast<int>(d))] = integer(0L);
  if (units.empty()) return;
  request.value = substitute(request.value, units);
  for (Term& index : request.target) index = substitute(index, units);
}

// The tensors that stay in memory of which the term is made, through the definitions that do not.
void collect_inputs(const Program& program, Term term, const std::set<std::string>& computed_inside,
                    std::set<std::string>& visited, std::vector<std::string>& out) {
  for_each_node(term, [&](Term node) {
    if (node->kind != Kind::load || !visited.insert(node->name).second) return;
    if (computed_inside.contains(node->name))
      collect_inputs(program, find_definition(program, node->name)->body, computed_inside, visited, out);
    else
      out.push_back(node->name);
  });
}

Kernel write_kernel(const KernelRequest& request, const Schedule& schedule) {
  if (row_shape(request.value, request.domain.size())) return block_per_row(request);
  if (schedule.tile) {
    if (worth_tiling(request)) return tiled_matmul(request);
    KernelRequest split = request;
    split_axes(split);
    if (worth_tiling(split)) return tiled_matmul(split);
  }
  return thread_per_element(request);
}

// Every step of a plan is ordered after what it reads and after who last used the memory that it writes.
void add_edges(plan::LaunchPlan& plan) {
  std::set<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t later = 1; later < plan.launches.size(); ++later) edges.emplace(later - 1, later);
  plan.edges.assign(edges.begin(), edges.end());
}

// Sizes that are symbols must stay where a launch is possible and fit the kernel's parameters; the runtime
// checks the requirements before the first launch.
void require_launchable(plan::LaunchPlan& plan) {
  const auto require = [&](Term value, const Integer& limit) {
    const Term condition = subtract(integer(limit), value);
    if (as_integer(condition) == nullptr &&
        std::find(plan.requirements.begin(), plan.requirements.end(), condition) == plan.requirements.end())
      plan.requirements.push_back(condition);
  };
  for (const plan::PlannedLaunch& launch : plan.launches) {
    for (int d = 0; d < 3; ++d)
      if (launch.grid[d] != nullptr) require(launch.grid[d], d == 0 ? Integer(2147483647L) : Integer(65535L));
    for (const plan::Argument& argument : launch.arguments)
      if (argument.scalar != nullptr)
        require(argument.scalar, power_of_two(storage_bits(argument.scalar_format)) - 1);
  }
}

// What declares the types and conversions of half and bfloat16.
void include_headers(Kernel& kernel) {
  const auto names = [&](std::string_view type) {
    return std::any_of(kernel.lines.begin(), kernel.lines.end(),
                       [&](const Line& line) { return line.text.find(type) != std::string::npos; });
  };
  std::vector<Line> includes;
  if (names("__half")) includes.push_back({"#include <cuda_fp16.h>", {}});
  if (names("__nv_bfloat16")) includes.push_back({"#include <cuda_bf16.h>", {}});
  kernel.lines.insert(kernel.lines.begin(), includes.begin(), includes.end());
}

}  // namespace

Artifact lower(const Program& formulation, const Schedule& schedule) {
  Artifact artifact;
  plan::LaunchPlan& plan = artifact.plan;
  plan.symbols = formulation.symbols;
  const std::set<std::string> outputs(formulation.outputs.begin(), formulation.outputs.end());
  for (const std::string& output : formulation.outputs)
    if (find_definition(formulation, output) == nullptr)
      throw Refusal("E7205", "the output " + output + " is an input or a constant; nothing computes it",
                    {.node = output});
  std::set<std::string> read;
  NameSet names;
  const std::set<std::string> fixed = fixed_definitions(formulation);
  const auto prepared = [&](const std::string& name) { return fixed.contains(name); };
  // What runs once stands first: it needs nothing of what runs on each call.
  std::vector<Group> groups = fuse_definitions(formulation, schedule.fuse);
  std::stable_partition(groups.begin(), groups.end(),
                        [&](const Group& g) { return prepared(g.root->declaration.name); });
  std::set<std::string> inside;  // definitions without a buffer
  for (const Definition& definition : formulation.definitions) inside.insert(definition.declaration.name);
  for (const Group& group : groups) inside.erase(group.root->declaration.name);
  for (const Group& group : groups) {
    KernelRequest request;
    std::set<std::string> visited;
    collect_inputs(formulation, group.root->body, inside, visited, request.inputs);
    request.formulation = &formulation;
    request.definition = group.root;
    request.value = group.value;
    request.fused = group.fused;
    request.domain = group.root->declaration.extents;
    for (std::size_t d = 0; d < request.domain.size(); ++d)
      request.target.push_back(axis(static_cast<int>(d)));
    fix_unit_axes(request);
    request.kernel =
        names.unique(group_words(formulation, group) + "_" + std::to_string(artifact.kernels.size() + 1));
    request.threads = schedule.threads;
    Kernel kernel = write_kernel(request, schedule);
    include_headers(kernel);
    KernelFile file{request.kernel + ".cu", request.kernel, {}};
    for (std::size_t i = 0; i < kernel.lines.size(); ++i) {
      file.text += kernel.lines[i].text + "\n";
      const std::string& name = kernel.lines[i].definition;
      if (!name.empty())
        artifact.map.push_back({file.name, i + 1, name, find_definition(formulation, name)->origin});
    }
    kernel.launch.prepare = prepared(group.root->declaration.name);
    kernel.launch.source = file.name;
    kernel.launch.source_sha256 = sha256_hex(file.text);
    for (const plan::Argument& argument : kernel.launch.arguments) read.insert(argument.buffer);
    plan.launches.push_back(std::move(kernel.launch));
    for (Term requirement : kernel.requirements)
      if (std::find(plan.requirements.begin(), plan.requirements.end(), requirement) ==
          plan.requirements.end())
        plan.requirements.push_back(requirement);
    artifact.kernels.push_back(std::move(file));
  }
  const auto add_buffer = [&](const Declaration& declaration, plan::Role role) {
    if (read.count(declaration.name) != 0) plan.buffers.push_back({declaration, role, nullptr});
  };
  for (const Declaration& input : formulation.inputs) add_buffer(input, plan::Role::input);
  for (const Constant& constant : formulation.constants)
    add_buffer(constant.declaration, plan::Role::constant);
  for (const Definition& definition : formulation.definitions)
    add_buffer(definition.declaration, outputs.count(definition.declaration.name) != 0 ? plan::Role::output
                                       : prepared(definition.declaration.name)         ? plan::Role::prepared
                                                                                       : plan::Role::arena);
  plan_memory(plan);
  require_launchable(plan);
  add_edges(plan);
  plan::check_plan(plan);
  return artifact;
}

json::value map_to_json(const std::vector<LineOrigin>& map) {
  json::array out;
  for (const LineOrigin& entry : map)
    out.push_back(json::object{{"file", entry.file},
                               {"line", entry.line},
                               {"definition", entry.definition},
                               {"origin", entry.origin}});
  return out;
}

}  // namespace hallmark::lowering
