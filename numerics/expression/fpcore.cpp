#include "numerics/expression/fpcore.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "contract/number.h"
#include "numerics/expression/library_function.h"
#include "numerics/expression/node_format.h"
#include "numerics/expression/s_expression.h"

namespace hallmark::numerics {

namespace {

using calculus::Format;

struct Context {
  std::optional<Format> format = Format::f64;
  calculus::Rounding direction = calculus::Rounding::nearest;
};
using Scope = std::map<std::string, int>;

class CoreReader {
 public:
  CoreReader(std::string_view text, const SExpression& core) : text_(text), core_(core) {}

  Expression run() {
    if (!core_.is_list() || core_.items.size() < 3 || !core_.items[0].is("FPCore"))
      fail("E8102", core_, "expected (FPCore NAME? (ARGUMENTS) PROPERTIES BODY)");
    std::size_t at = 1;
    if (!core_.items[at].is_list()) out_.name = core_.items[at++].text;
    if (at >= core_.items.size() || !core_.items[at].is_list())
      fail("E8102", core_, "expected the list of arguments");
    const SExpression& arguments = core_.items[at++];
    const SExpression *pre = nullptr, *spec = nullptr;
    Context context;
    at = properties(core_.items, at, context, &pre, &spec);
    if (at + 1 != core_.items.size())
      fail("E8102", at < core_.items.size() ? core_.items[at] : core_,
           "expected one body after the properties");
    for (const SExpression& argument : arguments.items) declare(argument, context);
    read_precondition(arguments, pre);
    Scope scope;
    for (std::size_t i = 0; i < out_.inputs.size(); ++i)
      scope[out_.inputs[i].name] = variable(static_cast<int>(i), out_.inputs[i].format);
    out_.root = expression(core_.items[at], scope, context);
    if (spec != nullptr) {
      Scope exact;
      for (std::size_t i = 0; i < out_.inputs.size(); ++i)
        exact[out_.inputs[i].name] = variable(static_cast<int>(i), std::nullopt);
      out_.specification = expression(*spec, exact, {std::nullopt, calculus::Rounding::nearest});
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& code, const SExpression& at, const std::string& message) const {
    throw UserError(code, message, at.where, line_of(text_, at.where.line));
  }
  [[noreturn]] void refuse(const SExpression& at, const std::string& message) const {
    throw Refusal("E8108", message, at.where, line_of(text_, at.where.line));
  }

  // --- properties
  // -------------------------------------------------------------------------------------------
  std::size_t properties(const std::vector<SExpression>& items, std::size_t at, Context& context,
                         const SExpression** pre, const SExpression** spec = nullptr) {
    while (at + 1 < items.size() && items[at].kind == SExpression::Kind::symbol && items[at].text[0] == ':') {
      const std::string key = items[at].text;
      const SExpression& value = items[at + 1];
      if (key == ":precision") context.format = precision(value);
      if (key == ":round") context.direction = direction(value);
      if (key == ":pre" && pre != nullptr) *pre = &value;
      if (key == ":spec" && spec != nullptr) *spec = &value;
      if (key == ":name" && value.kind == SExpression::Kind::string) out_.name = value.text;
      at += 2;
    }
    return at;
  }
  std::optional<Format> precision(const SExpression& value) const {
    static const std::map<std::string, Format> known{
        {"binary64", Format::f64},       {"binary32", Format::f32},      {"binary16", Format::f16},
        {"bfloat16", Format::bf16},      {"tf32", Format::tf32},         {"f8e4m3", Format::f8e4m3},
        {"f8e5m2", Format::f8e5m2},      {"(float 11 64)", Format::f64}, {"(float 8 32)", Format::f32},
        {"(float 5 16)", Format::f16},   {"(float 8 16)", Format::bf16}, {"(float 8 19)", Format::tf32},
        {"(float 5 8)", Format::f8e5m2}, {"float64", Format::f64},       {"float32", Format::f32}};
    const std::string name = value.print();
    if (name == "real") return std::nullopt;
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    if (name == "binary80" || name == "binary128" || name == "integer")
      refuse(value, "the precision " + name + " is not supported; binary64 is the widest");
    fail("E8106", value,
         "unknown precision " + name +
             "; expected binary64, binary32, binary16, bfloat16, tf32, f8e4m3, f8e5m2, "
             "(float EXPONENT-BITS BITS) or real");
  }
  calculus::Rounding direction(const SExpression& value) const {
    if (value.is("nearestEven")) return calculus::Rounding::nearest;
    if (value.is("toZero")) return calculus::Rounding::toward_zero;
    if (value.is("toPositive")) return calculus::Rounding::up;
    if (value.is("toNegative")) return calculus::Rounding::down;
    fail("E8106", value,
         "unknown rounding " + value.print() + "; expected nearestEven, toZero, toPositive or toNegative");
  }

  void declare(const SExpression& argument, Context context) {
    const SExpression* symbol = &argument;
    if (argument.is_list() && !argument.items.empty() && argument.items[0].is("!")) {
      const std::size_t at = properties(argument.items, 1, context, nullptr);
      if (at + 1 != argument.items.size()) fail("E8102", argument, "expected (! PROPERTIES NAME)");
      symbol = &argument.items[at];
    }
    if (symbol->is_list()) refuse(*symbol, "tensor arguments are not supported");
    for (const ExpressionInput& input : out_.inputs)
      if (input.name == symbol->text)
        fail("E8102", *symbol, "the argument " + symbol->text + " is there twice");
    if (!context.format) refuse(argument, "an argument of precision real has no value in a format");
    out_.inputs.push_back({symbol->text, *context.format, 0, 0});
    places_.push_back(symbol);
  }

  // --- precondition
  // -----------------------------------------------------------------------------------------
  struct Range {
    std::optional<Rational> low, high;
  };
  void read_precondition(const SExpression& arguments, const SExpression* pre) {
    (void)arguments;
    std::vector<Range> ranges(out_.inputs.size());
    if (pre != nullptr) conjunct(*pre, ranges);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      ExpressionInput& input = out_.inputs[i];
      if (!ranges[i].low || !ranges[i].high)
        fail("E8104", *places_[i],
             fmt::format("the argument {} has no {} in :pre; expected for example (<= 0 {} 1)", input.name,
                         !ranges[i].low && !ranges[i].high ? "range"
                         : !ranges[i].low                  ? "lower end"
                                                           : "upper end",
                         input.name));
      if (*ranges[i].low > *ranges[i].high)
        fail("E8105", *places_[i],
             fmt::format("the range of {} is empty: {} is above {}", input.name,
                         contract::print_number(*ranges[i].low), contract::print_number(*ranges[i].high)));
      input.low = *ranges[i].low;
      input.high = *ranges[i].high;
    }
  }
  std::optional<std::size_t> input_named(const SExpression& a) const {
    if (a.kind == SExpression::Kind::symbol)
      for (std::size_t i = 0; i < out_.inputs.size(); ++i)
        if (out_.inputs[i].name == a.text) return i;
    return std::nullopt;
  }
  // The value of an expression without arguments, enclosed.
  MaybeInterval constant(const SExpression& a) const {
    if (a.kind == SExpression::Kind::symbol) {
      if (is_named_constant(a.text)) return named_constant(a.text);
      const std::optional<Rational> value = contract::parse_number(a.text);
      return value ? MaybeInterval(Interval(*value, 256)) : std::nullopt;
    }
    if (a.items.size() < 2 || a.items.size() > 3) return std::nullopt;
    const MaybeInterval x = constant(a.items[1]),
                        y = a.items.size() == 3 ? constant(a.items[2]) : std::nullopt;
    if (!x) return std::nullopt;
    if (a.items.size() == 2) return a.items[0].is("-") ? MaybeInterval(-*x) : std::nullopt;
    if (!y) return std::nullopt;
    if (a.items[0].is("+")) return *x + *y;
    if (a.items[0].is("-")) return *x - *y;
    if (a.items[0].is("*")) return *x * *y;
    if (a.items[0].is("/")) return divide(*x, *y);
    return std::nullopt;
  }
  void conjunct(const SExpression& a, std::vector<Range>& ranges) {
    if (a.is("TRUE")) return;
    if (a.is_list() && !a.items.empty() && a.items[0].is("and")) {
      for (std::size_t i = 1; i < a.items.size(); ++i) conjunct(a.items[i], ranges);
      return;
    }
    const bool up = a.is_list() && !a.items.empty() && (a.items[0].is("<=") || a.items[0].is("<"));
    const bool down = a.is_list() && !a.items.empty() && (a.items[0].is(">=") || a.items[0].is(">"));
    bool covered = up || down;
    for (std::size_t i = 1; covered && i + 1 < a.items.size(); ++i) {
      const SExpression &less = a.items[up ? i : i + 1], &greater = a.items[up ? i + 1 : i];
      const auto left = input_named(less), right = input_named(greater);
      const MaybeInterval low = constant(less), high = constant(greater);
      if (right && low) {
        auto& end = ranges[*right].low;
        if (!end || *end < low->exact_low()) end = low->exact_low();
      } else if (left && high) {
        auto& end = ranges[*left].high;
        if (!end || *end > high->exact_high()) end = high->exact_high();
      } else {
        covered = false;
      }
    }
    if (covered) return;
    Scope scope;
    for (std::size_t i = 0; i < out_.inputs.size(); ++i)
      scope[out_.inputs[i].name] = variable(static_cast<int>(i), std::nullopt);
    out_.demands.push_back(condition(a, scope, {std::nullopt, calculus::Rounding::nearest}));
  }

