#include "numerics/reference.h"

#include <algorithm>

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/describe.h"
#include "numerics/rounding.h"
#include "numerics/tensor_data.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

struct Extreme {
  int sign = 0;
};
using Cell = std::variant<Interval, Integer, bool, Extreme>;

// The value cannot be had at this precision; another one may do.
struct Undecided {
  std::string reason;
};
// Certainly outside of the domain.
struct Undefined {
  std::string reason;
};
struct OutOfWork {};

Integer fit(const Integer& value, Format format) {
  const Integer modulus = power_of_two(storage_bits(format));
  Integer v = floor_mod(value, modulus);
  if (is_signed(format) && 2 * v >= modulus) v -= modulus;
  return v;
}

class Walk;

// One evaluation of one element of one definition: values of nodes stay valid until a variable that they
// depend on gets another value.
class Element {
 public:
  Element(Walk& walk, const std::vector<Integer>& indices)
      : walk_(walk), indices_(indices), versions_(64, 0) {}
  Cell value(Term a);

 private:
  struct Entry {
    std::uint64_t time = 0;
    Cell cell;
  };
  Cell compute(Term a);
  Cell operate(Term a);
  Cell integer_operation(Term a);
  Cell fold(Term a);
  Cell cast(Term a);
  bool truth(Term a) { return std::get<bool>(value(a)); }
  Integer index(Term a) { return std::get<Integer>(value(a)); }
  Interval real(Term a);
  bool compare(Op op, Term x, Term y);

  Walk& walk_;
  const std::vector<Integer>& indices_;
  std::map<int, Integer> bound_;
  std::map<int, std::vector<Cell>> state_;
  std::vector<std::uint64_t> versions_;  // by height: when its variable or states last changed
  std::uint64_t clock_ = 0;
  std::unordered_map<Term, Entry> memo_;
};

// One evaluation at one precision.
class Walk {
 public:
  Walk(const Program& program, const std::vector<Definition>& definitions, const Point& point,
       const ReferenceOptions& options, mpfr_prec_t precision, std::size_t& work)
      : program_(program),
        definitions_(definitions),
        point_(point),
        options_(options),
        precision_(precision),
        work_(work) {}

  Cell element(const std::string& tensor, const std::vector<Integer>& indices) {
    Source& source = source_of(tensor);
    ensure(indices.size() == source.extents.size(), "an element of " + tensor + " with another rank");
    Integer flat = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (indices[d] < 0 || indices[d] >= source.extents[d]) throw Undefined{"an index outside of " + tensor};
      flat = flat * source.extents[d] + indices[d];
    }
    const std::int64_t at = to_i64(flat).value();
    if (source.data != nullptr) return read(tensor, *source.data, at);
    if (const auto found = source.known.find(at); found != source.known.end()) return found->second;
    tick();
    Cell cell = Element(*this, indices).value(source.definition->body);
    source.known.emplace(at, cell);
    return cell;
  }

  void tick() {
    if (++work_ > options_.work_limit) throw OutOfWork{};
  }

  // The bound heights that a term depends on, as a bit set.
  std::uint64_t dependencies(Term a) {
    if (const auto found = dependencies_.find(a); found != dependencies_.end()) return found->second;
    std::uint64_t set = 0;
    if (a->kind == Kind::bound || a->kind == Kind::state) {
      ensure(a->number < 64, "folds nested more than 63 deep");
      set = std::uint64_t{1} << a->number;
    }
    for (Term child : a->children) set |= dependencies(child);
    if (a->kind == Kind::fold) {
      // Its own variable is bound inside; the start values and the extent cannot mention it.
      set &= ~(std::uint64_t{1} << a->number);
    }
    dependencies_.emplace(a, set);
    return set;
  }

  mpfr_prec_t precision() const { return precision_; }
  const Point& point() const { return point_; }
  const ReferenceOptions& options() const { return options_; }

 private:
  struct Source {
    const TensorData* data = nullptr;
    const Definition* definition = nullptr;
    std::vector<Integer> extents;
    std::unordered_map<std::int64_t, Cell> known;
  };

  Source& source_of(const std::string& tensor) {
    if (const auto found = sources_.find(tensor); found != sources_.end()) return found->second;
    Source source;
    if (const auto found = point_.inputs.find(tensor); found != point_.inputs.end())
      source.data = &found->second;
    for (const Constant& constant : program_.constants)
      if (constant.declaration.name == tensor) source.data = constant.data.get();
    for (const Definition& definition : definitions_)
      if (definition.declaration.name == tensor) source.definition = &definition;
    ensure(source.data != nullptr || source.definition != nullptr, "the reference has no data for " + tensor);
    if (source.data != nullptr)
      for (const std::int64_t extent : source.data->extents) source.extents.push_back(from_i64(extent));
    else
      for (Term extent : source.definition->declaration.extents)
        source.extents.push_back(evaluate_size(extent, point_));
    return sources_.emplace(tensor, std::move(source)).first->second;
  }

  Cell read(const std::string& tensor, const TensorData& data, std::int64_t at) const {
    const auto value = element_value(data, at);
    if (!value) throw Undefined{tensor + " holds a NaN or an infinity"};
    if (data.format == Format::boolean) return *value != 0;
    if (is_integer(data.format)) return Integer(value->get_num());
    return Interval(*value, precision_);
  }

  const Program& program_;
  const std::vector<Definition>& definitions_;
  const Point& point_;
  const ReferenceOptions& options_;
  mpfr_prec_t precision_;
  std::size_t& work_;
  std::map<std::string, Source> sources_;
  std::unordered_map<Term, std::uint64_t> dependencies_;
};

