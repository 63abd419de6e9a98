#include "pipeline/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "formulation/suggest_orders.h"
#include "numerics/admission.h"
#include "plan/derive_spec.h"
#include "rules/prove_rule.h"

namespace hallmark::pipeline {
namespace {

using calculus::Program;

json::string text_of(const std::string& s) {
  return json::string(s.data(), s.size());
}

// Seconds as a decimal text with twelve digits after the point: a price is compared exactly and shown
// shortly.
std::string seconds_text(const Rational& seconds) {
  const Integer picoseconds =
      floor_div(Integer(seconds.get_num() * Integer("1000000000000")), Integer(seconds.get_den()));
  std::string digits = picoseconds.get_str();
  if (digits.size() < 13) digits.insert(0, 13 - digits.size(), '0');
  return digits.substr(0, digits.size() - 12) + "." + digits.substr(digits.size() - 12);
}

// How many leading axes a block of this launch keeps fixed, where the statement has a reduction over the
// threads of a block; -1 for one thread an element.
int row_axes(const plan::KernelSpec& spec, const plan::Ensure& clause, const select::Sizes& sizes) {
  bool by_block = false;
  calculus::for_each_node(clause.value, [&](calculus::Term n) {
    by_block = by_block || (n->kind == calculus::Kind::fold && n->order->kind != calculus::Order::Kind::seq &&
                            n->order->kind != calculus::Order::Kind::any);
  });
  if (!by_block || spec.launch.grid[0] == nullptr) return -1;
  calculus::Substitution values;
  for (const auto& [name, value] : sizes) values[calculus::symbol(name)] = calculus::integer(value);
  const calculus::Term grid = calculus::substitute(spec.launch.grid[0], values);
  calculus::Term rows = calculus::integer(1L);
  for (std::size_t d = 0; d < clause.domain.size(); ++d) {
    if (rows == grid) return static_cast<int>(d);
    rows = calculus::multiply(rows, calculus::substitute(clause.domain[d], values));
  }
  return rows == grid ? static_cast<int>(clause.domain.size()) : -1;
}

// The price of what is launched: one kernel a launch, its work counted from its statement.
select::Price price_plan(std::vector<std::pair<std::string, select::Price>>& launches,
                         const Program& formulation, const plan::LaunchPlan& plan, const select::Sizes& sizes,
                         const select::Target& target) {
  select::Price total;
  for (const plan::KernelSpec& spec : plan::derive_specs(formulation, plan)) {
    std::map<std::string, calculus::Declaration> tensors;
    for (const plan::Parameter& p : spec.parameters)
      if (p.buffer) tensors[p.buffer->declaration.name] = p.buffer->declaration;
    select::Work work;
    for (const plan::Ensure& clause : spec.ensures) {
      const calculus::Declaration declaration{clause.buffer, tensors.at(clause.buffer).format, clause.domain};
      const select::Work one =
          select::work_of(calculus::expand_functions(clause.value, spec.functions), declaration, tensors,
                          sizes, target, row_axes(spec, clause, sizes));
      work.operations += one.operations;
      work.bytes += one.bytes;
      work.elements = std::max(work.elements, one.elements);
    }
    const select::Price price = select::price_of(work, target);
    launches.push_back({spec.kernel, price});
    total.seconds += price.seconds;
    total.work.operations += work.operations;
    total.work.bytes += work.bytes;
    total.work.elements += work.elements;
  }
  return total;
}

class Chooser {
 public:
  Chooser(const Program& authored, const contract::Contract& contract, const ChooseOptions& options,
          smt::Portfolio& portfolio, const std::function<void(const std::string&)>& progress)
      : authored_(authored),
        contract_(contract),
        options_(options),
        portfolio_(portfolio),
        progress_(progress) {}

