#include "smt/evaluate.h"

#include <fmt/format.h>

#include <unordered_set>

#include "base/error.h"
#include "smt/operation.h"

namespace hallmark::smt {

std::vector<Term> subterms(const std::vector<Term>& roots) {
  std::vector<Term> order;
  std::unordered_set<Term> done, entered;
  std::vector<std::pair<Term, std::size_t>> stack;  // term, next argument to visit
  for (const Term root : roots) {
    if (entered.insert(root).second) stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [term, next] = stack.back();
      if (next < term.args().size()) {
        const Term argument = term.args()[next++];
        if (entered.insert(argument).second) stack.emplace_back(argument, 0);
      } else {
        order.push_back(term);
        stack.pop_back();
      }
    }
  }
  return order;
}

Term substitute(Term term, const Substitution& replacements) {
  Substitution done;
  for (const Term t : subterms({term})) {
    const auto found = replacements.find(t);
    if (found != replacements.end()) {
      done.emplace(t, found->second);
      continue;
    }
    std::vector<Term> args;
    for (const Term argument : t.args()) args.push_back(done.at(argument));
    if (args == t.args())
      done.emplace(t, t);
    else if (t.op() == Op::apply)
      done.emplace(t, t.arena().apply(t.function(), std::move(args)));
    else
      done.emplace(t, t.arena().make(t.op(), std::move(args), t.first(), t.second()));
  }
  return done.at(term);
}

std::string to_string(const Value& value) {
  switch (value.sort.kind()) {
    case SortKind::boolean:
      return value.is_true() ? "true" : "false";
    case SortKind::integer:
    case SortKind::real:
      return value.number.get_str();
    case SortKind::bit_vector: {
      const unsigned width = value.sort.width();
      const bool hexadecimal = width % 4 == 0;
      const std::string digits = value.number.get_num().get_str(hexadecimal ? 16 : 2);
      const std::size_t length = hexadecimal ? width / 4 : width;
      return (hexadecimal ? "#x" : "#b") + std::string(length - digits.size(), '0') + digits;
    }
    case SortKind::uninterpreted:
      return fmt::format("{}!{}", value.sort.name(), value.number.get_str());
  }
  throw InternalError("a value without a sort");
}

namespace {

// What an operation yields when some arguments are not known, if the known ones settle it.
std::optional<Value> settled(Term term, const std::vector<std::optional<Value>>& args) {
  const auto has = [&](bool wanted) {
    for (const auto& a : args)
      if (a && a->is_true() == wanted) return true;
    return false;
  };
  switch (term.op()) {
    case Op::conjunction:
      if (has(false)) return Value::boolean(false);
      break;
    case Op::disjunction:
      if (has(true)) return Value::boolean(true);
      break;
    case Op::implication:
      if (args[0] && !args[0]->is_true()) return Value::boolean(true);
      if (args[1] && args[1]->is_true()) return Value::boolean(true);
      break;
    case Op::ite:
      if (args[0]) return args[0]->is_true() ? args[1] : args[2];
      if (args[1] && args[1] == args[2]) return args[1];
      break;
    case Op::multiply:
      for (const auto& a : args)
        if (a && a->number == 0) return a;
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Value> Evaluator::compute(Term term) {
  if (term.is_constant()) return Value{term.sort(), term.value()};
  std::vector<std::optional<Value>> args;
  std::vector<Value> known;
  for (const Term argument : term.args()) {
    args.push_back(known_.at(argument));
    if (args.back()) known.push_back(*args.back());
  }
  if (known.size() != args.size()) return settled(term, args);
  if (term.op() != Op::apply) {
    const auto number = operate(term.op(), term.sort(), known, term.first(), term.second());
    return number ? std::optional<Value>({term.sort(), *number}) : std::nullopt;
  }
  const Function& function = *term.function();
  std::optional<Value> found;
  if (args.empty()) {
    const auto variable = assignment_.variables.find(function.name);
    if (variable != assignment_.variables.end()) found = variable->second;
  } else if (const auto table = assignment_.tables.find(function.name); table != assignment_.tables.end()) {
    std::vector<Rational> key;
    for (const Value& v : known) key.push_back(v.number);
    const auto row = table->second.find(key);
    if (row != table->second.end()) found = row->second;
  }
  if (!found && assignment_.function) found = assignment_.function(function, known);
  if (found &&
      (found->sort != function.range || (function.range.is_integer() && found->number.get_den() != 1)))
    throw InternalError(fmt::format("the assignment gives '{}' a value of the wrong sort", function.name));
  return found;
}

std::optional<Value> Evaluator::value(Term term) {
  if (const auto found = known_.find(term); found != known_.end()) return found->second;
  for (const Term t : subterms({term}))
    if (!known_.contains(t)) known_.emplace(t, compute(t));
  return known_.at(term);
}

std::optional<bool> Evaluator::holds(Term term) {
  const std::optional<Value> found = value(term);
  if (!found) return std::nullopt;
  ensure(found->sort.is_boolean(), "holds() of a term that is not Bool");
  return found->is_true();
}

}  // namespace hallmark::smt
