#include "compare/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.h"
#include "calculus/text/text.h"
#include "evaluator/evaluator.h"
#include "evaluator/float_format.h"
#include "operators/extents.h"

namespace hallmark::compare {
namespace {

using namespace calculus;

constexpr std::int64_t largest_source = std::int64_t{1} << 22;

std::vector<double> contents(const evaluator::Tensor& tensor) {
  std::vector<double> out(static_cast<std::size_t>(tensor.element_count()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    out[i] = is_float(tensor.format()) ? tensor.number(at) : static_cast<double>(tensor.integer(at));
  }
  return out;
}

std::optional<std::vector<std::int64_t>> shape_of(const Declaration& d) {
  return operators::concrete(d.extents);
}

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t out = 1;
  for (std::int64_t e : shape) {
    if (e != 0 && out > largest_source / e) return largest_source + 1;
    out *= e;
  }
  return out;
}

// Spacing of the format at x.
double spacing(Format format, double x) {
  const int precision = format == Format::f64    ? 53
                        : format == Format::f32  ? 24
                        : format == Format::f16  ? 11
                        : format == Format::bf16 ? 8
                                                 : 4;
  const int least = format == Format::f64   ? -1074
                    : format == Format::f32 ? -149
                    : format == Format::f16 ? -24
                                            : -133;
  int exponent = least + precision;
  if (x != 0) std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent - precision, least));
}

// Of doubles, every one is its own value, and may be the rounding of another.
bool has_value(Format format, double value) {
  return format != Format::f64 && evaluator::round_to(format, value, Rounding::nearest) == value;
}

// The distance in units of the spacing; infinite for integers that differ, and for what differs from a value
// of the format.
double distance(Format format, double stored, double value) {
  if (stored == value) return 0;
  if (!is_float(format) || !std::isfinite(stored) || !std::isfinite(value) || has_value(format, value))
    return HUGE_VAL;
  return std::fabs(stored - value) / spacing(format, stored);
}

// Row-major walk: value of `at(index)` for each index of the shape, compared with the stored elements.
template <typename At>
double greatest_distance(Format format, const std::vector<double>& stored, At at, double most) {
  double out = 0;
  for (std::size_t i = 0; i < stored.size() && out <= most; ++i)
    out = std::max(out, distance(format, stored[i], at(i)));
  return out;
}

struct Target {
  const Constant& constant;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
  std::vector<Term> extents;
  Sort sort;
};

Term read(const Source& source, const std::vector<Term>& at) {
  return load(source.declaration.name, at, exact_sort(source.declaration.format));
}

std::optional<Recipe> as_reshape(const Target& t, const Source& s) {
  Recipe out;
  out.ulps = greatest_distance(
      t.constant.declaration.format, t.values, [&](std::size_t i) { return s.values[i]; }, HUGE_VAL);
  const std::vector<Term> at =
      operators::reshaped(s.declaration.extents, t.extents, operators::axes(t.shape.size()));
  out.body = read(s, at);
  return out;
}

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) out[d - 1] = out[d] * shape[d];
  return out;
}

// Every order of the source's axes that gives the target's shape.
std::vector<Recipe> as_transposes(const Target& t, const Source& s, double most) {
  std::vector<Recipe> out;
  const auto shape = *shape_of(s.declaration);
  if (shape.size() != t.shape.size() || shape.size() < 2 || shape.size() > 5) return out;
  const std::vector<std::int64_t> strides = strides_of(shape), own = strides_of(t.shape);
  std::vector<std::size_t> order(shape.size());  // target axis d is source axis order[d]
  std::iota(order.begin(), order.end(), 0);
  while (std::next_permutation(order.begin(), order.end())) {
    bool fits = true;
    for (std::size_t d = 0; d < order.size(); ++d) fits = fits && shape[order[d]] == t.shape[d];
    if (!fits) continue;
    Recipe r;
    r.ulps = greatest_distance(
        t.constant.declaration.format, t.values,
        [&](std::size_t i) {
          std::int64_t at = 0, rest = static_cast<std::int64_t>(i);
          for (std::size_t d = 0; d < order.size(); ++d) {
            at += rest / own[d] * strides[order[d]];
            rest %= own[d];
          }
          return s.values[static_cast<std::size_t>(at)];
        },
        most);
    if (r.ulps > most) continue;
    std::vector<Term> at(order.size());
    for (std::size_t d = 0; d < order.size(); ++d) at[order[d]] = axis(static_cast<int>(d));
    r.body = read(s, at);
    out.push_back(r);
  }
  return out;
}