  Choice run() {
    Choice out;
    progress_("searching alternatives");
    const std::vector<rules::Rule> rules = proved_rules();
    const search::Search search = search::grow(authored_, rules, options_.budget);
    const search::Extraction best = search::extract(
        search, authored_.outputs,
        [&](const search::ENode& node, const search::EGraph& graph) { return node_cost(node, graph); });
    out.space = space(search, rules);
    progress_("formulating, lowering and pricing candidates");
    candidate(out, "authored, one kernel a definition", authored_, {}, false);
    candidate(out, "authored, fused", authored_, {}, true);
    search::Explanation why = search::explain(search, best.choice, rules, authored_);
    if (!why.steps.empty()) {
      Program rewritten = search::to_program(search, best.choice, authored_);
      candidate(out, "rewritten, fused", std::move(rewritten), std::move(why.steps), true);
    }
    elect(out);
    return out;
  }

 private:
  // Only rules that can fire are put to the solvers, and only proved ones are applied.
  std::vector<rules::Rule> proved_rules() {
    std::vector<rules::Rule> all;
    std::vector<std::size_t> family_of;
    for (std::size_t f = 0; f < options_.library.size(); ++f)
      for (const rules::Rule& rule : options_.library[f].instances) {
        all.push_back(rule);
        family_of.push_back(f);
      }
    const search::Search trial = search::grow(authored_, all, options_.budget);
    std::set<std::size_t> fired;
    for (const search::Application& a : trial.applications) fired.insert(family_of[a.rule]);
    std::vector<rules::Rule> proved;
    for (std::size_t f : fired) {
      progress_("proving rule " + options_.library[f].name);
      const Obligation o = rules::prove_family(options_.library[f], portfolio_);
      states_[options_.library[f].name] = std::string(name(o.outcome.state));
      if (o.outcome.state != State::proved) continue;
      for (const rules::Rule& rule : options_.library[f].instances) {
        proved.push_back(rule);
        families_[rule.name] = f;
      }
    }
    return proved;
  }

  Rational node_cost(const search::ENode& node, const search::EGraph& graph) const {
    if (node.payload == nullptr) return 0;
    std::map<std::string, calculus::Declaration> tensors;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const search::Shape& shape = graph.shape(node.children[i]);
      tensors["$" + std::to_string(i)] = {"$" + std::to_string(i), shape.format, shape.extents};
    }
    return select::price_of(select::work_of(node.payload, {"y", node.shape.format, node.shape.extents},
                                            tensors, options_.sizes, options_.target),
                            options_.target)
        .seconds;
  }

  json::value space(const search::Search& search, const std::vector<rules::Rule>& rules) const {
    json::array iterations, applications;
    for (const search::Iteration& i : search.iterations) {
      json::object fired;
      for (std::size_t r = 0; r < rules.size(); ++r)
        if (i.fired[r] != 0) fired[text_of(rules[r].name)] = i.fired[r];
      iterations.push_back(json::object{{"nodes", i.nodes}, {"classes", i.classes}, {"fired", fired}});
    }
    for (const search::Application& a : search.applications)
      applications.push_back(
          json::object{{"rule", text_of(rules[a.rule].name)}, {"left", a.left}, {"right", a.right}});
    json::object states;
    for (const auto& [rule, state] : states_) states[text_of(rule)] = text_of(state);
    return json::object{{"stop", text_of(std::string(search::name(search.stop)))},
                        {"budget", json::object{{"nodes", options_.budget.nodes},
                                                {"iterations", options_.budget.iterations},
                                                {"applications", options_.budget.applications}}},
                        {"nodes", search.graph.node_count()},
                        {"iterations", iterations},
                        {"applications", applications},
                        {"rules", states}};
  }

