#include "calculus/text/elaborate.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "calculus/text/literal.h"
#include "calculus/text/operation_text.h"

namespace hallmark::calculus::text {
namespace {

using Kind = Syntax::Kind;
using SortKind = Sort::Kind;

// What a written term can be, before its sort is known: numbers alone can be either.
enum class Shape { index, element, number };

class Elaborator {
 public:
  Elaborator(const Source& source, const Scope& scope)
      : source_(source), scope_(scope), number_sort_(scope.number_sort) {}

  Term run(const Syntax& s, Wanted wanted) {
    const Term result = term(s, wanted);
    const bool is_index = result->sort == Sort::index(), is_boolean = result->sort == Sort::boolean();
    if (wanted == Wanted::index && !is_index)
      wrong(s, "an index was expected, and this is a " + to_string(result->sort));
    if (wanted == Wanted::element && is_index)
      wrong(s, "an element was expected, and this is an index; write real(..), f32(..) or another sort");
    if (wanted == Wanted::boolean && !is_boolean)
      wrong(s, "a condition was expected, and this is a " + to_string(result->sort));
    return result;
  }

  const Order* order(const OrderSyntax& s) {
    Order out;
    out.kind = s.kind;
    if (s.size.kind == Token::Kind::number) {
      const auto value = literal_value(s.size.text);
      if (!is_whole_literal(s.size.text) || !value)
        source_.fail("E1103", s.size, "the size of an order is an integer");
      out.size = integer(value->get_num());
    } else if (s.size.kind == Token::Kind::name) {
      const Term size = lookup(s.size);
      if (size == nullptr || size->kind != calculus::Kind::symbol)
        source_.fail("E1102", s.size, "'" + s.size.text + "' is not a symbol");
      out.size = size;
    }
    if (!s.inside.empty()) out.inner = order(s.inside[0]);
    if (s.inside.size() > 1) out.outer = order(s.inside[1]);
    out.model = s.model;
    return make_order(out);
  }

 private:
  [[noreturn]] void wrong(const Syntax& s, const std::string& message) const {
    source_.fail("E1103", s.token, message);
  }

  Term lookup(const Token& token) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local)
      if (local->first == token.text) return local->second;
    const auto found = scope_.names.find(token.text);
    return found != scope_.names.end() ? found->second : nullptr;
  }

  // --- shapes ---
  Shape shape(const Syntax& s) {
    if (const auto known = shapes_.find(&s); known != shapes_.end()) return known->second;
    const Shape result = shape_of(s);
    shapes_.emplace(&s, result);
    return result;
  }

  Shape joined(const Syntax& s, std::size_t from, std::size_t to) {
    Shape out = Shape::number;
    for (std::size_t i = from; i < to; ++i) {
      const Shape next = shape(*s.children[i]);
      if (next == Shape::number) continue;
      if (out != Shape::number && next != out)
        wrong(s,
              "an index and an element do not go together; write real(..), f32(..) or another sort of the "
              "index");
      out = next;
    }
    return out;
  }

  Shape shape_of(const Syntax& s) {
    switch (s.kind) {
      case Kind::number:
        if (s.sort) return *s.sort == Sort::index() ? Shape::index : Shape::element;
        return is_whole_literal(s.token.text) ? Shape::number : Shape::element;
      case Kind::name: {
        const Term known = s.token.quoted || !is_keyword(s.token.text) ? lookup(s.token) : nullptr;
        return known != nullptr && known->sort == Sort::index() ? Shape::index : Shape::element;
      }
      case Kind::negate:
      case Kind::power:
      case Kind::sum:
      case Kind::product:
        return joined(s, 0, s.children.size());
      case Kind::choice:
        return joined(s, 1, 3);
      case Kind::call:
        if (!s.token.quoted && (s.token.text == "index" || s.token.text == "ceil_div")) return Shape::index;
        if (!s.token.quoted && (s.token.text == "min" || s.token.text == "max"))
          return joined(s, 0, s.children.size());
        return Shape::element;
      case Kind::let:
        return term(s, Wanted::any)->sort == Sort::index() ? Shape::index : Shape::element;
      default:
        return Shape::element;
    }
  }

