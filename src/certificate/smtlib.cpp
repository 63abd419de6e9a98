#include "certificate/smtlib.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"

namespace hallmark::certificate {
namespace {

[[noreturn]] void bad(const std::string& what) {
  throw UserError("E5450", what);
}

bool one_of(std::string_view op, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), op) != all.end();
}

using Kind = Sort::Kind;

// The sort of an application; refuses what does not fit, so that no checker meets an ill-sorted term.
Sort sort_of(const Query& query, const std::string& op, const std::vector<NodeId>& args,
             const std::vector<unsigned>& indices) {
  const auto sort = [&](std::size_t i) -> const Sort& { return query.node(args.at(i)).sort; };
  const auto all = [&](Kind kind) {
    return std::all_of(args.begin(), args.end(), [&](NodeId a) { return query.node(a).sort.kind == kind; });
  };
  const auto same = [&](std::size_t from) {
    return std::all_of(args.begin() + static_cast<std::ptrdiff_t>(from), args.end(),
                       [&](NodeId a) { return query.node(a).sort == sort(from); });
  };
  const Sort boolean{};
  const std::size_t n = args.size();
  if (n == 0) bad("'" + op + "' without arguments");
  const bool numbers = same(0) && (sort(0).kind == Kind::integer || sort(0).kind == Kind::real);
  if (op == "not" && n == 1 && all(Kind::boolean)) return boolean;
  if (one_of(op, {"and", "or", "=>"}) && all(Kind::boolean)) return boolean;
  if (one_of(op, {"=", "distinct"}) && n >= 2 && same(0)) return boolean;
  if (op == "ite" && n == 3 && sort(0).kind == Kind::boolean && same(1)) return sort(1);
  if (one_of(op, {"<", "<=", ">", ">="}) && n >= 2 && numbers) return boolean;
  if (one_of(op, {"+", "-", "*"}) && numbers) return sort(0);
  if (op == "/" && n >= 2 && all(Kind::real)) return sort(0);
  if (one_of(op, {"div", "mod"}) && n == 2 && all(Kind::integer)) return sort(0);
  if (op == "to_real" && n == 1 && all(Kind::integer)) return {Kind::real, 0, {}};
  if (op == "to_int" && n == 1 && all(Kind::real)) return {Kind::integer, 0, {}};
  const bool bits = all(Kind::bits);
  if (one_of(op, {"bvadd", "bvmul", "bvand", "bvor", "bvxor"}) && bits && same(0) && n >= 2) return sort(0);
  if (one_of(op, {"bvshl", "bvlshr", "bvashr", "bvudiv", "bvurem", "bvsub"}) && bits && same(0) && n == 2)
    return sort(0);
  if (one_of(op, {"bvneg", "bvnot"}) && bits && n == 1) return sort(0);
  if (one_of(op, {"bvult", "bvule", "bvslt", "bvsle", "bvugt", "bvuge", "bvsgt", "bvsge"}) && bits &&
      same(0) && n == 2)
    return boolean;
  if (op == "concat" && bits && n == 2) return {Kind::bits, sort(0).width + sort(1).width, {}};
  if (op == "extract" && bits && n == 1 && indices.size() == 2 && indices[0] < sort(0).width &&
      indices[1] <= indices[0])
    return {Kind::bits, indices[0] - indices[1] + 1, {}};
  if (one_of(op, {"zero_extend", "sign_extend"}) && bits && n == 1 && indices.size() == 1 &&
      indices[0] <= 4096)
    return {Kind::bits, sort(0).width + indices[0], {}};
  bad("operator '" + op + "' is unknown or does not fit its arguments");
}

}  // namespace

