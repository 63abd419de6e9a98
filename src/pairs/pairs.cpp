#include "pairs/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/error.h"
#include "calculus/text/text.h"
#include "certificate/farkas.h"

namespace hallmark::pairs {
namespace {

using namespace calculus;

constexpr std::size_t most_products = 64, most_facts = 64;

std::size_t natural(const std::string& text) {
  if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos)
    throw NotShown{"'" + text.substr(0, 40) + "' is no number"};
  return std::stoul(text);
}

std::vector<std::size_t> naturals(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::size_t> out;
  for (std::string word; in >> word;) out.push_back(natural(word));
  return out;
}

class Checker {
 public:
  explicit Checker(const std::vector<std::string>& steps) : steps_(steps) {}

  void instance(const Sides& sides) {
    const Instance known(sides);
    for (const std::string& line : known.heading())
      if (next() != line)
        throw NotShown{"'" + shown(steps_[at_ - 1]) + "' stands where it should say '" + shown(line) + "'"};
    std::vector<Rational> rest;
    for (std::size_t n = 0; n < known.size(); ++n) rest.push_back(known.coefficient(n));
    while (at_ < steps_.size()) {
      if (take("pair ")) {
        pair(known, naturals(rest_of_line_), rest);
      } else if (take("empty ")) {
        const std::size_t n = natural(rest_of_line_);
        if (n >= rest.size() || rest[n] == 0) throw NotShown{"nothing is left of an empty summand"};
        show_all(known, claims_of_emptiness(known.facts(), known.first(n)));
        rest[n] = 0;
      } else {
        break;
      }
    }
    for (std::size_t n = 0; n < rest.size(); ++n)
      if (rest[n] != 0) throw NotShown{fmt::format("summand {} has no partner", n)};
  }
  bool at_end() const { return at_ == steps_.size(); }

 private:
  static std::string shown(const std::string& line) { return line.substr(0, 160); }
  const std::string& next() {
    if (at_ == steps_.size()) throw NotShown{"the steps end too early"};
    return steps_[at_++];
  }
  bool take(const std::string& verb) {
    if (at_ == steps_.size() || !steps_[at_].starts_with(verb)) return false;
    rest_of_line_ = steps_[at_++].substr(verb.size());
    return true;
  }

  void pair(const Instance& known, const std::vector<std::size_t>& which, std::vector<Rational>& rest) {
    if (which.size() != 2 || which[0] >= rest.size() || which[1] >= rest.size())
      throw NotShown{"a pair of no two summands"};
    Rational &a = rest[which[0]], &b = rest[which[1]];
    if (sgn(a) * sgn(b) >= 0) throw NotShown{"a pair that does not cancel"};
    const Summand first = known.first(which[0]), second = known.second(which[1]);
    Maps maps;
    maps.phi = images(known, "phi ", second.binders);
    maps.psi = images(known, "psi ", first.binders);
    if (!take("factors")) throw NotShown{"the pairs of factors are missing"};
    maps.factors = naturals(rest_of_line_);
    show_all(known, claims_of(known.facts(), first, second, maps));
    const Rational moved = abs(a) < abs(b) ? a : Rational(-b);
    a -= moved;
    b += moved;
  }

  std::vector<Term> images(const Instance& known, const std::string& verb, const std::vector<Binder>& of) {
    std::vector<Term> out;
    for (const Binder& b : of) {
      if (!take(verb + b.variable->name + " = "))
        throw NotShown{"the map of " + b.variable->name + " is missing"};
      out.push_back(known.parse(rest_of_line_));
    }
    return out;
  }

  // All claims about one pair or empty set.
  void show_all(const Instance& known, const std::vector<Claim>& claims) {
    int direction = -1;
    std::vector<Term> had;
    for (Claim claim : claims) {
      if (claim.direction != direction) had.clear();
      direction = claim.direction;
      claim.hypotheses.insert(claim.hypotheses.end(), had.begin(), had.end());
      while (take("have ")) {
        const Term fact = known.parse(rest_of_line_);
        if (had.size() == most_facts) throw NotShown{"more facts than are looked at"};
        if (fact->kind != Kind::at_most_zero)
          throw NotShown{"'" + shown(rest_of_line_) + "' is no inequality"};
        Claim first = claim;
        first.goal = fact;
        close(known, first);
        had.push_back(fact);
        claim.hypotheses.push_back(fact);
      }
      const std::string goal = known.print(claim.goal);
      if (!take("show ")) throw NotShown{"it is not shown that " + shown(goal)};
      if (rest_of_line_ != goal)
        throw NotShown{"'" + shown(rest_of_line_) + "' is shown instead of '" + shown(goal) + "'"};
      close(known, claim);
    }
  }