  // Numbers without a sort and what is made of nothing else.
  static bool is_bare(const Syntax& s) {
    switch (s.kind) {
      case Kind::number:
        return !s.sort;
      case Kind::negate:
      case Kind::sum:
      case Kind::product:
      case Kind::power:
        return std::all_of(s.children.begin(), s.children.end(),
                           [](const SyntaxPointer& child) { return is_bare(*child); });
      default:
        return false;
    }
  }

  // Operands that stand beside each other: a bare number is of the sort of the others.
  std::vector<Term> side_by_side(const Syntax& s, std::size_t from, std::size_t to, Wanted wanted) {
    std::vector<Term> out(to - from, nullptr);
    // What stands inside the others keeps the sort of its surroundings.
    const Sort outside = number_sort_;
    Sort beside = outside;
    bool found = false;
    for (std::size_t i = from; i < to; ++i) {
      if (is_bare(*s.children[i])) continue;
      out[i - from] = run(*s.children[i], wanted);
      const Sort sort = out[i - from]->sort;
      if (wanted != Wanted::element || found || sort == Sort::boolean()) continue;
      beside = sort;
      found = true;
    }
    number_sort_ = beside;
    for (std::size_t i = from; i < to; ++i)
      if (out[i - from] == nullptr) out[i - from] = run(*s.children[i], wanted);
    number_sort_ = outside;
    return out;
  }

  bool is_index(const Syntax& s, Wanted wanted) {
    const Shape found = shape(s);
    return found == Shape::index ||
           (found == Shape::number && (wanted == Wanted::index || wanted == Wanted::any));
  }

  // --- terms ---
  Term term(const Syntax& s, Wanted wanted) {
    switch (s.kind) {
      case Kind::number:
        return number(s, wanted);
      case Kind::name:
        return name(s);
      case Kind::index:
        return tensor(s);
      case Kind::call:
        return call(s, wanted);
      case Kind::negate:
        if (is_index(s, wanted)) return scale(-1, run(*s.children[0], Wanted::index));
        return operate(s, {Op::neg}, {run(*s.children[0], Wanted::element)});
      case Kind::power:
        return power(s);
      case Kind::sum:
        return is_index(s, wanted) ? index_sum(s) : element_chain(s);
      case Kind::product:
        return is_index(s, wanted) ? index_product(s) : element_chain(s);
      case Kind::relation:
        return relation(s);
      case Kind::conjunction:
      case Kind::disjunction: {
        std::vector<Term> parts;
        for (const SyntaxPointer& child : s.children) parts.push_back(run(*child, Wanted::boolean));
        return s.kind == Kind::conjunction ? conjunction(parts) : disjunction(parts);
      }
      case Kind::negation:
        return calculus::negation(run(*s.children[0], Wanted::boolean));
      case Kind::choice: {
        const Term condition = run(*s.children[0], Wanted::boolean);
        const Wanted side = is_index(s, wanted) ? Wanted::index : Wanted::element;
        const std::vector<Term> sides = side_by_side(s, 1, 3, side);
        same_sort(s, sides[0], sides[1]);
        return select(condition, sides[0], sides[1]);
      }
      case Kind::let:
        return let(s, wanted);
      case Kind::reduction:
        return reduction(s);
      case Kind::fold:
        return general_fold(s);
    }
    throw InternalError("a written term of unknown kind");
  }

  void same_sort(const Syntax& s, Term a, Term b) const {
    if (a->sort != b->sort)
      wrong(s, "the operands have two sorts, " + to_string(a->sort) + " and " + to_string(b->sort));
  }

