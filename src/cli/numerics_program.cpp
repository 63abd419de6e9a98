#include "cli/numerics_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "calculus/text/text.h"
#include "cli/exit_code.h"
#include "contract/contract.h"
#include "contract/number.h"
#include "evaluator/evaluator.h"
#include "formulation/erase.h"
#include "formulation/suggest_orders.h"
#include "numerics/admission.h"
#include "numerics/program_analysis.h"
#include "numerics/tolerance.h"

namespace hallmark::cli {
namespace {

using calculus::Program;

struct Subject {
  Program exact;
  formulation::Formulation formulation;
  contract::Contract contract;
};

bool is_formulation(const Program& program) {
  return std::any_of(program.definitions.begin(), program.definitions.end(), [](const auto& definition) {
    return definition.body->sort.kind == calculus::Sort::Kind::floating;
  });
}

Subject read(const ProgramRequest& request) {
  Subject out;
  const Program given = calculus::text::parse_program(read_file(request.file), request.file);
  if (is_formulation(given)) {
    out.exact = formulation::erase(given);
    out.formulation.program = given;
  } else {
    out.exact = given;
    formulation::Options options;
    options.orders = formulation::suggest_orders(given);
    out.formulation = formulation::formulate(given, options);
  }
  contract::Contract stated;
  if (!request.contract.empty()) stated = contract::load(request.contract);
  contract::validate(stated, out.exact);
  out.contract = request.contract.empty() ? contract::default_contract(out.exact)
                                          : contract::complete(stated, out.exact);
  return out;
}

std::map<std::string, calculus::TensorData> simulate(const Program& formulation,
                                                     const numerics::Point& point) {
  evaluator::Symbols symbols;
  for (const auto& [name, value] : point.symbols) symbols[name] = to_i64(value).value();
  evaluator::Tensors inputs;
  for (const auto& [name, data] : point.inputs)
    inputs[name] = evaluator::Tensor(std::make_shared<const calculus::TensorData>(data));
  std::map<std::string, calculus::TensorData> out;
  for (const auto& [name, tensor] : evaluator::evaluate(formulation, symbols, inputs))
    out[name] = *tensor.data();
  return out;
}

std::vector<Obligation> admit(const Subject& subject) {
  const numerics::AdmissionInput input{subject.exact, subject.formulation.program,
                                       subject.formulation.constants, subject.contract};
  std::vector<Obligation> list = numerics::list_admission_obligations(input);
  numerics::WitnessOptions options;
  options.simulate = simulate;
  numerics::discharge_admission(list, input, options);
  return list;
}

struct OutputBound {
  std::string name, reason, bound, witness, ratio, budget;
  std::optional<numerics::Interval> absolute;
};

// Bound and worst error of every output. The search for a witness aims at the bound itself, so it runs until
// its budget ends, and an error above the bound would be a fault of ours.
std::vector<OutputBound> bounds(const Subject& subject) {
  const Program& program = subject.formulation.program;
  const numerics::ProgramResult result = numerics::analyse(
      {program, subject.contract, &subject.formulation.constants, &subject.exact, nullptr, nullptr},
      numerics::Pass::composed);
  std::vector<OutputBound> out;
  contract::Contract aim = subject.contract;
  numerics::WitnessGoals goals;
  for (const std::string& name : program.outputs) {
    OutputBound o;
    o.name = name;
    const numerics::DefinitionResult& r = result.at(name);
    if (!r.value || !r.value->bounded) {
      o.reason = r.failure ? r.failure->message : "no bound: the exact value may leave a domain";
    } else {
      o.absolute = r.value->absolute;
      o.bound = numerics::upper_text(r.value->absolute, 6);
      o.budget = numerics::budget_text(*r.value, 12);
      contract::Tolerance tolerance;
      tolerance.absolute = r.value->absolute.exact_high();
      aim.outputs[name] = tolerance;
      goals.tolerance.insert(name);
    }
    out.push_back(o);
  }
  numerics::WitnessOptions options;
  options.simulate = simulate;
  const numerics::Findings found = numerics::search_witnesses(subject.exact, program, aim, goals, options);
  for (OutputBound& o : out) {
    if (found.tolerance.count(o.name) > 0)
      throw InternalError("a bound that an execution exceeds: " + o.name);
    const auto worst = found.worst_error.find(o.name);
    if (worst == found.worst_error.end()) continue;
    o.witness = worst->second;
    const std::optional<Rational> error = contract::parse_number(worst->second);
    if (o.absolute && error && *error > 0)
      o.ratio = fmt::format("{:.3f}", Rational(o.absolute->exact_high() / *error).get_d());
  }
  return out;
}

int exit_of(const std::vector<Obligation>& list) {
  int code = met;
  for (const Obligation& o : list) {
    if (o.outcome.state == State::refuted) return refuted;
    if (o.outcome.state != State::proved) code = undecided;
  }
  return code;
}

const Obligation* tolerance_obligation(const std::vector<Obligation>& list, const std::string& output) {
  for (const Obligation& o : list)
    if (o.kind == ObligationKind::tolerance && o.subject == output) return &o;
  return nullptr;
}

}  // namespace

int bound_program(const ProgramRequest& request, const Common& common) {
  const Subject subject = read(request);
  const std::vector<Obligation> list = admit(subject);
  json::array outputs;
  for (const OutputBound& o : bounds(subject)) {
    const Obligation* tolerance = tolerance_obligation(list, o.name);
    if (common.format == "json") {
      json::object entry{{"name", o.name}, {"proved", o.absolute.has_value()}};
      const std::pair<const char*, const std::string*> fields[] = {
          {"bound", &o.bound}, {"witness", &o.witness}, {"ratio", &o.ratio}, {"reason", &o.reason}};
      for (const auto& [key, value] : fields)
        if (!value->empty()) entry[key] = *value;
      if (tolerance != nullptr) {
        entry["verdict"] = name(tolerance->outcome.state);
        entry["verdict_text"] = tolerance->outcome.detail;
      }
      outputs.push_back(entry);
      continue;
    }
    if (o.absolute)
      std::cout << fmt::format("{}: |computed - exact| <= {} for every input of the contract\n", o.name,
                               o.bound);
    else
      std::cout << fmt::format("{}: no bound: {}\n", o.name, o.reason);
    if (!o.witness.empty()) std::cout << "witness: error at least " << o.witness << "\n";
    if (!o.ratio.empty()) std::cout << "ratio: " << o.ratio << "\n";
    if (request.explain && !o.budget.empty()) std::cout << "error " << o.budget << "\n";
    if (tolerance != nullptr)
      std::cout << fmt::format("tolerance: {}: {}\n", name(tolerance->outcome.state),
                               tolerance->outcome.detail);
  }
  if (common.format == "json")
    std::cout << canonical_json(outputs.size() == 1 ? outputs[0] : json::value(outputs));
  return exit_of(list);
}

int suggest_program(const ProgramRequest& request, const Common& common) {
  const Subject base = read(request);
  struct Candidate {
    const char* name;
    calculus::Format compute;
    bool lanes;
  };
  // Cheapest first: narrow arithmetic, then orders that any block can keep, then wide arithmetic.
  static constexpr std::array<Candidate, 5> candidates{{{"f16, lanes", calculus::Format::f16, true},
                                                        {"f16, sequential", calculus::Format::f16, false},
                                                        {"f32, lanes", calculus::Format::f32, true},
                                                        {"f32, sequential", calculus::Format::f32, false},
                                                        {"f64, sequential", calculus::Format::f64, false}}};
  json::array rows;
  std::string suggested;
  for (const Candidate& candidate : candidates) {
    Subject subject = base;
    std::string verdict, detail;
    try {
      formulation::Options options;
      options.compute = candidate.compute;
      if (candidate.lanes) options.default_order = formulation::block_order(64);
      subject.formulation = formulation::formulate(base.exact, options);
      const std::vector<Obligation> list = admit(subject);
      const int code = exit_of(list);
      verdict = code == met ? "proved" : code == refuted ? "refuted" : "undecided";
      for (const Obligation& o : list)
        if (o.outcome.state != State::proved && detail.empty()) detail = o.id + ": " + o.outcome.detail;
      const std::vector<std::string> forbidden = numerics::contract_violations(
          {subject.exact, subject.formulation.program, subject.formulation.constants, subject.contract});
      if (!forbidden.empty()) {
        verdict += ", not permitted";
        detail = forbidden.front();
      } else if (code == met && suggested.empty()) {
        suggested = candidate.name;
      }
    } catch (const Refusal& refusal) {
      verdict = "unsupported";
      detail = refusal.message();
    }
    rows.push_back(json::object{{"candidate", candidate.name}, {"verdict", verdict}, {"detail", detail}});
    if (common.format != "json")
      std::cout << fmt::format("{:<16} {}{}\n", candidate.name, verdict, detail.empty() ? "" : ": " + detail);
  }
  if (common.format == "json")
    std::cout << canonical_json(json::object{{"candidates", rows}, {"suggested", suggested}});
  else
    std::cout << (suggested.empty() ? "none of these is proved to keep the contract\n"
                                    : "suggested: " + suggested + "\n");
  return suggested.empty() ? undecided : met;
}

}  // namespace hallmark::cli