  void close(const Instance& known, Claim claim) {
    while (take("times ")) {
      const std::vector<std::size_t> product = naturals(rest_of_line_);
      if (product.size() != 2) throw NotShown{"a product of no two inequalities"};
      if (claim.products.size() == most_products) throw NotShown{"more products than are looked at"};
      claim.products.emplace_back(product[0], product[1]);
    }
    std::vector<std::string> refutation;
    while (at_ < steps_.size() && is_refutation(steps_[at_])) refutation.push_back(steps_[at_++]);
    certificate::Query query(query_text(claim));
    if (const std::string fault = certificate::check_farkas(query, refutation); !fault.empty())
      throw NotShown{"it is not shown that " + shown(known.print(claim.goal)) + ": " + fault};
  }

  static bool is_refutation(const std::string& line) {
    return line.starts_with("split ") || line.starts_with("branch ") || line.starts_with("cut ") ||
           line.starts_with("close ");
  }

  const std::vector<std::string>& steps_;
  std::size_t at_ = 0;
  std::string rest_of_line_;
};

// The letter, as often as it takes for it to begin no symbol's name.
std::string unlike(std::string letter, const std::set<std::string>& symbols) {
  const std::string once = letter;
  while (std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string& s) { return s.starts_with(letter); }))
    letter += once;
  return letter;
}

}  // namespace

Instance::Instance(const Sides& sides)
    : sides_(sides), facts_(facts_of(sides)), summands_(difference_of(sides)) {
  std::set<std::string> symbols;
  for (const SymbolRange& s : sides_.symbols) symbols.insert(s.name);
  first_ = unlike(first_, symbols);
  second_ = unlike(second_, symbols);
  axis_ = unlike(axis_, symbols);
}

std::string Instance::print(Term term) const {
  text::Scope scope;
  std::vector<std::string> axes;
  for_each_node(term, [&](Term n) {
    if (n->kind == Kind::symbol || n->kind == Kind::variable) scope.names[n->name] = n;
    if (n->kind == Kind::axis)
      while (axes.size() <= static_cast<std::size_t>(n->number))
        axes.push_back(axis_ + std::to_string(axes.size()));
  });
  return text::print_term(term, scope, axes);
}

Term Instance::parse(const std::string& written) const {
  // A number by itself would be read as an element.
  if (!written.empty() && written.size() < 40 &&
      written.find_first_not_of("0123456789", written[0] == '-' ? 1 : 0) == std::string::npos &&
      written != "-")
    return integer(Integer(written));
  text::Scope scope;
  std::vector<std::string> axes;
  for (const SymbolRange& s : sides_.symbols) scope.names[s.name] = symbol(s.name);
  for (std::size_t i = 0; i < sides_.extents.size(); ++i) axes.push_back(axis_ + std::to_string(i));
  for (const Summand& s : summands_)
    for (std::size_t i = 1; i <= s.binders.size(); ++i)
      for (const std::string& letter : {first_, second_})
        scope.names[letter + std::to_string(i)] = variable(letter + std::to_string(i));
  return text::parse_term(written, "certificate", scope, axes);
}

std::string Instance::print(const Summand& summand) const {
  std::string out = summand.coefficient.get_str();
  if (!summand.binders.empty() || summand.guard != truth(true)) {
    out += " * sum(";
    for (std::size_t i = 0; i < summand.binders.size(); ++i)
      out += fmt::format("{}{} < {}", i == 0 ? "" : ", ", summand.binders[i].variable->name,
                         print(summand.binders[i].extent));
    if (summand.guard != truth(true))
      out += (summand.binders.empty() ? "where " : " where ") + print(summand.guard);
    out += ")";
  }
  for (Term f : summand.factors) out += " * " + print(f);
  return out;
}

std::vector<std::string> Instance::heading() const {
  std::vector<std::string> out{"sides " + sides_.name};
  for (Term fact : facts_) out.push_back("given " + print(fact));
  for (std::size_t n = 0; n < summands_.size(); ++n) out.push_back("sum " + print(first(n)));
  return out;
}

std::string check(const std::vector<Sides>& instances, const std::vector<std::string>& steps) {
  if (instances.empty()) return "there are no two sides to compare";
  try {
    Checker checker(steps);
    for (const Sides& sides : instances) checker.instance(sides);
    return checker.at_end() ? "" : "steps follow after the last instance";
  } catch (const NotShown& reason) {
    return reason.why;
  } catch (const UserError& error) {
    return error.message();
  }
}

}  // namespace hallmark::pairs