Cell Element::value(Term a) {
  if (a->kind == Kind::bound) return bound_.at(a->number);
  if (a->kind == Kind::state) return state_.at(a->number).at(static_cast<std::size_t>(a->which));
  const std::uint64_t set = walk_.dependencies(a);
  if (const auto found = memo_.find(a); found != memo_.end()) {
    bool fresh = true;
    for (int h = 0; h < 64 && fresh; ++h)
      if ((set >> h & 1) != 0 && versions_[static_cast<std::size_t>(h)] > found->second.time) fresh = false;
    if (fresh) return found->second.cell;
  }
  // Nothing that the node depends on changes while it is computed: inner folds change only their own
  // variables.
  const std::uint64_t time = clock_;
  Cell cell = compute(a);
  memo_[a] = {time, cell};
  return cell;
}

Interval Element::real(Term a) {
  const Cell cell = value(a);
  if (const auto* x = std::get_if<Interval>(&cell)) return *x;
  if (std::holds_alternative<Extreme>(cell)) throw Undefined{"a maximum or minimum over an empty range"};
  throw InternalError("a real value was expected");
}

Cell Element::compute(Term a) {
  switch (a->kind) {
    case Kind::integer:
      return *as_integer(a);
    case Kind::symbol: {
      const auto found = walk_.point().symbols.find(a->name);
      ensure(found != walk_.point().symbols.end(), "no size was given for " + a->name);
      return found->second;
    }
    case Kind::axis:
      return indices_.at(static_cast<std::size_t>(a->number));
    case Kind::product: {
      Integer out = 1;
      for (Term child : a->children) out *= index(child);
      return out;
    }
    case Kind::polynomial: {
      Integer out = 0;
      for (std::size_t i = 0; i < a->children.size(); ++i) out += a->coefficients[i] * index(a->children[i]);
      return out;
    }
    case Kind::floor_div:
      return floor_div(index(a->children[0]), index(a->children[1]));
    case Kind::index_min:
    case Kind::index_max: {
      Integer out = index(a->children[0]);
      for (Term child : a->children) {
        const Integer v = index(child);
        out = a->kind == Kind::index_min ? std::min(out, v) : std::max(out, v);
      }
      return out;
    }
    case Kind::index_select:
    case Kind::select:
      return value(a->children[truth(a->children[0]) ? 1 : 2]);
    case Kind::to_index: {
      const Cell cell = value(a->children[0]);
      if (const auto* b = std::get_if<bool>(&cell)) return Integer(*b ? 1 : 0);
      return std::get<Integer>(cell);
    }
    case Kind::truth:
      return a->number != 0;
    case Kind::at_most_zero:
      return index(a->children[0]) <= 0;
    case Kind::is_zero:
      return index(a->children[0]) == 0;
    case Kind::conjunction:
      for (Term child : a->children)
        if (!truth(child)) return false;
      return true;
    case Kind::disjunction:
      for (Term child : a->children)
        if (truth(child)) return true;
      return false;
    case Kind::negation:
      return !truth(a->children[0]);
    case Kind::compare:
      return compare(a->op, a->children[0], a->children[1]);
    case Kind::is_nan:
      return false;
    case Kind::constant:
      if (a->sort.kind == Sort::Kind::integer) return Integer(a->value.get_num());
      ensure(a->sort.kind == Sort::Kind::real, "the reference evaluates exact programs only");
      return Interval(a->value, walk_.precision());
    case Kind::extreme:
      return Extreme{a->number};
    case Kind::load: {
      std::vector<Integer> at;
      for (Term child : a->children) at.push_back(index(child));
      return walk_.element(a->name, at);
    }
    case Kind::operation:
      return a->sort.kind == Sort::Kind::real ? operate(a) : integer_operation(a);
    case Kind::fold:
      return fold(a);
    case Kind::from_index: {
      const Integer v = index(a->children[0]);
      if (a->sort.kind == Sort::Kind::integer) return fit(v, a->sort.format);
      return Interval(Rational(v), walk_.precision());
    }
    case Kind::cast:
      return cast(a);
    default:
      throw InternalError("the reference met a term that no program contains");
  }
}