  Term number(const Syntax& s, Wanted wanted) {
    const auto magnitude = literal_value(s.token.text);
    if (!magnitude) source_.fail("E1104", s.token, "this number is too large to be written out");
    const Rational value = s.negative ? Rational(-*magnitude) : *magnitude;
    Sort sort = number_sort_;
    if (s.sort)
      sort = *s.sort;
    else if (is_index(s, wanted))
      sort = Sort::index();
    const auto whole = [&] {
      if (value.get_den() != 1) wrong(s, "a number of sort " + to_string(sort) + " is an integer");
      return value.get_num();
    };
    switch (sort.kind) {
      case SortKind::index:
        return integer(whole());
      case SortKind::real:
        // The reals have one zero; the formats that they stand for have two, and whoever writes -0 means that
        // one.
        if (s.negative && value == 0) return operation(Op::neg, {real_constant(0)}, sort);
        return real_constant(value);
      case SortKind::integer: {
        const Term result = int_constant(sort.format, whole());
        if (result->value != value) wrong(s, "this number is outside the range of " + to_string(sort));
        return result;
      }
      case SortKind::floating: {
        const auto bits = exact_encoding(sort.format, value, s.negative);
        if (!bits) {
          const auto nearest = nearest_literal(sort.format, value, s.negative);
          wrong(s, "no value of " + to_string(sort) + " is exactly this number; " +
                       (nearest ? "the nearest is " + *nearest
                                : "the largest is " + largest_literal(sort.format)));
        }
        return float_constant(sort.format, *bits);
      }
      case SortKind::boolean:
        break;
    }
    wrong(s, "a bool is written true or false");
  }

  Term name(const Syntax& s) {
    const std::string& word = s.token.text;
    if (!s.token.quoted && is_keyword(word)) {
      if (word == "true" || word == "false") return truth(word == "true");
      if (word == "empty_max" || word == "empty_min") return extreme(word == "empty_max" ? -1 : 1);
      const Sort sort = s.sort ? *s.sort : number_sort_;
      if (sort.kind != SortKind::floating || (word == "inf" && sort.format == Format::f8e4m3))
        wrong(s, "a " + to_string(sort) + " is never '" + word + "'");
      return float_constant(sort.format, word == "inf" ? infinity_encoding(sort.format, s.negative)
                                                       : nan_encoding(sort.format));
    }
    const Term known = lookup(s.token);
    if (known == nullptr) {
      const auto found = scope_.tensors.find(word);
      const bool tensor = found != scope_.tensors.end();
      if (tensor && found->second.rank == 0)
        return load(word, {}, s.sort ? *s.sort : scope_.load_sort(found->second.format));
      source_.fail("E1102", s.token,
                   tensor ? "'" + word + "' is a tensor: write its indices in brackets"
                          : "'" + word + "' is not known here");
    }
    if (s.sort) wrong(s, "'@' belongs to numbers and tensors");
    return known;
  }

  Term tensor(const Syntax& s) {
    const auto found = scope_.tensors.find(s.token.text);
    if (found == scope_.tensors.end())
      source_.fail("E1102", s.token, "the tensor '" + s.token.text + "' is not known here");
    const TensorType& type = found->second;
    if (type.rank != s.children.size())
      wrong(s, "'" + s.token.text + "' has " + std::to_string(type.rank) + " axes, and there are " +
                   std::to_string(s.children.size()) + " indices");
    std::vector<Term> indices;
    for (const SyntaxPointer& child : s.children) indices.push_back(run(*child, Wanted::index));
    const Sort sort = s.sort ? *s.sort : scope_.load_sort(type.format);
    if (sort != exact_sort(type.format) && sort != stored_sort(type.format))
      wrong(s, "a tensor of format " + std::string(calculus::name(type.format)) + " is not read as " +
                   to_string(sort));
    return load(s.token.text, indices, sort);
  }

  Term operate(const Syntax& s, const WrittenOperation& written, const std::vector<Term>& operands) {
    if (operands.size() != operand_count(written.op))
      wrong(s, "'" + std::string(calculus::name(written.op)) + "' takes " +
                   std::to_string(operand_count(written.op)) + " operands");
    const Sort sort = operands[0]->sort;
    for (std::size_t i = 1; i < operands.size(); ++i)
      if (written.op != Op::scale2) same_sort(s, operands[0], operands[i]);
    const bool floating = sort.kind == SortKind::floating;
    if (!floating && (written.rounding != Rounding::none || written.ftz))
      wrong(s, "a rounding belongs to operations of a float sort, and this is a " + to_string(sort));
    const Rounding rounding =
        floating && written.rounding == Rounding::none ? Rounding::nearest : written.rounding;
    return operation(written.op, operands, sort, rounding, written.ftz);
  }

