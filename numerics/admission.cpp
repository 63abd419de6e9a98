#include "numerics/admission.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/sha256.h"
#include "formulation/erase.h"
#include "formulation/round_constant.h"
#include "numerics/assess.h"
#include "numerics/fold_steps.h"
#include "numerics/program_analysis.h"
#include "numerics/tensor_data.h"
#include "numerics/tolerance.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

// ---- the list
// ------------------------------------------------------------------------------------------------

std::string structure(const Definition& definition) {
  return fmt::format("{} (structure {:016x})", definition.declaration.name, definition.body->hash);
}

// Of all definitions and outputs: names, formats and structures.
std::string program_digest(const Program& program) {
  std::string all;
  for (const Definition& d : program.definitions)
    all += fmt::format("{} {} {:016x}\n", d.declaration.name, name(d.declaration.format), d.body->hash);
  for (const std::string& output : program.outputs) all += output + "\n";
  return sha256_hex(all);
}

bool has_constants(const Definition& definition) {
  bool found = false;
  for_each_node(definition.body, [&](Term node) {
    found = found || (node->kind == Kind::constant && node->sort.kind == Sort::Kind::floating);
  });
  return found;
}

// A running maximum that starts from -infinity beside what is rescaled by it (fold_rescaled.cpp).
bool starts_from_nothing(const Definition& definition) {
  bool found = false;
  for_each_node(definition.body, [&](Term node) {
    if (node->kind != Kind::fold || node->size < 2 || node->sort.kind != Sort::Kind::floating) return;
    for (Term init : open(node).init) found = found || infinite_start(init) < 0;
  });
  return found;
}

// Whether rounding could change a discrete outcome inside.
bool has_branches(const Definition& definition) {
  bool found = false;
  for_each_node(definition.body, [&](Term node) {
    const auto floats = [](Term t) { return t->sort.kind == Sort::Kind::floating; };
    if (node->kind == Kind::compare && floats(node->children[0])) found = true;
    if (node->kind == Kind::is_nan) found = true;
    if (node->kind == Kind::cast && floats(node->children[0]) &&
        (!floats(node) || node->sort == node->children[0]->sort))
      found = true;
    if (node->kind == Kind::operation && floats(node))
      found = found || node->op == Op::floor || node->op == Op::ceil || node->op == Op::trunc ||
              node->op == Op::round_even || node->op == Op::sign || node->op == Op::mod ||
              node->op == Op::rem || (node->op == Op::custom && node->name.rfind("sign_", 0) == 0);
  });
  return found;
}

std::string scope_text(const AdmissionInput& input) {
  std::string out;
  for (const SymbolRange& symbol : input.formulation.symbols) {
    const contract::DimensionRange range = contract::range_of(input.contract, symbol);
    out += (out.empty() ? "" : ", ") + symbol.name;
    if (range.high && *range.high == range.low)
      out += " = " + range.low.get_str();
    else if (range.high)
      out += " from " + range.low.get_str() + " to " + range.high->get_str();
    else
      out += " >= " + range.low.get_str();
  }
  return out.empty() ? "the program's sizes" : out;
}

class Lister {
 public:
  explicit Lister(const AdmissionInput& input)
      : input_(input),
        scope_(scope_text(input)),
        contract_("the contract " + sha256_hex(contract::print(input.contract))),
        formulation_(program_digest(input.formulation)),
        exact_(program_digest(input.exact)) {}

