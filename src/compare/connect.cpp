#include "compare/connect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "compare/cone.h"
#include "compare/execute.h"
#include "rules/ieee.h"
#include "rules/prove_rule.h"

namespace hallmark::compare {

using namespace calculus;

namespace {

search::Equalities wanted(const Pair& pair) {
  search::Equalities out;
  for (const OutputPair& o : pair.outputs) out.push_back({o.left, o.right});
  return out;
}

bool close(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size() || a.empty()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (!(std::fabs(a[i] - b[i]) <= 1e-7 * std::max({1.0, std::fabs(a[i]), std::fabs(b[i])}))) return false;
  }
  return true;
}

std::string in_words_of_models(const std::string& strength_of_rule) {
  if (strength_of_rule == "any-type" || strength_of_rule == "wrap-around integers") return "bits";
  return strength_of_rule == "ieee" ? "ieee" : "reals";
}

class Connector {
 public:
  Connector(const Pair& pair, smt::Portfolio& portfolio, const ConnectOptions& options)
      : pair_(pair), portfolio_(portfolio), options_(options), cones_(pair) {}

  Connection run() {
    if (!connected()) {
      values_ = fingerprints(pair_);
      say("looking for the same operations");
      sweep(true);
    }
    if (!connected() && !options_.library.empty() &&
        pair_.program.definitions.size() <= options_.largest_search)
      rules();
    if (!connected()) {
      say("comparing normal forms");
      sweep(false);
    }
    return finish();
  }

 private:
  void say(const std::string& what) const {
    if (options_.say) options_.say(what);
  }

  std::vector<search::Step> steps(const std::set<std::string>& strengths = {"bits", "ieee", "reals"}) const {
    std::vector<search::Step> out;
    for (const Link& link : links_)
      if (strengths.count(link.strength) != 0) out.push_back(link.step);
    return out;
  }

  bool connected() const { return search::check_equalities(pair_.program, wanted(pair_), steps()).empty(); }

  // Each definition of the second model, in order, against those of the first with the same values.
  void sweep(bool same_operations_only) {
    for (const Definition& d : pair_.program.definitions) {
      if (pair_.second.count(d.declaration.name) == 0) continue;
      if (cones_.is_known(d.declaration.name) && !is_open_output(d.declaration.name)) continue;
      const bool known = cones_.known_by_congruence(d);
      if (known && !is_open_output(d.declaration.name)) continue;
      for (const std::string& candidate : candidates(d))
        if (link(candidate, d.declaration.name, same_operations_only)) break;
    }
  }

  // Known to be a tensor of the first model, and yet not the one that the output is to be.
  bool is_open_output(const std::string& right) const {
    for (const OutputPair& o : pair_.outputs)
      if (o.right == right && !search::check_equalities(pair_.program, {{o.left, o.right}}, steps()).empty())
        return true;
    return false;
  }

  bool is_output_pair(const std::string& left, const std::string& right) const {
    return std::any_of(pair_.outputs.begin(), pair_.outputs.end(),
                       [&](const OutputPair& o) { return o.left == left && o.right == right; });
  }

  std::vector<std::string> candidates(const Definition& d) const {
    std::vector<std::string> out;
    const auto own = values_.find(d.declaration.name);
    if (own == values_.end()) {
      // Nothing could be executed: the outputs are candidates all the same.
      for (const OutputPair& o : pair_.outputs)
        if (o.right == d.declaration.name) out.push_back(o.left);
      return out;
    }
    const auto offer = [&](const Declaration& other) {
      const auto at = values_.find(other.name);
      // What doubles show of an output is not held against its partner: rounded numbers tie where others do
      // not.
      if (other.format == d.declaration.format && other.extents == d.declaration.extents &&
          at != values_.end() &&
          (close(at->second, own->second) || is_output_pair(other.name, d.declaration.name)))
        out.push_back(other.name);
    };
    for (const Declaration& input : pair_.program.inputs) offer(input);
    for (const Definition& other : pair_.program.definitions)
      if (pair_.second.count(other.declaration.name) == 0) offer(other.declaration);
    // An output's own partner first; of the others few.
    for (const OutputPair& o : pair_.outputs)
      if (o.right == d.declaration.name)
        if (const auto at = std::find(out.begin(), out.end(), o.left); at != out.end())
          std::rotate(out.begin(), at, at + 1);
    if (out.size() > 3) out.resize(3);
    return out;
  }