bool Element::compare(Op op, Term x, Term y) {
  const Cell left = value(x), right = value(y);
  if (const auto* a = std::get_if<Integer>(&left)) {
    const Integer& b = std::get<Integer>(right);
    return op == Op::lt ? *a < b : (op == Op::le ? *a <= b : *a == b);
  }
  if (const auto* a = std::get_if<bool>(&left)) {
    const bool b = std::get<bool>(right);
    return op == Op::lt ? *a < b : (op == Op::le ? *a <= b : *a == b);
  }
  // The start of a maximum or minimum is beyond every number.
  const auto rank = [](const Cell& c) {
    return std::holds_alternative<Extreme>(c) ? std::get<Extreme>(c).sign : 0;
  };
  if (rank(left) != 0 || rank(right) != 0) {
    const int a = rank(left), b = rank(right);
    return op == Op::lt ? a < b : (op == Op::le ? a <= b : a == b);
  }
  const Interval& a = std::get<Interval>(left);
  const Interval& b = std::get<Interval>(right);
  const bool points = a.is_point() && b.is_point();
  if (op == Op::lt ? a.below(b) : (op == Op::le ? a.at_most(b) : points && a.contains(b))) return true;
  if (op == Op::lt ? b.at_most(a) : (op == Op::le ? b.below(a) : a.below(b) || b.below(a))) return false;
  throw Undecided{"the comparison " + describe(x) + " " + std::string(name(op)) + " " + describe(y)};
}

Cell Element::operate(Term a) {
  ensure(a->op != Op::custom, "the function " + a->name + " has no definition in the program");
  if (a->op == Op::max || a->op == Op::min) {
    const Cell x = value(a->children[0]), y = value(a->children[1]);
    const int wins = a->op == Op::max ? -1 : 1;  // the extreme that loses
    for (const auto& [one, other] : {std::pair(&x, &y), std::pair(&y, &x)})
      if (const auto* e = std::get_if<Extreme>(one)) {
        if (e->sign != wins) throw Undefined{"a maximum with an infinity"};
        return *other;
      }
    return *binary(a->op, std::get<Interval>(x), std::get<Interval>(y));
  }
  // A running maximum before its first term, less a number; and the exponential of that (rescaled sums).
  if (a->op == Op::sub || a->op == Op::exp)
    if (const Cell first = value(a->children[0]); const auto* e = std::get_if<Extreme>(&first)) {
      if (a->op == Op::exp && e->sign < 0) return Interval(Rational(0), walk_.precision());
      if (a->op == Op::sub) {
        real(a->children[1]);
        return *e;
      }
    }
  const Interval x = real(a->children[0]);
  // Certain when the whole enclosure is outside of the domain, otherwise a matter of precision.
  const auto outside = [&](const Interval& operand, bool certain) {
    const std::string reason = describe(a) + " at " + text(operand);
    if (certain) throw Undefined{reason};
    throw Undecided{reason};
  };
  if (a->children.size() == 1) {
    const MaybeInterval v = unary(a->op, x);
    if (v) return *v;
    bool certain = x.is_point();
    if (a->op == Op::sqrt) certain = x.is_negative();
    if (a->op == Op::log || a->op == Op::rsqrt) certain = x.is_nonpositive();
    if (a->op == Op::reciprocal) certain = x.is_zero();
    outside(x, certain);
  }
  const Interval y = real(a->children[1]);
  if (a->op == Op::fma) return x * y + real(a->children[2]);
  if (a->op == Op::mul && a->children[0] == a->children[1]) return square(x);
  const MaybeInterval v = binary(a->op, x, y);
  if (v) return *v;
  const bool divides = a->op == Op::div || a->op == Op::mod || a->op == Op::rem;
  outside(divides ? y : x, divides ? y.is_zero() : x.is_point() && y.is_point());
  throw InternalError("unreachable");
}