  Term element_chain(const Syntax& s) {
    const std::vector<Term> sides = side_by_side(s, 0, s.children.size(), Wanted::element);
    Term out = sides[0];
    for (std::size_t i = 1; i < s.children.size(); ++i) {
      const Term next = sides[i];
      const char mark = s.operators[i - 1].text[0];
      if (mark == '%')
        source_.fail("E1103", s.operators[i - 1], "'%' is for indices; write mod(a, b) or rem(a, b)");
      if (out->sort != next->sort)
        source_.fail(
            "E1103", s.operators[i - 1],
            "the operands have two sorts, " + to_string(out->sort) + " and " + to_string(next->sort));
      if (out->sort == Sort::boolean())
        source_.fail("E1103", s.operators[i - 1], "conditions go together with 'and' and 'or'");
      out = operate(s,
                    {mark == '+'   ? Op::add
                     : mark == '-' ? Op::sub
                     : mark == '*' ? Op::mul
                                   : Op::div},
                    {out, next});
    }
    return out;
  }

  // Products of long sums and huge numbers would fill the memory before anything is wrong.
  void bounded(const Syntax& s, Term a, Term b) const {
    const std::vector<Monomial> left = monomials(a), right = monomials(b);
    std::size_t bits = 0, atoms = 0;
    for (const auto* side : {&left, &right})
      for (const Monomial& m : *side) {
        bits = std::max(bits, mpz_sizeinbase(m.coefficient.get_mpz_t(), 2));
        if (m.product != nullptr) atoms = std::max(atoms, m.product->children.size());
      }
    if (left.size() * right.size() > 4096 || bits > 4096 || atoms > 64)
      source_.fail("E1104", s.token, "this index term multiplies out to more than can be handled");
  }

  Term index_sum(const Syntax& s) {
    std::vector<Term> parts;
    for (std::size_t i = 0; i < s.children.size(); ++i) {
      const Term part = run(*s.children[i], Wanted::index);
      parts.push_back(i > 0 && s.operators[i - 1].text == "-" ? scale(-1, part) : part);
    }
    return add(parts);
  }

  Term index_product(const Syntax& s) {
    Term out = run(*s.children[0], Wanted::index);
    for (std::size_t i = 1; i < s.children.size(); ++i) {
      const Term next = run(*s.children[i], Wanted::index);
      const char mark = s.operators[i - 1].text[0];
      bounded(s, out, next);
      out = mark == '*' ? multiply(out, next) : mark == '/' ? floor_div(out, next) : mod(out, next);
    }
    return out;
  }

  Term power(const Syntax& s) {
    const auto value = literal_value(s.token.text);
    const auto exponent = value && is_whole_literal(s.token.text) ? to_i64(value->get_num()) : std::nullopt;
    if (!exponent || *exponent > 4096) wrong(s, "the exponent of '^' is an integer of at most 4096");
    const Term base = run(*s.children[0], Wanted::index);
    Term out = integer(1L);
    for (std::int64_t i = 0; i < *exponent; ++i) {
      bounded(s, out, base);
      out = multiply(out, base);
    }
    return out;
  }

  Term relation(const Syntax& s) {
    bool element = false;
    for (const SyntaxPointer& child : s.children) element = element || shape(*child) == Shape::element;
    const std::vector<Term> sides =
        side_by_side(s, 0, s.children.size(), element ? Wanted::element : Wanted::index);
    std::vector<Term> parts;
    for (std::size_t i = 0; i < s.operators.size(); ++i) {
      Term a = sides[i], b = sides[i + 1];
      const std::string& mark = s.operators[i].text;
      if (a->sort != b->sort)
        source_.fail("E1103", s.operators[i],
                     "two sorts are compared, " + to_string(a->sort) + " and " + to_string(b->sort));
      if (mark[0] == '>') std::swap(a, b);
      const bool equality = mark == "=" || mark == "!=", strict = mark.size() == 1;
      Term part = nullptr;
      if (element)
        part = compare(equality ? Op::eq : strict ? Op::lt : Op::le, a, b);
      else
        part = equality ? equal(a, b) : strict ? less(a, b) : at_most(a, b);
      parts.push_back(mark == "!=" ? calculus::negation(part) : part);
    }
    return conjunction(parts);
  }

