#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "calculus/text/text.h"
#include "compare/connect.h"
#include "compare/constants.h"
#include "compare/execute.h"
#include "compare/jumps.h"
#include "compare/parts.h"

namespace hallmark::compare {

using namespace calculus;

namespace {

// Equality over the reals says nothing of divisions by 0 and the like in the second model; execution looks
// for them.
constexpr const char* undefined_nowhere = "second-model-defined-where-the-first-is";
constexpr double most_ulps = 2;  // a few operations in the constant's own format

std::string side_text(const search::Step& step, const std::vector<Definition>& side, const Program& program) {
  Program p;
  p.symbols = program.symbols;
  p.inputs = step.tensors;
  p.definitions = side;
  p.outputs = {side.back().declaration.name};
  return text::print_program(p);
}

Obligation step_obligation(const Link& link, std::size_t index, const Pair& pair) {
  Obligation o;
  o.kind = ObligationKind::rewrite_step;
  o.level = Level::model;
  o.subject = fmt::format("step {}: {}", index, link.step.rule);
  o.id = fmt::format("rewrite-step/{}:{}/model", index, link.step.rule);
  o.statement = "Both programs have the same value.\n" + side_text(link.step, link.step.left, pair.program) +
                side_text(link.step, link.step.right, pair.program);
  o.scope = scope_of(pair);
  o.strength = link.strength;
  o.outcome = link.proof.outcome;
  return o;
}

class Comparer {
 public:
  Comparer(Pair pair, smt::Portfolio& portfolio, const Options& options)
      : given_(std::move(pair)), pair_(given_), portfolio_(portfolio), options_(options) {}

  std::vector<Obligation> run() {
    say("executing both models");
    ExecuteOptions execution;
    adopt_constants({});
    Pair trial = pair_;
    numbers_ = explain_numbers(trial, sources_, allowed_ulps());
    execution.rounded_constants = !options_.exact_constants && may_be_rounded();
    executed_ = execute(given_, execution);
    if (executed_.witnesses.size() < pair_.outputs.size()) argue();
    if (!connection_.strength.empty()) jumping_ = jumping(given_, recipes_, portfolio_);
    std::vector<Obligation> out;
    for (const OutputPair& o : pair_.outputs) out.push_back(output(o));
    const bool used = std::any_of(out.begin(), out.end(),
                                  [](const Obligation& o) { return o.outcome.state == State::proved; });
    for (std::size_t i = 0; i < connection_.links.size(); ++i)
      out.push_back(step_obligation(connection_.links[i], i, pair_));
    if (used)
      for (const Recipe& r : recipes_) out.push_back(constant_obligation(pair_, r));
    // A solver that was caught lying late takes back what rested on it.
    for (Obligation& o : out)
      if (!o.outcome.queries.empty()) o.outcome = portfolio_.settle(o.outcome, smt::Rule::one_suffices);
    withdraw_outputs(out);
    return out;
  }

 private:
  void say(const std::string& what) const {
    if (options_.say) options_.say(what);
  }

  double allowed_ulps() const { return options_.exact_constants ? 0 : most_ulps; }

  // Constants and numbers of the second model that may be roundings of what the first computes.
  bool may_be_rounded() const {
    return computed() || numbers_.may_be_rounded ||
           std::any_of(pair_.program.constants.begin(), pair_.program.constants.end(),
                       [&](const Constant& c) {
                         return is_float(c.declaration.format) && is_own(c.declaration.name);
                       });
  }

  bool is_own(const std::string& constant) const {
    for (const Definition& d : pair_.program.definitions) {
      if (pair_.second.count(d.declaration.name) != 0) continue;
      bool reads = false;
      for_each_node(d.body, [&](Term n) { reads = reads || (n->kind == Kind::load && n->name == constant); });
      if (reads) return false;
    }
    return true;
  }

  // Puts functions of the first model's constants in the place of the second's own; true when there were
  // some.
  bool adopt_constants(const std::vector<Definition>& made) {
    const std::vector<Definition> parts = closed_parts(pair_);
    std::vector<Definition> more = made;
    more.insert(more.end(), parts.begin(), parts.end());
    bool changed = false;
    // What is explained may explain another: a folded shift is b - m * k with the folded scale k.
    for (bool again = true; again;) {
      again = false;
      sources_ = sources_of(pair_, more);
      std::erase_if(sources_, [&](const Source& s) { return s.exact && is_own(s.declaration.name); });
      std::vector<Constant> own;
      for (const Constant& c : pair_.program.constants)
        if (is_own(c.declaration.name)) own.push_back(c);
      std::size_t left = own.size();
      for (const Constant& c : own) {
        auto recipe = recipe_for(c, sources_, allowed_ulps());
        if (!recipe) continue;
        recipe->body = with_parts(recipe->body, parts);
        add_made(*recipe, made);
        adopt(pair_, *recipe);
        recipes_.push_back(*recipe);
        again = true;
        --left;
      }
      changed = changed || again;
      if (left == 0) break;
    }
    return changed;
  }