  bool link(const std::string& left, const std::string& right, bool same_operations_only) {
    std::set<std::string> tried;
    for (const int depth : {0, 1, 2, 4, Cones::whole}) {
      const auto step = cones_.step(left, right, depth, links_.size());
      if (!step) break;
      const rules::Rule rule = as_rule(*step, pair_.program);
      // The cut of a greater depth may be the same.
      if (!tried.insert(rules::digest(rule)).second) continue;
      // Tensors of a cut are anything here; with anything in them the sides may differ.
      rules::RefuteLimits limits;
      limits.evaluations = 120;
      limits.largest_sum = 8;
      if (rules::try_instances(rule, limits).witness) continue;
      if (auto proved = prove(*step, rule, same_operations_only)) {
        links_.push_back(std::move(*proved));
        cones_.merge(left, right);
        return true;
      }
    }
    failure_[right] = "no argument was found that " + right + " equals " + left;
    return false;
  }

  // Each side as one term with the identities of ieee.h: they reach across definitions.
  static rules::Rule normal_form(rules::Rule rule) {
    for (auto* side : {&rule.left, &rule.right}) {
      Definition last = side->back();
      last.body = rules::ieee_normal(rules::inline_all(last.body, *side), rules::exact_powers(rule));
      *side = {last};
    }
    return rule;
  }

  std::optional<Link> prove(const search::Step& step, const rules::Rule& rule, bool same_operations_only) {
    Obligation o;
    std::string strength;
    if (!same_operations_only) {
      o = rules::prove_instance(rule, portfolio_);
      strength = in_words_of_models(o.strength);
    } else {
      o = rules::prove_instance(rule, portfolio_, rules::Argument::same_operations);
      strength = "bits";
      if (o.outcome.state != State::proved) {
        o = rules::prove_instance(normal_form(rule), portfolio_, rules::Argument::same_operations);
        o.outcome.detail += "; after identities of IEEE 754";
        strength = "ieee";
      }
    }
    if (o.outcome.state != State::proved) return std::nullopt;
    return Link{step, std::move(o), strength};
  }

  void rules() {
    say("looking for proved rules that explain it");
    std::vector<rules::Rule> all;
    std::vector<std::size_t> family_of;
    for (std::size_t f = 0; f < options_.library.size(); ++f)
      for (const rules::Rule& rule : options_.library[f].instances) {
        all.push_back(rule);
        family_of.push_back(f);
      }
    const search::Budget budget{1200, 4, 800};
    std::set<std::size_t> fired;
    for (const search::Application& a : search::grow(pair_.program, all, budget).applications)
      fired.insert(family_of[a.rule]);
    std::vector<rules::Rule> proved;
    for (const std::size_t f : fired) {
      say("proving rule " + options_.library[f].name);
      if (rules::prove_family(options_.library[f], portfolio_).outcome.state != State::proved) continue;
      for (const rules::Rule& rule : options_.library[f].instances) proved.push_back(rule);
    }
    const search::Search found = search::grow(pair_.program, proved, budget);
    std::vector<search::Step> applied = search::steps_of(found, proved);
    keep_made(applied);
    std::vector<search::Step> both = steps();
    const std::size_t before = both.size();
    both.insert(both.end(), applied.begin(), applied.end());
    if (!search::check_equalities(pair_.program, wanted(pair_), both).empty()) return;
    both = search::needed_steps(pair_.program, wanted(pair_), both);
    for (const search::Step& step : both) {
      const bool known =
          std::any_of(links_.begin(), links_.begin() + static_cast<long>(before), [&](const Link& l) {
            return l.step.left.back().declaration.name == step.left.back().declaration.name;
          });
      if (known) continue;
      Obligation o = rules::prove_instance(as_rule(step, pair_.program), portfolio_);
      if (o.outcome.state != State::proved) continue;  // a rule's proof is a filter, this is what counts
      const std::string strength = in_words_of_models(o.strength);
      links_.push_back({step, std::move(o), strength});
    }
  }