  Term call(const Syntax& s, Wanted wanted) {
    const std::string& word = s.token.text;
    if (s.token.quoted || !is_built_in(word)) return custom(s);
    if (s.sort) wrong(s, "'@' belongs to numbers, tensors and functions that are not built in");
    const auto only = [&]() -> const Syntax& {
      if (s.children.size() != 1) wrong(s, "'" + word + "' takes one operand");
      return *s.children[0];
    };
    if (word == "index") {
      const Term element = run(only(), Wanted::element);
      if (element->sort.kind != SortKind::integer && element->sort.kind != SortKind::boolean)
        wrong(s, "an index is made of an integer or a bool, not of a " + to_string(element->sort));
      return to_index(element);
    }
    if (word == "ceil_div") {
      if (s.children.size() != 2) wrong(s, "'ceil_div' takes two operands");
      const Term a = run(*s.children[0], Wanted::index), b = run(*s.children[1], Wanted::index);
      bounded(s, a, b);
      return ceil_div(a, b);
    }
    if (word == "is_nan") {
      const Term element = run(only(), Wanted::element);
      if (element->sort.kind != SortKind::floating) wrong(s, "only a value of a float sort can be a NaN");
      return is_nan(element);
    }
    if (word == "bits") return bits(s, only());
    if (word == "ratio") return ratio(s);
    if (const auto cast = cast_named(word)) return conversion(s, *cast, only());
    const auto written = operation_named(word);
    if (!written)
      source_.fail("E1101", s.token, "'" + word + "' is written before a binder, as in sum(k < n) ..");
    if ((word == "min" || word == "max") && is_index(s, wanted)) {
      if (s.children.size() < 2) wrong(s, "'" + word + "' takes two operands or more");
      Term out = run(*s.children[0], Wanted::index);
      for (std::size_t i = 1; i < s.children.size(); ++i) {
        const Term next = run(*s.children[i], Wanted::index);
        out = word == "min" ? index_min(out, next) : index_max(out, next);
      }
      return out;
    }
    if (written->op != Op::scale2)
      return operate(s, *written, side_by_side(s, 0, s.children.size(), Wanted::element));
    std::vector<Term> operands;
    for (const SyntaxPointer& child : s.children) operands.push_back(run(*child, Wanted::element));
    return operate(s, *written, operands);
  }

  Term custom(const Syntax& s) {
    const auto known = scope_.functions.find(s.token.text);
    if (known == scope_.functions.end() && !s.sort)
      source_.fail("E1102", s.token,
                   "the function '" + s.token.text +
                       "' is not known here; an uninterpreted one has a sort, f(x)@real");
    std::vector<Term> operands;
    for (std::size_t i = 0; i < s.children.size(); ++i) {
      const bool index = known != scope_.functions.end() && i < known->second.parameters.size() &&
                         known->second.parameters[i] == Sort::index();
      operands.push_back(run(*s.children[i], index                                       ? Wanted::index
                                             : is_index(*s.children[i], Wanted::element) ? Wanted::index
                                                                                         : Wanted::element));
    }
    if (known != scope_.functions.end()) {
      const FunctionType& type = known->second;
      bool fits = type.parameters.size() == operands.size() && (!s.sort || *s.sort == type.result);
      for (std::size_t i = 0; fits && i < operands.size(); ++i)
        fits = operands[i]->sort == type.parameters[i];
      if (!fits) {
        std::string expected;
        for (Sort sort : type.parameters) expected += (expected.empty() ? "" : ", ") + to_string(sort);
        wrong(s, "'" + s.token.text + "' takes (" + expected + ") and gives a " + to_string(type.result));
      }
    }
    return custom_operation(s.token.text, operands, s.sort ? *s.sort : known->second.result);
  }

  // bits(0x..), optionally of another sort: bits(0x..@f16).
  Term bits(const Syntax& s, const Syntax& child) {
    const Sort sort = child.sort ? *child.sort : number_sort_;
    const auto value = child.kind == Kind::number ? literal_value(child.token.text) : std::nullopt;
    if (!value || child.negative || !is_whole_literal(child.token.text) || sort.kind != SortKind::floating ||
        *value >= power_of_two(storage_bits(sort.format)))
      wrong(s, "bits(..) takes the encoding of a value of a float sort");
    return float_constant(sort.format, *to_u64(value->get_num()));
  }

