#include "numerics/expression/fpcore.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "contract/number.h"
#include "numerics/expression/known_numbers.h"
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
// A number, or a tensor of values.
struct Value {
  int node = -1;
  std::vector<Value> items;
  bool is_tensor() const { return node < 0; }
};
using Scope = std::map<std::string, Value>;

class CoreReader {
 public:
  CoreReader(std::string_view text, const SExpression& core) : text_(text), core_(core) {}

  // One expression for each number of the result.
  std::vector<Expression> run() {
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
    if (pre != nullptr) conjunct(*pre);
    const Value root = expression(core_.items[at], arguments_in(true), context);
    std::optional<Value> specification;
    if (spec != nullptr)
      specification = expression(*spec, arguments_in(false), {std::nullopt, calculus::Rounding::nearest});
    std::vector<Expression> out;
    take(root, specification ? &*specification : nullptr, out_.name, out);
    if (out.empty()) fail("E8102", core_.items[at], "the result is an empty array");
    for (Expression& e : out) settle_ranges(e);
    return out;
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

  void take(const Value& root, const Value* specification, const std::string& name,
            std::vector<Expression>& out) const {
    if (specification != nullptr && specification->items.size() != root.items.size())
      fail("E8102", core_, "the body and :spec have different shapes");
    if (!root.is_tensor()) {
      out.push_back(out_);
      out.back().name = name;
      out.back().root = root.node;
      if (specification != nullptr) out.back().specification = specification->node;
      return;
    }
    for (std::size_t i = 0; i < root.items.size(); ++i)
      take(root.items[i], specification != nullptr ? &specification->items[i] : nullptr,
           fmt::format("{}[{}]", name, i), out);
  }

  void declare(const SExpression& argument, Context context) {
    const SExpression* symbol = &argument;
    if (argument.is_list() && !argument.items.empty() && argument.items[0].is("!")) {
      const std::size_t at = properties(argument.items, 1, context, nullptr);
      if (at + 1 != argument.items.size()) fail("E8102", argument, "expected (! PROPERTIES NAME)");
      symbol = &argument.items[at];
    }
    const SExpression& named = symbol->is_list() && !symbol->items.empty() ? symbol->items[0] : *symbol;
    if (named.kind != SExpression::Kind::symbol) fail("E8102", *symbol, "expected a name");
    if (arguments_.count(named.text) > 0)
      fail("E8102", *symbol, "the argument " + named.text + " is there twice");
    if (!context.format) refuse(argument, "an argument of precision real has no value in a format");
    std::vector<std::size_t> extents;
    for (std::size_t d = 1; symbol->is_list() && d < symbol->items.size(); ++d) {
      const std::optional<Rational> extent = contract::parse_number(symbol->items[d].text);
      if (!extent)
        refuse(symbol->items[d], "the size " + symbol->items[d].print() + " of a tensor is no number");
      if (extent->get_den() != 1 || *extent < 1 || *extent > most_steps)
        fail("E8102", symbol->items[d], fmt::format("expected a size from 1 to {}", most_steps));
      extents.push_back(static_cast<std::size_t>(extent->get_num().get_ui()));
    }
    arguments_[named.text] = inputs_of(named.text, named, *context.format, extents, 0);
  }
  // The inputs of an argument: Value::node is the number of an input here.
  Value inputs_of(const std::string& name, const SExpression& place, Format format,
                  const std::vector<std::size_t>& extents, std::size_t depth) {
    Value out;
    if (depth == extents.size()) {
      out.node = static_cast<int>(out_.inputs.size());
      if (out_.inputs.size() >= most_steps) refuse(place, "too many inputs");
      out_.inputs.push_back({name, format, 0, 0});
      places_.push_back(&place);
      ranges_.push_back({});
      return out;
    }
    for (std::size_t i = 0; i < extents[depth]; ++i)
      out.items.push_back(inputs_of(fmt::format("{}[{}]", name, i), place, format, extents, depth + 1));
    return out;
  }
  // The arguments as values: rounded into their formats, or real.
  Scope arguments_in(bool rounded) {
    Scope out = arguments_;
    for (auto& [name, value] : out) become_variables(value, rounded);
    return out;
  }
  void become_variables(Value& value, bool rounded) {
    if (!value.is_tensor())
      value.node =
          variable(value.node,
                   rounded ? std::optional<Format>(out_.inputs[static_cast<std::size_t>(value.node)].format)
                           : std::nullopt);
    for (Value& item : value.items) become_variables(item, rounded);
  }

  // --- precondition
  // -----------------------------------------------------------------------------------------
  struct Range {
    std::optional<Rational> low, high;
    bool open_low = false, open_high = false;
    void at_least(const Rational& end, bool open) {
      if (low && *low > end) return;
      open_low = open || (open_low && low == end);
      low = end;
    }
    void at_most(const Rational& end, bool open) {
      if (high && *high < end) return;
      open_high = open || (open_high && high == end);
      high = end;
    }
  };
  // The inputs that are looked at by the result, its specification or the precondition.
  static std::vector<bool> used_inputs(const Expression& e) {
    std::vector<bool> seen(e.nodes.size(), false), out(e.inputs.size(), false);
    std::vector<int> open{e.root}, conditions = e.demands;
    if (e.specification >= 0) open.push_back(e.specification);
    while (!open.empty() || !conditions.empty()) {
      if (!conditions.empty()) {
        const Condition& c = e.conditions[static_cast<std::size_t>(conditions.back())];
        conditions.pop_back();
        conditions.insert(conditions.end(), c.children.begin(), c.children.end());
        if (c.left >= 0) open.insert(open.end(), {c.left, c.right});
        continue;
      }
      const std::size_t node = static_cast<std::size_t>(open.back());
      open.pop_back();
      if (seen[node]) continue;
      seen[node] = true;
      const ExpressionNode& n = e.nodes[node];
      if (n.operation == Operation::variable) out[static_cast<std::size_t>(n.variable)] = true;
      if (n.condition >= 0) conditions.push_back(n.condition);
      open.insert(open.end(), n.children.begin(), n.children.end());
    }
    return out;
  }
  void settle_ranges(Expression& e) {
    // x <= y hands the lower end of x to y, and the upper end of y to x.
    for (std::size_t round = 0; round < e.inputs.size(); ++round)
      for (const auto& [less, greater] : ordered_) {
        Range &x = ranges_[less], &y = ranges_[greater];
        if (x.low) y.at_least(*x.low, x.open_low);
        if (y.high) x.at_most(*y.high, y.open_high);
      }
    const std::vector<bool> used = used_inputs(e);
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      ExpressionInput& input = e.inputs[i];
      Range range = ranges_[i];
      // What nothing looks at may be anything; 0 stands for it.
      if (!used[i]) {
        const Rational aside = range.open_low || range.open_high ? 1 : 0;
        if (!range.low) range.low = range.high ? Rational(*range.high - aside) : Rational(0);
        if (!range.high) range.high = *range.low + aside;
      }
      if (!range.low || !range.high)
        fail("E8104", *places_[i],
             fmt::format("the argument {} has no {} in :pre; expected for example (<= 0 {} 1)", input.name,
                         !range.low && !range.high ? "range"
                         : !range.low              ? "lower end"
                                                   : "upper end",
                         input.name));
      if (*range.low > *range.high)
        fail("E8105", *places_[i],
             fmt::format("the range of {} is empty: {} is above {}", input.name,
                         contract::print_number(*range.low), contract::print_number(*range.high)));
      if (*range.low == *range.high && (range.open_low || range.open_high))
        fail("E8109", *places_[i],
             fmt::format("no input meets the precondition: {} is {} and {} {}", input.name,
                         range.open_low ? "above" : "at least", range.open_high ? "below" : "at most",
                         contract::print_number(*range.low)));
      input.low = *range.low;
      input.high = *range.high;
      input.open_low = range.open_low;
      input.open_high = range.open_high;
    }
  }
  // The inputs that a name, or an element of a tensor, stands for.
  std::vector<std::size_t> inputs_named(const SExpression& a) const {
    const bool element = a.is_list() && a.items.size() > 1 && a.items[0].is("ref");
    const SExpression& name = element ? a.items[1] : a;
    if (name.kind != SExpression::Kind::symbol) return {};
    const auto found = arguments_.find(name.text);
    if (found == arguments_.end()) return {};
    const Value* value = &found->second;
    for (std::size_t i = 2; element && i < a.items.size(); ++i) {
      const std::optional<Rational> at = contract::parse_number(a.items[i].text);
      if (!at || at->get_den() != 1 || *at < 0 || *at >= static_cast<long>(value->items.size())) return {};
      value = &value->items[static_cast<std::size_t>(at->get_num().get_ui())];
    }
    std::vector<std::size_t> out;
    const std::function<void(const Value&)> collect = [&](const Value& v) {
      if (!v.is_tensor()) out.push_back(static_cast<std::size_t>(v.node));
      for (const Value& item : v.items) collect(item);
    };
    collect(*value);
    return out;
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
  void conjunct(const SExpression& a) {
    if (a.is("TRUE")) return;
    if (a.is_list() && !a.items.empty() && a.items[0].is("and")) {
      for (std::size_t i = 1; i < a.items.size(); ++i) conjunct(a.items[i]);
      return;
    }
    const bool up = a.is_list() && !a.items.empty() && (a.items[0].is("<=") || a.items[0].is("<"));
    const bool down = a.is_list() && !a.items.empty() && (a.items[0].is(">=") || a.items[0].is(">"));
    bool covered = up || down;
    const bool strict = covered && (a.items[0].is("<") || a.items[0].is(">"));
    for (std::size_t i = 1; (up || down) && i + 1 < a.items.size(); ++i)
      covered = ordered_pair(a.items[up ? i : i + 1], a.items[up ? i + 1 : i], strict) && covered;
    if (covered) return;
    const Scope scope = arguments_in(false);
    out_.demands.push_back(condition(a, scope, {std::nullopt, calculus::Rounding::nearest}));
  }
  // What less <= greater, or less < greater, says of ranges; no where it says more.
  bool ordered_pair(const SExpression& less, const SExpression& greater, bool strict) {
    const std::vector<std::size_t> left = inputs_named(less), right = inputs_named(greater);
    const MaybeInterval low = constant(less), high = constant(greater);
    // The ends of an enclosure that is no point are beyond the constant.
    if (!right.empty() && low) {
      for (const std::size_t input : right)
        ranges_[input].at_least(low->exact_low(), strict || !low->is_point());
      return true;
    }
    if (!left.empty() && high) {
      for (const std::size_t input : left)
        ranges_[input].at_most(high->exact_high(), strict || !high->is_point());
      return true;
    }
    if (left.size() == 1 && right.size() == 1) ordered_.emplace_back(left[0], right[0]);
    // |x| <= c
    if (high && less.is_list() && less.items.size() == 2 && less.items[0].is("fabs"))
      for (const std::size_t input : inputs_named(less.items[1])) {
        ranges_[input].at_least(-high->exact_high(), false);
        ranges_[input].at_most(high->exact_high(), false);
      }
    return false;
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
    if (fresh && out_.nodes.size() >= most_nodes)
      refuse(core_,
             fmt::format("the expression, with its loops unrolled, has more than {} operations", most_nodes));
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
      if (a.is("INFINITY") || a.is("NAN")) refuse(a, "the constant " + a.text + " is no real number");
      const std::optional<Rational> value = contract::parse_number(a.text);
      if (!value) fail("E8103", a, "unknown name " + a.text);
      node.value = *value;
    }
    return intern(node);
  }