  // --- nodes
  // ------------------------------------------------------------------------------------------------
  int intern(ExpressionNode node) {
    std::string key =
        fmt::format("{} {} {} {} {} {} {}", static_cast<int>(node.operation),
                    node.rounding ? static_cast<int>(*node.rounding) : -1, static_cast<int>(node.direction),
                    node.variable, node.value.get_str(), node.constant, node.condition);
    for (const int child : node.children) key += fmt::format(" {}", child);
    const auto [found, fresh] = interned_.emplace(key, static_cast<int>(out_.nodes.size()));
    if (fresh) out_.nodes.push_back(std::move(node));
    return found->second;
  }
  int variable(int input, std::optional<Format> rounding) {
    ExpressionNode node;
    node.operation = Operation::variable;
    node.variable = input;
    node.rounding = rounding;
    node.text = out_.inputs[static_cast<std::size_t>(input)].name;
    return intern(node);
  }
  int add(Operation operation, std::vector<int> children, const Context& context, const SExpression& from) {
    ExpressionNode node;
    node.operation = operation;
    node.children = std::move(children);
    const bool exact = operation == Operation::neg || operation == Operation::abs ||
                       operation == Operation::min || operation == Operation::max;
    if (!exact) {
      node.rounding = context.format;
      node.direction = context.direction;
    }
    if (is_call(operation) && node.rounding && context.direction != calculus::Rounding::nearest)
      refuse(from, "library functions are taken to be accurate to nearest only");
    node.text = from.print();
    if (node.text.size() > 60) node.text = node.text.substr(0, 57) + "...";
    return intern(node);
  }
  int number(const SExpression& a, const Context& context) {
    ExpressionNode node;
    node.operation = Operation::constant;
    node.rounding = context.format;
    node.direction = context.direction;
    node.text = a.text;
    if (is_named_constant(a.text)) {
      node.constant = a.text;
    } else {
      const std::optional<Rational> value = contract::parse_number(a.text);
      if (!value) fail("E8103", a, "unknown name " + a.text);
      node.value = *value;
    }
    return intern(node);
  }