  Term ratio(const Syntax& s) {
    std::optional<Rational> parts[2];
    for (std::size_t i = 0; i < 2 && s.children.size() == 2; ++i) {
      const Syntax& child = *s.children[i];
      if (child.kind != Kind::number || child.sort || !is_whole_literal(child.token.text)) continue;
      parts[i] = literal_value(child.token.text);
      if (parts[i] && child.negative) *parts[i] = -*parts[i];
    }
    if (!parts[0] || !parts[1] || sgn(*parts[1]) <= 0) wrong(s, "ratio(p, q) takes two integers, q above 0");
    return real_constant(*parts[0] / *parts[1]);
  }

  Term conversion(const Syntax& s, const WrittenCast& cast, const Syntax& child) {
    if (is_index(child, Wanted::any)) {
      if (s.token.text.find('.') != std::string::npos)
        wrong(s, "an index is converted to a sort, not through a format");
      return from_index(run(child, Wanted::index), cast.sort);
    }
    const Term element = run(child, Wanted::element);
    if (!cast.has_format)
      wrong(s, "an element becomes a real by way of a format: real.f32(..), real.f64(..)");
    return calculus::cast(element, cast.sort, cast.format);
  }

  Term let(const Syntax& s, Wanted wanted) {
    // Asked for its shape and again for its term: elaborated once.
    if (const auto known = lets_.find(&s); known != lets_.end()) return known->second;
    const std::size_t outside = locals_.size();
    for (std::size_t i = 0; i < s.names.size(); ++i) {
      const Term value = run(*s.children[i], Wanted::any);
      locals_.emplace_back(s.names[i].text, value);
    }
    const Term result = run(*s.children.back(), wanted);
    locals_.resize(outside);
    lets_.emplace(&s, result);
    return result;
  }

  // --- folds ---
  void binder(const Syntax& s, FoldParts& parts) {
    parts.extent = run(*s.children[0], Wanted::index);
    parts.variable = fresh_variable("k");
    locals_.emplace_back(s.names[0].text, parts.variable);
    if (s.children[1] != nullptr) parts.guard = run(*s.children[1], Wanted::boolean);
    parts.order = order(s.order);
  }

  Term reduction(const Syntax& s) {
    const std::size_t outside = locals_.size();
    FoldParts parts;
    binder(s, parts);
    const std::string& word = s.token.text;
    if (word == "argmax" || word == "argmin") return first_extremum(s, parts, outside);
    const bool logical = word == "any" || word == "all";
    const Term body = run(*s.children[2], logical ? Wanted::boolean : Wanted::element);
    locals_.resize(outside);
    const Sort sort = body->sort;
    const auto joined = [&](Term a, Term b) -> Term {
      if (logical) return word == "any" ? either(a, b) : both(a, b);
      return operate(s,
                     {word == "sum"                     ? Op::add
                      : word == "prod"                  ? Op::mul
                      : sort.kind == SortKind::floating ? (word == "max" ? Op::maxnum : Op::minnum)
                      : word == "max"                   ? Op::max
                                                        : Op::min},
                     {a, b});
    };
    if (logical)
      parts.init = {truth(word == "all")};
    else if (word == "sum" || word == "prod")
      parts.init = {small_number(s, sort, word == "sum" ? 0 : 1)};
    else if (sort.kind == SortKind::real)
      parts.init = {extreme(word == "max" ? -1 : 1)};
    else if (sort.kind == SortKind::floating && sort.format != Format::f8e4m3)
      parts.init = {float_constant(sort.format, infinity_encoding(sort.format, word == "max"))};
    else
      wrong(
          s,
          "a " + word +
              " over a range starts from nothing in the reals and formats with an infinity; write fold(..)");
    parts.states = {fresh_variable("s", sort)};
    parts.step = {joined(parts.states[0], body)};
    if (parts.order->kind != Order::Kind::any && parts.order->kind != Order::Kind::seq) {
      parts.right_states = {fresh_variable("t", sort)};
      parts.combine = {joined(parts.states[0], parts.right_states[0])};
    }
    return calculus::fold(parts);
  }

