// Index terms and conditions as text.
#include <algorithm>

#include "base/error.h"
#include "lowering/writer.h"

namespace hallmark::lowering {

using namespace calculus;

namespace {

const Integer& limit_32() {
  static const Integer value = power_of_two(32);
  return value;
}

std::string number(const Integer& value) {
  return value.get_str() + (value < limit_32() ? "u" : "ull");
}

bool compound(const std::string& text) {
  return text.find(' ') != std::string::npos;
}

std::string parenthesised(const std::string& text) {
  return compound(text) ? "(" + text + ")" : text;
}

}  // namespace

// Unsigned division is floor division only from 0 upwards: whole divisors are added to a dividend that may be
// negative, and their quotient is taken off afterwards.
std::vector<Summand> Writer::shifted(const std::vector<Summand>& parts) {
  std::vector<Summand> out;
  Integer constant = 0;
  const auto shift_for = [&](Term dividend, const Integer& divisor) -> Integer {
    const Range range = range_of(dividend, ranges_);
    if (!range.low)
      throw Refusal("E7202", "a division of an index that may be any negative number is not lowered",
                    {.node = definition_});
    return *range.low >= 0 ? Integer(0) : Integer(-floor_div(*range.low, divisor));
  };
  for (Summand part : parts) {
    if (part.atoms.empty() && part.dividend == nullptr) {
      constant += part.coefficient;
      continue;
    }
    if (part.remainder) {
      part.shift = shift_for(part.dividend, *as_integer(part.divisor));
    } else if (part.atoms.size() == 1 && part.atoms[0]->kind == Kind::floor_div) {
      const Term dividend = part.atoms[0]->children[0], divisor = part.atoms[0]->children[1];
      if (const Integer* value = as_integer(divisor); value != nullptr) {
        part.shift = shift_for(dividend, *value);
        part.dividend = dividend;
        part.divisor = divisor;
        part.atoms.clear();
        constant -= part.coefficient * part.shift;
      }
    }
    out.push_back(std::move(part));
  }
  if (constant != 0 || out.empty()) out.push_back({constant, {}, nullptr, nullptr, false, 0});
  return out;
}

bool Writer::has_unknown_sign(const std::vector<Summand>& parts) const {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const Summand& part) { return !range_of(part, ranges_).non_negative(); });
}

// Narrow when neither a summand nor the sum of their magnitudes can leave 32 bits.
Writer::Width Writer::width_for(const std::vector<Summand>& parts) const {
  Integer total = 0;
  for (const Summand& part : parts) {
    const Range range = range_of(part, ranges_);
    if (!range.high) return Width::wide;
    total += abs(part.coefficient) * *range.high;
  }
  return total < limit_32() ? Width::narrow : Width::wide;
}

std::string Writer::atom_text(Term atom, Width width, bool& is_wide) {
  is_wide = false;
  if (const auto found = names_.find(atom); found != names_.end()) {
    used_.insert(atom);
    is_wide = found->second.wide;
    return found->second.text;
  }
  switch (atom->kind) {
    case Kind::floor_div: {
      if (!range_of(atom->children[0], ranges_).non_negative())
        throw Refusal("E7202", "a division of an index that may be negative is not lowered",
                      {.node = definition_});
      bool wide_dividend = false, wide_divisor = false;
      const std::string dividend = index(atom->children[0], &wide_dividend);
      const std::string divisor = index(atom->children[1], &wide_divisor);
      is_wide = wide_dividend || wide_divisor;
      return "(" + parenthesised(dividend) + " / " + parenthesised(divisor) + ")";
    }
    case Kind::index_min:
    case Kind::index_max: {
      // One operand after the other: a ? of two at a time.
      const bool minimum = atom->kind == Kind::index_min;
      std::string text = index(atom->children[0], &is_wide);
      Term so_far = atom->children[0];
      for (std::size_t n = 1; n < atom->children.size(); ++n) {
        const Term next = atom->children[n];
        bool next_wide = false;
        std::string other = index(next, &next_wide);
        if (is_wide && !next_wide) other = "(size_t)" + parenthesised(other);
        if (next_wide && !is_wide) text = "(size_t)" + parenthesised(text);
        is_wide = is_wide || next_wide;
        const std::string first =
            comparison(minimum ? subtract(so_far, next) : subtract(next, so_far), false);
        text = "(" + first + " ? " + parenthesised(text) + " : " + parenthesised(other) + ")";
        so_far = minimum ? index_min(so_far, next) : index_max(so_far, next);
      }
      return text;
    }
    case Kind::index_select: {
      const std::string c = condition(atom->children[0]);
      bool wide_a = false, wide_b = false;
      std::string a = index(atom->children[1], &wide_a), b = index(atom->children[2], &wide_b);
      is_wide = wide_a || wide_b;
      if (is_wide && !wide_a) a = "(size_t)" + parenthesised(a);
      if (is_wide && !wide_b) b = "(size_t)" + parenthesised(b);
      return "(" + c + " ? " + parenthesised(a) + " : " + parenthesised(b) + ")";
    }
    case Kind::to_index: {
      const Term child = atom->children[0];
      if (child->sort.kind == Sort::Kind::boolean) return "(" + condition(child) + " ? 1u : 0u)";
      const Format format = child->sort.format;
      const std::string value = parenthesised(element(child));
      is_wide = is_signed(format) || storage_bits(format) > 32;
      if (width == Width::is_signed) return "(long long)" + value;
      return (is_wide ? "(size_t)" : "(unsigned)") + value;
    }
    default:
      throw InternalError("an index leaf without a name in " + definition_);
  }
}