// Parts of sources beside each other along one axis: all of several sources, or a part of one.
class Joins {
 public:
  Joins(const Target& t, const std::vector<Source>& sources, double most)
      : t_(t), sources_(sources), most_(most), strides_(strides_of(t.shape)) {}

  std::optional<Recipe> find() {
    for (std::size_t d = 0; d < t_.shape.size(); ++d) {
      axis_ = d;
      for (const Source& s : sources_)
        if (const auto part = slice(s)) return part;
      parts_.clear();
      visits_ = 0;
      if (extend(0)) return joined();
    }
    return std::nullopt;
  }

 private:
  bool beside(const std::vector<std::int64_t>& shape) const {
    if (shape.size() != t_.shape.size()) return false;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (d != axis_ && shape[d] != t_.shape[d]) return false;
    return true;
  }

  // Distance of the target's elements [from, from + length) along the axis from the source's at `offset`.
  double part_distance(const Source& s, std::int64_t from, std::int64_t offset, std::int64_t length) const {
    const auto shape = *shape_of(s.declaration);
    const std::int64_t inner = strides_[axis_];
    const std::int64_t rows =
        t_.shape[axis_] == 0 ? 0 : static_cast<std::int64_t>(t_.values.size()) / (inner * t_.shape[axis_]);
    double out = 0;
    for (std::int64_t row = 0; row < rows && out <= most_; ++row)
      for (std::int64_t k = 0; k < length && out <= most_; ++k)
        for (std::int64_t i = 0; i < inner; ++i)
          out = std::max(
              out,
              distance(t_.constant.declaration.format,
                       t_.values[static_cast<std::size_t>((row * t_.shape[axis_] + from + k) * inner + i)],
                       s.values[static_cast<std::size_t>((row * shape[axis_] + offset + k) * inner + i)]));
    return out;
  }

  std::optional<Recipe> slice(const Source& s) const {
    const auto shape = *shape_of(s.declaration);
    if (!beside(shape) || shape[axis_] <= t_.shape[axis_] || t_.shape[axis_] == 0) return std::nullopt;
    for (std::int64_t offset = 0; offset + t_.shape[axis_] <= shape[axis_]; ++offset) {
      Recipe r;
      r.ulps = part_distance(s, 0, offset, t_.shape[axis_]);
      if (r.ulps > most_) continue;
      r.body = read(s, shifted(-offset));
      return r;
    }
    return std::nullopt;
  }

  std::vector<Term> shifted(std::int64_t by) const {
    std::vector<Term> at = operators::axes(t_.shape.size());
    at[axis_] = subtract(at[axis_], integer(static_cast<long>(by)));
    return at;
  }

  bool extend(std::int64_t from) {
    if (from == t_.shape[axis_]) return parts_.size() >= 2;
    if (++visits_ > 200) return false;
    for (const Source& s : sources_) {
      const auto shape = *shape_of(s.declaration);
      if (!beside(shape) || shape[axis_] == 0 || from + shape[axis_] > t_.shape[axis_]) continue;
      const double ulps = part_distance(s, from, 0, shape[axis_]);
      if (ulps > most_) continue;
      parts_.push_back({&s, from, shape[axis_], ulps});
      if (extend(from + shape[axis_])) return true;
      parts_.pop_back();
    }
    return false;
  }

  Recipe joined() const {
    Recipe out;
    for (std::size_t p = parts_.size(); p-- > 0;) {
      const Part& part = parts_[p];
      const Term here = read(*part.source, shifted(part.from));
      out.body = out.body == nullptr ? here
                                     : select(less(axis(static_cast<int>(axis_)),
                                                   integer(static_cast<long>(part.from + part.length))),
                                              here, out.body);
      out.ulps = std::max(out.ulps, part.ulps);
    }
    return out;
  }

  struct Part {
    const Source* source;
    std::int64_t from, length;
    double ulps;
  };
  const Target& t_;
  const std::vector<Source>& sources_;
  double most_;
  std::vector<std::int64_t> strides_;
  std::size_t axis_ = 0;
  std::vector<Part> parts_;
  int visits_ = 0;
};

