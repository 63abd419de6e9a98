#include "pipeline/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/sha256.h"
#include "pipeline/elements.h"
#include "rules/prove_rule.h"

namespace hallmark::pipeline {
namespace {

using calculus::Program;

constexpr const char* routes_file = "2-candidates/routes.json";
constexpr const char* rules_file = "2-candidates/rules.hm";

class Explorer {
 public:
  Explorer(const Program& authored, const contract::Contract& contract, const Context& context,
           const SpaceOptions& options, smt::Portfolio& portfolio, Recall* recall, const Tell& tell)
      : authored_(authored),
        contract_(contract),
        context_(context),
        pricing_(context.pricing()),
        options_(options),
        portfolio_(portfolio),
        recall_(recall),
        tell_(tell) {}

  Space run() {
    tell_("searching alternatives");
    const auto [rules, search] = grown();
    Space out;
    out.record = record(search, rules);
    out.saturated = search.stop == search::StopReason::saturated;
    out.routes.push_back({"authored", authored_, {}});
    routes(search, rules, out);
    std::set<std::size_t> used;
    for (const Route& route : out.routes)
      for (const search::Step& step : route.steps) used.insert(families_.at(step.rule));
    for (const std::size_t f : used) out.rules.push_back(options_.library[f]);
    return out;
  }

 private:
  // Only rules that can fire are put to the solvers, and only proved ones are applied: the rules and the
  // graph.
  std::pair<std::vector<rules::Rule>, search::Search> grown() {
    std::vector<rules::Rule> all;
    std::vector<std::size_t> family_of;
    for (std::size_t f = 0; f < options_.library.size(); ++f)
      for (const rules::Rule& rule : options_.library[f].instances) {
        if (context_.constraints.forbids_rule(rule.name)) continue;
        all.push_back(rule);
        family_of.push_back(f);
      }
    search::Search trial = search::grow(authored_, all, options_.budget, whole_ranges(authored_, contract_));
    std::set<std::size_t> fired;
    for (const search::Application& a : trial.applications) fired.insert(family_of[a.rule]);
    std::vector<rules::Rule> proved;
    bool everything = true;
    for (const std::size_t f : fired) {
      const rules::RuleFamily& family = options_.library[f];
      const State state = options_.known ? options_.known(family) : prove(family).outcome.state;
      states_[family.name] = std::string(name(state));
      if (state != State::proved) {
        everything = false;
        continue;
      }
      for (const rules::Rule& rule : family.instances) {
        if (context_.constraints.forbids_rule(rule.name)) continue;
        proved.push_back(rule);
        families_[rule.name] = f;
      }
    }
    // A rule that fired nowhere changes nothing: with all others proved, the graph is this one.
    if (everything)
      renumber(trial, all, proved);
    else
      trial = search::grow(authored_, proved, options_.budget, whole_ranges(authored_, contract_));
    return {std::move(proved), std::move(trial)};
  }

  // What speaks of `all` by number is to speak of `kept`, which has every rule that fired.
  static void renumber(search::Search& search, const std::vector<rules::Rule>& all,
                       const std::vector<rules::Rule>& kept) {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t r = 0; r < kept.size(); ++r) numbers[kept[r].name] = r;
    for (search::Application& a : search.applications) a.rule = numbers.at(all[a.rule].name);
    for (search::Iteration& i : search.iterations) {
      std::vector<std::size_t> fired(kept.size(), 0);
      for (std::size_t r = 0; r < all.size(); ++r)
        if (i.fired[r] != 0) fired[numbers.at(all[r].name)] = i.fired[r];
      i.fired = std::move(fired);
    }
  }

  // Instances of the families, as numbers of rules.
  std::set<std::size_t> members(const std::set<std::size_t>& families,
                                const std::vector<rules::Rule>& rules) const {
    std::set<std::size_t> out;
    for (std::size_t r = 0; r < rules.size(); ++r)
      if (families.contains(families_.at(rules[r].name))) out.insert(r);
    return out;
  }