// The summand without its sign. `cast_first`: make it a size_t even if it fits 32 bits.
std::string Writer::summand_text(const Summand& part, Width width, bool cast_first) {
  const Integer size = abs(part.coefficient);
  const Range range = range_of(part, ranges_);
  const bool big = !range.high || *range.high * size >= limit_32();
  if (part.atoms.empty() && part.dividend == nullptr) {
    if (width == Width::is_signed) return size.get_str() + "ll";
    return (cast_first && size < limit_32() ? "(size_t)" : "") + number(size);
  }
  std::vector<std::string> factors;
  bool any_wide = false, first_wide = false;
  const auto push = [&](const std::string& text, bool is_wide) {
    if (factors.empty()) first_wide = is_wide;
    any_wide = any_wide || is_wide;
    factors.push_back(text);
  };
  if (part.dividend != nullptr) {
    bool wide_dividend = false, wide_divisor = false;
    std::string dividend;
    if (part.shift == 0) {
      dividend = index(part.dividend, &wide_dividend);
    } else {
      std::vector<Summand> shifted_dividend =
          shifted(summands(add(part.dividend, scale(part.shift, part.divisor))));
      const Width inner = width_for(shifted_dividend);
      dividend = sum_text(shifted_dividend, inner);
      wide_dividend = inner == Width::wide;
    }
    const std::string divisor = index(part.divisor, &wide_divisor);
    const std::string text =
        parenthesised(dividend) + (part.remainder ? " % " : " / ") + parenthesised(divisor);
    push(size == 1 && !cast_first && !big ? text : "(" + text + ")", wide_dividend || wide_divisor);
  } else {
    for (Term atom : part.atoms) {
      bool is_wide = false;
      const std::string text = atom_text(atom, width, is_wide);
      push(text, is_wide);
    }
  }
  if (width == Width::is_signed) {
    // Every factor is below 2^63 here or comes from a signed tensor, so the product is the mathematical one.
    std::string out;
    for (const std::string& factor : factors)
      out += (out.empty() ? "" : " * ") +
             (factor.rfind("(long long)", 0) == 0 ? factor : "(long long)" + factor);
    return size == 1 ? out : out + " * " + size.get_str() + "ll";
  }
  std::string out;
  for (std::size_t i = 0; i < factors.size(); ++i) out += (i > 0 ? " * " : "") + factors[i];
  if (size != 1) out += " * " + number(size);
  if ((big || cast_first) && !first_wide) out = "(size_t)" + out;
  return out;
}

std::string Writer::sum_text(const std::vector<Summand>& parts, Width width) {
  // Positive summands first, 64-bit ones before 32-bit ones, so that a difference is never formed in fewer
  // bits than the sum that it belongs to.
  std::vector<const Summand*> ordered;
  const auto rank = [&](const Summand& part) {
    const Range range = range_of(part, ranges_);
    const bool constant = part.atoms.empty() && part.dividend == nullptr;
    const bool big = !range.high || *range.high * abs(part.coefficient) >= limit_32();
    return (part.coefficient < 0 ? 4 : 0) + (big ? 0 : 1) + (constant ? 2 : 0);
  };
  for (const Summand& part : parts) ordered.push_back(&part);
  std::stable_sort(ordered.begin(), ordered.end(), [&](const Summand* a, const Summand* b) {
    if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
    return abs(a->coefficient) > abs(b->coefficient);
  });
  std::string out;
  for (const Summand* part : ordered) {
    const bool negative = part->coefficient < 0;
    if (out.empty() && negative)
      out = width == Width::wide ? "(size_t)0u" : width == Width::narrow ? "0u" : "0ll";
    const std::string text = summand_text(*part, width, out.empty() && width == Width::wide);
    out += out.empty() ? text : (negative ? " - " : " + ") + text;
  }
  return out;
}