std::set<Term> numbers_of(const Program& program, const std::set<std::string>& names, bool inside) {
  std::set<Term> out;
  for (const Definition& d : program.definitions)
    if ((names.count(d.declaration.name) != 0) == inside)
      for_each_node(d.body, [&](Term n) {
        if (n->kind == Kind::constant && n->sort == Sort::real()) out.insert(n);
      });
  return out;
}

struct Number {
  Term term = nullptr;
  double value = 0;
};

// The term, or the number that it is where it is rational.
Number number(Op op, const std::vector<Number>& of, double value) {
  std::vector<Term> arguments;
  bool rational = op != Op::sqrt;
  for (const Number& n : of) {
    arguments.push_back(n.term);
    rational = rational && n.term->kind == Kind::constant;
  }
  if (!rational) return {calculus::apply(op, arguments), value};
  const Rational a = of[0].term->value, b = of.size() > 1 ? of[1].term->value : Rational(0);
  const Rational exact = op == Op::neg   ? Rational(-a)
                         : op == Op::mul ? Rational(a * b)
                         : op == Op::add ? Rational(a + b)
                                         : Rational(a / b);
  return {real_constant(exact), exact.get_d()};
}

// What a compiler makes of the first model's numbers: each alone, its reciprocal, root and opposite, and
// products and quotients of two.
std::vector<Number> made_of(const std::vector<Number>& given) {
  const Number one{real_constant(1), 1};
  std::vector<Number> single = given;
  for (const Number& n : given) {
    single.push_back(number(Op::neg, {n}, -n.value));
    if (n.value != 0) single.push_back(number(Op::div, {one, n}, 1 / n.value));
    if (n.value <= 0) continue;
    const Number root = number(Op::sqrt, {n}, std::sqrt(n.value));
    single.push_back(root);
    single.push_back(number(Op::div, {one, root}, 1 / root.value));
  }
  std::vector<Number> out = single;
  if (single.size() > 64) return out;
  const auto has_root = [](const Number& n) {
    bool found = false;
    for_each_node(n.term,
                  [&](Term t) { found = found || (t->kind == Kind::operation && t->op == Op::sqrt); });
    return found;
  };
  for (const Number& a : single)
    for (const Number& b : single) {
      if (a.term == b.term && has_root(a)) continue;  // the number itself, or 1
      out.push_back(number(Op::mul, {a, b}, a.value * b.value));
      if (b.value != 0) out.push_back(number(Op::div, {a, b}, a.value / b.value));
      out.push_back(number(Op::add, {a, b}, a.value + b.value));
    }
  return out;
}

// A source as a tensor of the target's shape: itself, one number, or a vector along one axis.
struct View {
  const Source* source;
  std::vector<Term> at;
  std::vector<std::int64_t> strides;  // by target axis
};

std::vector<View> views(const Target& t, const std::vector<Source>& sources) {
  std::vector<View> out;
  const std::vector<std::int64_t> own = strides_of(t.shape);
  for (const Source& s : sources) {
    const auto shape = *shape_of(s.declaration);
    if (s.values.size() == 1) {
      out.push_back(
          {&s, std::vector<Term>(shape.size(), integer(0L)), std::vector<std::int64_t>(own.size(), 0)});
    } else if (shape == t.shape) {
      out.push_back({&s, operators::axes(shape.size()), own});
    } else if (shape.size() == 1) {
      for (std::size_t d = 0; d < t.shape.size(); ++d) {
        if (t.shape[d] != shape[0]) continue;
        std::vector<std::int64_t> strides(own.size(), 0);
        strides[d] = 1;
        out.push_back({&s, {axis(static_cast<int>(d))}, strides});
      }
    }
  }
  return out;
}

double element(const View& v, const std::vector<std::int64_t>& own, std::size_t i) {
  std::int64_t at = 0, rest = static_cast<std::int64_t>(i);
  for (std::size_t d = 0; d < own.size(); ++d) {
    at += rest / own[d] * v.strides[d];
    rest %= own[d];
  }
  return v.source->values[static_cast<std::size_t>(at)];
}

double result_of(Op op, double x, double y) {
  return op == Op::add ? x + y : op == Op::sub ? x - y : op == Op::mul ? x * y : x / y;
}