  int expression(const SExpression& a, const Scope& scope, const Context& context) {
    if (a.kind == SExpression::Kind::string) fail("E8102", a, "expected an expression");
    if (a.kind == SExpression::Kind::symbol) {
      const auto found = scope.find(a.text);
      return found != scope.end() ? found->second : number(a, context);
    }
    if (a.items.empty() || a.items[0].kind != SExpression::Kind::symbol)
      fail("E8102", a, "expected (OPERATION OPERANDS)");
    const std::string& head = a.items[0].text;
    if (head == "let" || head == "let*") return bind(a, scope, context, head == "let*");
    if (head == "!") {
      Context inner = context;
      const std::size_t at = properties(a.items, 1, inner, nullptr);
      if (at + 1 != a.items.size()) fail("E8102", a, "expected (! PROPERTIES EXPRESSION)");
      return expression(a.items[at], scope, inner);
    }
    if (head == "if") {
      operands(a, 3);
      ExpressionNode node;
      node.operation = Operation::choose;
      node.condition = condition(a.items[1], scope, context);
      node.children = {expression(a.items[2], scope, context), expression(a.items[3], scope, context)};
      node.text = "if";
      return intern(node);
    }
    if (head == "while" || head == "while*") return loop(a, scope, context, head == "while*");
    static const std::set<std::string> tensors{"for", "for*", "tensor", "tensor*", "array", "ref"};
    if (tensors.count(head) > 0) refuse(a.items[0], "'" + head + "' is not supported in an expression");
    return operation(a, scope, context);
  }