  // Definitions that rules made and the recipe reads, as definitions of the first model.
  void add_made(const Recipe& recipe, const std::vector<Definition>& made) {
    std::set<std::string> needed;
    for_each_node(recipe.body, [&](Term n) {
      if (n->kind == Kind::load) needed.insert(n->name);
    });
    std::vector<Definition> add;
    for (std::size_t i = made.size(); i-- > 0;) {
      if (needed.count(made[i].declaration.name) == 0) continue;
      for_each_node(made[i].body, [&](Term n) {
        if (n->kind == Kind::load) needed.insert(n->name);
      });
      if (find_definition(pair_.program, made[i].declaration.name) == nullptr) add.push_back(made[i]);
    }
    std::reverse(add.begin(), add.end());
    auto& all = pair_.program.definitions;
    const auto first = std::find_if(all.begin(), all.end(), [&](const Definition& d) {
      return pair_.second.count(d.declaration.name) != 0;
    });
    all.insert(first, add.begin(), add.end());
  }

  void argue() {
    ConnectOptions options;
    options.library = options_.library;
    options.say = options_.say;
    const Pair stored = pair_;
    const std::vector<Recipe> recipes = recipes_;
    const std::size_t alternatives = std::min<std::size_t>(numbers_.alternatives, 4);
    for (std::size_t k = 0; k < alternatives; ++k) {
      pair_ = stored;
      recipes_ = recipes;
      for (Recipe& r : explain_numbers(pair_, sources_, allowed_ulps(), k).recipes)
        recipes_.push_back(std::move(r));
      connection_ = connect(pair_, portfolio_, options);
      if (connection_.open.empty()) return;
    }
    // What rules make of constants may be what the second model stores.
    if (!connection_.made.empty() && adopt_constants(connection_.made))
      connection_ = connect(pair_, portfolio_, options);
  }

  // Constants that a compiler computed, whether or not what it stored happens to be exact.
  bool computed() const {
    return std::any_of(recipes_.begin(), recipes_.end(), [](const Recipe& r) { return !r.moved; });
  }

  Obligation output(const OutputPair& pair) const {
    Obligation o;
    o.kind = ObligationKind::rewrite_step;
    o.level = Level::model;
    o.subject = "output " + pair.name;
    o.id = "rewrite-step/output:" + pair.name + "/model";
    Program stated = given_.program;
    stated.outputs = {pair.left, pair.right};
    o.statement = fmt::format("{} and {} have the same value for every input.\n", pair.left, pair.right) +
                  text::print_program(stated);
    o.scope = scope_of(given_);
    if (const auto witness = executed_.witnesses.find(pair.name); witness != executed_.witnesses.end()) {
      o.outcome.state = State::refuted;
      o.outcome.reason = Reason::none;
      o.outcome.witness = witness->second;
      o.outcome.discharged_by = {"evaluator"};
      o.outcome.detail = witness->second.summary;
      return o;
    }
    const auto strength = connection_.strength.find(pair.name);
    if (strength == connection_.strength.end()) {
      const auto open = connection_.open.find(pair.name);
      std::string why = open == connection_.open.end() ? "not connected" : open->second;
      if (executed_.unexplained > 0) {
        o.outcome = Outcome::unrun(
            Reason::gap,
            fmt::format("{}; {} instances executed, the greatest difference is {:.3g}, which rounded "
                        "constants may explain and nothing proves",
                        why, executed_.instances, executed_.unexplained));
      } else {
        o.outcome = Outcome::unrun(
            Reason::gave_up,
            fmt::format("{}; {} instances executed without a difference", why, executed_.instances));
      }
      return o;
    }
    if (jumping_.count(pair.right) != 0) {
      o.outcome =
          Outcome::unrun(Reason::gap,
                         "a constant that the second model stores rounded stands before a comparison, a "
                         "rounding or a conversion, which its last place may decide otherwise");
      return o;
    }
    o.strength = strength->second;
    if (o.strength != "reals" && (given_.specials || given_.mixed_formats || computed()))
      o.strength = "reals";
    std::string detail = fmt::format("{} instances executed", executed_.instances);
    if (given_.specials) detail += "; -0, infinities or NaN in a file: nothing is claimed bit for bit";
    if (given_.mixed_formats) detail += "; several float formats: nothing is claimed bit for bit";
    if (computed()) detail += "; up to the rounding of stored constants";
    if (*strength_of(o.strength) < options_.demanded) {
      o.outcome =
          Outcome::unrun(Reason::gap, fmt::format("equal over the {}, which is less than was demanded; {}",
                                                  o.strength == "ieee" ? "IEEE formats" : "reals", detail));
      o.strength.clear();
      return o;
    }
    o.outcome.state = State::proved;
    o.outcome.reason = Reason::none;
    o.outcome.discharged_by = {"syntactic"};
    o.outcome.detail = detail;
    o.outcome.assumptions = given_.assumptions;
    if (o.strength == "reals" && given_.partial) o.outcome.assumptions.push_back(undefined_nowhere);
    if (o.strength != "reals") o.outcome.assumptions.push_back("reduction-order-depends-on-extents-alone");
    return o;
  }

