#include <fmt/format.h>

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/sha256.h"
#include "smt/evaluate.h"
#include "smt/query.h"

namespace hallmark::smt {
namespace {

const char* operator_name(Op op) {
  switch (op) {
    case Op::negation:
      return "not";
    case Op::conjunction:
      return "and";
    case Op::disjunction:
      return "or";
    case Op::implication:
      return "=>";
    case Op::ite:
      return "ite";
    case Op::equal:
      return "=";
    case Op::distinct:
      return "distinct";
    case Op::add:
      return "+";
    case Op::multiply:
      return "*";
    case Op::negate:
      return "-";
    case Op::divide:
      return "/";
    case Op::div:
      return "div";
    case Op::mod:
      return "mod";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::to_real:
      return "to_real";
    case Op::to_integer:
      return "to_int";
    case Op::bv_add:
      return "bvadd";
    case Op::bv_multiply:
      return "bvmul";
    case Op::bv_negate:
      return "bvneg";
    case Op::bv_and:
      return "bvand";
    case Op::bv_or:
      return "bvor";
    case Op::bv_xor:
      return "bvxor";
    case Op::bv_not:
      return "bvnot";
    case Op::bv_shift_left:
      return "bvshl";
    case Op::bv_shift_right:
      return "bvlshr";
    case Op::bv_shift_right_arithmetic:
      return "bvashr";
    case Op::bv_unsigned_divide:
      return "bvudiv";
    case Op::bv_unsigned_remainder:
      return "bvurem";
    case Op::bv_unsigned_less:
      return "bvult";
    case Op::bv_unsigned_less_equal:
      return "bvule";
    case Op::bv_signed_less:
      return "bvslt";
    case Op::bv_signed_less_equal:
      return "bvsle";
    case Op::bv_concat:
      return "concat";
    case Op::bv_to_natural:
      return "bv2nat";
    default:
      throw InternalError("an SMT operation without a plain name");
  }
}

std::string operator_text(Term t) {
  switch (t.op()) {
    case Op::bv_extract:
      return fmt::format("(_ extract {} {})", t.first(), t.second());
    case Op::bv_zero_extend:
      return fmt::format("(_ zero_extend {})", t.first());
    case Op::bv_sign_extend:
      return fmt::format("(_ sign_extend {})", t.first());
    case Op::integer_to_bv:
      return fmt::format("(_ int2bv {})", t.first());
    default:
      return operator_name(t.op());
  }
}

std::string sort_text(Sort sort) {
  return sort.kind() == SortKind::uninterpreted ? "s_" + escape_name(sort.name()) : to_string(sort);
}

std::string symbol_text(const Function& f) {
  return (f.domain.empty() ? "v_" : "f_") + escape_name(f.name);
}

std::string constant_text(Sort sort, const Rational& value) {
  const auto whole = [](const Integer& i, const char* tail) {
    return i < 0 ? fmt::format("(- {}{})", Integer(-i).get_str(), tail) : i.get_str() + tail;
  };
  if (!sort.is_real()) return sort.is_integer() ? whole(value.get_num(), "") : to_string(Value{sort, value});
  if (value.get_den() == 1) return whole(value.get_num(), ".0");
  return fmt::format("(/ {} {}.0)", whole(value.get_num(), ".0"), value.get_den().get_str());
}

bool is_leaf(Term t) {
  return t.args().empty();
}

// Writes terms; a term in `names` is written by its name.
class Printer {
 public:
  std::unordered_map<Term, std::string> names;

  // The term itself, not by its own name.
  void write(Term root, std::string& out) const {
    struct Frame {
      Term term;
      std::size_t next;
    };
    if (is_leaf(root)) {
      out += leaf(root);
      return;
    }
    std::vector<Frame> stack;
    open(root, out);
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == top.term.args().size()) {
        out += ')';
        stack.pop_back();
        continue;
      }
      const Term argument = top.term.args()[top.next++];
      out += ' ';
      const auto named = names.find(argument);
      if (named != names.end()) {
        out += named->second;
      } else if (is_leaf(argument)) {
        out += leaf(argument);
      } else {
        open(argument, out);
        stack.push_back({argument, 0});
      }
    }
  }

