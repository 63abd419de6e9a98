#include "pipeline/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "formulation/erase.h"
#include "pipeline/admit.h"
#include "pipeline/fit.h"
#include "pipeline/planes.h"

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

class Chooser {
 public:
  Chooser(const Program& authored, const contract::Contract& contract, const Space& space,
          const Context& context, const Tell& tell)
      : authored_(authored),
        contract_(contract),
        space_(space),
        context_(context),
        pricing_(context.pricing()),
        tell_(tell) {
    for (const select::WorkloadPoint& point : context.workload.points) total_weight_ += point.weight;
  }

  Selection run() {
    const std::vector<Variant> variants = permitted_variants(contract_);
    for (std::size_t r = 0; r < space_.routes.size(); ++r)
      for (const Variant& variant : variants)
        if (r == 0 || worth_trying(variant)) candidate(space_.routes[r], variant, r == 0);
    tell_(fmt::format("admitting the cheapest of {} candidates", candidates_.size()));
    Admission admission(contract_, candidates_.front());
    const std::size_t best = elect(admission);
    for (const Plane plane : all_planes) planes_.push_back(cheapest_on(plane, admission));
    examine_each_route(admission);
    Candidate& elected = candidates_[best];
    Selection out;
    out.record = record(best);
    out.context = context_;
    out.fused = elected.variant.fused;
    std::set<std::string> used;
    for (const search::Step& step : elected.route->steps) used.insert(step.rule);
    for (const rules::RuleFamily& family : space_.rules)
      if (std::any_of(family.instances.begin(), family.instances.end(),
                      [&](const rules::Rule& rule) { return used.contains(rule.name); }))
        out.rules.push_back(family);
    // Places in the receipt are places in the bundle, wherever the rules came from.
    if (!out.rules.empty()) out.rules = rules::parse_rules(rules_text(out.rules), rules_file);
    out.steps = elected.route->steps;
    out.elected = elected.route->exact;
    out.formulation = std::move(elected.formulation);
    out.artifact = std::move(elected.artifact);
    return out;
  }

 private:
  // Of a large program only what the planes need and what is likely to be cheap, so that pricing stays short.
  bool worth_trying(const Variant& v) const {
    if (authored_.definitions.size() * space_.routes.size() <= small_space) return true;
    return v == reference_variant || (v.fused && v.rows && v.fma != Variant::Contraction::none);
  }

  void candidate(const Route& route, const Variant& variant, bool must) {
    Candidate c;
    try {
      c = make_candidate(route, variant, context_);
      for (const Candidate& other : candidates_)
        if (other.variant.fused == variant.fused && !other.unpriced &&
            formulation::same_program(other.formulation.program, c.formulation.program))
          return;  // the variants do not differ for this program
      c.rejected = violated_constraint(c);
    } catch (const Refusal& refusal) {
      if (must) throw;
      c.route = &route;
      c.variant = variant;
      c.rejected = refusal.message();
      c.unpriced = true;
    }
    candidates_.push_back(std::move(c));
  }

  std::string violated_constraint(const Candidate& c) const {
    const select::Constraints& demands = context_.constraints;
    const auto broken = [&](const std::string& what) {
      return fmt::format("constraint of '{}': {}", demands.name, what);
    };
    const std::string schedule = c.variant.fused ? "fused" : "separate";
    if (!demands.permits_schedule(schedule))
      return broken("the schedule '" + schedule + "' is not permitted");
    for (const search::Step& step : c.route->steps)
      if (demands.forbids_rule(step.rule)) return broken("the rule " + step.rule + " is forbidden");
    const std::size_t kernels = c.artifact.plan.launches.size();
    if (demands.max_kernels && Integer(kernels) > *demands.max_kernels)
      return broken(fmt::format("{} kernels, {} permitted", kernels, demands.max_kernels->get_str()));
    for (std::size_t i = 0; i < c.seconds.size(); ++i) {
      if (demands.max_seconds && c.seconds[i] > *demands.max_seconds)
        return broken(fmt::format("{} modelled seconds at point {}, {} permitted", seconds_text(c.seconds[i]),
                                  i + 1, seconds_text(*demands.max_seconds)));
      const Integer bytes =
          value_at(c.artifact.plan.arena_bytes, context_.workload.points[i].sizes) + c.kept_bytes;
      if (demands.max_arena_bytes && bytes > *demands.max_arena_bytes)
        return broken(fmt::format("{} bytes between kernels at point {}, {} permitted", bytes.get_str(),
                                  i + 1, demands.max_arena_bytes->get_str()));
    }
    return {};
  }

