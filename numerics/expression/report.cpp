#include "numerics/expression/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "contract/number.h"
#include "numerics/expression/admitted.h"
#include "numerics/expression/node_format.h"
#include "numerics/tolerance.h"

namespace hallmark::numerics {

namespace {

void set_specification(const Expression& e, Goal& goal) {
  goal.difference = difference_from_specification(e);
  goal.identical = goal.difference && is_identical(*goal.difference);
}

std::string decimal(const Rational& x, bool up, int digits = 6) {
  const Interval point(x);
  return up ? upper_text(point, digits) : lower_text(point, digits);
}
// A real input: the value in a format and, where it is no such value, the exact fraction.
std::string input_text(const Rational& x, double rounded) {
  if (exact_rational(rounded) == x) return fmt::format("{:a}", rounded);
  return x.get_str() + fmt::format(" (rounded {:a})", rounded);
}

void fill_budget(const Expression& e, ExpressionReport& out) {
  double total = 0;
  for (const double c : out.search.contributions) total += c;
  if (!(total > 0) || !std::isfinite(total)) return;
  for (std::size_t i = 0; i < out.search.contributions.size(); ++i)
    if (out.search.contributions[i] > 0)
      out.budget.emplace_back(
          (e.nodes[i].operation == Operation::variable ? "rounding of the input " : "") + e.nodes[i].text,
          100 * out.search.contributions[i] / total);
  std::stable_sort(out.budget.begin(), out.budget.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

// Proves a relative or mixed tolerance, or one on the distance from :spec, by a search of its own.
bool within_goal(const Expression& e, const ExpressionModel& model, const BoundOptions& options,
                 const contract::Tolerance& tolerance, ExpressionReport& out) {
  Goal goal;
  goal.tolerance = tolerance;
  set_specification(e, goal);
  goal.format = held_format(e, model, e.root).value_or(calculus::Format::f64);
  const BoundResult search = search_bound(e, model, options, goal);
  // Here with outward steps of doubles; the checker decides.
  if (!(search.bound <= 1 + 0x1p-30)) return false;
  const CheckResult check = check_certificate(e, model, search.partition, 1, goal);
  if (check.holds) out.tolerance_check = check;
  return check.holds;
}

// What a witness without a finite error shows.
std::string without_value(const Expression& e, const ExpressionWitness& w) {
  if (w.kind == ExpressionWitness::Kind::undefined)
    return "the exact value does not exist: " + e.nodes[static_cast<std::size_t>(w.node)].text;
  return w.kind == ExpressionWitness::Kind::infinite ? "the computed value overflows"
                                                     : "the computed value is NaN";
}

void judge(const Expression& e, const ExpressionModel& model, const BoundOptions& options,
           const contract::Tolerance& tolerance, ExpressionReport& out) {
  if (out.witness && out.witness->kind != ExpressionWitness::Kind::finite) {
    if (out.proved) throw InternalError("a bound where an execution has none: " + e.name);
    out.verdict = State::refuted;
    out.verdict_text = "refuted: " + without_value(e, *out.witness);
    return;
  }
  if (tolerance.empty()) return;
  const calculus::Format format = held_format(e, model, e.root).value_or(calculus::Format::f64);
  const std::string wanted = tolerance_text(tolerance);
  if (out.witness &&
      certainly_violates(exact_rational(out.witness->computed), out.witness->exact, tolerance, format)) {
    out.verdict = State::refuted;
    out.verdict_text = "refuted: the witness is off by more than " + wanted;
  } else if (out.proved && tolerance.absolute && out.bound <= *tolerance.absolute) {
    out.verdict = State::proved;
    out.verdict_text = "proved: within " + wanted;
  } else if (within_goal(e, model, options, tolerance, out)) {
    out.verdict = State::proved;
    out.verdict_text = fmt::format("proved: within {} ({} boxes, re-checked with MPFI)", wanted,
                                   out.tolerance_check.leaves + out.tolerance_check.excluded);
  } else {
    out.verdict = State::unrun;
    out.verdict_text = "unrun: gap between bound and witness at " + wanted;
  }
}

void prove(const Expression& e, const ExpressionModel& model, ExpressionReport& out) {
  Goal goal;
  set_specification(e, goal);
  if (!std::isfinite(out.search.bound)) {
    const int blamed = out.search.blamed;
    out.reason = "an operation may leave its domain, overflow, or have an unbounded slope" +
                 (blamed >= 0 ? ": " + e.nodes[static_cast<std::size_t>(blamed)].text : std::string());
    return;
  }
  // What the checker finds by itself is the claim, where the search found no more.
  out.bound = exact_rational(out.search.bound) * (1 + Rational(1, 1 << 30));
  out.check = check_certificate(e, model, out.search.partition, out.bound, goal);
  if (out.check.bound) {
    out.bound = out.check.bound->exact_high();
    if (!out.check.holds) out.check = check_certificate(e, model, out.search.partition, out.bound, goal);
  }
  out.proved = out.check.holds;
  if (!out.proved) {
    out.reason = "the checker rejects the certificate: " + out.check.failure;
    return;
  }
  if (out.witness && out.witness->kind != ExpressionWitness::Kind::finite) return;  // judge() says so
  if (out.witness && out.witness->error > out.bound)
    throw InternalError("a bound that an execution exceeds: " + e.name);
  if (out.witness && out.witness->error > 0) out.ratio = Rational(out.bound / out.witness->error).get_d();
  fill_budget(e, out);
}

}  // namespace

ExpressionReport bound_expression(const Expression& stated, const ExpressionModel& model,
                                  const BoundOptions& options, const WitnessSearch& witness) {
  const UserError vacuous(
      "E8109", "no input meets the precondition of " + (stated.name.empty() ? "this FPCore" : stated.name));
  const std::optional<Expression> admitted = over_values(stated, model);
  if (!admitted) throw vacuous;
  const Expression& e = *admitted;
  ExpressionReport out;
  Goal goal;
  set_specification(e, goal);
  out.search = search_bound(e, model, options, goal);
  if (out.search.leaves == 0) throw vacuous;
  out.witness = find_witness(e, model, out.search.worst, witness);
  if (!out.witness && !e.demands.empty() && !finds_input(e, model, out.search.worst, witness)) {
    out.reason = "no input was found that meets the precondition";
    if (!witness.tolerance.empty()) {
      out.verdict = State::unrun;
      out.verdict_text = "unrun: " + out.reason;
    }
    return out;
  }
  prove(e, model, out);
  judge(e, model, options, witness.tolerance, out);
  return out;
}

std::string as_text(const Expression& e, const ExpressionModel& model, const ExpressionReport& report) {
  std::string out = fmt::format("{}: ", e.name.empty() ? "FPCore" : e.name);
  if (report.proved)
    out += fmt::format("|computed - exact| <= {} for every input, proved ({} boxes, re-checked with MPFI)\n",
                       decimal(report.bound, true), report.check.leaves + report.check.excluded);
  else
    out += "no bound: " + report.reason + "\n";
  if (report.witness) {
    const bool finite = report.witness->kind == ExpressionWitness::Kind::finite;
    out += finite ? fmt::format("witness: error at least {} at", decimal(report.witness->error, false))
                  : "witness: " + without_value(e, *report.witness) + " at";
    for (std::size_t i = 0; i < e.inputs.size(); ++i)
      out += fmt::format("{} {} = {}", i > 0 ? "," : "", e.inputs[i].name,
                         input_text(report.witness->inputs[i], report.witness->rounded[i]));
    out += report.witness->kind == ExpressionWitness::Kind::undefined
               ? "\n"
               : fmt::format(
                     "\n  computed {:a}, exact in {}\n", report.witness->computed,
                     exact_text(Interval::ends(report.witness->exact.low(), report.witness->exact.high())));
  }
  if (report.ratio > 0) out += fmt::format("ratio: {:.3f}\n", report.ratio);
  if (report.verdict) out += report.verdict_text + "\n";
  return out + "model: " + text(model) + "\n";
}

json::value as_json(const Expression& e, const ExpressionModel& model, const ExpressionReport& report) {
  json::object out;
  out["name"] = e.name;
  out["proved"] = report.proved;
  out["model"] = text(model);
  if (report.verdict) {
    out["verdict"] = name(*report.verdict);
    out["verdict_text"] = report.verdict_text;
  }
  if (!report.reason.empty()) out["reason"] = report.reason;
  if (report.proved) {
    out["bound"] = decimal(report.bound, true);
    out["bound_exact"] = contract::print_number(report.bound);
    out["boxes"] = static_cast<std::int64_t>(report.check.leaves);
    out["boxes_excluded"] = static_cast<std::int64_t>(report.check.excluded);
    json::array budget;
    for (const auto& [text, percent] : report.budget)
      budget.push_back(json::object{{"operation", text}, {"percent", fmt::format("{:.2f}", percent)}});
    out["budget"] = budget;
  }
  if (report.witness) {
    json::object inputs, values;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
      inputs[e.inputs[i].name] = report.witness->inputs[i].get_str();
      values[e.inputs[i].name] = fmt::format("{:a}", report.witness->rounded[i]);
    }
    const bool finite = report.witness->kind == ExpressionWitness::Kind::finite;
    out["witness"] = finite ? decimal(report.witness->error, false) : without_value(e, *report.witness);
    out["witness_inputs"] = inputs;
    out["witness_rounded_inputs"] = values;
    if (report.witness->kind != ExpressionWitness::Kind::undefined) {
      out["witness_computed"] = fmt::format("{:a}", report.witness->computed);
      out["witness_exact"] = exact_text(report.witness->exact);
    }
  }
  if (report.ratio > 0) out["ratio"] = fmt::format("{:.4f}", report.ratio);
  return out;
}

}  // namespace hallmark::numerics
