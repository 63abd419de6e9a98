#include "pipeline/rule_expression.h"

#include <fmt/format.h>

#include <cctype>

#include "base/error.h"

namespace hallmark::pipeline {
namespace {

using namespace calculus;

[[noreturn]] void refuse(const std::string& what) {
  throw Refusal("E7406", "the program has no counterpart of " + what);
}

bool is_real(Term t) {
  return t->sort.kind == Sort::Kind::real;
}
bool is_int(Term t) {
  return t->sort.kind == Sort::Kind::integer;
}

std::string wrapped(Term t, const std::string& expression) {
  return fmt::format("wrap((unsigned long long)({}), {}, {})", expression, storage_bits(t->sort.format),
                     is_signed(t->sort.format) ? "true" : "false");
}

const char* type_of(Term t) {
  if (is_real(t)) return "R";
  if (is_int(t)) return "I";
  if (t->sort.kind == Sort::Kind::boolean) return "bool";
  if (t->sort.kind == Sort::Kind::index) return "I";
  refuse("a value of the sort " + to_string(t->sort));
}

// Functions of one or two reals with the name that the standard library gives them.
const char* library_name(Op op) {
  switch (op) {
    case Op::exp:
      return "std::exp";
    case Op::log:
      return "std::log";
    case Op::sin:
      return "std::sin";
    case Op::cos:
      return "std::cos";
    case Op::tan:
      return "std::tan";
    case Op::asin:
      return "std::asin";
    case Op::acos:
      return "std::acos";
    case Op::atan:
      return "std::atan";
    case Op::sinh:
      return "std::sinh";
    case Op::cosh:
      return "std::cosh";
    case Op::tanh:
      return "std::tanh";
    case Op::asinh:
      return "std::asinh";
    case Op::acosh:
      return "std::acosh";
    case Op::atanh:
      return "std::atanh";
    case Op::erf:
      return "std::erf";
    case Op::sqrt:
      return "std::sqrt";
    case Op::pow:
      return "std::pow";
    case Op::floor:
      return "std::floor";
    case Op::ceil:
      return "std::ceil";
    case Op::trunc:
      return "std::trunc";
    case Op::round_even:
      return "std::nearbyint";
    case Op::abs:
      return "std::fabs";
    case Op::sign:
      return "sign_of";
    default:
      return nullptr;
  }
}

}  // namespace

std::string cpp_name(const std::string& prefix, std::string_view name) {
  std::string out = prefix.empty() ? "" : prefix + "_";
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      out += c;
    else
      out += fmt::format("x{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string RuleExpression::list(Term t, const char* between, std::string (RuleExpression::*part)(Term)) {
  std::string out;
  for (Term child : t->children) out += (out.empty() ? "" : between) + (this->*part)(child);
  return "(" + out + ")";
}

std::string RuleExpression::index(Term t) {
  if (const auto known = variables_.find(t); known != variables_.end()) return known->second;
  switch (t->kind) {
    case Kind::integer:
      return fmt::format("(I){}LL", t->value.get_num().get_str());
    case Kind::symbol:
      return cpp_name("s", t->name);
    case Kind::axis:
      return fmt::format("i{}", t->number);
    case Kind::product:
      return list(t, " * ", &RuleExpression::index);
    case Kind::polynomial: {
      std::string out;
      for (std::size_t i = 0; i < t->children.size(); ++i)
        out += fmt::format("{}(I){}LL * {}", out.empty() ? "" : " + ", t->coefficients[i].get_str(),
                           index(t->children[i]));
      return "(" + out + ")";
    }
    case Kind::floor_div:
      return fmt::format("floor_div({}, {})", index(t->children[0]), index(t->children[1]));
    case Kind::index_min:
    case Kind::index_max: {
      std::string all;
      for (Term child : t->children) all += (all.empty() ? "" : ", ") + index(child);
      return fmt::format("std::{}<I>({{{}}})", t->kind == Kind::index_min ? "min" : "max", all);
    }
    case Kind::index_select:
      return fmt::format("({} ? {} : {})", condition(t->children[0]), index(t->children[1]),
                         index(t->children[2]));
    case Kind::to_index:
      return fmt::format("(I)({})", element(t->children[0]));
    default:
      refuse("an index of this kind");
  }
}

std::string RuleExpression::condition(Term t) {
  if (const auto known = variables_.find(t); known != variables_.end()) return known->second;
  switch (t->kind) {
    case Kind::truth:
      return t->number != 0 ? "true" : "false";
    case Kind::at_most_zero:
      return fmt::format("({} <= 0)", index(t->children[0]));
    case Kind::is_zero:
      return fmt::format("({} == 0)", index(t->children[0]));
    case Kind::conjunction:
      return list(t, " && ", &RuleExpression::condition);
    case Kind::disjunction:
      return list(t, " || ", &RuleExpression::condition);
    case Kind::negation:
      return "!" + condition(t->children[0]);
    case Kind::compare: {
      const char* op = t->op == Op::lt ? "<" : t->op == Op::le ? "<=" : "==";
      return fmt::format("({} {} {})", element(t->children[0]), op, element(t->children[1]));
    }
    case Kind::is_nan:
      return fmt::format("std::isnan((R){})", element(t->children[0]));
    default:
      return element(t);
  }
}

std::string RuleExpression::element(Term t) {
  if (const auto known = variables_.find(t); known != variables_.end()) return known->second;
  switch (t->kind) {
    case Kind::constant:
      if (is_real(t))
        return fmt::format("((R){}.0L / (R){}.0L)", t->value.get_num().get_str(),
                           t->value.get_den().get_str());
      if (is_int(t)) return fmt::format("(I){}LL", t->value.get_num().get_str());
      refuse("a constant of a float format");
    case Kind::extreme:
      return fmt::format("((R){}INFINITY)", t->number < 0 ? "-" : "");
    case Kind::load: {
      std::string at;
      for (Term child : t->children) at += (at.empty() ? "" : ", ") + index(child);
      const std::string read = fmt::format("{}({})", cpp_name("t", t->name), at);
      return t->sort.kind == Sort::Kind::boolean ? fmt::format("({} != 0)", read) : read;
    }
    case Kind::operation:
      return operation(t);
    case Kind::select:
      return fmt::format("({} ? {} : {})", condition(t->children[0]), element(t->children[1]),
                         element(t->children[2]));
    case Kind::fold:
      return fold(t);
    case Kind::from_index:
      return is_real(t) ? fmt::format("(R)({})", index(t->children[0])) : wrapped(t, index(t->children[0]));
    case Kind::cast:
      if (is_real(t) && (is_real(t->children[0]) || is_int(t->children[0])))
        return fmt::format("(R)({})", element(t->children[0]));
      if (is_int(t) && is_int(t->children[0])) return wrapped(t, element(t->children[0]));
      refuse("a cast from " + to_string(t->children[0]->sort) + " to " + to_string(t->sort));
    case Kind::truth:
    case Kind::at_most_zero:
    case Kind::is_zero:
    case Kind::conjunction:
    case Kind::disjunction:
    case Kind::negation:
    case Kind::compare:
    case Kind::is_nan:
      return condition(t);
    default:
      if (t->sort.kind == Sort::Kind::index) return index(t);
      refuse("a term of this kind");
  }
}

std::string RuleExpression::operation(Term t) {
  std::vector<std::string> x;
  for (Term child : t->children) x.push_back(element(child));
  const auto two = [&](const char* form) { return fmt::format(fmt::runtime(form), x.at(0), x.at(1)); };
  if (t->sort.kind == Sort::Kind::boolean && t->op == Op::logical_xor) return two("({} != {})");
  if (!is_real(t) && !is_int(t))
    refuse("the operation " + std::string(name(t->op)) + " on " + to_string(t->sort));
  const bool real = is_real(t);
  const auto both = [&](const char* of_reals, const char* of_integers) {
    return real ? two(of_reals) : wrapped(t, two(of_integers));
  };
  switch (t->op) {
    case Op::neg:
      return real ? fmt::format("(-{})", x.at(0))
                  : wrapped(t, fmt::format("0 - (unsigned long long){}", x.at(0)));
    case Op::add:
      return both("({} + {})", "(unsigned long long){} + (unsigned long long){}");
    case Op::sub:
      return both("({} - {})", "(unsigned long long){} - (unsigned long long){}");
    case Op::mul:
      return both("({} * {})", "(unsigned long long){} * (unsigned long long){}");
    case Op::div:
      return both("real_div({}, {})", "truncated_div({}, {})");
    case Op::mod:
      return both("real_mod({}, {})", "floored_mod({}, {})");
    case Op::rem:
      return both("real_rem({}, {})", "remainder_of({}, {})");
    case Op::max:
    case Op::maximum:
    case Op::maxnum:
      return fmt::format("std::max<{}>({}, {})", type_of(t), x.at(0), x.at(1));
    case Op::min:
    case Op::minimum:
    case Op::minnum:
      return fmt::format("std::min<{}>({}, {})", type_of(t), x.at(0), x.at(1));
    case Op::fma:
      if (real) return fmt::format("({} * {} + {})", x.at(0), x.at(1), x.at(2));
      break;
    case Op::reciprocal:
      if (real) return fmt::format("real_div(1, {})", x.at(0));
      break;
    case Op::rsqrt:
      if (real) return fmt::format("real_div(1, std::sqrt((R){}))", x.at(0));
      break;
    case Op::bit_and:
      if (!real) return two("({} & {})");
      break;
    case Op::bit_or:
      if (!real) return two("({} | {})");
      break;
    case Op::bit_xor:
      if (!real) return two("({} ^ {})");
      break;
    case Op::bit_not:
      if (!real) return wrapped(t, fmt::format("~{}", x.at(0)));
      break;
    default:
      break;
  }
  if (!real && t->op == Op::abs)
    return wrapped(t, fmt::format("({0} < 0 ? 0 - (unsigned long long){0} : {0})", x.at(0)));
  if (!real && t->op == Op::sign) return fmt::format("(I)(({0} > 0) - ({0} < 0))", x.at(0));
  const char* function = library_name(t->op);
  if (!real || function == nullptr) refuse("the operation " + std::string(name(t->op)));
  std::string arguments;
  for (const std::string& each : x) arguments += (arguments.empty() ? "(R)" : ", (R)") + each;
  return fmt::format("{}({})", function, arguments);
}

std::string RuleExpression::fold(Term t) {
  const FoldParts parts = open(t);
  const int number = next_++;
  const std::string k = fmt::format("k{}", number);
  std::string out = "[&] {";
  std::vector<std::string> states;
  // The start values are outside the range: nothing of the fold is known there.
  for (std::size_t j = 0; j < parts.init.size(); ++j) {
    states.push_back(fmt::format("v{}_{}", number, j));
    out += fmt::format(" {} {} = {};", type_of(parts.init[j]), states[j], element(parts.init[j]));
  }
  const std::string extent = index(parts.extent);
  variables_[parts.variable] = k;
  for (std::size_t j = 0; j < states.size(); ++j) variables_[parts.states[j]] = states[j];
  out += fmt::format(" for (I {0} = 0; {0} < {1}; ++{0}) {{", k, extent);
  if (parts.guard != nullptr) out += fmt::format(" if (!{}) continue;", condition(parts.guard));
  for (std::size_t j = 0; j < states.size(); ++j)
    out += fmt::format(" const {} n{}_{} = {};", type_of(parts.init[j]), number, j, element(parts.step[j]));
  for (std::size_t j = 0; j < states.size(); ++j) out += fmt::format(" {} = n{}_{};", states[j], number, j);
  return out + fmt::format(" }} return {}; }}()", states.at(static_cast<std::size_t>(t->which)));
}

}  // namespace hallmark::pipeline
