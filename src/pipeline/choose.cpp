#include "pipeline/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "formulation/suggest_orders.h"
#include "numerics/admission.h"
#include "plan/derive_spec.h"

namespace hallmark::pipeline {
namespace {

using calculus::Program;

constexpr const char* elected_file = "3-selection/elected.hm";
constexpr const char* formulation_file = "3-selection/formulation.hm";
constexpr const char* constants_file = "3-selection/constants.json";
constexpr const char* steps_file = "3-selection/steps.json";
constexpr const char* rules_file = "3-selection/rules.hm";
constexpr const char* selection_file = "3-selection/selection.json";

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

// The value of an index term at given sizes.
Integer at(calculus::Term term, const select::Sizes& sizes) {
  calculus::Substitution values;
  for (const auto& [name, value] : sizes) values[calculus::symbol(name)] = calculus::integer(value);
  const Integer* number = calculus::as_integer(calculus::substitute(term, values));
  ensure(number != nullptr, "a size of the plan that the workload does not determine");
  return *number;
}

// Of the whole grid: what a kernel that reduces a row with a block has more than elements of its output.
Integer threads_of(const plan::Launch& launch, const select::Sizes& sizes) {
  Integer threads = 1;
  for (const auto* extents : {&launch.grid, &launch.block})
    for (const calculus::Term extent : *extents)
      if (extent != nullptr) threads *= at(extent, sizes);
  return threads;
}

// The price of what is launched: one kernel a launch, its work counted from its statement.
select::Price price_plan(std::vector<std::pair<std::string, select::Price>>& launches,
                         const Program& formulation, const plan::LaunchPlan& plan, const select::Sizes& sizes,
                         const select::Pricing& pricing) {
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
                          sizes, pricing, row_axes(spec, clause, sizes));
      work.operations += one.operations;
      work.bytes += one.bytes;
    }
    work.threads = threads_of(spec.launch, sizes);
    const select::Price price = select::price_of(work, pricing);
    launches.push_back({spec.kernel, price});
    total.seconds += price.seconds;
    total.work.operations += work.operations;
    total.work.bytes += work.bytes;
    total.work.threads += work.threads;
  }
  return total;
}

void add_weighted(select::Price& sum, const select::Price& price, const Rational& weight) {
  sum.seconds += weight * price.seconds;
  sum.work.operations += weight * price.work.operations;
  sum.work.bytes += weight * price.work.bytes;
  sum.work.threads = std::max(sum.work.threads, price.work.threads);
}

class Chooser {
 public:
  Chooser(const Program& authored, const contract::Contract& contract, const Space& space,
          const Context& context)
      : authored_(authored),
        contract_(contract),
        space_(space),
        context_(context),
        pricing_(context.pricing()) {
    for (const select::WorkloadPoint& point : context.workload.points) total_weight_ += point.weight;
  }

  Selection run() {
    for (std::size_t i = 0; i < space_.routes.size(); ++i) candidate(space_.routes[i], i == 0);
    const std::size_t best = elect();
    Candidate& elected = candidates_[best];
    Selection out;
    out.record = record(elected);
    out.context = context_;
    out.fused = elected.route.fused;
    std::set<std::string> used;
    for (const search::Step& step : elected.route.steps) used.insert(step.rule);
    for (const rules::RuleFamily& family : space_.rules)
      if (std::any_of(family.instances.begin(), family.instances.end(),
                      [&](const rules::Rule& rule) { return used.contains(rule.name); }))
        out.rules.push_back(family);
    // Places in the receipt are places in the bundle, wherever the rules came from.
    if (!out.rules.empty()) out.rules = rules::parse_rules(rules_text(out.rules), rules_file);
    out.steps = std::move(elected.route.steps);
    out.elected = std::move(elected.route.exact);
    out.formulation = std::move(elected.formulation);
    out.artifact = std::move(elected.artifact);
    return out;
  }

 private:
  void candidate(const Route& route, bool must) {
    Candidate c;
    c.route = route;
    try {
      formulation::Options options;
      options.fused_multiply_add = contract_.fma;
      options.orders = permitted(formulation::suggest_orders(c.route.exact));
      c.formulation = formulation::formulate(c.route.exact, options);
      c.artifact = lowering::lower(c.formulation.program, schedule_of(route.fused));
      price(c);
      const std::vector<std::string> violations = numerics::contract_violations(
          {c.route.exact, c.formulation.program, c.formulation.constants, contract_});
      c.rejected = !violations.empty() ? violations.front() : violated_constraint(c);
    } catch (const Refusal& refusal) {
      if (must) throw;
      c.rejected = refusal.message();
      unpriced_ = true;
    }
    candidates_.push_back(std::move(c));
  }