 private:
  static std::string leaf(Term t) {
    return t.is_constant() ? constant_text(t.sort(), t.value()) : symbol_text(*t.function());
  }
  static void open(Term t, std::string& out) {
    out += '(';
    out += t.op() == Op::apply ? symbol_text(*t.function()) : operator_text(t);
  }
};

// A comment must stay on its line, and a quoted symbol must not end early.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' || c == '\r' || c == '|' || c == '\\' || c < ' ' ? ' ' : c;
  return out;
}

struct Declarations {
  std::set<std::string> sorts;
  std::map<std::string, const Function*> functions;  // by printed name
};

Declarations declarations_of(const std::vector<Term>& all) {
  Declarations out;
  const auto use = [&](Sort sort) {
    if (sort.kind() == SortKind::uninterpreted) out.sorts.insert(sort_text(sort));
  };
  for (const Term t : all) {
    if (t.op() != Op::apply) continue;
    out.functions.emplace(symbol_text(*t.function()), t.function());
    use(t.function()->range);
    for (const Sort sort : t.function()->domain) use(sort);
  }
  return out;
}

}  // namespace

std::string escape_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (plain)
      out += c;
    else
      out += fmt::format("${:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string to_smtlib(Term term) {
  std::string out;
  Printer().write(term, out);
  return out;
}

QueryText print_assertions(Purpose purpose, const std::string& title,
                           const std::vector<Hypothesis>& assertions, const std::string& expected) {
  std::vector<Term> roots;
  for (const Hypothesis& h : assertions) {
    ensure(h.formula && h.formula.sort().is_boolean(), "a query needs Bool formulas");
    roots.push_back(h.formula);
  }
  const std::vector<Term> all = subterms(roots);
  const Declarations declared = declarations_of(all);

  QueryText out;
  out.purpose = purpose;
  out.expected = expected;
  std::string& text = out.text;
  text += "(set-info :smt-lib-version 2.6)\n";
  if (!title.empty()) text += fmt::format("(set-info :source |{}|)\n", one_line(title));
  // A comment: Z3 answers an error, and cvc5 aborts, when the answer is not the :status of a set-info.
  text += fmt::format("; expected: {}\n(set-logic {})\n", expected, logic_of(roots));
  for (const std::string& sort : declared.sorts) text += fmt::format("(declare-sort {} 0)\n", sort);
  for (const auto& [name, function] : declared.functions) {
    std::string domain;
    for (const Sort sort : function->domain) domain += (domain.empty() ? "" : " ") + sort_text(sort);
    text += fmt::format("(declare-fun {} ({}) {})\n", name, domain, sort_text(function->range));
    if (!function->domain.empty() || function->range.kind() == SortKind::uninterpreted) continue;
    out.variables.emplace_back(function->name, name);
    out.variable_sorts.push_back(function->range);
  }

  std::unordered_map<Term, unsigned> uses;
  for (const Term t : all)
    for (const Term argument : t.args()) ++uses[argument];
  for (const Term root : roots) ++uses[root];
  Printer printer;
  std::size_t shared = 0;
  std::unordered_set<Term> defined;
  // Definitions stand directly before the first assertion that uses them.
  for (const Hypothesis& h : assertions) {
    for (const Term t : subterms({h.formula})) {
      if (is_leaf(t) || uses[t] < 2 || !defined.insert(t).second) continue;
      std::string body;
      printer.write(t, body);
      const std::string name = fmt::format("t_{}", ++shared);
      text += fmt::format("(define-fun {} () {} {})\n", name, sort_text(t.sort()), body);
      printer.names.emplace(t, name);
    }
    if (!h.name.empty()) text += fmt::format("; {}\n", one_line(h.name));
    const auto named = printer.names.find(h.formula);
    std::string body = named != printer.names.end() ? named->second : std::string();
    if (body.empty()) printer.write(h.formula, body);
    text += fmt::format("(assert {})\n", body);
  }
  text += "(check-sat)\n";
  out.sha256 = sha256_hex(text);
  return out;
}

}  // namespace hallmark::smt