  int bind(const SExpression& a, const Scope& scope, const Context& context, bool in_order) {
    operands(a, 2);
    Scope inner = scope;
    for (const SExpression& binding : a.items[1].items) {
      if (!binding.is_list() || binding.items.size() != 2 ||
          binding.items[0].kind != SExpression::Kind::symbol)
        fail("E8102", binding, "expected (NAME EXPRESSION)");
      const int value = expression(binding.items[1], in_order ? inner : scope, context);
      inner[binding.items[0].text] = value;
    }
    return expression(a.items[2], inner, context);
  }

  std::optional<Rational> counted(int node) { return exact_number(out_.nodes, node, numbers_); }
  std::optional<bool> decided(int condition) {
    const Condition& c = out_.conditions[static_cast<std::size_t>(condition)];
    if (c.left >= 0) {
      const auto left = counted(c.left), right = counted(c.right);
      if (!left || !right) return std::nullopt;
      if (c.kind == Condition::Kind::less) return *left < *right;
      return c.kind == Condition::Kind::at_most ? *left <= *right : *left == *right;
    }
    if (c.kind == Condition::Kind::truth) return c.truth;
    bool all = true, some = false;
    for (const int child : c.children) {
      const auto one = decided(child);
      if (!one) return std::nullopt;
      all = all && *one;
      some = some || *one;
    }
    if (c.kind == Condition::Kind::negation) return !some;
    return c.kind == Condition::Kind::conjunction ? all : some;
  }

  // (while CONDITION ((NAME FIRST NEXT) ...) BODY), step by step, where the condition counts: it is decided
  // by numbers that no rounding changes.
  int loop(const SExpression& a, const Scope& scope, const Context& context, bool in_order) {
    constexpr int most_steps = 2000;
    operands(a, 3);
    Scope now = scope;
    const SExpression& states = a.items[2];
    if (!states.is_list()) fail("E8102", states, "expected ((NAME FIRST NEXT) ...)");
    const auto assign = [&](std::size_t part) {
      Scope next = now;
      for (const SExpression& state : states.items) {
        if (!state.is_list() || state.items.size() != 3 || state.items[0].kind != SExpression::Kind::symbol)
          fail("E8102", state, "expected (NAME FIRST NEXT)");
        next[state.items[0].text] = expression(state.items[part], in_order ? next : now, context);
      }
      now = next;
    };
    assign(1);
    for (int step = 0;; ++step) {
      const auto goes_on = decided(condition(a.items[1], now, context));
      if (!goes_on)
        refuse(a.items[1], "the number of steps of this loop is not a constant, and only such are unrolled");
      if (!*goes_on) return expression(a.items[3], now, context);
      if (step >= most_steps)
        refuse(a.items[1], fmt::format("this loop takes more than {} steps", most_steps));
      assign(2);
    }
  }

  void operands(const SExpression& a, std::size_t wanted) const {
    if (a.items.size() != wanted + 1)
      fail("E8107", a,
           fmt::format("'{}' takes {} operand{}, not {}", a.items[0].text, wanted, wanted == 1 ? "" : "s",
                       a.items.size() - 1));
  }

  int operation(const SExpression& a, const Scope& scope, const Context& context) {
    const std::string& head = a.items[0].text;
    if (head == "-" && a.items.size() == 2)
      return add(Operation::neg, {expression(a.items[1], scope, context)}, context, a);
    if (head == "digits") {
      operands(a, 3);
      return digits(a, context);
    }
    for (int i = static_cast<int>(Operation::add); i <= static_cast<int>(Operation::cbrt); ++i) {
      const Operation op = static_cast<Operation>(i);
      if (name(op) != head || op == Operation::neg || op == Operation::choose) continue;
      const std::size_t wanted = op == Operation::fma ? 3
                                 : op <= Operation::div || op == Operation::min || op == Operation::max ||
                                         op == Operation::pow || op == Operation::hypot ||
                                         op == Operation::atan2
                                     ? 2
                                     : 1;
      operands(a, wanted);
      std::vector<int> children;
      for (std::size_t k = 1; k < a.items.size(); ++k)
        children.push_back(expression(a.items[k], scope, context));
      return add(op, std::move(children), context, a);
    }
    refuse(a.items[0], "the operation '" + head + "' is not supported");
  }

