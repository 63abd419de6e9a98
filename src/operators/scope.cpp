#include "operators/scope.h"

#include <cmath>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "evaluator/float_format.h"
#include "operators/partial.h"
#include "operators/rounded.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

// Bounds on what import evaluates: shapes and index tables are small, and a hostile file must not make the
// importer run for long.
constexpr std::int64_t maximum_steps = std::int64_t{1} << 24;
constexpr std::int64_t maximum_evaluated = std::int64_t{1} << 20;
constexpr std::int64_t maximum_known = 256;

std::set<std::string> loaded_by(Term body) {
  std::set<std::string> names;
  for_each_node(body, [&](Term node) {
    if (node->kind == Kind::load) names.insert(node->name);
  });
  return names;
}

bool has_symbol(Term a) {
  bool found = false;
  for_each_node(a, [&](Term node) { found = found || node->kind == Kind::symbol; });
  return found;
}

// The number of elements when the extents are integers and it is at most `limit`.
std::optional<std::int64_t> small_count(const Extents& extents, std::int64_t limit) {
  const auto values = concrete(extents);
  if (!values) return std::nullopt;
  std::int64_t count = 1;
  for (std::int64_t v : *values) {
    if (v < 0) return std::nullopt;
    if (v == 0) return 0;
    if (count > limit / v) return std::nullopt;
    count *= v;
  }
  return count;
}

bool is_cheap(const Definition& definition) {
  const auto count = small_count(definition.declaration.extents, maximum_evaluated);
  if (!count || has_symbol(definition.body)) return false;
  const auto each = steps(definition.body, maximum_steps);
  return each && (*count == 0 || *each <= maximum_steps / *count);
}

// Whether users should take the body itself instead of loading the tensor.
bool is_formula(Term body) {
  constexpr int maximum_nodes = 24;
  int nodes = 0;
  bool closed = true;
  for_each_node(body, [&](Term node) {
    ++nodes;
    closed = closed && node->kind != Kind::load && node->kind != Kind::fold;
  });
  return closed && nodes <= maximum_nodes;
}

std::int64_t flat_position(const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& extents) {
  std::int64_t out = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d] < 0 || at[d] >= extents[d]) return -1;
    out = out * extents[d] + at[d];
  }
  return out;
}

}  // namespace

Scope::Scope(std::vector<SymbolRange> symbols) : symbols_(std::move(symbols)) {
  for (const SymbolRange& s : symbols_) ranges_.emplace(s.name, s);
  program_.symbols = symbols_;
}

std::string Scope::fresh(const std::string& base, const std::string& hint) {
  std::string name = base + "." + hint;
  // Numbers that were given out are not tried again: an operator may ask for thousands of names.
  int& next = next_number_.try_emplace(name, 2).first->second;
  while (!taken_.insert(name).second) name = base + "." + hint + std::to_string(next++);
  return name;
}

void Scope::add_input(Declaration declaration) {
  taken_.insert(declaration.name);
  program_.inputs.push_back(declaration);
  const std::string name = declaration.name;
  ensure(known_.emplace(name, Known{std::move(declaration), nullptr, nullptr, nullptr, std::nullopt}).second,
         name + " is defined twice");
}

void Scope::add_constant(const std::string& name, TensorPointer data) {
  taken_.insert(name);
  Known known;
  known.declaration.name = name;
  known.declaration.format = data->format;
  for (std::int64_t e : data->extents) known.declaration.extents.push_back(integer(from_i64(e)));
  known.data = data;
  program_.constants.push_back({known.declaration, data});
  ensure(known_.emplace(name, std::move(known)).second, name + " is defined twice");
}

bool Scope::fold(const Definition& definition) {
  if (is_float(definition.declaration.format) || !is_cheap(definition)) return false;
  evaluator::Tensors tensors;
  for (const std::string& name : loaded_by(definition.body)) {
    const Known& known = known_.at(name);
    if (known.data == nullptr) return false;
    tensors.emplace(name, evaluator::Tensor(known.data));
  }
  try {
    const evaluator::Tensor result = evaluator::evaluate(definition, {}, {}, tensors);
    // What depends on how floats are rounded is not known: a runtime's roundings are not the exact program's.
    if (has_reals(definition.body)) {
      const evaluator::Options exactly{evaluator::Reals::exact, 1};
      if (evaluator::evaluate(definition, {}, {}, tensors, exactly).data()->bytes != result.data()->bytes)
        return false;
      for (const Format format : formats_of_reals(definition.body)) {
        Definition other = definition;
        other.body = rounded(definition.body, format);
        if (other.body == nullptr) return false;
        if (evaluator::evaluate(other, {}, {}, tensors).data()->bytes != result.data()->bytes) return false;
      }
    }
    add_constant(definition.declaration.name, result.data());
    return true;
  } catch (const Refusal&) {
    return false;  // no known value: it stays a definition
  } catch (const InternalError&) {
    return false;  // an index beyond 64 bits
  }
}