  // Numbers of candidates, the cheapest first; of equal prices the earlier one.
  std::vector<std::size_t> by_price(const std::function<bool(const Candidate&)>& wanted) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidates_[i].rejected.empty() && wanted(candidates_[i])) out.push_back(i);
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
      return candidates_[a].price.seconds < candidates_[b].price.seconds;
    });
    return out;
  }

  std::optional<std::size_t> cheapest_admitted(const std::function<bool(const Candidate&)>& wanted,
                                               Admission& admission) {
    for (const std::size_t i : by_price(wanted)) {
      admission.examine(candidates_[i]);
      if (candidates_[i].rejected.empty()) return i;
    }
    return std::nullopt;
  }

  std::size_t elect(Admission& admission) {
    const auto best = cheapest_admitted([](const Candidate&) { return true; }, admission);
    if (best) return *best;
    std::string why;
    for (const Candidate& c : candidates_) why += fmt::format("\n  {}: {}", c.name(), c.rejected);
    throw Refusal("E7402", "no route keeps the contract and the constraints:" + why);
  }

  std::optional<std::size_t> cheapest_on(Plane plane, Admission& admission) {
    return cheapest_admitted([&](const Candidate& c) { return moves_only_on(plane, c); }, admission);
  }

  // Of every route at least the cheapest candidate is looked at, so that the record says what is wrong with a
  // route also where it would not have been elected.
  void examine_each_route(Admission& admission) {
    for (const Route& route : space_.routes) {
      const std::vector<std::size_t> all = by_price([&](const Candidate& c) { return c.route == &route; });
      if (!all.empty()) admission.examine(candidates_[all.front()]);
    }
  }

  // The election looks at every retained candidate, so it is optimal over these; it says `best found` where
  // the space was cut off or a candidate could not be priced. The gap is to a bound that nothing can come
  // under.
  std::string election(const Rational& elected, const Rational& bound) const {
    const bool priced =
        std::none_of(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return c.unpriced; });
    const bool optimal = space_.saturated && priced;
    const Rational excess = (elected - bound) * 100 / bound;
    const Integer percent = floor_div(excess.get_num(), excess.get_den());
    return fmt::format(
        "{}: the cheapest admitted of {} retained candidates{}; at most {} % above what any needs under this "
        "model",
        optimal ? "optimal over what was retained" : "best found", candidates_.size(),
        optimal            ? ""
        : space_.saturated ? ", one of which could not be lowered"
                           : ", from a space that was cut off by its budget",
        Integer(percent + 1).get_str());
  }

  static json::object prepare_json(const Candidate& c) {
    std::size_t launches = 0;
    for (const plan::PlannedLaunch& launch : c.artifact.plan.launches) launches += launch.prepare ? 1 : 0;
    return {{"launches", launches},
            {"modelled_seconds", text_of(seconds_text(c.prepare.seconds))},
            {"kept_bytes", text_of(c.kept_bytes.get_str())}};
  }

  json::object candidate_json(const Candidate& c) const {
    json::array kernels, points;
    for (std::size_t i = 0; i < c.launches.size(); ++i) {
      const auto& [kernel, price] = c.launches[i];
      kernels.push_back(json::object{{"kernel", text_of(kernel)},
                                     {"prepare", c.artifact.plan.launches[i].prepare},
                                     {"modelled_seconds", text_of(seconds_text(price.seconds))},
                                     {"operations", text_of(price.work.operations.get_str())},
                                     {"bytes", text_of(price.work.bytes.get_str())}});
    }
    for (const Rational& seconds : c.seconds) points.push_back(text_of(seconds_text(seconds)));
    return {{"name", text_of(c.name())},
            {"route", text_of(c.route->name)},
            {"schedule", c.variant.fused ? "fused" : "separate"},
            {"sums", c.variant.rows ? "by rows" : "in sequence"},
            {"fma", text_of(std::string(name(c.variant.fma)))},
            {"modelled_seconds", text_of(seconds_text(c.price.seconds))},
            {"modelled_seconds_by_point", points},
            {"operations", text_of(c.price.work.operations.get_str())},
            {"bytes", text_of(c.price.work.bytes.get_str())},
            {"launches", c.artifact.plan.launches.size()},
            {"prepare", prepare_json(c)},
            {"kernels", kernels},
            {"numerics", c.examined ? "examined" : "not examined"},
            {"rejected", text_of(c.rejected)}};
  }

  json::value planes_json() const {
    json::array out;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      json::object row{{"plane", text_of(std::string(name(all_planes[p])))}};
      if (planes_[p]) {
        const Candidate& c = candidates_[*planes_[p]];
        row["cheapest"] = text_of(c.name());
        row["modelled_seconds"] = text_of(seconds_text(c.price.seconds));
      } else {
        row["cheapest"] = nullptr;
        row["modelled_seconds"] = nullptr;
      }
      out.push_back(std::move(row));
    }
    return out;
  }

  json::value record(std::size_t best) const {
    const Candidate& elected = candidates_[best];
    json::array prices;
    for (const Candidate& c : candidates_) prices.push_back(candidate_json(c));
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
        {"reference", text_of(candidates_[0].name())},
        {"planes", planes_json()},
        {"elected", text_of(elected.name())},
        {"schedule", elected.variant.fused ? "fused" : "separate"},
        {"election", text_of(election(elected.price.seconds, bound))},
        {"lower_bound_seconds", text_of(seconds_text(bound))},
        {"one_kernel_a_definition_seconds", text_of(seconds_text(separate().price.seconds))},
        {"elected_seconds", text_of(seconds_text(elected.price.seconds))},
        {"prepare_seconds", text_of(seconds_text(elected.prepare.seconds))}};
  }

  // The cheapest formulation of the authored program with one kernel a definition, in the same families of
  // schedules.
  const Candidate& separate() const {
    const Candidate* best = &candidates_[0];
    for (const Candidate& c : candidates_)
      if (c.route == candidates_[0].route && !c.variant.fused && !c.unpriced &&
          c.price.seconds < best->price.seconds)
        best = &c;
    return *best;
  }

  static constexpr std::size_t small_space = 400;  // definitions times routes

  const Program& authored_;
  const contract::Contract& contract_;
  const Space& space_;
  const Context& context_;
  const select::Pricing pricing_;
  const Tell& tell_;
  Rational total_weight_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<std::optional<std::size_t>> planes_;
};

}  // namespace

Selection choose(const Program& authored, const contract::Contract& contract, const Space& space,
                 const Context& context, const Tell& tell) {
  tell("formulating, lowering and pricing candidates");
  return Chooser(authored, contract, space, context, tell).run();
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
  check_selection(out, authored);
  return out;
}

}  // namespace hallmark::pipeline
