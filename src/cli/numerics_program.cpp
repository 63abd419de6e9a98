#include "cli/numerics_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "calculus/text/text.h"
#include "cli/exit_code.h"
#include "contract/contract.h"
#include "contract/number.h"
#include "contract/samples.h"
#include "evaluator/evaluator.h"
#include "formulation/erase.h"
#include "formulation/suggest_orders.h"
#include "numerics/admission.h"
#include "numerics/output_bound.h"
#include "numerics/tolerance.h"

namespace hallmark::cli {
namespace {

using calculus::Program;

struct Subject {
  Program exact;
  formulation::Formulation formulation;
  contract::Contract contract;
  std::optional<contract::Samples> samples;
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
  if (!request.samples.empty()) {
    out.samples = contract::load_samples(request.samples);
    out.contract = contract::calibrated(out.contract, *out.samples, out.exact);
    contract::validate(out.contract, out.exact);
  }
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
  // A box that was measured is assumed in another way than one that nobody stated.
  if (subject.samples)
    for (Obligation& o : list)
      for (std::string& id : o.outcome.assumptions)
        for (const auto& [name, range] : subject.samples->ranges)
          if (id == "default-box:" + name) id = "calibrated-box:" + name + ":" + subject.samples->digest;
  return list;
}

int exit_of(const std::vector<Obligation>& list) {
  int code = met;
  for (const Obligation& o : list) {
    if (o.outcome.state == State::refuted) return refuted;
    if (o.outcome.state != State::proved) code = undecided;
  }
  return code;
}

// What stands between the outputs and the contract beside their tolerances: domains, ranges, branches.
std::vector<const Obligation*> open_obligations(const std::vector<Obligation>& list) {
  std::vector<const Obligation*> out;
  for (const Obligation& o : list)
    if (o.kind != ObligationKind::tolerance && o.outcome.state != State::proved) out.push_back(&o);
  return out;
}

const Obligation* tolerance_obligation(const std::vector<Obligation>& list, const std::string& output) {
  for (const Obligation& o : list)
    if (o.kind == ObligationKind::tolerance && o.subject == output) return &o;
  return nullptr;
}

// What is assumed and not stated: boxes and tolerances, whatever was decided, with their numbers, and what
// the proofs rest on.
std::vector<std::string> assumptions_in_words(const Subject& subject, const std::vector<Obligation>& list) {
  std::vector<std::string> out;
  std::set<std::string> said;
  for (const auto& [name, box] : subject.contract.inputs) {
    if (!box.assumed) continue;
    const bool measured = subject.samples && subject.samples->ranges.contains(name);
    const std::string id =
        measured ? "calibrated-box:" + name + ":" + subject.samples->digest : "default-box:" + name;
    said.insert(id);
    said.insert("default-box:" + name);  // as the contract names it, which knows of no samples
    out.push_back(fmt::format("{}: {} in [{}, {}], {}", id, name, contract::print_number(box.low),
                              contract::print_number(box.high),
                              measured ? "as the samples are" : "which nobody declared"));
  }
  for (const std::string& id : contract::assumptions(subject.contract))
    if (said.insert(id).second) out.push_back(id);
  for (const Obligation& o : list)
    for (const std::string& id : o.outcome.assumptions)
      if (said.insert(id).second) out.push_back(id);
  return out;
}

// Definitions of real elements that are no outputs.
std::vector<std::string> real_between(const Program& exact) {
  std::vector<std::string> out;
  for (const calculus::Definition& d : exact.definitions)
    if (calculus::is_float(d.declaration.format) &&
        std::find(exact.outputs.begin(), exact.outputs.end(), d.declaration.name) == exact.outputs.end())
      out.push_back(d.declaration.name);
  return out;
}

}  // namespace

int bound_program(const ProgramRequest& request, const Common& common) {
  const Subject subject = read(request);
  const std::vector<Obligation> list = admit(subject);
  json::array outputs;
  numerics::WitnessOptions search;
  search.simulate = simulate;
  search.work_limit = 30'000'000;
  for (const numerics::OutputBound& o : numerics::output_bounds(
           {subject.exact, subject.formulation.program, subject.formulation.constants, subject.contract},
           search)) {
    const std::string bound = o.absolute ? numerics::upper_text(*o.absolute, 6) : "",
                      witness = o.witness ? numerics::lower_text(numerics::Interval(*o.witness)) : "",
                      ratio = o.ratio > 0 ? fmt::format("{:.3f}", o.ratio) : "";
    const Obligation* tolerance = tolerance_obligation(list, o.name);
    if (common.format == "json") {
      json::object entry{{"name", o.name}, {"proved", o.absolute.has_value() && !o.finite_only}};
      if (o.absolute && o.finite_only) entry["inputs"] = "finite";
      const std::pair<const char*, const std::string*> fields[] = {{"bound", &bound},
                                                                   {"witness", &witness},
                                                                   {"witness_origin", &o.origin},
                                                                   {"ratio", &ratio},
                                                                   {"reason", &o.reason}};
      for (const auto& [key, value] : fields)
        if (!value->empty()) entry[key] = *value;
      if (tolerance != nullptr) {
        entry["verdict"] = name(tolerance->outcome.state);
        entry["verdict_text"] = tolerance->outcome.detail;
        json::array assumed;
        for (const std::string& id : tolerance->outcome.assumptions) assumed.emplace_back(id);
        entry["assumptions"] = assumed;
      }
      json::array open;
      for (const Obligation* other : open_obligations(list))
        open.push_back(json::object{
            {"id", other->id}, {"state", name(other->outcome.state)}, {"detail", other->outcome.detail}});
      if (!open.empty()) entry["open"] = open;
      outputs.push_back(entry);
      continue;
    }
    if (o.absolute)
      std::cout << fmt::format("{}: |computed - exact| <= {} for every {}input of the contract\n", o.name,
                               bound, o.finite_only ? "finite " : "");
    else
      std::cout << fmt::format("{}: no bound: {}\n", o.name, o.reason);
    if (!witness.empty()) std::cout << "witness: error at least " << witness << " (" << o.origin << ")\n";
    if (!ratio.empty()) std::cout << "ratio: " << ratio << "\n";
    if (request.explain && !o.budget.empty()) std::cout << "error " << o.budget << "\n";
    if (tolerance != nullptr)
      std::cout << fmt::format("tolerance: {}: {}\n", name(tolerance->outcome.state),
                               tolerance->outcome.detail);
  }
  if (common.format != "json")
    for (const std::string& line : assumptions_in_words(subject, list))
      std::cout << "assumed: " << line << "\n";
  if (common.format == "json")
    std::cout << canonical_json(outputs.size() == 1 ? outputs[0] : json::value(outputs));
  else
    for (const Obligation* other : open_obligations(list))
      std::cout << fmt::format("{}: {}: {}\n", other->id, name(other->outcome.state), other->outcome.detail);
  return exit_of(list);
}

int suggest_program(const ProgramRequest& request, const Common& common) {
  const Subject base = read(request);
  struct Candidate {
    const char* name;
    calculus::Format compute;
    int lanes;                                               // 0: in sequence
    std::optional<calculus::Format> between = std::nullopt;  // storage of what is no output
  };
  using calculus::Format;
  // Cheapest first: narrow arithmetic, narrow storage, then orders that any block can keep, then wide
  // arithmetic. More lanes have shorter sums each, and so a smaller bound.
  static constexpr std::array<Candidate, 12> candidates{
      {{"f16, 64 lanes", Format::f16, 64},
       {"f16, sequential", Format::f16, 0},
       {"f32, 64 lanes, f16 between", Format::f32, 64, Format::f16},
       {"f32, 64 lanes, bf16 between", Format::f32, 64, Format::bf16},
       {"f32, 256 lanes, f16 between", Format::f32, 256, Format::f16},
       {"f32, 256 lanes, bf16 between", Format::f32, 256, Format::bf16},
       {"f32, 64 lanes", Format::f32, 64},
       {"f32, 256 lanes", Format::f32, 256},
       {"f32, 1024 lanes", Format::f32, 1024},
       {"f32, sequential", Format::f32, 0},
       {"f64, 256 lanes", Format::f64, 256},
       {"f64, sequential", Format::f64, 0}}};
  const std::vector<std::string> stored = real_between(base.exact);
  json::array rows;
  std::string suggested;
  std::vector<std::string> assumed;
  for (const Candidate& candidate : candidates) {
    if (candidate.between && stored.empty()) continue;
    Subject subject = base;
    std::string verdict, detail;
    try {
      formulation::Options options;
      options.compute = candidate.compute;
      if (candidate.lanes > 0) options.default_order = formulation::block_order(candidate.lanes);
      if (candidate.between)
        for (const std::string& name : stored) options.storage[name] = *candidate.between;
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
        assumed = assumptions_in_words(subject, list);
      }
    } catch (const Refusal& refusal) {
      verdict = "unsupported";
      detail = refusal.message();
    }
    rows.push_back(json::object{{"candidate", candidate.name}, {"verdict", verdict}, {"detail", detail}});
    if (common.format != "json")
      std::cout << fmt::format("{:<28} {}{}\n", candidate.name, verdict, detail.empty() ? "" : ": " + detail);
  }
  if (common.format == "json") {
    json::array words(assumed.begin(), assumed.end());
    std::cout << canonical_json(
        json::object{{"candidates", rows}, {"suggested", suggested}, {"assumptions", words}});
    return suggested.empty() ? undecided : met;
  }
  std::cout << (suggested.empty()
                    ? "none of these is proved to keep the contract; `hallmark numerics explain` "
                      "says which definitions contribute how much\n"
                    : "suggested: " + suggested + "\n");
  for (const std::string& line : assumed) std::cout << "assumed: " << line << "\n";
  return suggested.empty() ? undecided : met;
}

}  // namespace hallmark::cli