  // The first index at which the body is greatest (least), and 0 where there is none.
  Term first_extremum(const Syntax& s, FoldParts& parts, std::size_t outside) {
    const Term body = run(*s.children[2], Wanted::element);
    locals_.resize(outside);
    const bool greatest = s.token.text == "argmax";
    const Sort index = Sort::integer(Format::i64);
    if (body->sort.kind != SortKind::real)
      wrong(s, "an " + s.token.text + " starts from nothing in the reals alone; write fold(..)");
    if (parts.order->kind != Order::Kind::any && parts.order->kind != Order::Kind::seq)
      wrong(s, "an " + s.token.text + " has no order but seq; write fold(..)");
    const Term best = fresh_variable("m", body->sort), at = fresh_variable("j", index);
    const Term better = greatest ? compare(Op::lt, best, body) : compare(Op::lt, body, best);
    parts.states = {best, at};
    parts.init = {extreme(greatest ? -1 : 1), int_constant(Format::i64, 0)};
    parts.step = {select(better, body, best), select(better, from_index(parts.variable, index), at)};
    return calculus::fold(parts, 1);
  }

  Term small_number(const Syntax& s, Sort sort, int value) const {
    switch (sort.kind) {
      case SortKind::real:
        // The reals have one zero; the formats that they stand for have two, and whoever writes -0 means that
        // one.
        if (s.negative && value == 0) return operation(Op::neg, {real_constant(0)}, sort);
        return real_constant(value);
      case SortKind::integer:
        return int_constant(sort.format, value);
      case SortKind::floating:
        return float_constant(sort.format, exact_encoding(sort.format, value, false).value());
      default:
        wrong(s, "conditions are folded with any and all");
    }
  }

  Term general_fold(const Syntax& s) {
    const std::size_t outside = locals_.size(), n = s.states;
    FoldParts parts;
    for (std::size_t j = 0; j < n; ++j) parts.init.push_back(run(*s.children[2 + j], Wanted::element));
    binder(s, parts);
    for (std::size_t j = 0; j < n; ++j) {
      parts.states.push_back(fresh_variable("s", parts.init[j]->sort));
      locals_.emplace_back(s.names[1 + j].text, parts.states[j]);
    }
    for (std::size_t j = 0; j < n; ++j)
      parts.step.push_back(state_term(*s.children[2 + n + j], parts.init[j]->sort));
    const bool combines = s.children.size() == 2 + 3 * n;
    if (combines) {
      // The variable is out of scope in a combine.
      locals_.erase(locals_.begin() + static_cast<long>(outside));
      for (std::size_t j = 0; j < n; ++j) {
        parts.right_states.push_back(fresh_variable("t", parts.init[j]->sort));
        locals_.emplace_back(s.names[1 + n + j].text, parts.right_states[j]);
      }
      for (std::size_t j = 0; j < n; ++j)
        parts.combine.push_back(state_term(*s.children[2 + 2 * n + j], parts.init[j]->sort));
    }
    locals_.resize(outside);
    return calculus::fold(parts, static_cast<int>(s.which));
  }

  Term state_term(const Syntax& s, Sort sort) {
    const Term result = run(s, Wanted::element);
    if (result->sort != sort)
      wrong(s, "this state starts as a " + to_string(sort) + " and becomes a " + to_string(result->sort));
    return result;
  }

  const Source& source_;
  const Scope& scope_;
  Sort number_sort_;  // of a number without '@': of what it stands beside, or the scope's
  std::vector<std::pair<std::string, Term>> locals_;
  std::unordered_map<const Syntax*, Shape> shapes_;
  std::unordered_map<const Syntax*, Term> lets_;
};

}  // namespace

Term elaborate(const Source& source, const Syntax& syntax, const Scope& scope, Wanted wanted) {
  return Elaborator(source, scope).run(syntax, wanted);
}

const Order* elaborate_order(const Source& source, const OrderSyntax& syntax, const Scope& scope) {
  return Elaborator(source, scope).order(syntax);
}

}  // namespace hallmark::calculus::text