// Whether doubles have the very result. Errors of one operation: T. J. Dekker, A floating-point technique for
// extending the available precision (1971); D. E. Knuth, TAOCP 2, 4.2.2.
bool is_exact(Op op, double x, double y) {
  const double result = result_of(op, x, y);
  // Where nothing overflows, and no error is too small to be seen.
  constexpr double least = 0x1p-900;
  const auto is_plain = [](double number) { return number == 0 || std::fabs(number) >= least; };
  if (!std::isfinite(result) || !is_plain(x) || !is_plain(y)) return false;
  if (op == Op::mul)
    return std::fma(x, y, -result) == 0 && is_plain(result) && (result != 0 || x == 0 || y == 0);
  if (op == Op::div) return std::fma(result, y, -x) == 0 && is_plain(result) && (result != 0 || x == 0);
  const double other = op == Op::sub ? -y : y, back = result - x;
  return (x - (result - back)) + (other - back) == 0;
}

// Sum, difference, product or quotient of two sources.
std::optional<Recipe> as_pair(const Target& t, const std::vector<Source>& sources, double most) {
  if (!is_float(t.constant.declaration.format)) return std::nullopt;
  const std::vector<View> all = views(t, sources);
  if (all.size() > 60) return std::nullopt;
  const std::vector<std::int64_t> own = strides_of(t.shape);
  std::optional<Recipe> best;
  for (const View& a : all)
    for (const View& b : all) {
      if (&a == &b) continue;
      for (Op op : {Op::add, Op::sub, Op::mul, Op::div}) {
        double ulps = greatest_distance(
            t.constant.declaration.format, t.values,
            [&](std::size_t i) { return result_of(op, element(a, own, i), element(b, own, i)); }, most);
        if (ulps > most) continue;
        bool rounded = false;
        for (std::size_t i = 0; i < t.values.size(); ++i) {
          const double x = element(a, own, i), y = element(b, own, i);
          const bool exact = is_exact(op, x, y), equal = t.values[i] == result_of(op, x, y);
          rounded = rounded || !exact || !equal;
          if (exact && !equal && t.constant.declaration.format == Format::f64) ulps = HUGE_VAL;
        }
        if (ulps > most || (best && best->ulps <= ulps)) continue;
        best = Recipe{};
        best->ulps = ulps;
        best->rounded = rounded || !a.source->exact || !b.source->exact;
        best->body = apply(op, {read(*a.source, a.at), read(*b.source, b.at)});
      }
    }
  return best;
}

// a + b c, a - b c and b c - a.
std::optional<Recipe> as_triple(const Target& t, const std::vector<Source>& sources, double most) {
  if (!is_float(t.constant.declaration.format)) return std::nullopt;
  const std::vector<View> all = views(t, sources);
  if (all.size() > 24) return std::nullopt;
  const std::vector<std::int64_t> own = strides_of(t.shape);
  const Format format = t.constant.declaration.format;
  std::optional<Recipe> best;
  for (std::size_t b = 0; b < all.size(); ++b)
    for (std::size_t c = b; c < all.size(); ++c)
      for (const View& a : all)
        for (int form = 0; form < 3; ++form) {
          const double ulps = greatest_distance(
              format, t.values,
              [&](std::size_t i) {
                const double x = element(a, own, i), y = element(all[b], own, i) * element(all[c], own, i);
                return form == 0 ? x + y : form == 1 ? x - y : y - x;
              },
              most);
          if (ulps > most || (best && best->ulps <= ulps)) continue;
          const Term x = read(*a.source, a.at),
                     y = apply(Op::mul, {read(*all[b].source, all[b].at), read(*all[c].source, all[c].at)});
          best = Recipe{};
          best->ulps = ulps;
          best->rounded = true;
          best->body = form == 0   ? apply(Op::add, {x, y})
                       : form == 1 ? apply(Op::sub, {x, y})
                                   : apply(Op::sub, {y, x});
        }
  return best;
}