  // (digits m e b) = m * b^e
  int digits(const SExpression& a, const Context& context) {
    std::array<Rational, 3> part;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::optional<Rational> value = contract::parse_number(a.items[i + 1].text);
      if (!value || value->get_den() != 1 || (i > 0 && abs(*value) > 2000))
        fail("E8102", a.items[i + 1], "expected an integer");
      part[i] = *value;
    }
    Integer scale;
    mpz_pow_ui(scale.get_mpz_t(), part[2].get_num().get_mpz_t(),
               static_cast<unsigned long>(std::abs(part[1].get_num().get_si())));
    if (scale == 0) fail("E8102", a, "the base of (digits m e b) is 0");
    ExpressionNode node;
    node.operation = Operation::constant;
    node.rounding = context.format;
    node.direction = context.direction;
    node.value = part[1] < 0 ? Rational(part[0] / Rational(scale)) : Rational(part[0] * Rational(scale));
    node.text = a.print();
    return intern(node);
  }

  // --- conditions
  // -------------------------------------------------------------------------------------------
  int keep(Condition c) {
    out_.conditions.push_back(std::move(c));
    return static_cast<int>(out_.conditions.size()) - 1;
  }
  int negated(int inner) {
    Condition c;
    c.kind = Condition::Kind::negation;
    c.children = {inner};
    return keep(c);
  }
  int condition(const SExpression& a, const Scope& scope, const Context& context) {
    Condition c;
    if (a.is("TRUE") || a.is("FALSE")) {
      c.truth = a.is("TRUE");
      return keep(c);
    }
    if (!a.is_list() || a.items.size() < 2) fail("E8102", a, "expected a condition");
    const SExpression& head = a.items[0];
    if (head.is("not")) {
      operands(a, 1);
      return negated(condition(a.items[1], scope, context));
    }
    c.kind = head.is("or") ? Condition::Kind::disjunction : Condition::Kind::conjunction;
    if (head.is("and") || head.is("or")) {
      for (std::size_t i = 1; i < a.items.size(); ++i)
        c.children.push_back(condition(a.items[i], scope, context));
      return keep(c);
    }
    static const std::set<std::string> comparisons{"<", "<=", ">", ">=", "==", "!="};
    if (head.is_list() || comparisons.count(head.text) == 0)
      refuse(head, "the condition '" + head.print() + "' is not supported");
    std::vector<int> values;
    for (std::size_t i = 1; i < a.items.size(); ++i) values.push_back(expression(a.items[i], scope, context));
    if (head.is("!=") && values.size() != 2)
      refuse(head, "'!=' with more than two operands is not supported");
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      Condition pair;
      const bool swapped = head.is(">") || head.is(">=");
      pair.left = values[swapped ? i + 1 : i];
      pair.right = values[swapped ? i : i + 1];
      pair.kind = head.is("<") || head.is(">")     ? Condition::Kind::less
                  : head.is("<=") || head.is(">=") ? Condition::Kind::at_most
                                                   : Condition::Kind::equal;
      const int kept = keep(pair);
      c.children.push_back(head.is("!=") ? negated(kept) : kept);
    }
    return keep(c);
  }

  std::string_view text_;
  const SExpression& core_;
  Expression out_;
  std::vector<const SExpression*> places_;
  std::map<std::string, int> interned_;
  ExactNumbers numbers_;
};

}  // namespace

std::vector<Expression> read_fpcores(std::string_view text, const std::string& file) {
  std::vector<Expression> out;
  const std::vector<SExpression> forms = read_s_expressions(text, file);
  if (forms.empty()) throw UserError("E8102", "expected an FPCore; the file has none", {file, 1, 1, {}});
  for (const SExpression& form : forms) out.push_back(CoreReader(text, form).run());
  return out;
}

}  // namespace hallmark::numerics