Cell Element::integer_operation(Term a) {
  if (a->sort == Sort::boolean()) {
    if (a->op == Op::logical_xor || a->op == Op::bit_xor)
      return truth(a->children[0]) != truth(a->children[1]);
    throw Undecided{"the operation " + describe(a)};
  }
  std::vector<Integer> c;
  for (Term child : a->children) c.push_back(index(child));
  const Format format = a->sort.format;
  const auto nonzero = [&] {
    if (c[1] == 0) throw Undefined{describe(a) + " by zero"};
  };
  Integer v;
  switch (a->op) {
    case Op::add:
      v = c[0] + c[1];
      break;
    case Op::sub:
      v = c[0] - c[1];
      break;
    case Op::mul:
      v = c[0] * c[1];
      break;
    case Op::neg:
      v = -c[0];
      break;
    case Op::abs:
      v = ::abs(c[0]);
      break;
    case Op::sign:
      v = sgn(c[0]);
      break;
    case Op::max:
      v = std::max(c[0], c[1]);
      break;
    case Op::min:
      v = std::min(c[0], c[1]);
      break;
    case Op::div:
      nonzero();
      mpz_tdiv_q(v.get_mpz_t(), c[0].get_mpz_t(), c[1].get_mpz_t());
      break;
    case Op::rem:
      nonzero();
      mpz_tdiv_r(v.get_mpz_t(), c[0].get_mpz_t(), c[1].get_mpz_t());
      break;
    case Op::mod:
      nonzero();
      v = floor_mod(c[0], c[1]);
      break;
    case Op::bit_and:
      v = c[0] & c[1];
      break;
    case Op::bit_or:
      v = c[0] | c[1];
      break;
    case Op::bit_xor:
      v = c[0] ^ c[1];
      break;
    case Op::bit_not:
      v = ~c[0];
      break;
    default:
      throw Undecided{"the operation " + describe(a)};
  }
  return fit(v, format);
}

Cell Element::fold(Term a) {
  const std::size_t size = static_cast<std::size_t>(a->size);
  const int height = a->number;
  const Integer extent = index(a->children[0]);
  std::vector<Cell> states;
  for (std::size_t j = 0; j < size; ++j) states.push_back(value(a->children[2 + j]));
  for (Integer k = 0; k < extent; ++k) {
    walk_.tick();
    bound_[height] = k;
    state_[height] = states;
    versions_[static_cast<std::size_t>(height)] = ++clock_;
    if (!truth(a->children[1])) continue;
    std::vector<Cell> next;
    for (std::size_t j = 0; j < size; ++j) next.push_back(value(a->children[2 + size + j]));
    states = std::move(next);
  }
  return states[static_cast<std::size_t>(a->which)];
}

Cell Element::cast(Term a) {
  const Cell cell = value(a->children[0]);
  const Sort::Kind to = a->sort.kind;
  if (to == Sort::Kind::boolean) {
    if (const auto* b = std::get_if<bool>(&cell)) return *b;
    if (const auto* i = std::get_if<Integer>(&cell)) return *i != 0;
    const Interval& x = std::get<Interval>(cell);
    if (x.is_zero()) return false;
    if (!x.contains_zero()) return true;
    throw Undecided{"whether " + describe(a->children[0]) + " is zero"};
  }
  std::optional<Integer> whole;
  if (const auto* b = std::get_if<bool>(&cell)) whole = *b ? 1 : 0;
  if (const auto* i = std::get_if<Integer>(&cell)) whole = *i;
  if (to == Sort::Kind::integer) {
    if (whole) return fit(*whole, a->sort.format);
    const Interval x = std::get<Interval>(cell);
    const MaybeInterval truncated = unary(Op::trunc, x);
    if (!truncated->is_point()) throw Undecided{"the conversion " + describe(a)};
    const Integer v = truncated->exact_low().get_num();
    if (v < contract::least_value(a->sort.format).get_num() ||
        v > contract::largest_value(a->sort.format).get_num())
      throw Undefined{"the conversion " + describe(a) + " leaves " + to_string(a->sort)};
    return v;
  }
  if (whole) return Interval(Rational(*whole), walk_.precision());
  if (walk_.options().casts == contract::Casts::storage) return cell;
  const Interval x = std::get<Interval>(cell);
  const MaybeInterval rounded = round_to_format(x, {a->format, Rounding::nearest, false});
  if (!rounded) throw Undefined{"the conversion " + describe(a) + " leaves " + std::string(name(a->format))};
  if (!rounded->is_point()) throw Undecided{"the rounding " + describe(a)};
  return *rounded;
}

