// Shared by the numerics tests: building small programs, running them in IEEE arithmetic and exactly.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "evaluator/evaluator.h"
#include "evaluator/float_format.h"
#include "formulation/formulate.h"
#include "numerics/admission.h"
#include "numerics/program_analysis.h"
#include "numerics/reference.h"
#include "numerics/tensor_data.h"

namespace hallmark::numerics::testing {

using namespace calculus;

inline Term real_load(const std::string& tensor, const std::vector<Term>& indices) {
  return load(tensor, indices, Sort::real());
}
inline Term real(long value) {
  return real_constant(Rational(value));
}
inline Term over(std::size_t extent, const std::function<Term(Term)>& body) {
  const Term k = fresh_variable("k");
  return sum(k, integer(static_cast<long>(extent)), body(k));
}
inline Term max_over(std::size_t extent, const std::function<Term(Term)>& body) {
  const Term k = fresh_variable("k");
  return reduce(Op::max, extreme(-1), k, integer(static_cast<long>(extent)), body(k));
}

// A program with one-dimensional inputs of the given extents and the definitions in order; the last is the
// output.
struct Builder {
  Program program;
  Builder& input(const std::string& name, std::vector<long> extents, Format format = Format::f32) {
    std::vector<Term> terms;
    for (const long e : extents) terms.push_back(integer(e));
    program.inputs.push_back({name, format, terms});
    return *this;
  }
  Builder& define(const std::string& name, std::vector<long> extents, Term body,
                  Format format = Format::f32) {
    std::vector<Term> terms;
    for (const long e : extents) terms.push_back(integer(e));
    program.definitions.push_back({{name, format, terms}, {}, body, ""});
    program.outputs = {name};
    return *this;
  }
};

inline contract::Contract boxes(const Program& program, const Rational& low, const Rational& high) {
  contract::Contract c;
  for (const Declaration& input : program.inputs) c.inputs[input.name] = {low, high, std::nullopt, false};
  return c;
}

inline TensorData tensor(Format format, std::vector<std::int64_t> extents,
                         const std::vector<double>& values) {
  TensorData out = zero_tensor(format, std::move(extents));
  for (std::size_t i = 0; i < values.size(); ++i)
    set_element_bits(out, static_cast<std::int64_t>(i),
                     evaluator::encode(format, evaluator::nearest(format, exact_rational(values[i]))));
  return out;
}

inline evaluator::Tensors as_tensors(const Point& point) {
  evaluator::Tensors out;
  for (const auto& [name, data] : point.inputs)
    out.emplace(name, evaluator::Tensor(std::make_shared<const TensorData>(data)));
  return out;
}

inline std::map<std::string, TensorData> simulate(const Program& formulation, const Point& point) {
  evaluator::Symbols symbols;
  for (const auto& [name, value] : point.symbols) symbols[name] = *to_i64(value);
  std::map<std::string, TensorData> out;
  for (const auto& [name, tensor] : evaluator::evaluate(formulation, symbols, as_tensors(point)))
    out[name] = *tensor.data();
  return out;
}

struct Admitted {
  formulation::Formulation formulation;
  std::vector<Obligation> list;
  const Outcome& of(const std::string& id) const {
    for (const Obligation& o : list)
      if (o.id == id) return o.outcome;
    throw InternalError("no obligation " + id);
  }
};

inline Admitted admit(const Program& exact, const contract::Contract& contract,
                      const formulation::Options& options = {}, WitnessOptions witnesses = {}) {
  Admitted out{formulation::formulate(exact, options), {}};
  const AdmissionInput input{exact, out.formulation.program, out.formulation.constants, contract};
  out.list = list_admission_obligations(input);
  witnesses.simulate = simulate;
  discharge_admission(out.list, input, witnesses);
  return out;
}

inline contract::Contract with_tolerance(contract::Contract c, const Rational& absolute,
                                         const Rational& relative = 0) {
  c.tolerance.absolute = absolute;
  c.tolerance.relative = relative;
  return c;
}

// What becomes of the tolerance of an output.
inline Outcome tolerance_outcome(const AdmissionInput& input, const std::string& output) {
  std::vector<Obligation> list = list_admission_obligations(input);
  WitnessOptions witnesses;
  witnesses.simulate = simulate;
  discharge_admission(list, input, witnesses);
  for (const Obligation& o : list)
    if (o.id == "tolerance/" + output + "/model") return o.outcome;
  throw std::logic_error("no tolerance is asked for");
}

}  // namespace hallmark::numerics::testing
