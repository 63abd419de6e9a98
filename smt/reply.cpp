#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "smt/answer.h"

namespace hallmark::smt {
namespace {

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool mentions(std::string_view text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* w) { return text.find(w) != std::string_view::npos; });
}

// An S-expression: an atom or a list.
struct Expression {
  std::string atom;
  std::vector<Expression> items;
  bool is_list = false;
};

constexpr int maximum_depth = 64;  // a value has depth 3; a reply made to exhaust the stack is not read

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  std::optional<Expression> read(int depth = 0) {
    skip();
    if (at_ >= text_.size() || depth > maximum_depth) return std::nullopt;
    Expression out;
    if (text_[at_] != '(') {
      const std::size_t from = at_;
      while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != ')' && !blank(text_[at_])) ++at_;
      if (at_ == from) return std::nullopt;
      out.atom = text_.substr(from, at_ - from);
      return out;
    }
    out.is_list = true;
    for (++at_;;) {
      skip();
      if (at_ >= text_.size()) return std::nullopt;
      if (text_[at_] == ')') break;
      auto item = read(depth + 1);
      if (!item) return std::nullopt;
      out.items.push_back(std::move(*item));
    }
    ++at_;
    return out;
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  void skip() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// 12, 12.5, (- 12), (/ 1 2), (/ (- 1) 2), (- (/ 1 2)).
std::optional<Rational> number(const Expression& e) {
  if (!e.is_list) {
    const std::size_t dot = e.atom.find('.');
    const std::string whole = e.atom.substr(0, dot);
    const std::string part = dot == std::string::npos ? "" : e.atom.substr(dot + 1);
    if (!all_digits(whole) || (dot != std::string::npos && !all_digits(part))) return std::nullopt;
    Integer scale;
    mpz_ui_pow_ui(scale.get_mpz_t(), 10, part.size());
    Rational out(Integer(whole + part, 10), scale);
    out.canonicalize();
    return out;
  }
  if (e.items.size() == 2 && e.items[0].atom == "-") {
    const auto inner = number(e.items[1]);
    return inner ? std::optional<Rational>(-*inner) : std::nullopt;
  }
  if (e.items.size() != 3 || e.items[0].atom != "/") return std::nullopt;
  const auto above = number(e.items[1]), below = number(e.items[2]);
  if (!above || !below || *below == 0) return std::nullopt;
  return Rational(*above / *below);
}

std::optional<Rational> bits(const Expression& e, unsigned width) {
  if (e.is_list) {  // (_ bv5 8)
    const bool form = e.items.size() == 3 && e.items[0].atom == "_" && e.items[1].atom.starts_with("bv") &&
                      all_digits(e.items[1].atom.substr(2));
    return form ? std::optional<Rational>(Integer(e.items[1].atom.substr(2), 10)) : std::nullopt;
  }
  const bool hexadecimal = e.atom.starts_with("#x");
  if (!hexadecimal && !e.atom.starts_with("#b")) return std::nullopt;
  Integer out;
  if (out.set_str(e.atom.substr(2), hexadecimal ? 16 : 2) != 0 || out < 0 || out >= power_of_two(width))
    return std::nullopt;
  return Rational(out);
}

std::optional<Value> value_of(const Expression& e, Sort sort) {
  std::optional<Rational> found;
  if (sort.is_boolean()) {
    if (e.atom == "true") found = 1;
    if (e.atom == "false") found = 0;
  } else if (sort.is_bit_vector()) {
    found = bits(e, sort.width());
  } else {
    found = number(e);
    if (found && sort.is_integer() && found->get_den() != 1) return std::nullopt;
  }
  return found ? std::optional<Value>({sort, *found}) : std::nullopt;
}

}  // namespace

Answer Answer::failure(Reason reason, std::string raw) {
  Answer out;
  out.reason = reason;
  out.raw = std::move(raw);
  return out;
}

SolverAnswer recorded(const std::string& solver, const Answer& answer) {
  if (answer.kind != Answer::Kind::failed) return {solver, answer.is_unsat() ? "unsat" : "sat", {}};
  const bool unknown = answer.reason == Reason::gave_up;
  return {solver, unknown ? "unknown" : std::string(name(answer.reason)), answer.raw};
}

Word word_of(std::string_view reply) {
  const std::string_view word = trim(reply);
  if (word == "unsat") return Word::unsat;
  if (word == "sat") return Word::sat;
  return word == "unknown" ? Word::unknown : Word::garbage;
}

Reason reason_of_garbage(std::string_view text) {
  return mentions(text, {"out of memory", "bad_alloc", "memout"}) ? Reason::memory_limit
                                                                  : Reason::solver_crash;
}

Reason reason_of_unknown(std::string_view text) {
  // Z3 says "canceled" when its resource limit stopped it in the middle of a tactic; nobody else cancels it.
  if (mentions(text, {"resource", "canceled"})) return Reason::resource_limit;
  if (mentions(text, {"memout", "memory"})) return Reason::memory_limit;
  return mentions(text, {"timeout"}) ? Reason::wall_limit : Reason::gave_up;
}

std::uint64_t units_in(std::string_view reply) {
  for (const std::string_view key :
       {std::string_view(":rlimit "), std::string_view("resourceUnitsUsed\" ")}) {
    const std::size_t at = reply.find(key);
    if (at == std::string_view::npos) continue;
    std::uint64_t out = 0;
    for (std::size_t i = at + key.size(); i < reply.size() && reply[i] >= '0' && reply[i] <= '9'; ++i)
      out = out * 10 + static_cast<std::uint64_t>(reply[i] - '0');
    return out;
  }
  return 0;
}

std::vector<std::pair<std::string, Value>> parse_model(
    std::string_view reply, const std::vector<std::pair<std::string, std::string>>& variables,
    const std::vector<Sort>& sorts) {
  std::vector<std::pair<std::string, Value>> out;
  const std::optional<Expression> all = Reader(reply).read();
  if (!all || !all->is_list) return out;
  std::map<std::string, const Expression*> printed;
  for (const Expression& pair : all->items)
    if (pair.items.size() == 2 && !pair.items[0].is_list) printed.emplace(pair.items[0].atom, &pair.items[1]);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto found = printed.find(variables[i].second);
    if (found == printed.end()) continue;
    if (const auto value = value_of(*found->second, sorts[i])) out.emplace_back(variables[i].first, *value);
  }
  return out;
}

}  // namespace hallmark::smt