// Integers in steps along one axis: 0, 1, 2, .. is what a compiler makes of a Range.
std::optional<Recipe> as_progression(const Target& t) {
  if (!is_integer(t.constant.declaration.format) || t.values.size() < 2) return std::nullopt;
  const std::vector<std::int64_t> own = strides_of(t.shape);
  for (std::size_t d = 0; d < t.shape.size(); ++d) {
    if (t.shape[d] < 2) continue;
    const double first = t.values[0], step = t.values[static_cast<std::size_t>(own[d])] - first;
    constexpr double exact = 9007199254740992.0;
    if (step == 0 || std::fabs(first) > exact / 4 ||
        std::fabs(step) * static_cast<double>(t.shape[d]) > exact / 4)
      continue;
    bool fits = true;
    for (std::size_t i = 0; i < t.values.size() && fits; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) / own[d] % t.shape[d];
      fits = t.values[i] == first + step * static_cast<double>(at);
    }
    if (!fits) continue;
    Recipe out;
    out.body =
        from_index(add(integer(Integer(first)), scale(Integer(step), axis(static_cast<int>(d)))), t.sort);
    return out;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Source> sources_of(const Pair& pair, const std::vector<Definition>& more) {
  std::vector<Source> out;
  evaluator::Tensors known;
  for (const Constant& c : pair.program.constants) {
    const auto shape = shape_of(c.declaration);
    if (!shape || count_of(*shape) > largest_source || c.declaration.name.empty()) continue;
    const evaluator::Tensor tensor(c.data);
    known.emplace(c.declaration.name, tensor);
    out.push_back({c.declaration, contents(tensor), true});
  }
  std::vector<const Definition*> all;
  for (const Definition& d : pair.program.definitions)
    if (pair.second.count(d.declaration.name) == 0 || pair.adopted.count(d.declaration.name) != 0)
      all.push_back(&d);
  for (const Definition& d : more) all.push_back(&d);
  for (const Definition* d : all) {
    const auto shape = shape_of(d->declaration);
    bool closed = shape && count_of(*shape) <= largest_source;
    for_each_node(d->body, [&](Term n) {
      closed = closed && n->kind != Kind::symbol && (n->kind != Kind::load || known.count(n->name) != 0);
    });
    if (!closed) continue;
    bool exact = true;
    for_each_node(d->body, [&](Term n) {
      exact = exact && n->kind != Kind::operation && n->kind != Kind::cast && n->kind != Kind::fold;
      for (const Source& s : out)
        exact = exact && (n->kind != Kind::load || s.declaration.name != n->name || s.exact);
    });
    try {
      const evaluator::Tensor value = evaluator::evaluate(*d, {}, {}, known);
      known.emplace(d->declaration.name, value);
      out.push_back({d->declaration, contents(value), exact});
    } catch (const Refusal&) {
      continue;  // it has no value in doubles: no source
    }
  }
  return out;
}

std::optional<Recipe> recipe_for(const Constant& constant, const std::vector<Source>& sources,
                                 double most_ulps) {
  const auto shape = shape_of(constant.declaration);
  if (!shape || count_of(*shape) > largest_source || count_of(*shape) == 0) return std::nullopt;
  const Target t{constant, *shape, contents(evaluator::Tensor(constant.data)), constant.declaration.extents,
                 exact_sort(constant.declaration.format)};
  std::optional<Recipe> best;
  const auto is_moved = [&](const Recipe& r) {
    bool moved = true;
    for_each_node(r.body, [&](Term n) {
      moved = moved && n->kind != Kind::operation;
      if (n->kind != Kind::load) return;
      for (const Source& s : sources) moved = moved && (s.declaration.name != n->name || s.exact);
    });
    return moved;
  };
  const auto offer = [&](Recipe r) {
    // What is not computed is not rounded either.
    r.moved = is_moved(r);
    if (r.ulps > (r.moved ? 0 : most_ulps) || (best && best->ulps <= r.ulps)) return;
    // A sum, difference, product or quotient knows by itself.
    r.rounded =
        !r.moved && is_float(constant.declaration.format) && (r.rounded || r.body->kind != Kind::operation);
    best = std::move(r);
  };
  std::vector<Source> fitting;
  for (const Source& s : sources)
    if (s.declaration.format == constant.declaration.format &&
        s.declaration.name != constant.declaration.name)
      fitting.push_back(s);
  for (const Source& s : fitting) {
    if (s.values.size() != t.values.size()) continue;
    if (greatest_distance(
            constant.declaration.format, t.values, [&](std::size_t i) { return s.values[i]; }, most_ulps) <=
        most_ulps)
      offer(*as_reshape(t, s));
    for (Recipe& r : as_transposes(t, s, most_ulps)) offer(std::move(r));
  }
  if (!best)
    if (auto r = Joins(t, fitting, most_ulps).find()) offer(std::move(*r));
  if (!best)
    if (auto r = as_pair(t, fitting, most_ulps)) offer(std::move(*r));
  if (!best)
    if (auto r = as_triple(t, fitting, most_ulps)) offer(std::move(*r));
  if (!best)
    if (auto r = as_progression(t)) offer(std::move(*r));
  if (best) {
    best->constant = constant.declaration.name;
    best->count = static_cast<std::int64_t>(t.values.size());
  }
  return best;
}

void adopt(Pair& pair, const Recipe& recipe) {
  auto& constants = pair.program.constants;
  const auto at = std::find_if(constants.begin(), constants.end(),
                               [&](const Constant& c) { return c.declaration.name == recipe.constant; });
  ensure(at != constants.end(), "a recipe for a constant that is not there");
  Definition d;
  d.declaration = at->declaration;
  for (std::size_t i = 0; i < d.declaration.extents.size(); ++i)
    d.axis_names.push_back(fmt::format("i{}", i));
  d.body = recipe.body;
  d.origin = "constant " + recipe.constant;
  constants.erase(at);
  // After the first model and constants adopted before, whose definitions it may use, and before the second.
  auto& definitions = pair.program.definitions;
  const auto first = std::find_if(definitions.begin(), definitions.end(), [&](const Definition& other) {
    return pair.second.count(other.declaration.name) != 0 && pair.adopted.count(other.declaration.name) == 0;
  });
  pair.second.insert(d.declaration.name);
  pair.adopted.insert(d.declaration.name);
  definitions.insert(first, std::move(d));
}

namespace {

// The format that numbers are rounded to: doubles where the second model has any, and floats otherwise.
Format format_of_numbers(const Pair& pair) {
  bool doubles = false;
  const auto see = [&](const Declaration& d) { doubles = doubles || d.format == Format::f64; };
  for (const Declaration& d : pair.program.inputs) see(d);
  for (const Constant& c : pair.program.constants) see(c.declaration);
  for (const Definition& d : pair.program.definitions) {
    see(d.declaration);
    for_each_node(d.body,
                  [&](Term n) { doubles = doubles || (n->kind == Kind::cast && n->format == Format::f64); });
  }
  return doubles ? Format::f64 : Format::f32;
}

// The very value of a term over numbers and elements of sources, where it is rational.
std::optional<Rational> exact_value(Term t, const std::vector<Source>& sources) {
  if (t->kind == Kind::constant) return t->value;
  if (t->kind == Kind::load) {
    for (const Source& s : sources)
      if (s.declaration.name == t->name && s.exact && s.values.size() == 1 && std::isfinite(s.values[0]))
        return Rational(s.values[0]);
    return std::nullopt;
  }
  if (t->kind != Kind::operation) return std::nullopt;
  std::vector<Rational> of;
  for (Term c : t->children) {
    const auto one = exact_value(c, sources);
    if (!one) return std::nullopt;
    of.push_back(*one);
  }
  switch (t->op) {
    case Op::neg:
      return Rational(-of[0]);
    case Op::add:
      return Rational(of[0] + of[1]);
    case Op::mul:
      return Rational(of[0] * of[1]);
    case Op::div:
      if (of[1] == 0) return std::nullopt;
      return Rational(of[0] / of[1]);
    default:
      return std::nullopt;
  }
}

// Whether the format has the value of a candidate: itself, or within the error of a few operations in
// doubles.
bool has_value_of(Format format, const Number& candidate, const std::optional<Rational>& exact) {
  const double nearest = exact ? evaluator::nearest(format, *exact)
                               : evaluator::round_to(format, candidate.value, Rounding::nearest);
  if (!std::isfinite(nearest)) return false;
  if (exact) return Rational(nearest) == *exact;
  return format != Format::f64 &&
         std::fabs(nearest - candidate.value) <= std::ldexp(std::fabs(candidate.value), -50);
}

}  // namespace

Numbers explain_numbers(Pair& pair, const std::vector<Source>& sources, double most_ulps,
                        std::size_t alternative) {
  Numbers out;
  std::vector<Number> given;
  for (Term n : numbers_of(pair.program, pair.second, false)) given.push_back({n, n->value.get_d()});
  for (const Source& s : sources)
    if (s.values.size() == 1 && s.declaration.format == Format::f32 &&
        pair.second.count(s.declaration.name) == 0 && s.declaration.name.rfind("B.", 0) != 0)
      given.push_back({read(s, std::vector<Term>(s.declaration.extents.size(), integer(0L))), s.values[0]});
  std::sort(given.begin(), given.end(),
            [](const Number& a, const Number& b) { return TermLess()(a.term, b.term); });
  std::set<Term> known;
  for (const Number& n : given) known.insert(n.term);
  const std::vector<Number> made = made_of(given);
  const Format format = format_of_numbers(pair);
  Substitution replaced;
  std::vector<Term> unknown;
  for (Term n : numbers_of(pair.program, pair.second, true))
    // Integers and halves are written, not folded.
    if (known.count(n) == 0 && Rational(n->value * 2).get_den() != 1) unknown.push_back(n);
  std::sort(unknown.begin(), unknown.end(), TermLess());
  for (Term n : unknown) {
    const double stored = n->value.get_d();
    std::vector<Recipe> fitting;
    for (const Number& candidate : made) {
      const std::optional<Rational> exact = exact_value(candidate.term, sources);
      const bool is_it = exact && *exact == n->value;
      if (!is_it && has_value_of(format, candidate, exact)) continue;  // no compiler would have rounded it
      const double ulps = is_it ? 0 : distance(format, stored, candidate.value);
      const bool known_value = std::any_of(fitting.begin(), fitting.end(), [&](const Recipe& r) {
        return r.body == candidate.term || r.ulps == ulps;
      });
      if (ulps <= most_ulps && !known_value)
        fitting.push_back({fmt::format("{:.9g}", stored), candidate.term, ulps, 1, false, !is_it, n});
    }
    std::stable_sort(fitting.begin(), fitting.end(),
                     [](const Recipe& a, const Recipe& b) { return a.ulps < b.ulps; });
    out.alternatives = std::max(out.alternatives, fitting.size());
    out.may_be_rounded = out.may_be_rounded || fitting.empty() || fitting.back().ulps != 0;
    if (fitting.empty()) continue;
    Recipe& chosen = fitting[std::min(alternative, fitting.size() - 1)];
    if (chosen.body == n) continue;  // the very number
    replaced[n] = chosen.body;
    out.recipes.push_back(std::move(chosen));
  }
  if (replaced.empty()) return out;
  for (Definition& d : pair.program.definitions)
    if (pair.second.count(d.declaration.name) != 0) d.body = substitute(d.body, replaced);
  return out;
}

Obligation constant_obligation(const Pair& pair, const Recipe& recipe) {
  Obligation o;
  o.kind = ObligationKind::constant;
  o.level = Level::model;
  o.subject = recipe.constant;
  o.id = "constant/" + recipe.constant + "/model";
  text::Scope scope;
  std::vector<std::string> axes;
  for_each_node(recipe.body, [&](Term n) {
    if (n->kind == Kind::axis)
      while (axes.size() <= static_cast<std::size_t>(n->number))
        axes.push_back(fmt::format("i{}", axes.size()));
  });
  for (const Constant& c : pair.program.constants)
    scope.tensors[c.declaration.name] = {c.declaration.format, c.declaration.extents.size()};
  for (const Definition& d : pair.program.definitions)
    scope.tensors[d.declaration.name] = {d.declaration.format, d.declaration.extents.size()};
  o.statement = fmt::format("What the second model stores as {} is, up to its rounding, {}", recipe.constant,
                            text::print_term(recipe.body, scope, axes));
  o.scope = "the stored contents";
  o.strength = recipe.moved ? "bits" : recipe.ulps == 0 ? "reals" : "rounded";
  o.outcome.state = State::proved;
  o.outcome.reason = Reason::none;
  o.outcome.discharged_by = {"enumeration"};
  o.outcome.detail = recipe.ulps == 0
                         ? fmt::format("{} elements, all equal", recipe.count)
                         : fmt::format("{} elements, none further than {:.3g} units in the last place",
                                       recipe.count, recipe.ulps);
  if (!recipe.moved) o.outcome.assumptions = {"double-evaluation-of-constants"};
  return o;
}

}  // namespace hallmark::compare