  std::vector<Obligation> run() {
    for (const Definition& d : input_.exact.definitions)
      add(ObligationKind::defined, Level::model, d.declaration.name, d.origin, "reals",
          "For every input of " + contract_ + ", every operation of the exact term of " + structure(d) +
              " is inside its domain.");
    for (const Constant& c : input_.formulation.constants)
      add(ObligationKind::constant, Level::plan, c.declaration.name, "", "bits",
          "Each element of the stored constant " + c.declaration.name + ", " +
              std::string(calculus::name(c.data->format)) + ", data " + digest(*c.data) +
              ", is the authored one or its correct rounding.");
    for (const Definition& d : input_.formulation.definitions) formulated(d);
    for (const std::string& output : input_.formulation.outputs) {
      const Format format = find_declaration(input_.formulation, output)->format;
      const std::string claim = is_float(format)
                                    ? " by at most " +
                                          tolerance_text(contract::tolerance_of(input_.contract, output)) +
                                          ", x being the exact value"
                                    : " not at all";
      add(ObligationKind::tolerance, Level::model, output, "", "reals",
          "For every input of " + contract_ + ", the output " + output + " of the formulation " +
              formulation_ + " differs from its value in the exact program " + exact_ + claim + ".");
    }
    return std::move(list_);
  }

 private:
  void formulated(const Definition& d) {
    const std::string& name = d.declaration.name;
    const std::string box = "For every input of " + contract_ + ", ";
    add(ObligationKind::erasure, Level::plan, name, d.origin, "reals",
        "The formulation of " + structure(d) + ", formats and roundings taken away, is the exact term of " +
            name + ".");
    if (has_constants(d))
      add(ObligationKind::constant, Level::plan, name, d.origin, "bits",
          "Each constant that stands for an exact one in " + structure(d) + " is its correct rounding.");
    add(ObligationKind::defined, Level::plan, name, d.origin, "ieee",
        box + "every operation of the formulation of " + structure(d) + " is inside its domain.");
    add(ObligationKind::range, Level::plan, name, d.origin, "ieee",
        box + "no operation of the formulation of " + structure(d) + " gives an infinity or a NaN" +
            (starts_from_nothing(d)
                 ? ", but for the start of a running maximum less its first term, -infinity."
                 : "."));
    add(ObligationKind::rounding, Level::plan, name, d.origin, "reals",
        box + "the formulation of " + structure(d) +
            " differs from its exact value on its own, already rounded inputs by at most the bound of the "
            "outcome.");
    if (has_branches(d))
      add(ObligationKind::branch, Level::plan, name, d.origin, "reals",
          box + "each comparison, rounding to an integer and conversion in " + structure(d) +
              " comes out as on the exact operands.");
  }

  static std::string digest(const TensorData& data) {
    return sha256_hex(std::string_view(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size()));
  }

  void add(ObligationKind kind, Level level, const std::string& subject, const std::string& node,
           const std::string& strength, const std::string& statement) {
    Obligation o;
    o.kind = kind;
    o.level = level;
    o.subject = subject;
    o.id = std::string(name(kind)) + "/" + subject + "/" + std::string(name(level));
    o.statement = statement;
    o.scope = scope_;
    o.strength = strength;
    o.location.node = node.empty() ? subject : node;
    o.outcome = Outcome::unrun(Reason::not_scheduled, "");
    list_.push_back(std::move(o));
  }

  const AdmissionInput& input_;
  std::string scope_, contract_, formulation_, exact_;
  std::vector<Obligation> list_;
};

// ---- outcomes
// ------------------------------------------------------------------------------------------------

Outcome proved(std::vector<std::string> by, std::string detail) {
  Outcome out;
  out.state = State::proved;
  out.reason = Reason::none;
  out.discharged_by = std::move(by);
  out.detail = std::move(detail);
  return out;
}

Outcome refuted(const Witness& witness, std::string detail) {
  Outcome out;
  out.state = State::refuted;
  out.reason = Reason::none;
  out.detail = std::move(detail);
  out.witness = witness;
  out.discharged_by = {"evaluator", "interval"};
  return out;
}

Outcome failed(const Failure& failure) {
  const bool unknown = failure.kind == Failure::Kind::unsupported;
  return Outcome::unrun(unknown ? Reason::unsupported : Reason::gap, failure.message);
}