NodeId Query::intern(Node node) {
  std::string key = node.op + '\x1f' + std::to_string(static_cast<int>(node.sort.kind)) + ' ' +
                    std::to_string(node.sort.width) + node.sort.name + '\x1f' + node.value.get_str();
  for (const NodeId a : node.args) key += ' ' + std::to_string(a);
  for (const unsigned i : node.indices) key += '_' + std::to_string(i);
  const auto [entry, fresh] = known_.emplace(std::move(key), static_cast<NodeId>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return entry->second;
}

NodeId Query::numeral(const Rational& value, Sort sort) {
  return intern({"numeral", {}, {}, std::move(sort), value});
}

NodeId Query::make(std::string op, std::vector<NodeId> args, std::vector<unsigned> indices) {
  Sort sort = sort_of(*this, op, args, indices);
  return intern({std::move(op), std::move(args), std::move(indices), std::move(sort), 0});
}

// Reads token by token with a stack of its own: nesting is bounded by memory, not by the machine's stack.
class Reader {
 public:
  Reader(Query& query, std::string_view text, const std::string& file)
      : query_(query), text_(text), file_(file) {}

  void run() {
    try {
      while (skip()) command();
    } catch (const UserError& error) {
      std::size_t line = 1, column = 1;
      for (std::size_t i = 0; i < std::min(at_, text_.size()); ++i) {
        line = text_[i] == '\n' ? line + 1 : line;
        column = text_[i] == '\n' ? 1 : column + 1;
      }
      throw UserError("E5450", error.message(), {file_, line, column});
    }
  }

 private:
  struct Function {
    std::vector<Sort> domain;
    Sort range;
    std::optional<NodeId> body;  // of a definition
  };

  // Moves to the next token; false at the end.
  bool skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';')
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      else if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
        ++at_;
      else
        return true;
    }
    return false;
  }
  std::string_view token() {
    if (!skip()) bad("the text ends inside a command");
    const std::size_t start = at_;
    const char c = text_[at_];
    if (c == '(' || c == ')') return text_.substr(at_++, 1);
    if (c == '|' || c == '"') {
      const std::size_t end = text_.find(c, at_ + 1);
      if (end == std::string_view::npos) bad("a quoted token does not end");
      at_ = end + 1;
      return text_.substr(start, at_ - start);
    }
    while (at_ < text_.size() && std::string_view(" \n\t\r();\"|").find(text_[at_]) == std::string_view::npos)
      ++at_;
    return text_.substr(start, at_ - start);
  }
  void expect(std::string_view wanted) {
    if (const std::string_view got = token(); got != wanted)
      bad(fmt::format("expected '{}' instead of '{}'", wanted, got));
  }
  std::string symbol() {
    const std::string out(token());
    if (out == "(" || out == ")") bad("expected a symbol");
    return out;
  }
  unsigned natural() {
    const std::string digits(token());
    if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos)
      bad("expected a natural number instead of '" + digits + "'");
    return static_cast<unsigned>(std::stoul(digits));
  }

  Sort sort() {
    const std::string name(token());
    if (name == "Bool") return {};
    if (name == "Int") return {Kind::integer, 0, {}};
    if (name == "Real") return {Kind::real, 0, {}};
    if (name == "(") {
      expect("_");
      expect("BitVec");
      const unsigned width = natural();
      if (width == 0 || width > 4096) bad("a bit vector of such a width is not read");
      expect(")");
      return {Kind::bits, width, {}};
    }
    if (std::find(sorts_.begin(), sorts_.end(), name) == sorts_.end()) bad("unknown sort '" + name + "'");
    return {Kind::other, 0, name};
  }

  void command() {
    expect("(");
    const std::string name = symbol();
    if (asked_) bad("a command after (check-sat)");
    if (name == "set-info" || name == "set-logic") {
      // One attribute, perhaps with one atomic value.
      for (int i = 0; i < 3; ++i)
        if (token() == ")") return;
      bad("a '" + name + "' with too many parts");
    }
    if (name == "declare-sort") {
      sorts_.push_back(symbol());
      expect("0");
    } else if (name == "declare-fun" || name == "declare-const") {
      const std::string what = symbol();
      Function f;
      if (name == "declare-fun") {
        expect("(");
        while (skip() && text_[at_] != ')') f.domain.push_back(sort());
        expect(")");
      }
      f.range = sort();
      if (!functions_.emplace(what, std::move(f)).second) bad("'" + what + "' is declared twice");
    } else if (name == "define-fun") {
      const std::string what = symbol();
      expect("(");
      expect(")");
      const Sort range = sort();
      const NodeId body = term();
      if (query_.node(body).sort != range) bad("the body of '" + what + "' has another sort");
      if (!functions_.emplace(what, Function{{}, range, body}).second)
        bad("'" + what + "' is declared twice");
    } else if (name == "assert") {
      const NodeId formula = term();
      if (query_.node(formula).sort.kind != Kind::boolean) bad("an assertion that is no Bool");
      query_.assertions_.push_back(formula);
    } else if (name == "check-sat") {
      asked_ = true;
    } else {
      bad("unknown command '" + name + "'");
    }
    expect(")");
  }

  NodeId atom(const std::string& text) {
    if (text == "true" || text == "false") return query_.intern({text, {}, {}, Sort{}, 0});
    if (text.starts_with("#x") || text.starts_with("#b")) {
      const bool hex = text[1] == 'x';
      const std::string digits = text.substr(2);
      Integer value;
      if (digits.empty() || digits.size() > 1024 || value.set_str(digits, hex ? 16 : 2) != 0 || value < 0)
        bad("'" + text + "' is no bit vector");
      const unsigned width = static_cast<unsigned>(digits.size()) * (hex ? 4 : 1);
      return query_.intern({"bits", {}, {}, {Kind::bits, width, {}}, Rational(value)});
    }
    if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      const std::size_t dot = text.find('.');
      const std::string whole = text.substr(0, dot),
                        part = dot == std::string::npos ? "" : text.substr(dot + 1);
      if ((whole + part).find_first_not_of("0123456789") != std::string::npos ||
          (dot != std::string::npos && part.empty()))
        bad("'" + text + "' is no number");
      Integer ten = 1;
      for (std::size_t i = 0; i < part.size(); ++i) ten *= 10;
      Rational value(Integer(whole + part, 10), ten);
      value.canonicalize();
      return query_.numeral(value, {dot == std::string::npos ? Kind::integer : Kind::real, 0, {}});
    }
    return apply(text, {}, {});
  }

  NodeId apply(const std::string& name, std::vector<NodeId> args, std::vector<unsigned> indices) {
    const auto known = functions_.find(name);
    if (known == functions_.end() || !indices.empty())
      return query_.make(name, std::move(args), std::move(indices));
    const Function& f = known->second;
    if (f.domain.size() != args.size()) bad("'" + name + "' has another number of arguments");
    for (std::size_t i = 0; i < args.size(); ++i)
      if (query_.node(args[i]).sort != f.domain[i]) bad("an argument of '" + name + "' has another sort");
    if (f.body) return *f.body;
    return query_.intern({"symbol " + name, std::move(args), {}, f.range, 0});
  }

  NodeId term() {
    struct Open {
      std::string name;
      std::vector<unsigned> indices;
      std::vector<NodeId> args;
    };
    std::vector<Open> stack;
    while (true) {
      NodeId done = 0;
      const std::string text(token());
      if (text == "(") {
        Open open;
        if (const std::string head(token()); head == "(") {
          expect("_");
          open.name = symbol();
          while (skip() && text_[at_] != ')') open.indices.push_back(natural());
          expect(")");
        } else if (head == ")" || head == "_" || head == "let") {
          bad("'(" + head + "' is not read here");
        } else {
          open.name = head;
        }
        stack.push_back(std::move(open));
        continue;
      }
      if (text == ")") {
        if (stack.empty()) bad("a term is missing");
        done = apply(stack.back().name, std::move(stack.back().args), std::move(stack.back().indices));
        stack.pop_back();
      } else {
        done = atom(text);
      }
      if (stack.empty()) return done;
      stack.back().args.push_back(done);
    }
  }

  Query& query_;
  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::vector<std::string> sorts_;
  std::map<std::string, Function> functions_;
  bool asked_ = false;
};

Query::Query(std::string_view text, const std::string& file) {
  Reader(*this, text, file).run();
}

}  // namespace hallmark::certificate