  void routes(const search::Search& search, const std::vector<rules::Rule>& rules, Space& out) {
    const search::NodeCost cost = [&](const search::ENode& node, const search::EGraph& graph) {
      return node_cost(node, graph);
    };
    const auto by = [&](const std::set<std::size_t>& families) {
      return search::extract_by_rules(search, cost, members(families, rules));
    };
    const std::string authored_text = calculus::text::print_program(authored_);
    std::set<std::string> texts{authored_text};  // of the routes kept so far
    const auto keep = [&](const search::Choice& choice, const std::string& name) -> bool {
      Route route{name, search::to_program(search, choice, authored_), {}};
      if (!texts.insert(calculus::text::print_program(route.exact)).second) return false;
      route.steps = search::explain(search, choice, rules, authored_).steps;
      if (route.steps.empty()) return false;
      out.routes.push_back(std::move(route));
      return true;
    };
    std::set<std::size_t> fired;
    for (const search::Application& a : search.applications) fired.insert(families_.at(rules[a.rule].name));
    const std::optional<Rational> authored = seconds(authored_);
    std::vector<std::pair<Rational, std::size_t>> gains;  // negative: cheaper
    for (const std::size_t f : fired) {
      tell_("a route by " + options_.library[f].name);
      if (!keep(by({f}), options_.library[f].name) || !authored) continue;
      if (const auto price = seconds(out.routes.back().exact); price && *price < *authored)
        gains.push_back({*price - *authored, f});
    }
    std::sort(gains.begin(), gains.end());
    // Together, the one that gains most first; each stays if the price still falls.
    std::set<std::size_t> chosen;
    std::optional<Rational> best = authored;
    for (const auto& [gain, f] : gains) {
      std::set<std::size_t> more = chosen;
      more.insert(f);
      const auto price = seconds(search::to_program(search, by(more), authored_));
      if (!price || *price >= *best) continue;
      best = price;
      chosen = std::move(more);
    }
    if (chosen.size() > 1) keep(by(chosen), "rules together");
    keep(search::extract(search, authored_.outputs, cost).choice, "cheapest nodes");
  }

  // Modelled, in the variant that is likely to be cheapest; nothing where that cannot be lowered.
  std::optional<Rational> seconds(const Program& exact) const {
    try {
      const Route route{"", exact, {}};
      return make_candidate(route, permitted_variants(contract_).back(), context_).price.seconds;
    } catch (const Refusal&) {
      return std::nullopt;  // the election says so again, with the reason
    }
  }

  Obligation prove(const rules::RuleFamily& family) {
    Obligation o = rules::family_obligation(family);
    if (recall_ != nullptr && recall_->find(o)) return o;
    tell_("proving rule " + family.name);
    const auto start = std::chrono::steady_clock::now();
    o = rules::prove_family(family, portfolio_);
    if (recall_ != nullptr)
      recall_->keep(o, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return o;
  }

  // Alone, as one kernel, over the whole workload. Every extraction asks for every node, and what it costs is
  // known from its term and the shapes.
  Rational node_cost(const search::ENode& node, const search::EGraph& graph) const {
    if (node.payload == nullptr) return 0;
    PricedNode key{node.payload, {}};
    const auto add_shape = [&](const search::Shape& shape) {
      key.second.push_back({shape.format, shape.extents});
    };
    add_shape(node.shape);
    for (const search::ClassId child : node.children) add_shape(graph.shape(child));
    const auto [at, is_new] = node_costs_.try_emplace(std::move(key));
    if (is_new) at->second = price_of_node(node, graph);
    return at->second;
  }

  Rational price_of_node(const search::ENode& node, const search::EGraph& graph) const {
    std::map<std::string, calculus::Declaration> tensors;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const search::Shape& shape = graph.shape(node.children[i]);
      tensors["$" + std::to_string(i)] = {"$" + std::to_string(i), shape.format, shape.extents};
    }
    Rational out = 0;
    for (const select::WorkloadPoint& point : context_.workload.points)
      out += point.weight *
             select::price_of(select::work_of(node.payload, {"y", node.shape.format, node.shape.extents},
                                              tensors, point.sizes, pricing_),
                              pricing_)
                 .seconds;
    return out;
  }

  json::value record(const search::Search& search, const std::vector<rules::Rule>& rules) const {
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
                        {"library", text_of(library_digest(options_.library))},
                        {"iterations", iterations},
                        {"applications", applications},
                        {"rules", states}};
  }