std::string Writer::index(Term term, bool* wide) {
  if (const auto found = names_.find(term); found != names_.end()) {
    used_.insert(term);
    if (wide != nullptr) *wide = found->second.wide;
    return found->second.text;
  }
  const std::vector<Summand> parts = shifted(summands(term));
  const Width width = width_for(parts);
  if (wide != nullptr) *wide = width == Width::wide;
  if (parts.size() == 1 && parts[0].coefficient == 1 && parts[0].atoms.size() == 1) {
    // A single atom has its own width.
    bool is_wide = false;
    const std::string text = atom_text(parts[0].atoms[0], width, is_wide);
    if (wide != nullptr) *wide = is_wide;
    return text;
  }
  return sum_text(parts, width);
}

std::string Writer::access(const std::string& tensor, const std::vector<Term>& indices) {
  const Declaration& declaration = tensors_.at(tensor);
  Term flat = integer(0L), size = integer(1L);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    flat = add(multiply(flat, declaration.extents[d]), indices[d]);
    size = multiply(size, declaration.extents[d]);
  }
  if (const auto found = flats_.find({flat, size}); found != flats_.end())
    return parameters_.at(tensor) + "[" + found->second + "]";
  return parameters_.at(tensor) + "[" + index(flat) + "]";
}

// difference <= 0, or difference = 0, with every summand on the side where it is positive.
std::string Writer::comparison(Term difference, bool equality) {
  const std::vector<Summand> parts = shifted(summands(difference));
  std::vector<Summand> left, right;
  for (Summand part : parts) {
    if (part.coefficient == 0) continue;
    std::vector<Summand>& side = part.coefficient > 0 ? left : right;
    part.coefficient = abs(part.coefficient);
    side.push_back(std::move(part));
  }
  const auto is_constant = [](const Summand& part) { return part.atoms.empty() && part.dividend == nullptr; };
  // p + 1 <= q is written p < q.
  bool strict = false;
  if (!equality)
    for (auto part = left.begin(); part != left.end(); ++part)
      if (is_constant(*part)) {
        strict = true;
        part->coefficient -= 1;
        if (part->coefficient == 0) left.erase(part);
        break;
      }
  // p <= 149 is written p < 150.
  if (!equality && !strict && right.size() == 1 && is_constant(right[0])) {
    right[0].coefficient += 1;
    strict = true;
  }
  for (auto* side : {&left, &right})
    if (side->empty()) side->push_back({0, {}, nullptr, nullptr, false, 0});
  Width width = Width::narrow;
  for (const auto* side : {&left, &right}) {
    if (has_unknown_sign(*side)) width = Width::is_signed;
    if (width == Width::narrow) width = width_for(*side);
  }
  const char* relation = equality ? " == " : strict ? " < " : " <= ";
  return sum_text(left, width) + relation + sum_text(right, width);
}

std::string Writer::condition(Term term) {
  if (const std::string* name = lookup(term); name != nullptr) return *name;
  switch (term->kind) {
    case Kind::truth:
      return term->number != 0 ? "true" : "false";
    case Kind::at_most_zero: {
      const Range range = range_of(term->children[0], ranges_);
      if (range.high && *range.high <= 0) return "true";
      if (range.low && *range.low > 0) return "false";
      return comparison(term->children[0], false);
    }
    case Kind::is_zero: {
      const Range range = range_of(term->children[0], ranges_);
      if ((range.high && *range.high < 0) || (range.low && *range.low > 0)) return "false";
      return comparison(term->children[0], true);
    }
    case Kind::conjunction:
    case Kind::disjunction: {
      const bool all = term->kind == Kind::conjunction;
      const std::string neutral = all ? "true" : "false", absorbing = all ? "false" : "true";
      std::string out;
      for (Term child : term->children) {
        const std::string text = condition(child);
        if (text == absorbing) return absorbing;
        if (text == neutral) continue;
        out += (out.empty() ? "" : all ? " && " : " || ");
        const bool nested = child->kind == Kind::conjunction || child->kind == Kind::disjunction;
        out += nested ? "(" + text + ")" : text;
      }
      return out.empty() ? neutral : out;
    }
    case Kind::negation: {
      const std::string text = condition(term->children[0]);
      if (text == "true") return "false";
      if (text == "false") return "true";
      return "!(" + text + ")";
    }
    case Kind::compare: {
      const char* relation = term->op == Op::lt ? " < " : term->op == Op::le ? " <= " : " == ";
      const std::string a = operand(term->children[0]), b = operand(term->children[1]);
      return a + relation + b;
    }
    case Kind::is_nan: {
      const std::string text = operand(term->children[0]);
      return text + " != " + text;
    }
    default: {
      const std::string text = element(term);
      return text;
    }
  }
}

}  // namespace hallmark::lowering