  static Value scalar(int node) {
    Value out;
    out.node = node;
    return out;
  }
  // The node of an expression that is a number.
  int numeric(const SExpression& a, const Scope& scope, const Context& context) {
    const Value value = expression(a, scope, context);
    if (value.is_tensor()) fail("E8102", a, "expected a number, not an array");
    return value.node;
  }
  Value expression(const SExpression& a, const Scope& scope, const Context& context) {
    if (a.kind == SExpression::Kind::string) fail("E8102", a, "expected an expression");
    if (a.kind == SExpression::Kind::symbol) {
      const auto found = scope.find(a.text);
      return found != scope.end() ? found->second : scalar(number(a, context));
    }
    if (a.items.empty() || a.items[0].kind != SExpression::Kind::symbol)
      fail("E8102", a, "expected (OPERATION OPERANDS)");
    const std::string& head = a.items[0].text;
    if (head == "let" || head == "let*")
      return expression(a.items.back(), bound(a, scope, context, head == "let*"), context);
    if (head == "!") {
      Context inner = context;
      const std::size_t at = properties(a.items, 1, inner, nullptr);
      if (at + 1 != a.items.size()) fail("E8102", a, "expected (! PROPERTIES EXPRESSION)");
      return expression(a.items[at], scope, inner);
    }
    if (head == "if") {
      operands(a, 3);
      const int test = condition(a.items[1], scope, context);
      // What is the same for the computed and the exact value takes one side, and the other need not exist.
      if (const std::optional<bool> known = numbers_.decided(test); known)
        return expression(a.items[*known ? 2 : 3], scope, context);
      return choice(a, test, expression(a.items[2], scope, context), expression(a.items[3], scope, context));
    }
    if (head == "while" || head == "while*") return while_loop(a, scope, context, head == "while*");
    if (head == "for" || head == "for*") return for_loop(a, scope, context, head == "for*");
    if (head == "tensor") {
      operands(a, 2);
      return tensor(a, indices(a.items[1], scope, context), 0, scope, context);
    }
    if (head == "array") {
      Value out;
      for (std::size_t i = 1; i < a.items.size(); ++i)
        out.items.push_back(expression(a.items[i], scope, context));
      if (out.items.empty()) fail("E8102", a, "an array without elements");
      return out;
    }
    if (head == "ref") return element(a, scope, context);
    if (head == "dim" || head == "size") return scalar(shape(a, scope, context));
    if (head == "tensor*") refuse(a.items[0], "'tensor*' is not supported in an expression");
    return scalar(operation(a, scope, context));
  }
  Value choice(const SExpression& a, int test, const Value& yes, const Value& no) {
    Value out;
    if (yes.items.size() != no.items.size())
      fail("E8102", a, "the two sides of this choice have different shapes");
    if (!yes.is_tensor()) {
      ExpressionNode node;
      node.operation = Operation::choose;
      node.condition = test;
      node.children = {yes.node, no.node};
      node.text = "if";
      out.node = intern(node);
    }
    for (std::size_t i = 0; i < yes.items.size(); ++i)
      out.items.push_back(choice(a, test, yes.items[i], no.items[i]));
    return out;
  }

