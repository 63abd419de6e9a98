#include "numerics/program_analysis.h"

#include <algorithm>

#include "base/error.h"
#include "contract/format_values.h"
#include "formulation/round_constant.h"
#include "numerics/pointwise.h"
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
    if (!range) return failed(Failure::Kind::overflow, "the constant " + tensor + " holds a NaN or infinity");
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

  DefinitionResult definition_result(const Definition& definition) {
    DefinitionResult out = evaluated(definition);
    for (const long parts : {16L, 128L}) {
      if (!out.failure || pass_ == Pass::composed ||
          (out.failure->kind != Failure::Kind::domain && out.failure->kind != Failure::Kind::overflow))
        break;
      if (narrow_operands(definition, parts)) out = evaluated(definition);
    }
    return out;
  }

  // Narrows what is known about the tensors that a definition reads, by cutting the boxes of the inputs that
  // they are computed from. False when nothing became narrower. The composed pass takes these ranges over.
  bool narrow_operands(const Definition& definition, long parts) {
    std::set<std::string> read;
    for_each_node(definition.body, [&](Term n) {
      if (n->kind == Kind::load) read.insert(n->name);
    });
    bool narrower = false;
    for (const std::string& tensor : read) {
      const Definition* operand = find_definition(input_.program, tensor);
      if (operand == nullptr || !results_.at(tensor).value) continue;
      const std::optional<Interval> range = range_over_parts(*operand, parts);
      if (!range) continue;
      Value& known = *results_.at(tensor).value;
      const MaybeInterval both = intersect(known.rounded, *range);
      ensure(both.has_value(), "two enclosures of " + tensor + " that do not meet");
      narrower = narrower || both->exact_low() > known.rounded.exact_low() ||
                 both->exact_high() < known.rounded.exact_high();
      known.rounded = *both;
      // Without roundings both ranges are one.
      if (pass_ == Pass::exact) known.exact = *both;
      settle(known);
    }
    return narrower;
  }

  // The rounded values of each element, over every combination of parts of the inputs that it reads more than
  // once; nothing where an operation is not understood on some part.
  std::optional<Interval> range_over_parts(const Definition& definition, long parts) const {
    const std::optional<Pointwise> one = pointwise(input_.program, definition);
    if (!one) return std::nullopt;
    std::vector<std::vector<Value>> cut;
    for (const std::string& name : one->inputs) {
      if (!results_.at(name).value) return std::nullopt;
      const long each = one->inputs.size() == 1 ? parts : parts / 8;
      const Rational low = results_.at(name).value->rounded.exact_low(),
                     high = results_.at(name).value->rounded.exact_high();
      cut.emplace_back();
      for (long i = 0; i < each; ++i)
        cut.back().push_back(boxed(
            Interval(low + (high - low) * Rational(i) / each, low + (high - low) * Rational(i + 1) / each),
            find_declaration(input_.program, name)->format));
    }
    std::optional<Interval> out;
    std::vector<std::size_t> at(cut.size(), 0);
    while (true) {
      const DefinitionResult here =
          evaluated(one->definition, [&](const std::string& tensor) -> const Value* {
            for (std::size_t i = 0; i < cut.size(); ++i)
              if (one->inputs[i] == tensor) return &cut[i][at[i]];
            return nullptr;
          });
      if (!here.value) return std::nullopt;
      out = out ? hull(*out, here.value->rounded) : here.value->rounded;
      std::size_t i = 0;
      while (i < at.size() && ++at[i] == cut[i].size()) at[i++] = 0;
      if (i == at.size()) return out;
    }
  }

  // `part`: what is known of a tensor here alone, or null.
  DefinitionResult evaluated(
      const Definition& definition,
      const std::function<const Value*(const std::string&)>& part = [](const std::string&) -> const Value* {
        return nullptr;
      }) const {
    DefinitionResult out;
    TermSettings settings;
    settings.program = &input_.program;
    settings.contract = &input_.contract;
    settings.local = pass_ == Pass::local;
    settings.constants_of = [this](const std::string& name) {
      return input_.constants != nullptr ? constant_values(*input_.constants, name) : ConstantValues{};
    };
    settings.constants = settings.constants_of(definition.declaration.name);
    settings.tensor = [&](const std::string& tensor) {
      const Value* other = part(tensor);
      return other != nullptr ? *other : loaded(tensor);
    };
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