  const Program& authored_;
  const contract::Contract& contract_;
  const Context& context_;
  const select::Pricing pricing_;
  const SpaceOptions& options_;
  smt::Portfolio& portfolio_;
  Recall* recall_;
  const Tell& tell_;
  using PricedNode =
      std::pair<calculus::Term, std::vector<std::pair<calculus::Format, std::vector<calculus::Term>>>>;
  mutable std::map<PricedNode, Rational> node_costs_;
  std::map<std::string, std::string> states_;
  std::map<std::string, std::size_t> families_;
};

}  // namespace

Space explore(const Program& authored, const contract::Contract& contract, const Context& context,
              const SpaceOptions& options, smt::Portfolio& portfolio, Recall* recall, const Tell& tell) {
  return Explorer(authored, contract, context, options, portfolio, recall, tell).run();
}

SpaceOptions space_options(const std::string& corpus) {
  SpaceOptions out;
  if (std::filesystem::exists(corpus + "/rules")) out.library = rules::load_rules({corpus + "/rules"});
  return out;
}

std::string recorded_library(const json::value& record) {
  const json::value* library = record.is_object() ? record.as_object().if_contains("library") : nullptr;
  return library != nullptr && library->is_string() ? string_of(*library) : "unknown";
}

std::string library_digest(const std::vector<rules::RuleFamily>& library) {
  return sha256_hex(rules_text(library));
}

std::function<State(const rules::RuleFamily&)> recorded_states(const Space& space) {
  std::map<std::string, State> states;
  for (const auto& [rule, state] : space.record.at("rules").as_object())
    if (const std::optional<State> known = state_of(string_of(state))) states[std::string(rule)] = *known;
  return [states](const rules::RuleFamily& family) {
    const auto known = states.find(family.name);
    return known == states.end() ? State::unrun : known->second;
  };
}

std::string rules_text(const std::vector<rules::RuleFamily>& families) {
  std::string text = "hallmark 1\n";
  for (const rules::RuleFamily& family : families) text += "\n" + family.text;
  return text;
}

Files space_files(const Space& space, const Program& authored) {
  Files out;
  out[space_file] = canonical_json(space.record);
  if (!space.rules.empty()) out[rules_file] = rules_text(space.rules);
  json::array routes;
  for (std::size_t i = 0; i < space.routes.size(); ++i) {
    const Route& route = space.routes[i];
    json::object row{{"name", text_of(route.name)}};
    // Without a step it is the authored program, which stands in stage 1.
    if (!route.steps.empty()) {
      const std::string prefix = fmt::format("2-candidates/route-{}", i);
      out[prefix + ".hm"] = calculus::text::print_program(route.exact);
      out[prefix + ".steps.json"] = canonical_json(steps_json(route.steps, authored));
      row["program"] = text_of(prefix + ".hm");
      row["steps"] = text_of(prefix + ".steps.json");
    }
    routes.push_back(std::move(row));
  }
  out[routes_file] = canonical_json(routes);
  return out;
}

Space read_space(const StageReader& in, const Program& authored) {
  Space out;
  out.record = parse_json(in.read(space_file), space_file);
  out.saturated = string_of(out.record.at("stop")) == search::name(search::StopReason::saturated);
  if (in.has(rules_file)) out.rules = rules::parse_rules(in.read(rules_file), rules_file);
  const json::value routes = parse_json(in.read(routes_file), routes_file);
  if (!routes.is_array() || routes.as_array().empty()) mismatch(std::string(routes_file) + " has no route");
  const auto constants = constants_of(authored);
  for (const json::value& row : routes.as_array()) {
    Route route;
    route.name = string_of(row.at("name"));
    route.exact = authored;
    if (const json::value* program = row.as_object().if_contains("program")) {
      const std::string path = string_of(*program), steps = string_of(row.at("steps"));
      route.exact = calculus::text::parse_program(in.read(path), path, constants);
      route.steps = read_steps(parse_json(in.read(steps), steps), steps);
    }
    out.routes.push_back(std::move(route));
  }
  return out;
}

}  // namespace hallmark::pipeline
