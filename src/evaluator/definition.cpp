// Whole tensors: compiled for doubles, float formats, integers and booleans; element by element for
// rationals.
#include <algorithm>
#include <exception>
#include <thread>

#include "base/error.h"
#include "evaluator/contraction.h"
#include "evaluator/evaluator.h"
#include "evaluator/float_format.h"
#include "evaluator/generate.h"
#include "evaluator/machine.h"
#include "evaluator/walker.h"

namespace hallmark::evaluator {

using namespace calculus;

namespace {

// The elements of one tensor while they are computed.
class Result {
 public:
  Result(const Declaration& declaration, std::vector<std::int64_t> extents, Sort sort, Reals reals)
      : format_(declaration.format), extents_(std::move(extents)), sort_(sort), reals_(reals) {
    const auto count = static_cast<std::size_t>(checked_count(extents_));
    ensure(sort_ == exact_sort(format_) || sort_ == stored_sort(format_),
           declaration.name + " has a body of another sort than its format");
    if (!is_real())
      data_.bytes.resize(count * (storage_bits(format_) / 8));
    else if (reals_ == Reals::exact)
      rationals_.resize(count);
    else
      doubles_.resize(count);
  }

  Output output() {
    if (is_real()) return {reinterpret_cast<std::byte*>(doubles_.data()), true, format_};
    return {data_.bytes.data(), false, format_};
  }

  void put(std::int64_t at, const Value& value) {
    const auto index = static_cast<std::size_t>(at);
    if (is_real() && reals_ == Reals::in_double) {
      doubles_[index] = std::get<double>(value);
    } else if (is_real()) {
      const Exact& exact = std::get<Exact>(value);
      if (exact.extreme != 0)
        throw Refusal("E1001", "the maximum or minimum of an empty range has no known value");
      rationals_[index] = exact.value;
    } else {
      const std::uint64_t bits = sort_.kind == Sort::Kind::floating
                                     ? encode(format_, std::get<double>(value))
                                     : static_cast<std::uint64_t>(std::get<std::int64_t>(value));
      write_bits(data_.bytes.data(), storage_bits(format_), at, bits);
    }
  }

  Tensor finish() {
    if (!is_real()) {
      data_.format = format_;
      data_.extents = std::move(extents_);
      return Tensor(std::make_shared<const TensorData>(std::move(data_)));
    }
    if (reals_ == Reals::exact) return Tensor(format_, std::move(extents_), std::move(rationals_));
    return Tensor(format_, std::move(extents_), std::move(doubles_));
  }

 private:
  bool is_real() const { return sort_.kind == Sort::Kind::real; }

  Format format_;
  std::vector<std::int64_t> extents_;
  Sort sort_;
  Reals reals_;
  TensorData data_;
  std::vector<double> doubles_;
  std::vector<Rational> rationals_;
};

void walk(Term body, const Symbols& symbols, const Tensors& tensors, const std::vector<std::int64_t>& extents,
          Reals reals, Result& out) {
  Walker walker(body, {&symbols, &tensors, {}, reals});
  std::vector<std::int64_t> at(extents.size(), 0);
  const std::int64_t count = checked_count(extents);
  for (std::int64_t i = 0; i < count; ++i) {
    out.put(i, walker.run(at));
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == extents[d];) at[d] = 0;
  }
}

// Each thread takes a part of the rows, or of the lanes when there are few rows. An error of an earlier part
// wins, so that the same error is reported whatever the number of threads.
void execute(const Code& code, const Symbols& symbols, const Output& output, unsigned jobs) {
  const std::int64_t lanes = code.extents[static_cast<std::size_t>(code.lane_axis)];
  const std::int64_t rows = checked_count(code.extents) / lanes;
  const bool by_rows = rows >= static_cast<std::int64_t>(jobs);
  const std::int64_t whole = by_rows ? rows : lanes;
  constexpr std::int64_t least_elements = 4096;  // a thread costs more than this many
  const std::int64_t parts = std::clamp<std::int64_t>(rows * lanes / least_elements, 1,
                                                      std::min<std::int64_t>(std::max(jobs, 1U), whole));
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
  const auto part = [&](std::int64_t p) {
    try {
      const std::int64_t first = whole * p / parts, last = whole * (p + 1) / parts;
      Machine machine(code, symbols);
      if (by_rows)
        machine.run(first, last, 0, lanes, output);
      else
        machine.run(0, rows, first, last, output);
    } catch (...) {
      errors[static_cast<std::size_t>(p)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::int64_t p = 1; p < parts; ++p) threads.emplace_back(part, p);
    part(0);
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

// Replaces the body's sums of products by reads of tensors that hold them: `body` and `tensors` change.
void take_contractions(Term& body, Tensors& tensors, const std::vector<std::int64_t>& extents,
                       unsigned jobs) {
  constexpr std::int64_t least_steps = 8;
  std::vector<Term> sums;
  for_each_node(body, [&](Term node) {
    if (node->kind == Kind::fold && !node->open) sums.push_back(node);
  });
  Substitution replaced;
  std::vector<Term> indices;
  for (std::size_t d = 0; d < extents.size(); ++d) indices.push_back(axis(static_cast<int>(d)));
  const std::int64_t count = checked_count(extents);
  // From the outside: what lies inside a sum that is taken is not looked at again.
  for (std::size_t i = sums.size(); i-- > 0;) {
    const auto contraction = match_contraction(sums[i], tensors, extents);
    if (!contraction) continue;
    std::int64_t steps = 1;
    for (std::size_t v = contraction->output_variables; v < contraction->extents.size(); ++v)
      steps = std::min<std::int64_t>(steps * contraction->extents[v], 1 << 20);
    if (steps < least_steps) continue;
    auto values = contract(*contraction, count, jobs);
    if (!values) continue;
    const std::string name = "!sum" + std::to_string(replaced.size());
    replaced.emplace(sums[i], load(name, indices, Sort::real()));
    tensors.insert_or_assign(name, Tensor(Format::f64, extents, std::move(*values)));
  }
  body = substitute(body, replaced);
}

}  // namespace

Tensor evaluate(const Definition& definition, const std::vector<Function>& functions, const Symbols& symbols,
                const Tensors& tensors, const Options& options) {
  const std::vector<std::int64_t> extents = evaluate_extents(definition.declaration, symbols);
  const Term body = with_symbols(expand_functions(definition.body, functions), symbols);
  Result out(definition.declaration, extents, body->sort, options.reals);
  if (checked_count(extents) == 0) return out.finish();
  if (options.compile && options.reals == Reals::in_double) {
    Term rest = body;
    Tensors known = tensors;
    take_contractions(rest, known, extents, options.jobs);
    if (rest->kind == Kind::load && rest->name == "!sum0" && is_float(definition.declaration.format))
      return Tensor(definition.declaration.format, extents, **known.at("!sum0").doubles());
    // Compiled code computes some values before it is known that they are needed, and masked lanes hold
    // anything: what stops it may not stop the definition. (Reads outside a tensor are told apart exactly.)
    try {
      if (const auto code = generate(rest, known, extents)) {
        execute(*code, symbols, out.output(), options.jobs);
        return out.finish();
      }
    } catch (const Refusal&) {
    } catch (const InternalError&) {
    }
  }
  walk(body, symbols, tensors, extents, options.reals, out);
  return out.finish();
}

}  // namespace hallmark::evaluator