  Scope bound(const SExpression& a, const Scope& scope, const Context& context, bool in_order) {
    operands(a, 2);
    Scope inner = scope;
    for (const SExpression& binding : a.items[1].items) {
      if (!binding.is_list() || binding.items.size() != 2 ||
          binding.items[0].kind != SExpression::Kind::symbol)
        fail("E8102", binding, "expected (NAME EXPRESSION)");
      const Value value = expression(binding.items[1], in_order ? inner : scope, context);
      inner[binding.items[0].text] = value;
    }
    return inner;
  }

  // --- numbers without inputs
  // -----------------------------------------------------------------------------------
  // A number of elements, or the place of one.
  std::size_t count(const SExpression& a, const Scope& scope, const Context& context) {
    const auto value = numbers_.number(numeric(a, scope, context));
    if (!value || value->exact != value->computed) refuse(a, "this is not a number known without the inputs");
    if (value->exact.get_den() != 1 || value->exact < 0)
      fail("E8102", a, "expected a size or an index, not " + contract::print_number(value->exact));
    if (value->exact > most_steps) refuse(a, fmt::format("more than {} steps or elements", most_steps));
    return static_cast<std::size_t>(value->exact.get_num().get_ui());
  }
  int integer(std::size_t value, const Context& context) {
    ExpressionNode node;
    node.operation = Operation::constant;
    node.value = Rational(static_cast<unsigned long>(value));
    node.rounding = context.format;
    node.direction = context.direction;
    if (rounded_constant(node) != node.value) node.rounding.reset();
    node.text = std::to_string(value);
    return intern(node);
  }