std::vector<std::string> methods(const DefinitionResult& result) {
  std::vector<std::string> out{"interval"};
  for (const std::string& theorem : result.theorems) out.push_back("theorem:" + theorem);
  return out;
}

bool is_correctly_rounded(const formulation::RoundedConstant& constant) {
  const auto encoded = formulation::exact_value(constant.bits, constant.format);
  if (!encoded) return false;
  // Enough bits for the rational to be exact when it is dyadic, so that ties are seen as ties.
  const mpfr_prec_t precision = static_cast<mpfr_prec_t>(mpz_sizeinbase(constant.exact.get_num_mpz_t(), 2) +
                                                         mpz_sizeinbase(constant.exact.get_den_mpz_t(), 2)) +
                                Interval::default_precision;
  const Interval exact(constant.exact, precision);
  const MaybeInterval rounded = round_to_format(exact, {constant.format, Rounding::nearest, false});
  return rounded && rounded->is_point() && rounded->exact_low() == *encoded &&
         (*encoded != 0 || constant.exact != 0 || constant.bits == 0);
}

class Discharger {
 public:
  Discharger(const AdmissionInput& input, const WitnessOptions& options) : input_(input), options_(options) {
    for (const std::string& id : contract::assumptions(input.contract))
      if (id.rfind("default-box:", 0) == 0) box_assumptions_.push_back(id);
    erase();
    special_values_ = input.contract.nan_allowed || input.contract.infinity_allowed;
    if (special_values_) return;
    exact_ = analyse({input.exact, input.contract, nullptr, nullptr, nullptr, nullptr}, Pass::exact);
    local_ = analyse({input.formulation, input.contract, &input.constants, nullptr, nullptr, nullptr},
                     Pass::local);
    composed_ = analyse({input.formulation, input.contract, &input.constants, &input.exact, &local_,
                         all_erase_ ? &exact_ : nullptr},
                        Pass::composed);
  }

  void run(std::vector<Obligation>& list) {
    WitnessGoals goals;
    bool open = false;
    for (const Obligation& o : list) open = add_goal(o, goals) || open;
    if (open && !special_values_)
      findings_ = search_witnesses(input_.exact, input_.formulation, input_.contract, goals, options_);
    for (Obligation& o : list) {
      std::optional<Outcome> outcome = discharge(o);
      if (!outcome) continue;
      o.outcome = std::move(*outcome);
      check_well_formed(o);
    }
  }

  // The bound of an output's error against the exact program.
  std::optional<Rational> error_of(const std::string& output) const {
    const auto found = composed_.find(output);
    if (found == composed_.end() || !found->second.value || !found->second.value->bounded || !all_erase_)
      return std::nullopt;
    if (is_truth(output) && !found->second.value->same) return std::nullopt;
    const Interval& error = found->second.value->absolute;
    return mpfr_number_p(error.high()) != 0 ? std::optional(error.exact_high()) : std::nullopt;
  }

 private:
  void erase() {
    try {
      const Program left = formulation::erase(input_.formulation, input_.constants);
      const Program right = formulation::erase(input_.exact);
      for (const Definition& definition : left.definitions) {
        const Definition* other = find_definition(right, definition.declaration.name);
        const bool same = other != nullptr && other->body == definition.body &&
                          other->declaration.extents == definition.declaration.extents;
        erases_[definition.declaration.name] = same;
        all_erase_ = all_erase_ && same;
      }
      all_erase_ = all_erase_ && left.definitions.size() == right.definitions.size() &&
                   input_.formulation.outputs == input_.exact.outputs && same_inputs();
    } catch (const Refusal& refusal) {
      erasure_refused_ = refusal.message();
      all_erase_ = false;
    }
  }

