#include "validator/checks/library_functions.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/error.h"
#include "plan/kernel_spec.h"
#include "validator/checks/inlined_data.h"
#include "validator/checks/sums_terms.h"
#include "validator/ptx/reader.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

// A small number in the sort of the value in which it stands.
Term number(unsigned n, Sort sort) {
  if (sort.kind != Sort::Kind::floating) return calculus::real_constant(Rational(n));
  unsigned exponent_bits = 8;
  if (sort.format == calculus::Format::f64) exponent_bits = 11;
  if (sort.format == calculus::Format::f16) exponent_bits = 5;
  const unsigned fraction_bits = calculus::storage_bits(sort.format) - 1 - exponent_bits;
  const unsigned exponent = static_cast<unsigned>(std::bit_width(n)) - 1;
  const std::uint64_t bias = (std::uint64_t{1} << (exponent_bits - 1)) - 1;
  return calculus::float_constant(sort.format,
                                  ((bias + exponent) << fraction_bits) |
                                      (std::uint64_t{n - (1u << exponent)} << (fraction_bits - exponent)));
}

// Flushing and its marks in names gone: what a sequence is made of is compared without them.
Term unflushed(Term node) {
  if (node->kind != Kind::operation) return node;
  if (node->op != Op::custom)
    return node->flush_subnormals
               ? calculus::operation(node->op, node->children, node->sort, node->rounding, false)
               : node;
  constexpr std::string_view mark = ".ftz";
  const std::string& name = node->name;
  if (name.size() <= mark.size() || name.substr(name.size() - mark.size()) != mark) return node;
  return calculus::custom_operation(name.substr(0, name.size() - mark.size()), node->children, node->sort);
}

Term infinity(bool negative, Sort sort) {
  const std::uint64_t sign = std::uint64_t{negative} << (calculus::storage_bits(sort.format) - 1);
  const std::uint64_t positive = sort.format == calculus::Format::f64   ? 0x7ff0000000000000u
                                 : sort.format == calculus::Format::f16 ? 0x7c00u
                                                                        : 0x7f800000u;
  return calculus::float_constant(sort.format, positive | sign);
}

// Functions that the calculus does not have, by those that it has.
Term by_others(const std::string& name, Term node) {
  const Term x = node->children[0];
  const auto n = [&](unsigned value) { return number(value, node->sort); };
  const auto call = [&](const char* function, Term a) {
    return calculus::custom_operation(function, {a}, node->sort);
  };
  if (name == "log1p") return call("log", calculus::apply(Op::add, {n(1), x}));
  if (name == "expm1") return calculus::apply(Op::sub, {call("exp", x), n(1)});
  if (name == "erfc") return calculus::apply(Op::sub, {n(1), call("erf", x)});
  if (name == "exp2" || name == "exp10")
    return call("exp", calculus::apply(Op::mul, {x, call("log", n(name == "exp2" ? 2 : 10))}));
  if (name == "log2" || name == "log10")
    return calculus::apply(Op::div, {call("log", x), call("log", n(name == "log2" ? 2 : 10))});
  return node;
}

Term function_of(Term node) {
  const bool is_number = node->sort.kind == Sort::Kind::floating || node->sort.kind == Sort::Kind::real;
  if (node->kind != Kind::operation || !is_number) return node;
  // c^x = exp(x log c)
  if (node->op == Op::pow || function_name(node) == "pow") {
    const Term base = node->children[0];
    const auto value = base->kind == Kind::constant ? real_value(base) : std::nullopt;
    if (!value || *value <= 0) return node;
    return calculus::custom_operation(
        "exp",
        {calculus::apply(Op::mul,
                         {node->children[1], calculus::custom_operation("log", {base}, base->sort)})},
        node->sort);
  }
  if (node->op != Op::custom) return node;
  const std::string name = node->name.substr(0, node->name.find('.'));
  if (node->name == "cvt.rna.tf32") return node->children[0];
  // validator/ir/matrix_fragments.h; specifications have no names with dots
  if (node->name.starts_with("mma.") && node->children.size() % 2 == 1) {
    Term sum = node->children[0];
    for (std::size_t n = 1; n + 1 < node->children.size(); n += 2)
      sum = calculus::apply(Op::add,
                            {sum, calculus::apply(Op::mul, {node->children[n], node->children[n + 1]})});
    return sum;
  }
  if (name == "float_div") return calculus::apply(Op::div, node->children);
  if (name == "float_reciprocal") return calculus::apply(Op::div, {number(1, node->sort), node->children[0]});
  static const std::map<std::string, const char*, std::less<>> functions{
      {"float_sqrt", "sqrt"}, {"float_reciprocal_sqrt", "rsqrt"},
      {"float_exp2", "exp2"}, {"float_log2", "log2"},
      {"float_sin", "sin"},   {"float_cos", "cos"},
      {"float_tanh", "tanh"}};
  const auto found = functions.find(name);
  const std::string known = found != functions.end() ? found->second : function_name(node);
  return by_others(known, calculus::custom_operation(known, node->children, node->sort));
}