  void price(Candidate& c) const {
    for (const select::WorkloadPoint& point : context_.workload.points) {
      std::vector<std::pair<std::string, select::Price>> launches;
      const select::Price one =
          price_plan(launches, c.formulation.program, c.artifact.plan, point.sizes, pricing_);
      const Rational weight = point.weight / total_weight_;
      c.seconds.push_back(one.seconds);
      add_weighted(c.price, one, weight);
      c.launches.resize(launches.size());
      for (std::size_t i = 0; i < launches.size(); ++i) {
        c.launches[i].first = launches[i].first;
        add_weighted(c.launches[i].second, launches[i].second, weight);
      }
    }
  }

  std::string violated_constraint(const Candidate& c) const {
    const select::Constraints& demands = context_.constraints;
    const auto broken = [&](const std::string& what) {
      return fmt::format("constraint of '{}': {}", demands.name, what);
    };
    const std::string schedule = c.route.fused ? "fused" : "separate";
    if (!demands.permits_schedule(schedule))
      return broken("the schedule '" + schedule + "' is not permitted");
    for (const search::Step& step : c.route.steps)
      if (demands.forbids_rule(step.rule)) return broken("the rule " + step.rule + " is forbidden");
    const std::size_t kernels = c.artifact.plan.launches.size();
    if (demands.max_kernels && Integer(kernels) > *demands.max_kernels)
      return broken(fmt::format("{} kernels, {} permitted", kernels, demands.max_kernels->get_str()));
    for (std::size_t i = 0; i < c.seconds.size(); ++i) {
      if (demands.max_seconds && c.seconds[i] > *demands.max_seconds)
        return broken(fmt::format("{} modelled seconds at point {}, {} permitted", seconds_text(c.seconds[i]),
                                  i + 1, seconds_text(*demands.max_seconds)));
      const Integer arena = at(c.artifact.plan.arena_bytes, context_.workload.points[i].sizes);
      if (demands.max_arena_bytes && arena > *demands.max_arena_bytes)
        return broken(fmt::format("{} bytes between kernels at point {}, {} permitted", arena.get_str(),
                                  i + 1, demands.max_arena_bytes->get_str()));
    }
    return {};
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

  std::size_t elect() const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidates_[i].rejected.empty() &&
          (!best || candidates_[i].price.seconds < candidates_[*best].price.seconds))
        best = i;
    if (best) return *best;
    std::string why;
    for (const Candidate& c : candidates_) why += fmt::format("\n  {}: {}", c.route.name, c.rejected);
    throw Refusal("E7402", "no route keeps the contract and the constraints:" + why);
  }

  // The election looks at every retained route, so it is optimal over these; it says `best found` where the
  // space was cut off or a route could not be priced. The gap is to a bound that no route can come under.
  std::string election(const Rational& elected, const Rational& bound) const {
    const bool optimal = space_.saturated && !unpriced_;
    const Rational excess = (elected - bound) * 100 / bound;
    const Integer percent = floor_div(excess.get_num(), excess.get_den());
    return fmt::format(
        "{}: the cheapest of {} retained routes{}; at most {} % above what any route needs under this model",
        optimal ? "optimal over what was retained" : "best found", candidates_.size(),
        optimal            ? ""
        : space_.saturated ? ", one of which could not be lowered"
                           : ", from a space that was cut off by its budget",
        Integer(percent + 1).get_str());
  }

  json::value record(const Candidate& elected) const {
    json::array prices;
    for (const Candidate& c : candidates_) {
      json::array kernels, points;
      for (const auto& [kernel, price] : c.launches)
        kernels.push_back(json::object{{"kernel", text_of(kernel)},
                                       {"modelled_seconds", text_of(seconds_text(price.seconds))},
                                       {"operations", text_of(price.work.operations.get_str())},
                                       {"bytes", text_of(price.work.bytes.get_str())}});
      for (const Rational& seconds : c.seconds) points.push_back(text_of(seconds_text(seconds)));
      prices.push_back(json::object{{"name", text_of(c.route.name)},
                                    {"modelled_seconds", text_of(seconds_text(c.price.seconds))},
                                    {"modelled_seconds_by_point", points},
                                    {"operations", text_of(c.price.work.operations.get_str())},
                                    {"bytes", text_of(c.price.work.bytes.get_str())},
                                    {"launches", c.artifact.plan.launches.size()},
                                    {"kernels", kernels},
                                    {"rejected", text_of(c.rejected)}});
    }
    json::array points;
    Rational bound = 0;
    for (const select::WorkloadPoint& point : context_.workload.points) {
      json::object sizes;
      for (const auto& [name, value] : point.sizes) sizes[text_of(name)] = text_of(value.get_str());
      points.push_back(json::object{{"weight", text_of(point.weight.get_str())}, {"sizes", sizes}});
      bound += point.weight / total_weight_ * select::lower_bound(authored_, point.sizes, pricing_);
    }
    const std::map<std::string, std::string> parts = context_parts(context_, contract_);
    json::object digests;
    for (const auto& [part, digest] : parts) digests[part] = digest;
    return json::object{
        {"note", "All figures are modelled, not measured; a price is never a proof."},
        {"context", json::object{{"parts", digests}, {"sha256", context_digest(parts)}}},
        {"target", text_of(context_.target.name)},
        {"cost_model", text_of(context_.model.name)},
        {"constraints", text_of(context_.constraints.name)},
        {"workload", json::object{{"name", text_of(context_.workload.name)},
                                  {"metric", text_of(std::string(name(context_.workload.metric)))},
                                  {"points", points}}},
        {"candidates", prices},
        {"elected", text_of(elected.route.name)},
        {"schedule", elected.route.fused ? "fused" : "separate"},
        {"election", text_of(election(elected.price.seconds, bound))},
        {"lower_bound_seconds", text_of(seconds_text(bound))},
        {"one_kernel_a_definition_seconds", text_of(seconds_text(candidates_[0].price.seconds))},
        {"elected_seconds", text_of(seconds_text(elected.price.seconds))}};
  }

  const Program& authored_;
  const contract::Contract& contract_;
  const Space& space_;
  const Context& context_;
  const select::Pricing pricing_;
  Rational total_weight_ = 0;
  std::vector<Candidate> candidates_;
  bool unpriced_ = false;
};

}  // namespace