  // --- loops and tensors
  // ----------------------------------------------------------------------------------------
  void assign(const SExpression& states, std::size_t part, Scope& now, const Scope& seen,
              const Context& context, bool in_order) {
    if (!states.is_list()) fail("E8102", states, "expected ((NAME FIRST NEXT) ...)");
    Scope next = seen;
    for (const SExpression& state : states.items) {
      if (!state.is_list() || state.items.size() != 3 || state.items[0].kind != SExpression::Kind::symbol)
        fail("E8102", state, "expected (NAME FIRST NEXT)");
      const Value value = expression(state.items[part], in_order ? next : seen, context);
      next[state.items[0].text] = value;
      now[state.items[0].text] = value;
    }
  }
  // (while CONDITION ((NAME FIRST NEXT) ...) BODY), step by step, where the condition counts: it is decided
  // by numbers without inputs, and alike for what is computed of them.
  Value while_loop(const SExpression& a, const Scope& scope, const Context& context, bool in_order) {
    operands(a, 3);
    Scope now = scope;
    assign(a.items[2], 1, now, scope, context, in_order);
    for (std::size_t step = 0;; ++step) {
      const int test = condition(a.items[1], now, context);
      const auto goes_on = numbers_.decided(test);
      if (!goes_on)
        refuse(a.items[1], numbers_.holds(test, &KnownNumbers::Number::exact)
                               ? "what is computed takes another number of steps here than the exact value"
                               : "the number of steps of this loop is not a constant, and only such are "
                                 "unrolled");
      if (!*goes_on) return expression(a.items[3], now, context);
      if (step >= most_steps)
        refuse(a.items[1], fmt::format("this loop takes more than {} steps", most_steps));
      const Scope before = now;
      assign(a.items[2], 2, now, before, context, in_order);
    }
  }
  struct Index {
    std::string name;
    std::size_t extent = 0;
  };
  std::vector<Index> indices(const SExpression& a, const Scope& scope, const Context& context) {
    std::vector<Index> out;
    if (!a.is_list() || a.items.empty()) fail("E8102", a, "expected ((INDEX SIZE) ...)");
    std::size_t all = 1;
    for (const SExpression& one : a.items) {
      if (!one.is_list() || one.items.size() != 2 || one.items[0].kind != SExpression::Kind::symbol)
        fail("E8102", one, "expected (INDEX SIZE)");
      out.push_back({one.items[0].text, count(one.items[1], scope, context)});
      all *= std::max<std::size_t>(1, out.back().extent);
      if (all > most_steps) refuse(a, fmt::format("more than {} steps or elements", most_steps));
    }
    return out;
  }
  // (for ((INDEX SIZE) ...) ((NAME FIRST NEXT) ...) BODY): the last index runs fastest.
  Value for_loop(const SExpression& a, const Scope& scope, const Context& context, bool in_order) {
    operands(a, 3);
    const std::vector<Index> all = indices(a.items[1], scope, context);
    std::size_t steps = 1;
    for (const Index& index : all) steps *= index.extent;
    Scope now = scope;
    assign(a.items[2], 1, now, scope, context, in_order);
    for (std::size_t step = 0; step < steps; ++step) {
      Scope seen = now;
      std::size_t rest = step;
      for (std::size_t d = all.size(); d-- > 0;) {
        seen[all[d].name] = scalar(integer(rest % all[d].extent, context));
        rest /= all[d].extent;
      }
      assign(a.items[2], 2, now, seen, context, in_order);
    }
    return expression(a.items[3], now, context);
  }
  Value tensor(const SExpression& a, const std::vector<Index>& all, std::size_t depth, const Scope& scope,
               const Context& context) {
    if (depth == all.size()) return expression(a.items[2], scope, context);
    Value out;
    if (all[depth].extent == 0) fail("E8102", a, "a tensor without elements");
    Scope inner = scope;
    for (std::size_t i = 0; i < all[depth].extent; ++i) {
      inner[all[depth].name] = scalar(integer(i, context));
      out.items.push_back(tensor(a, all, depth + 1, inner, context));
    }
    return out;
  }
  Value element(const SExpression& a, const Scope& scope, const Context& context) {
    if (a.items.size() < 3) fail("E8107", a, "'ref' takes an array and at least one index");
    Value value = expression(a.items[1], scope, context);
    for (std::size_t i = 2; i < a.items.size(); ++i) {
      const std::size_t at = count(a.items[i], scope, context);
      if (!value.is_tensor()) fail("E8102", a.items[i], "too many indices");
      if (at >= value.items.size())
        fail("E8102", a.items[i], fmt::format("the index {} is not below {}", at, value.items.size()));
      value = Value(value.items[at]);
    }
    return value;
  }
  // (dim ARRAY), (size ARRAY DIMENSION)
  int shape(const SExpression& a, const Scope& scope, const Context& context) {
    const bool of_one = a.items[0].is("size");
    operands(a, of_one ? 2 : 1);
    Value value = expression(a.items[1], scope, context);
    std::vector<std::size_t> extents;
    for (; value.is_tensor(); value = Value(value.items.front())) extents.push_back(value.items.size());
    if (!of_one) return integer(extents.size(), context);
    const std::size_t at = count(a.items[2], scope, context);
    if (at >= extents.size())
      fail("E8102", a.items[2], fmt::format("the array has {} dimensions", extents.size()));
    return integer(extents[at], context);
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
      return add(Operation::neg, {numeric(a.items[1], scope, context)}, context, a);
    // max(x - y, 0): the difference is rounded, and its sign is that of the exact one.
    if (head == "fdim") {
      operands(a, 2);
      const int x = numeric(a.items[1], scope, context), y = numeric(a.items[2], scope, context);
      return add(Operation::max, {add(Operation::sub, {x, y}, context, a), integer(0, context)}, context, a);
    }
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
        children.push_back(numeric(a.items[k], scope, context));
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
    if (head.is("let") || head.is("let*"))
      return condition(a.items.back(), bound(a, scope, context, head.is("let*")), context);
    if (head.is("!")) {
      Context inner = context;
      const std::size_t at = properties(a.items, 1, inner, nullptr);
      if (at + 1 != a.items.size()) fail("E8102", a, "expected (! PROPERTIES CONDITION)");
      return condition(a.items[at], scope, inner);
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
    for (std::size_t i = 1; i < a.items.size(); ++i) values.push_back(numeric(a.items[i], scope, context));
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
    return c.children.size() == 1 ? c.children[0] : keep(c);
  }

  static constexpr std::size_t most_steps = 2000, most_nodes = 40'000;
  std::string_view text_;
  const SExpression& core_;
  Expression out_;
  Scope arguments_;  // the nodes are inputs
  std::vector<const SExpression*> places_;
  std::vector<Range> ranges_;
  std::vector<std::pair<std::size_t, std::size_t>> ordered_;  // inputs, the first at most the second
  std::map<std::string, int> interned_;
  KnownNumbers numbers_{out_};
};

}  // namespace

std::vector<Expression> read_fpcores(std::string_view text, const std::string& file) {
  std::vector<Expression> out;
  const std::vector<SExpression> forms = read_s_expressions(text, file);
  if (forms.empty()) throw UserError("E8102", "expected an FPCore; the file has none", {file, 1, 1, {}});
  for (const SExpression& form : forms)
    for (Expression& e : CoreReader(text, form).run()) out.push_back(std::move(e));
  return out;
}

}  // namespace hallmark::numerics