bool is_narrow(const Interval& x, const ReferenceOptions& options) {
  const Interval width = (x.upper_end() - x.lower_end()).magnitude();
  if (mpfr_cmp_ui_2exp(width.high(), 1, -options.absolute_bits) <= 0) return true;
  const Interval least = scale2(x.mignitude(), -options.relative_bits);
  return high_at_most(width, least.lower_end());
}

}  // namespace

Integer evaluate_size(Term size, const Point& point) {
  static const std::vector<Integer> none;
  static const Program empty;
  static const std::vector<Definition> nothing;
  static const ReferenceOptions options;
  std::size_t work = 0;
  Walk walk(empty, nothing, point, options, 96, work);
  return std::get<Integer>(Element(walk, none).value(size));
}

struct Reference::Walks {
  std::size_t work = 0;
  std::map<mpfr_prec_t, Walk> by_precision;
};

Reference::~Reference() = default;

Reference::Reference(const Program& exact, const Point& point, ReferenceOptions options)
    : program_(exact),
      point_(point),
      options_(options),
      definitions_(exact.definitions),
      walks_(std::make_unique<Walks>()) {
  for (Definition& definition : definitions_)
    definition.body = expand_functions(definition.body, exact.functions);
}

std::vector<std::int64_t> Reference::extents(const std::string& tensor) const {
  const Declaration* declaration = find_declaration(program_, tensor);
  ensure(declaration != nullptr, "an unknown tensor " + tensor);
  std::vector<std::int64_t> out;
  for (Term extent : declaration->extents) {
    const auto value = to_i64(evaluate_size(extent, point_));
    ensure(value.has_value(), "an extent beyond 64 bits");
    out.push_back(*value);
  }
  return out;
}

ReferenceValue Reference::element(const std::string& tensor, const std::vector<std::int64_t>& indices) {
  std::vector<Integer> at;
  for (const std::int64_t i : indices) at.push_back(from_i64(i));
  ReferenceValue out;
  walks_->work = 0;
  for (mpfr_prec_t precision = options_.first_precision; precision <= options_.last_precision;
       precision *= 2) {
    out = ReferenceValue{};
    out.precision = precision;
    try {
      const auto walk =
          walks_->by_precision
              .try_emplace(precision, program_, definitions_, point_, options_, precision, walks_->work)
              .first;
      const Cell cell = walk->second.element(tensor, at);
      if (const auto* b = std::get_if<bool>(&cell)) {
        out.kind = ReferenceValue::Kind::truth;
        out.truth = *b;
        return out;
      }
      if (const auto* i = std::get_if<Integer>(&cell)) {
        out.kind = ReferenceValue::Kind::integer;
        out.integer = *i;
        return out;
      }
      if (std::holds_alternative<Extreme>(cell)) throw Undefined{"a maximum or minimum over an empty range"};
      out.real = std::get<Interval>(cell);
      if (is_narrow(*out.real, options_)) {
        out.kind = ReferenceValue::Kind::real;
        return out;
      }
      out.reason = "the enclosure is not narrow";
    } catch (const Undefined& u) {
      out.kind = ReferenceValue::Kind::undefined;
      out.reason = u.reason;
      return out;
    } catch (const Undecided& u) {
      out.reason = u.reason;
    } catch (const OutOfWork&) {
      out.reason = "more than " + std::to_string(options_.work_limit) + " elements and steps";
      return out;
    }
  }
  return out;
}

}  // namespace hallmark::numerics