  void candidate(Choice& out, const std::string& name, Program exact, std::vector<search::Step> steps,
                 bool fuse) {
    Candidate c;
    c.name = name;
    c.steps = std::move(steps);
    c.exact = std::move(exact);
    const bool must = out.candidates.empty();
    try {
      formulation::Options options;
      options.fused_multiply_add = contract_.fma;
      if (fuse) options.orders = permitted(formulation::suggest_orders(c.exact));
      c.formulation = formulation::formulate(c.exact, options);
      lowering::Schedule schedule;
      schedule.fuse = fuse;
      schedule.tile = fuse;
      c.artifact = lowering::lower(c.formulation.program, schedule);
      c.price =
          price_plan(c.launches, c.formulation.program, c.artifact.plan, options_.sizes, options_.target);
      const std::vector<std::string> violations =
          numerics::contract_violations({c.exact, c.formulation.program, c.formulation.constants, contract_});
      if (!violations.empty()) c.rejected = violations.front();
    } catch (const Refusal& refusal) {
      if (must) throw;
      c.rejected = refusal.message();
    }
    out.candidates.push_back(std::move(c));
  }

  std::map<std::string, const calculus::Order*> permitted(
      std::map<std::string, const calculus::Order*> orders) const {
    const std::vector<std::string>& allowed = contract_.orders;
    const auto has = [&](const char* word) {
      return std::find(allowed.begin(), allowed.end(), word) != allowed.end();
    };
    if (!has("any") && !(has("strided") && has("blocked") && has("tree"))) orders.clear();
    return orders;
  }

  void elect(Choice& out) const {
    bool found = false;
    for (std::size_t i = 0; i < out.candidates.size(); ++i) {
      const Candidate& c = out.candidates[i];
      if (!c.rejected.empty()) continue;
      if (!found || c.price.seconds < out.candidates[out.elected].price.seconds) out.elected = i;
      found = true;
    }
    if (!found) throw Refusal("E7402", "no candidate keeps the contract: " + out.candidates[0].rejected);
    const Candidate& elected = out.candidates[out.elected];
    std::set<std::size_t> used;
    for (const search::Step& step : elected.steps) used.insert(families_.at(step.rule));
    for (std::size_t f : used) out.rules.push_back(options_.library[f]);
    json::array prices;
    for (const Candidate& c : out.candidates) {
      json::array kernels;
      for (const auto& [kernel, price] : c.launches)
        kernels.push_back(json::object{{"kernel", text_of(kernel)},
                                       {"modelled_seconds", text_of(seconds_text(price.seconds))},
                                       {"operations", text_of(price.work.operations.get_str())},
                                       {"bytes", text_of(price.work.bytes.get_str())}});
      prices.push_back(json::object{{"name", text_of(c.name)},
                                    {"modelled_seconds", text_of(seconds_text(c.price.seconds))},
                                    {"operations", text_of(c.price.work.operations.get_str())},
                                    {"bytes", text_of(c.price.work.bytes.get_str())},
                                    {"launches", c.artifact.plan.launches.size()},
                                    {"kernels", kernels},
                                    {"rejected", text_of(c.rejected)}});
    }
    json::object sizes;
    for (const auto& [name, value] : options_.sizes) sizes[text_of(name)] = text_of(value.get_str());
    out.record = json::object{
        {"note", "All figures are modelled, not measured; a price is never a proof."},
        {"target", text_of(options_.target.name)},
        {"target_sha256", text_of(options_.target.sha256)},
        {"cost_model", "roofline with launch overhead, version 1"},
        {"workload", sizes},
        {"candidates", prices},
        {"elected", text_of(elected.name)},
        {"election",
         "best found: the cheapest admitted candidate of those listed; extraction by tree cost claims no "
         "optimum over the e-graph"},
        {"one_kernel_a_definition_seconds", text_of(seconds_text(out.candidates[0].price.seconds))},
        {"elected_seconds", text_of(seconds_text(elected.price.seconds))}};
  }

  const Program& authored_;
  const contract::Contract& contract_;
  const ChooseOptions& options_;
  smt::Portfolio& portfolio_;
  const std::function<void(const std::string&)>& progress_;
  std::map<std::string, std::string> states_;
  std::map<std::string, std::size_t> families_;
};

}  // namespace

Choice choose(const Program& authored, const contract::Contract& contract, const ChooseOptions& options,
              smt::Portfolio& portfolio, const std::function<void(const std::string&)>& progress) {
  return Chooser(authored, contract, options, portfolio, progress).run();
}

}  // namespace hallmark::pipeline