lowering::Schedule schedule_of(bool fused) {
  lowering::Schedule out;
  out.fuse = fused;
  return out;
}

Selection choose(const Program& authored, const contract::Contract& contract, const Space& space,
                 const Context& context, const Tell& tell) {
  tell("formulating, lowering and pricing candidates");
  return Chooser(authored, contract, space, context).run();
}

Files selection_files(const Selection& s, const Program& authored, const contract::Contract& contract) {
  Files out = context_files(s.context, contract);
  out[elected_file] = calculus::text::print_program(s.elected);
  out[formulation_file] = calculus::text::print_program(s.formulation.program);
  out[constants_file] = canonical_json(constants_json(s.formulation.constants));
  out[steps_file] = canonical_json(steps_json(s.steps, authored));
  if (!s.rules.empty()) out[rules_file] = rules_text(s.rules);
  out[selection_file] = canonical_json(s.record);
  return out;
}

Selection read_selection(const StageReader& in, const Program& authored, const contract::Contract& contract) {
  Selection out;
  out.context = read_context(in, contract);
  const auto constants = constants_of(authored);
  out.elected = calculus::text::parse_program(in.read(elected_file), elected_file, constants);
  out.formulation.program =
      calculus::text::parse_program(in.read(formulation_file), formulation_file, constants);
  out.formulation.constants = read_constants(parse_json(in.read(constants_file), constants_file));
  out.steps = read_steps(parse_json(in.read(steps_file), steps_file), steps_file);
  if (in.has(rules_file)) out.rules = rules::parse_rules(in.read(rules_file), rules_file);
  out.record = parse_json(in.read(selection_file), selection_file);
  const std::string recorded = string_of(out.record.at("context").at("sha256"));
  if (recorded != context_digest(context_parts(out.context, contract)))
    mismatch("the selection was made under another context than the one beside it");
  out.fused = string_of(out.record.at("schedule")) == "fused";
  return out;
}

}  // namespace hallmark::pipeline