  // An output rests on every step that is listed: with one of them not proved, nothing is.
  static void withdraw_outputs(std::vector<Obligation>& all) {
    const bool sound = std::all_of(all.begin(), all.end(), [](const Obligation& o) {
      return o.subject.rfind("step ", 0) != 0 || o.outcome.state == State::proved;
    });
    if (sound) return;
    for (Obligation& o : all) {
      if (o.subject.rfind("output ", 0) != 0 || o.outcome.state != State::proved) continue;
      o.strength.clear();
      o.outcome = Outcome::unrun(Reason::solver_crash, "a step that it rests on was withdrawn");
    }
  }

  const Pair given_;
  Pair pair_;
  smt::Portfolio& portfolio_;
  const Options& options_;
  Executed executed_;
  std::vector<Recipe> recipes_;
  std::vector<Source> sources_;
  Numbers numbers_;
  Connection connection_;
  std::set<std::string> jumping_;
};

}  // namespace

std::optional<Strength> strength_of(std::string_view name) {
  if (name == "reals") return Strength::reals;
  if (name == "ieee") return Strength::ieee;
  if (name == "bits") return Strength::bits;
  return std::nullopt;
}

std::vector<Obligation> compare(Pair pair, smt::Portfolio& portfolio, const Options& options) {
  return Comparer(std::move(pair), portfolio, options).run();
}

std::string verdict_of(const std::vector<Obligation>& obligations) {
  std::size_t outputs = 0, proved = 0, refuted = 0, constants = 0;
  std::optional<Strength> weakest;
  bool partial = false, fewer_sizes = false;
  for (const Obligation& o : obligations) {
    if (o.kind == ObligationKind::constant && o.strength == "rounded") ++constants;
    if (o.subject.rfind("output ", 0) != 0) continue;
    ++outputs;
    if (o.outcome.state == State::refuted) ++refuted;
    if (o.outcome.state != State::proved) continue;
    ++proved;
    const Strength strength = *strength_of(o.strength);
    fewer_sizes = fewer_sizes || o.scope.find(second_accepts) != std::string::npos;
    for (const std::string& a : o.outcome.assumptions) partial = partial || a == undefined_nowhere;
    weakest = weakest ? std::min(*weakest, strength) : strength;
  }
  if (refuted != 0)
    return fmt::format("the models differ: {} of {} outputs refuted by an executed instance", refuted,
                       outputs);
  if (proved != outputs)
    return fmt::format("undecided: {} of {} outputs are proved equal, and no difference was found", proved,
                       outputs);
  const std::string how = weakest == Strength::bits   ? "bit for bit"
                          : weakest == Strength::ieee ? "in IEEE 754 arithmetic"
                          : partial                   ? "over the reals wherever both are defined"
                                                      : "over the reals";
  return fmt::format(
      "the models are equal {}{}: {} of {} outputs{}", how,
      fewer_sizes ? fmt::format(" for {}, which the first does not ask for", second_accepts) : "", proved,
      outputs, constants == 0 ? "" : fmt::format(", up to the rounding of {} stored constants", constants));
}

std::string assumption_text(const std::string& id) {
  static const std::map<std::string, std::string> known{
      {undefined_nowhere,
       "The second model has a value wherever the first has one. Source: whoever made it; the instances that "
       "were "
       "executed agree."},
      {"reduction-order-depends-on-extents-alone",
       "The order in which a runtime adds up depends on the extents alone, and not on what is added. Source: "
       "the "
       "runtime of both models."},
      {"double-evaluation-of-constants",
       "Constants that another compiler computed are compared with what doubles give. Source: IEEE 754."},
      {"inputs-with-initializers-keep-their-values",
       "Inputs that have an initializer keep its value. Source: whoever runs the models."}};
  if (const auto found = known.find(id); found != known.end()) return found->second;
  if (id.starts_with("onnx-reader-and-checker"))
    return "The ONNX library reads the files as their authors meant them. Source: ONNX 1.12.";
  if (id.starts_with("operator-definitions"))
    return "The operators mean what src/operators says: tested on ONNX's own cases. Source: ONNX 1.12.";
  if (id.starts_with("onnx-function-body:"))
    return "ONNX's own function body of the operator is its meaning. Source: ONNX 1.12.";
  if (id.starts_with("input-fixed:"))
    return "The input keeps the value that was given for it. Source: the command.";
  return {};
}

}  // namespace hallmark::compare