// Compilers move what is done with a function's value into the arm that gives it where it is infinite: out
// again. Nothing changes by it, whatever the condition.
Term outside_of_arms(Term node) {
  if (node->kind != Kind::select || node->children[2]->kind != Kind::operation) return node;
  const Term constant = node->children[1], value = node->children[2];
  const bool below = is_infinity(constant, true);
  if (!below && !is_infinity(constant, false)) return node;
  const auto again = [&](Term infinity, std::size_t operand) {
    std::vector<Term> parts = value->children;
    parts[operand] = outside_of_arms(calculus::select(node->children[0], infinity, value->children[operand]));
    return calculus::rebuild(value, parts);
  };
  if (value->op == Op::neg) return again(infinity(!below, node->sort), 0);
  if (value->op == Op::add && value->children[0] == value->children[1]) {  // twice
    const Term once = outside_of_arms(calculus::select(node->children[0], constant, value->children[0]));
    return calculus::rebuild(value, {once, once});
  }
  if (value->op != Op::mul) return node;
  for (std::size_t i = 0; i < 2; ++i) {
    const Term factor = value->children[i];
    const auto number = factor->kind == Kind::constant ? real_value(factor) : std::nullopt;
    if (number && *number != 0) return again(infinity(below == (*number > 0), node->sort), 1 - i);
  }
  return node;
}

// Finds what stands in the holes. Index terms and conjunctions order their parts as they like, so these are
// not looked into: the caller compares the whole.
class Reader {
 public:
  Reader(const std::vector<Term>& holes, calculus::Substitution& found) : holes_(holes), found_(found) {}
  bool read(Term pattern, Term term) {
    if (!pattern->open) return pattern == term;
    if (std::find(holes_.begin(), holes_.end(), pattern) != holes_.end()) {
      const auto [place, fresh] = found_.emplace(pattern, term);
      return fresh ? term->sort == pattern->sort : place->second == term;
    }
    if (pattern->sort == Sort::index() || pattern->kind == Kind::conjunction ||
        pattern->kind == Kind::disjunction)
      return pattern->sort == term->sort;
    if (pattern->kind != term->kind || pattern->op != term->op || pattern->name != term->name ||
        pattern->sort != term->sort || pattern->children.size() != term->children.size())
      return false;
    const calculus::Substitution before = found_;
    if (read_all(pattern->children, term->children)) return true;
    // The first two factors, summands or the like stand in the order of terms, which differs with the holes.
    const bool ordered = pattern->kind == Kind::operation || pattern->kind == Kind::compare;
    if (!ordered || pattern->children.size() < 2) return false;
    found_ = before;
    std::vector<Term> swapped = term->children;
    std::swap(swapped[0], swapped[1]);
    return read_all(pattern->children, swapped);
  }

 private:
  bool read_all(const std::vector<Term>& patterns, const std::vector<Term>& terms) {
    for (std::size_t i = 0; i < patterns.size(); ++i)
      if (!read(patterns[i], terms[i])) return false;
    return true;
  }

  const std::vector<Term>& holes_;
  calculus::Substitution& found_;
};

plan::Parameter buffer(const std::string& name, calculus::Format format, plan::Access access) {
  plan::Parameter out;
  out.buffer = plan::Buffer{{name, format, {calculus::integer(1)}}, access, nullptr, nullptr};
  return out;
}

// The width of the kernel's floats: what it stores.
calculus::Format stored_format(const ir::Kernel& kernel) {
  for (const ir::Block& block : kernel.blocks)
    for (const ir::Instruction& i : block.instructions)
      if (i.opcode == ir::Opcode::store)
        return kernel.type_of(i.operands.back()) == ir::Type::f64 ? calculus::Format::f64
                                                                  : calculus::Format::f32;
  throw InternalError("a library function that stores nothing");
}

// The constants by which a kernel multiplies: a value without one of them does not have its sequence.
std::set<std::uint64_t> factors_of(const ir::Kernel& kernel) {
  std::set<std::uint64_t> out;
  for (const ir::Block& block : kernel.blocks)
    for (const ir::Instruction& i : block.instructions)
      if (i.opcode == ir::Opcode::float_mul || i.opcode == ir::Opcode::float_fma)
        for (std::size_t n = 0; n < 2; ++n)
          if (kernel.is_constant(i.operands[n])) out.insert(kernel.value(i.operands[n]).bits);
  return out;
}

