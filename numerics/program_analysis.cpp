#include "numerics/program_analysis.h"

#include <algorithm>

#include "base/error.h"
#include "contract/format_values.h"
#include "formulation/round_constant.h"
#include "numerics/tensor_data.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

// Marks shares that came in with a loaded tensor.
constexpr char loaded_mark = '@';

DefinitionResult failed(Failure::Kind kind, const std::string& message) {
  DefinitionResult out;
  out.failure = Failure{kind, message};
  return out;
}

class ProgramAnalysis {
 public:
  ProgramAnalysis(const AnalysisInput& input, Pass pass) : input_(input), pass_(pass) {}

  ProgramResult run() {
    for (const Declaration& declaration : input_.program.inputs)
      results_[declaration.name] = input(declaration);
    for (const Constant& constant : input_.program.constants)
      results_[constant.declaration.name] = data(constant);
    for (const Definition& definition : input_.program.definitions)
      results_[definition.declaration.name] = definition_result(definition);
    return std::move(results_);
  }

 private:
  DefinitionResult input(const Declaration& declaration) const {
    DefinitionResult out;
    const auto found = input_.contract.inputs.find(declaration.name);
    const Format format = declaration.format;
    Rational low = contract::least_value(format), high = contract::largest_value(format);
    if (found != input_.contract.inputs.end()) {
      low = found->second.low;
      high = found->second.high;
    } else if (is_float(format)) {
      return failed(Failure::Kind::unbounded, "the contract has no box for the input " + declaration.name);
    }
    if (format == Format::boolean) {
      Value v;
      v.exact_truth = v.rounded_truth = {low <= 0 && high >= 0, low <= 1 && high >= 1};
      out.value = v;
      return out;
    }
    // The values of the format in the box; there is one, or the contract would be void.
    const Rational top = contract::round_down(high, format);
    const Rational bottom = -contract::round_down(Rational(-low), format);
    if (bottom > top)
      return failed(Failure::Kind::unbounded,
                    "the box of " + declaration.name + " contains no value of its format");
    out.value = boxed(Interval(bottom, top), format);
    return out;
  }

  DefinitionResult data(const Constant& constant) const {
    DefinitionResult out;
    const std::string& tensor = constant.declaration.name;
    const Format format = constant.data->format;
    if (format == Format::boolean) {
      Value v;
      if (const MaybeInterval range = data_range(*constant.data); range)
        v.exact_truth = v.rounded_truth = {range->contains(Rational(0)), range->contains(Rational(1))};
      out.value = v;
      return out;
    }
    // Of no element everything holds.
    const MaybeInterval range =
        constant.data->element_count() == 0 ? Interval(Rational(0)) : data_range(*constant.data);
    if (!range)
      return failed(Failure::Kind::overflow, "the constant " + tensor + " holds a NaN or infinity");
    Value v = boxed(*range, format);
    if (pass_ == Pass::composed && input_.exact_program != nullptr) {
      for (const Constant& authored : input_.exact_program->constants) {
        if (authored.declaration.name != tensor || authored.data == constant.data) continue;
        if (authored.data->extents != constant.data->extents)
          return failed(Failure::Kind::unsupported,
                        "the constant " + tensor + " has another shape than the authored one");
        if (authored.data->format == format && authored.data->bytes == constant.data->bytes) continue;
        Rational worst = 0;
        for (std::int64_t i = 0; i < constant.data->element_count(); ++i) {
          const auto exact = element_value(*authored.data, i), rounded = element_value(*constant.data, i);
          if (!exact || !rounded)
            return failed(Failure::Kind::overflow, "the constant " + tensor + " is not finite");
          worst = std::max(worst, Rational(abs(*exact - *rounded)));
        }
        v.exact = *data_range(*authored.data);
        v.absolute = Interval(worst).from_zero();
        v.rest = v.absolute;
        add_share(v, "stored constant " + tensor, v.absolute);
      }
    }
    out.value = v;
    return out;
  }