  bool same_inputs() const {
    const std::vector<Declaration>&a = input_.formulation.inputs, &b = input_.exact.inputs;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Declaration& x, const Declaration& y) {
      return x.name == y.name && x.format == y.format && x.extents == y.extents;
    });
  }

  bool is_truth(const std::string& tensor) const {
    return find_declaration(input_.formulation, tensor)->format == Format::boolean;
  }

  // Whether a witness is wanted because the obligation will not be proved.
  bool add_goal(const Obligation& o, WitnessGoals& goals) const {
    if (o.kind == ObligationKind::tolerance)
      return !tolerance_holds(o.subject) && goals.tolerance.insert(o.subject).second;
    const auto fails = [&](const ProgramResult& pass, Failure::Kind kind) {
      const auto found = pass.find(o.subject);
      return found != pass.end() && found->second.failure && found->second.failure->kind == kind;
    };
    const bool model = o.level == Level::model;
    if (o.kind == ObligationKind::defined && fails(model ? exact_ : local_, Failure::Kind::domain))
      return (model ? goals.undefined : goals.domain).insert(o.subject).second;
    if (o.kind == ObligationKind::range && fails(local_, Failure::Kind::overflow))
      return goals.range.insert(o.subject).second;
    return false;
  }

  // Nothing for obligations of other kinds or subjects.
  std::optional<Outcome> discharge(const Obligation& o) const {
    switch (o.kind) {
      case ObligationKind::erasure:
        return erasure(o.subject);
      case ObligationKind::constant:
        return constant(o.subject);
      case ObligationKind::defined:
      case ObligationKind::range:
      case ObligationKind::rounding:
      case ObligationKind::branch:
      case ObligationKind::tolerance:
        break;
      default:
        return std::nullopt;
    }
    if (special_values_)
      return Outcome::unrun(Reason::unsupported,
                            "the contract admits NaN or infinite inputs, for which there are no real bounds");
    const bool model = o.level == Level::model;
    const ProgramResult& pass = o.kind == ObligationKind::tolerance || o.kind == ObligationKind::branch
                                    ? composed_
                                    : (model ? exact_ : local_);
    const auto found = pass.find(o.subject);
    if (found == pass.end()) return std::nullopt;
    Outcome out;
    switch (o.kind) {
      case ObligationKind::defined:
        out = defined(found->second, o.subject, model);
        break;
      case ObligationKind::range:
        out = range(found->second, o.subject);
        break;
      case ObligationKind::rounding:
        out = rounding(found->second);
        break;
      case ObligationKind::branch:
        out = branch(found->second);
        break;
      default:
        out = tolerance(found->second, o.subject);
    }
    if (out.state == State::proved) {
      std::set<std::string> all(found->second.assumptions.begin(), found->second.assumptions.end());
      all.insert(box_assumptions_.begin(), box_assumptions_.end());
      if (o.kind == ObligationKind::tolerance)
        for (const std::string& id : contract::assumptions(input_.contract))
          if (id == "default-tolerance" || id == "default-tolerance:" + o.subject) all.insert(id);
      out.assumptions.assign(all.begin(), all.end());
    }
    return out;
  }

  Outcome erasure(const std::string& name) const {
    if (!erasure_refused_.empty()) return Outcome::unrun(Reason::unsupported, erasure_refused_);
    const auto found = erases_.find(name);
    if (found != erases_.end() && found->second)
      return proved({"syntactic"}, "the erased formulation and the exact term are one term");
    return Outcome::unrun(Reason::gap, "the erased formulation is another term than the exact one");
  }

  Outcome constant(const std::string& name) const {
    for (const Constant& stored : input_.formulation.constants)
      if (stored.declaration.name == name) return stored_constant(stored);
    std::size_t count = 0;
    for (const formulation::RoundedConstant& c : input_.constants) {
      if (c.definition != name) continue;
      ++count;
      if (is_correctly_rounded(c)) continue;
      return Outcome::unrun(Reason::gap,
                            fmt::format("{} is not the correct rounding of {} to {}: 0x{:x}", name,
                                        c.exact.get_str(), calculus::name(c.format), c.bits));
    }
    return proved({"mpfr"},
                  fmt::format("{} constants rounded again, others are their own exact values", count));
  }

  Outcome stored_constant(const Constant& stored) const {
    const TensorData& data = *stored.data;
    for (const Constant& authored : input_.exact.constants) {
      if (authored.declaration.name != stored.declaration.name) continue;
      if (authored.data->extents != data.extents)
        return Outcome::unrun(Reason::gap, "the stored constant has another shape than the authored one");
      if (authored.data == stored.data ||
          (authored.data->format == data.format && authored.data->splat == data.splat &&
           authored.data->bytes == data.bytes))
        return proved({"syntactic"}, "a copy of the authored bytes");
      for (std::int64_t i = 0; i < data.element_count(); ++i) {
        const auto exact = element_value(*authored.data, i);
        if (!exact || !is_correctly_rounded({"", *exact, data.format, element_bits(data, i)}))
          return Outcome::unrun(Reason::gap,
                                fmt::format("element {} is not the correct rounding of the authored one", i));
      }
      return proved({"mpfr"}, fmt::format("{} elements rounded again", data.element_count()));
    }
    return Outcome::unrun(Reason::gap, "the exact program has no constant of this name");
  }

  Outcome defined(const DefinitionResult& result, const std::string& name, bool model) const {
    const auto& found = model ? findings_.undefined : findings_.domain;
    if (const auto witness = found.find(name); witness != found.end())
      return refuted(witness->second, witness->second.summary);
    if (result.failure) return failed(*result.failure);
    return proved(methods(result), "every operand is inside its domain");
  }

  Outcome range(const DefinitionResult& result, const std::string& name) const {
    if (const auto witness = findings_.range.find(name); witness != findings_.range.end())
      return refuted(witness->second, witness->second.summary);
    if (result.failure) return failed(*result.failure);
    const Declaration* declaration = find_declaration(input_.formulation, name);
    if (declaration->format == Format::boolean) return proved(methods(result), "a truth value");
    return proved(methods(result), "rounded values in " + text(result.value->rounded));
  }

  static Outcome rounding(const DefinitionResult& result) {
    if (result.failure) return failed(*result.failure);
    const Value& v = *result.value;
    if (!v.bounded || !v.same)
      return Outcome::unrun(Reason::gap,
                            "no bound is known: a discrete outcome may differ, or an exact operand may "
                            "leave a domain that the rounded one keeps");
    std::string detail = bound_text(v);
    if (const std::string budget = budget_text(v); !budget.empty()) detail += "; " + budget;
    return proved(methods(result), detail);
  }

  static Outcome branch(const DefinitionResult& result) {
    std::string open;
    std::size_t count = 0;
    for (const BranchPoint& point : result.branches) {
      ++count;
      if (!point.same) open += (open.empty() ? "" : ", ") + point.what;
    }
    if (!open.empty())
      return Outcome::unrun(Reason::gap, "may differ between rounded and exact operands: " + open);
    if (result.failure) return failed(*result.failure);
    return proved(methods(result), fmt::format("{} places", count));
  }

  bool tolerance_holds(const std::string& output) const {
    const auto found = composed_.find(output);
    if (found == composed_.end() || !found->second.value || !all_erase_) return false;
    const Format format = find_declaration(input_.formulation, output)->format;
    const Value& v = *found->second.value;
    if (!is_float(format)) return v.same && v.bounded && v.absolute.is_zero();
    return within_tolerance(v, contract::tolerance_of(input_.contract, output), format);
  }

  // Where the errors carried from the inputs cease to be bounded.
  std::string first_unbounded() const {
    for (const Definition& definition : input_.formulation.definitions) {
      const auto found = composed_.find(definition.declaration.name);
      if (found != composed_.end() && found->second.value && !found->second.value->bounded)
        return "the errors carried into " + definition.declaration.name +
               " can leave the domain of an operation of its "
               "exact term, or change a discrete outcome";
    }
    return "an operand is not bounded";
  }

  // What is left of the tolerance where the bound is reached, on the worst input of the whole box. Only an
  // absolute part can be told without knowing where that is.
  std::string slack(const std::string& output) const {
    const std::optional<Rational> error = error_of(output);
    const std::optional<Rational>& absolute = contract::tolerance_of(input_.contract, output).absolute;
    if (!error || !absolute || *error > *absolute) return {};
    return fmt::format(", slack about {:.3g} over the whole input box", Rational(*absolute - *error).get_d());
  }

  Outcome tolerance(const DefinitionResult& result, const std::string& output) const {
    if (const auto witness = findings_.tolerance.find(output); witness != findings_.tolerance.end())
      return refuted(witness->second, witness->second.summary);
    std::string budget;
    if (result.value) budget = budget_text(*result.value);
    if (tolerance_holds(output)) {
      if (!is_float(find_declaration(input_.formulation, output)->format))
        return proved(methods(result), "the exact value itself");
      const std::string bound = bound_text(*result.value);
      std::string detail = "error " + std::string(bound.starts_with("at most") ? "" : "at most ") + bound +
                           ", tolerance " + tolerance_text(contract::tolerance_of(input_.contract, output)) +
                           slack(output) + (budget.empty() ? "" : "; " + budget);
      return proved(methods(result), detail);
    }
    if (!findings_.undefined.empty())
      return Outcome::unrun(Reason::undefined_input, findings_.undefined.begin()->second.summary);
    std::string detail;
    if (result.failure)
      detail = "no bound: " + result.failure->message;
    else if (!result.value->bounded)
      detail = "no bound: " + first_unbounded();
    else if (is_truth(output) && !result.value->same)
      detail = "the truth value may be another one on rounded operands";
    else if (!all_erase_)
      detail = "bound " + bound_text(*result.value) +
               ", but not against the exact program: a definition does not erase to the exact one";
    else
      detail = "bound " + bound_text(*result.value) + ", tolerance " +
               (is_float(find_declaration(input_.formulation, output)->format)
                    ? tolerance_text(contract::tolerance_of(input_.contract, output))
                    : "0") +
               (budget.empty() ? "" : "; " + budget);
    if (!findings_.not_searched.empty())
      detail += "; not searched for a witness: " + findings_.not_searched;
    else if (const auto seen = findings_.worst_error.find(output); seen != findings_.worst_error.end())
      detail += fmt::format("; worst error seen {} on {} points (measured, not proved)", seen->second,
                            findings_.points);
    return Outcome::unrun(Reason::gap, detail);
  }

  const AdmissionInput& input_;
  const WitnessOptions& options_;
  bool special_values_ = false;
  std::vector<std::string> box_assumptions_;
  std::map<std::string, bool> erases_;
  std::string erasure_refused_;
  bool all_erase_ = true;
  ProgramResult exact_, local_, composed_;
  Findings findings_;
};

}  // namespace

std::vector<Obligation> list_admission_obligations(const AdmissionInput& input) {
  return Lister(input).run();
}

Assessment assess(const AdmissionInput& input) {
  std::vector<Obligation> list = list_admission_obligations(input);
  const WitnessOptions none;
  Discharger discharger(input, none);
  discharger.run(list);
  Assessment out;
  for (const Obligation& o : list)
    if (o.kind == ObligationKind::tolerance)
      out.outputs[o.subject] = {o.outcome.state == State::proved, discharger.error_of(o.subject),
                                o.outcome.detail};
    else if (o.outcome.state != State::proved)
      out.open[o.id] = o.outcome.detail;
  return out;
}

void discharge_admission(std::vector<Obligation>& list, const AdmissionInput& input,
                         const WitnessOptions& witnesses) {
  Discharger(input, witnesses).run(list);
}

}  // namespace hallmark::numerics