std::optional<std::vector<Term>> Scope::symbolic_elements(const Definition& definition) {
  if (definition.declaration.format != Format::i64 && definition.declaration.format != Format::i32 &&
      definition.declaration.format != Format::boolean)
    return std::nullopt;
  const auto count = small_count(definition.declaration.extents, maximum_known);
  if (!count) return std::nullopt;
  const std::vector<std::int64_t> extents = *concrete(definition.declaration.extents);
  const ElementLookup element = [&](const std::string& tensor,
                                    const std::vector<std::int64_t>& at) -> std::optional<Term> {
    const Known& known = known_.at(tensor);
    const auto shape = concrete(known.declaration.extents);
    if (!shape) return std::nullopt;
    const std::int64_t position = flat_position(at, *shape);
    if (position < 0) return std::nullopt;
    if (known.elements) return known.elements->at(static_cast<std::size_t>(position));
    if (known.data == nullptr) return std::nullopt;
    const std::int64_t value = evaluator::Tensor(known.data).integer(position);
    if (known.declaration.format == Format::u64) return integer(from_u64(static_cast<std::uint64_t>(value)));
    return integer(from_i64(value));
  };
  std::vector<Term> out;
  bool may_wrap = false;
  std::vector<std::int64_t> at(extents.size(), 0);
  for (std::int64_t i = 0; i < *count; ++i) {
    std::vector<Term> indices;
    for (std::int64_t a : at) indices.push_back(integer(from_i64(a)));
    const auto value = known_value(instantiate(definition.body, indices), element, ranges_, may_wrap);
    if (!value) return std::nullopt;
    out.push_back(*value);
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == extents[d];) at[d] = 0;
  }
  extents_may_wrap_ = extents_may_wrap_ || may_wrap;
  return out;
}

void Scope::define(Definition definition, Term kept, bool may_fold) {
  const std::string name = definition.declaration.name;
  taken_.insert(name);
  ensure(known_.count(name) == 0, name + " is defined twice");
  for (Term& extent : definition.declaration.extents) extent = simplify(extent, ranges_);
  definition.body = simplify(definition.body, ranges_, definition.declaration.extents);
  // In place of a load, the body is not rounded to the tensor's format.
  const Format format = definition.declaration.format;
  const Format reals = calculus::is_float(format) ? format : Format::f32;
  const bool is_short = is_formula(definition.body) && is_exact_in(definition.body, reals, ranges_);
  const Term formula = is_short ? definition.body : nullptr;
  if (kept != nullptr) kept = simplify(kept, ranges_, definition.declaration.extents);
  if (kept == truth(true)) kept = nullptr;
  if (may_fold && kept == nullptr && fold(definition)) {
    known_.at(name).formula = formula;
    return;
  }
  Known known;
  known.formula = kept == nullptr ? formula : nullptr;
  known.kept = kept;
  known.declaration = definition.declaration;
  known.elements = symbolic_elements(definition);
  definition_at_.emplace(name, program_.definitions.size());
  program_.definitions.push_back(std::move(definition));
  known_.emplace(name, std::move(known));
}

void Scope::require(Term condition) {
  if (condition->kind == Kind::truth && condition->number != 0) return;
  for (Term known : program_.preconditions)
    if (known == condition) return;
  program_.preconditions.push_back(condition);
}

const Known* Scope::find(const std::string& name) const {
  const auto found = known_.find(name);
  return found != known_.end() ? &found->second : nullptr;
}

bool Scope::is_finite(const std::string& name) {
  if (const auto found = finite_.find(name); found != finite_.end()) return found->second;
  bool finite = true;
  const Known& known = known_.at(name);
  if (known.data != nullptr && calculus::is_float(known.data->format)) {
    const TensorData& data = *known.data;
    const unsigned bits = storage_bits(data.format);
    const std::int64_t count = static_cast<std::int64_t>(data.bytes.size()) / (bits / 8);
    for (std::int64_t i = 0; i < count && finite; ++i)
      finite =
          std::isfinite(evaluator::decode(data.format, evaluator::read_bits(data.bytes.data(), bits, i)));
  }
  finite_.emplace(name, finite);
  return finite;
}

std::optional<Scope::Split> Scope::split_infinities(const std::string& name) {
  if (const auto found = splits_.find(name); found != splits_.end()) return found->second;
  std::optional<Split> result;
  const TensorPointer data = known_.at(name).data;
  if (data != nullptr && calculus::is_float(data->format)) {
    const unsigned bits = storage_bits(data->format);
    auto finite = std::make_shared<TensorData>(*data);
    auto kept = std::make_shared<TensorData>(*data);
    const std::int64_t count = static_cast<std::int64_t>(data->bytes.size()) / (bits / 8);
    kept->format = Format::boolean;
    kept->bytes.assign(static_cast<std::size_t>(count), std::byte{1});
    bool readable = true;
    for (std::int64_t i = 0; i < count; ++i) {
      const double value = evaluator::decode(data->format, evaluator::read_bits(data->bytes.data(), bits, i));
      if (std::isfinite(value)) continue;
      readable = readable && std::isinf(value) && value < 0;
      evaluator::write_bits(finite->bytes.data(), bits, i, 0);
      kept->bytes[static_cast<std::size_t>(i)] = std::byte{0};
    }
    if (readable) {
      result = Split{fresh(name, "finite"), fresh(name, "kept")};
      add_constant(result->finite, finite);
      add_constant(result->kept, kept);
    }
  }
  splits_.emplace(name, result);
  return result;
}