  // What a loaded tensor is known to be in this pass.
  Value loaded(const std::string& tensor) const {
    const auto found = results_.find(tensor);
    ensure(found != results_.end(), "a definition that uses a later one");
    if (!found->second.value)
      throw AnalysisFailure(Failure::Kind::operand,
                            "nothing is known about the values of " + tensor + ", which it reads");
    Value v = *found->second.value;
    if (pass_ == Pass::local) {
      Value given = exact_value(v.rounded);
      given.grid = v.grid;
      given.significant = v.significant;
      given.exact_truth = given.rounded_truth = v.rounded_truth;
      return given;
    }
    std::map<std::string, double> shares;
    for (const auto& [label, amount] : v.shares) shares[loaded_mark + label] = amount;
    v.shares = std::move(shares);
    return v;
  }

  DefinitionResult definition_result(const Definition& definition) const {
    DefinitionResult out;
    TermSettings settings;
    settings.program = &input_.program;
    settings.contract = &input_.contract;
    settings.local = pass_ == Pass::local;
    settings.constants_of = [this](const std::string& name) {
      return input_.constants != nullptr ? constant_values(*input_.constants, name) : ConstantValues{};
    };
    settings.constants = settings.constants_of(definition.declaration.name);
    settings.tensor = [this](const std::string& tensor) { return loaded(tensor); };
    TermAnalysis analysis(settings, definition);
    try {
      out.value = analysis.run();
      if (pass_ == Pass::composed) compose(*out.value, definition.declaration.name);
    } catch (const AnalysisFailure& failure) {
      out.failure = failure.failure();
    } catch (const Refusal& refusal) {
      out.failure = Failure{Failure::Kind::unsupported, refusal.message()};
    }
    out.branches = analysis.branches();
    out.assumptions = analysis.assumptions();
    out.theorems = analysis.theorems();
    inherit(out, definition);
    return out;
  }

  // A result rests on what its operands rest on.
  void inherit(DefinitionResult& out, const Definition& definition) const {
    for_each_node(definition.body, [&](Term node) {
      if (node->kind != Kind::load) return;
      const auto found = results_.find(node->name);
      if (found != results_.end())
        out.assumptions.insert(found->second.assumptions.begin(), found->second.assumptions.end());
    });
  }

  void compose(Value& v, const std::string& name) const {
    const auto narrow = [&](const ProgramResult* other, Interval Value::*range) {
      if (other == nullptr) return;
      const auto found = other->find(name);
      if (found == other->end() || !found->second.value) return;
      const MaybeInterval both = intersect(v.*range, (*found->second.value).*range);
      ensure(both.has_value(), "two enclosures of " + name + " that do not meet");
      v.*range = *both;
    };
    narrow(input_.rounded_ranges, &Value::rounded);
    if (v.bounded) narrow(input_.exact_ranges, &Value::exact);
    std::map<std::string, double> shares;
    for (const auto& [label, amount] : v.shares) {
      if (label.front() == loaded_mark)
        shares[label.substr(1)] += amount;
      else
        shares[name] += amount;
    }
    v.shares = std::move(shares);
    settle(v);
  }

  const AnalysisInput& input_;
  Pass pass_;
  ProgramResult results_;
};

}  // namespace

ConstantValues constant_values(const std::vector<formulation::RoundedConstant>& constants,
                               const std::string& definition) {
  ConstantValues out;
  for (const formulation::RoundedConstant& constant : constants) {
    if (constant.definition != definition) continue;
    const auto [at, inserted] = out.emplace(std::pair(constant.format, constant.bits), constant.exact);
    if (inserted || at->second == constant.exact) continue;
    const auto own = formulation::exact_value(constant.bits, constant.format);
    ensure(own.has_value(), "a rounded constant that is not finite");
    at->second = *own;
  }
  return out;
}

ProgramResult analyse(const AnalysisInput& input, Pass pass) {
  return ProgramAnalysis(input, pass).run();
}

}  // namespace hallmark::numerics