  // Definitions on right sides that read constants alone.
  void keep_made(const std::vector<search::Step>& applied) {
    std::set<std::string> constant;
    for (const Constant& c : pair_.program.constants) constant.insert(c.declaration.name);
    for (const Definition& d : pair_.program.definitions)
      if (only_reads(d.body, constant)) constant.insert(d.declaration.name);
    std::set<std::string> made_names;
    for (const search::Step& step : applied)
      for (const Definition& d : step.right)
        if (only_reads(d.body, constant)) {
          constant.insert(d.declaration.name);
          // Under a name of its own: a later search numbers its steps anew.
          Definition own = d;
          own.declaration.name = "made." + d.declaration.name;
          own.body = rewrite(d.body, [&](Term n) {
            return n->kind == Kind::load && made_names.count(n->name) != 0
                       ? load("made." + n->name, n->children, n->sort)
                       : n;
          });
          made_names.insert(d.declaration.name);
          made_.push_back(std::move(own));
        }
  }

  static bool only_reads(Term body, const std::set<std::string>& names) {
    bool out = true;
    for_each_node(body, [&](Term n) {
      out = out && n->kind != Kind::symbol && (n->kind != Kind::load || names.count(n->name) != 0);
    });
    return out;
  }

  Connection finish() {
    Connection out;
    out.made = std::move(made_);
    std::set<std::string> used;
    for (const OutputPair& o : pair_.outputs) {
      const search::Equalities pair{{o.left, o.right}};
      bool found = false;
      // The strongest equations that suffice for this output.
      for (const auto& [strength, allowed] : std::vector<std::pair<std::string, std::set<std::string>>>{
               {"bits", {"bits"}}, {"ieee", {"bits", "ieee"}}, {"reals", {"bits", "ieee", "reals"}}}) {
        const std::vector<search::Step> some = steps(allowed);
        if (!search::check_equalities(pair_.program, pair, some).empty()) continue;
        out.strength[o.name] = strength;
        for (const search::Step& step : search::needed_steps(pair_.program, pair, some))
          used.insert(step.left.back().declaration.name);
        found = true;
        break;
      }
      if (!found) {
        const auto why = failure_.find(o.right);
        out.open[o.name] = why != failure_.end() ? why->second : "no argument was found for " + o.right;
      }
    }
    for (Link& link : links_)
      if (used.count(link.step.left.back().declaration.name) != 0) out.links.push_back(std::move(link));
    return out;
  }

  const Pair& pair_;
  smt::Portfolio& portfolio_;
  const ConnectOptions& options_;
  Cones cones_;
  std::vector<Link> links_;
  std::map<std::string, std::vector<double>> values_;
  std::map<std::string, std::string> failure_;
  std::vector<Definition> made_;
};

}  // namespace

rules::Rule as_rule(const search::Step& step, const Program& program) {
  rules::Rule rule;
  rule.name = step.rule;
  rule.symbols = program.symbols;
  for (Term p : program.preconditions) {
    bool reads = false;
    for_each_node(p, [&](Term n) { reads = reads || n->kind == Kind::load; });
    if (!reads) rule.requirements.push_back(p);
  }
  rule.tensors = step.tensors;
  rule.left = step.left;
  rule.right = step.right;
  return rule;
}

Connection connect(const Pair& pair, smt::Portfolio& portfolio, const ConnectOptions& options) {
  return Connector(pair, portfolio, options).run();
}

}  // namespace hallmark::compare