std::optional<std::vector<Rational>> Scope::contents_at_import(const std::string& name) const {
  std::map<std::string, evaluator::Tensor> tensors;
  // Depth first over the definitions that `name` needs; each is evaluated once.
  const auto value = [&](const auto& self, const std::string& tensor, int depth) -> bool {
    if (tensors.count(tensor) != 0) return true;
    const Known& known = known_.at(tensor);
    if (known.data != nullptr) {
      tensors.emplace(tensor, evaluator::Tensor(known.data));
      return true;
    }
    const auto at = definition_at_.find(tensor);
    if (at == definition_at_.end() || depth > 64) return false;
    const Definition& definition = program_.definitions[at->second];
    if (!is_cheap(definition)) return false;
    for (const std::string& needed : loaded_by(definition.body))
      if (!self(self, needed, depth + 1)) return false;
    const evaluator::Options exactly{evaluator::Reals::exact, 1};
    const evaluator::Tensor exact = evaluator::evaluate(definition, {}, {}, tensors, exactly);
    if (!has_reals(definition.body)) {
      tensors.emplace(tensor, exact);
      return true;
    }
    // Every runtime rounds one operation in one way; of several, whether each is rounded is not known.
    const bool is_float_tensor = calculus::is_float(exact.format());
    const evaluator::Tensor stored(exact.data());
    const std::optional<int> count = roundings(definition.body);
    if (!count || *count > (is_float_tensor ? 1 : 0)) {
      if (!is_float_tensor) return false;
      for (std::int64_t i = 0; i < exact.element_count(); ++i)
        if (stored.exact(i) != exact.exact(i)) return false;
    }
    tensors.emplace(tensor, stored);
    return true;
  };
  try {
    if (!value(value, name, 0)) return std::nullopt;
    const evaluator::Tensor& tensor = tensors.at(name);
    if (!small_count(known_.at(name).declaration.extents, maximum_evaluated)) return std::nullopt;
    std::vector<Rational> out;
    for (std::int64_t i = 0; i < tensor.element_count(); ++i)
      out.push_back(calculus::is_float(tensor.format()) ? tensor.exact(i)
                                                        : Rational(from_i64(tensor.integer(i))));
    return out;
  } catch (const Refusal&) {
    return std::nullopt;
  } catch (const InternalError&) {
    return std::nullopt;
  }
}

Program Scope::finish(const std::vector<std::string>& outputs) const {
  for (const std::string& output : outputs)
    if (known_.at(output).kept != nullptr)
      throw Refusal("E6305",
                    "the output '" + output + "' has elements of -infinity, which the real meaning has not",
                    {.node = output});
  std::set<std::string> needed(outputs.begin(), outputs.end());
  std::vector<bool> kept(program_.definitions.size(), false);
  for (std::size_t i = program_.definitions.size(); i-- > 0;) {
    const Definition& definition = program_.definitions[i];
    if (needed.count(definition.declaration.name) == 0) continue;
    kept[i] = true;
    for (const std::string& name : loaded_by(definition.body)) needed.insert(name);
  }
  Program out;
  out.symbols = program_.symbols;
  out.preconditions = program_.preconditions;
  out.inputs = program_.inputs;
  // An output is a definition: one that is a constant becomes its copy.
  for (Constant constant : program_.constants) {
    const std::string name = constant.declaration.name;
    if (needed.count(name) == 0) continue;
    if (std::find(outputs.begin(), outputs.end(), name) != outputs.end()) {
      constant.declaration.name = name + " (constant)";
      while (known_.count(constant.declaration.name) != 0) constant.declaration.name += "'";
      Definition copy{constant.declaration, {}, nullptr, name};
      copy.declaration.name = name;
      std::vector<Term> at;
      for (std::size_t d = 0; d < constant.declaration.extents.size(); ++d)
        at.push_back(calculus::axis(static_cast<int>(d)));
      copy.body =
          calculus::load(constant.declaration.name, at, calculus::exact_sort(constant.declaration.format));
      out.definitions.push_back(std::move(copy));
    }
    out.constants.push_back(std::move(constant));
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) out.definitions.push_back(program_.definitions[i]);
  out.outputs = outputs;
  return out;
}

}  // namespace hallmark::operators