const ir::Module& library() {
  static const ir::Module module = ptx::read_ptx(inlined_ptx(), "corpus/accuracy/inlined.ptx");
  return module;
}

}  // namespace

Term LibraryFunctions::named(Term value) {
  return calculus::rewrite(value, function_of);
}

LibraryFunctions::Sequence LibraryFunctions::executed(const ir::Kernel& kernel, const std::string& entry) {
  const calculus::Format format = stored_format(kernel);
  plan::KernelSpec spec;
  spec.kernel = entry;
  spec.equality = plan::Equality::safety;
  Sequence out;
  out.name = entry;
  constexpr std::string_view minus = "_of_minus";
  if (const std::size_t at = entry.find(minus); at != std::string::npos) {
    out.name = entry.substr(0, at);
    out.of_minus = true;
  }
  calculus::Substitution names;
  for (std::size_t n = 0; n + 1 < kernel.parameters.size(); ++n) {
    const std::string name = ".argument" + std::to_string(n);
    spec.parameters.push_back(buffer(name, format, plan::Access::in));
    out.holes.push_back(calculus::variable(name, Sort::floating(format)));
    names[calculus::load(name, {calculus::integer(0)}, Sort::floating(format))] = out.holes.back();
  }
  spec.parameters.push_back(buffer(".result", format, plan::Access::out));
  const Trace trace = Executor(spec, kernel, prover_).run();
  if (!trace.unsupported.empty()) throw InternalError("corpus/accuracy/inlined.ptx: " + trace.unsupported[0]);
  for (const Event& event : trace.events)
    if (event.kind == Event::Kind::store && event.value.kind == Value::Kind::element)
      out.pattern = calculus::rewrite(calculus::substitute(event.value.term, names), unflushed);
  ensure(out.pattern != nullptr, "a library function without a value");
  return out;
}

std::vector<LibraryFunctions::Sequence> LibraryFunctions::sequences(
    const std::set<std::uint64_t>& constants) {
  std::vector<Sequence> out;
  for (const ir::KernelReading& reading : library().kernels) {
    const ir::Kernel& kernel = ir::find_kernel(library(), reading.name);
    const std::set<std::uint64_t> factors = factors_of(kernel);
    if (!std::includes(constants.begin(), constants.end(), factors.begin(), factors.end())) continue;
    auto known = sequences_.find(reading.name);
    if (known == sequences_.end())
      known = sequences_.emplace(reading.name, executed(kernel, reading.name)).first;
    out.push_back(known->second);
  }
  return out;
}

std::optional<Term> LibraryFunctions::without_sequences(Term value) {
  found_.clear();
  Term now = calculus::rewrite(calculus::rewrite(value, unflushed), outside_of_arms);
  bool some = false;
  std::set<std::uint64_t> constants;
  calculus::for_each_node(now, [&](Term node) {
    if (node->kind == Kind::constant) constants.insert(node->bits);
  });
  for (const Sequence& sequence : sequences(constants))
    now = calculus::rewrite(now, [&](Term node) {
      if (node->kind != sequence.pattern->kind || node->op != sequence.pattern->op) return node;
      calculus::Substitution found;
      if (!Reader(sequence.holes, found).read(sequence.pattern, node)) return node;
      std::vector<Term> arguments;
      for (Term hole : sequence.holes) {
        if (found.count(hole) == 0) return node;
        arguments.push_back(found.at(hole));
      }
      if (calculus::substitute(sequence.pattern, found) != node) return node;
      some = true;
      found_.insert("inlined:" + sequence.name);
      if (sequence.of_minus) arguments[0] = calculus::apply(Op::neg, {arguments[0]});
      return calculus::custom_operation(sequence.name, arguments, node->sort);
    });
  if (!some) return std::nullopt;
  return named(now);
}

bool LibraryFunctions::equal(Term have, Term wanted, const Scope& scope, SumMatcher& sums) {
  wanted = named(wanted);
  const auto called = without_sequences(have);
  if (!called) return sums.reals(named(have), wanted, scope);
  const std::size_t mark = prover_.mark();
  if (sums.reals(*called, wanted, scope)) {
    assumptions_.insert(found_.begin(), found_.end());
    return true;
  }
  prover_.rewind(mark);
  SumMatcher spelled_out(prover_);
  try {
    if (!spelled_out.reals(named(have), wanted, scope)) return false;
  } catch (const Refusal&) {
    return false;  // why the first reading failed says more
  }
  sums.take_rules(spelled_out);
  return true;
}

}  // namespace hallmark::validator
