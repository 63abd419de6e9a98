#include "pairs/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "certificate/farkas.h"
#include "pairs/instance.h"

namespace hallmark::pairs {
namespace {

using namespace calculus;

constexpr std::size_t most_products = 64, most_facts = 64, most_summands = 600;
constexpr int most_parts = 8;

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

  void instance(const Instance& known) {
    for (const std::string& line : known.heading())
      if (next() != line)
        throw NotShown{"'" + shown(steps_[at_ - 1]) + "' stands where it should say '" + shown(line) + "'"};
    if (known.extremum())
      extremum(known);
    else
      sums(known);
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

  // A line that is this word.
  bool word(const std::string& line) {
    if (at_ == steps_.size() || steps_[at_] != line) return false;
    ++at_;
    return true;
  }

  void sums(const Instance& known) {
    std::vector<Summand> rest = known.summands();  // with what is left of their coefficients
    const auto numbered = [&](const std::string& text) -> Summand& {
      const std::size_t n = natural(text);
      if (n >= rest.size() || rest[n].coefficient == 0) throw NotShown{"nothing is left of a summand"};
      return rest[n];
    };
    while (at_ < steps_.size()) {
      if (take("pair ")) {
        const std::vector<std::size_t> which = naturals(rest_of_line_);
        if (which.size() != 2 || which[0] >= rest.size() || which[1] >= rest.size())
          throw NotShown{"a pair of no two summands"};
        pair(known, rest[which[0]], rest[which[1]]);
      } else if (take("empty ")) {
        Summand& summand = numbered(rest_of_line_);
        show_all(known, claims_of_emptiness(known.facts(), known.first(summand)));
        summand.coefficient = 0;
      } else if (take("part ")) {
        if (rest.size() >= most_summands) throw NotShown{"more parts of summands than are looked at"};
        const std::size_t where = rest_of_line_.find(" where ");
        if (where == std::string::npos) throw NotShown{"a part without a condition"};
        const std::string condition = rest_of_line_.substr(where + 7);
        Summand& summand = numbered(rest_of_line_.substr(0, where));
        const auto [is, is_not] = parts_of(known, summand, condition);
        summand.coefficient = 0;
        rest.push_back(is);
        rest.push_back(is_not);
      } else {
        break;
      }
    }
    for (std::size_t n = 0; n < rest.size(); ++n)
      if (rest[n].coefficient != 0) throw NotShown{fmt::format("summand {} has no partner", n)};
  }

  static std::pair<Summand, Summand> parts_of(const Instance& known, const Summand& summand,
                                              const std::string& condition) {
    const Term where = known.parse(condition);
    const Summand whole = known.first(summand);
    return {part_of(whole, known.around(), where, true), part_of(whole, known.around(), where, false)};
  }

  void pair(const Instance& known, Summand& a, Summand& b) {
    if (sgn(a.coefficient) * sgn(b.coefficient) >= 0) throw NotShown{"a pair that does not cancel"};
    const Summand first = known.first(a), second = known.second(b);
    Maps maps;
    maps.phi = images(known, "phi ", second.binders);
    maps.psi = images(known, "psi ", first.binders);
    if (!take("factors")) throw NotShown{"the pairs of factors are missing"};
    maps.factors = naturals(rest_of_line_);
    show_all(known, claims_of(known.facts(), known.around(), first, second, maps));
    const Rational moved = abs(a.coefficient) < abs(b.coefficient) ? a.coefficient : Rational(-b.coefficient);
    a.coefficient -= moved;
    b.coefficient += moved;
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

  // Every element of each side is one of the other.
  void extremum(const Instance& known) {
    for (std::size_t n = 0; n < known.summands().size(); ++n)
      within(known, n < known.left_count(), known.summands()[n], 0);
  }

  void within(const Instance& known, bool left, const Summand& part, int depth) {
    if (depth > most_parts) throw NotShown{"more parts than are looked at"};
    if (word("empty")) return show_all(known, claims_of_emptiness(known.facts(), known.first(part)));
    if (take("part where ")) {
      const auto [is, is_not] = parts_of(known, part, rest_of_line_);
      within(known, left, is, depth + 1);
      return within(known, left, is_not, depth + 1);
    }
    if (!take("within ")) throw NotShown{"it is not said among which elements those of a part are"};
    const std::size_t of = natural(rest_of_line_);
    if (of >= known.summands().size() || (of < known.left_count()) == left)
      throw NotShown{"a part of the same side, or of none"};
    const Summand first = known.first(part), second = known.second(known.summands()[of]);
    const std::vector<Term> phi = images(known, "phi ", second.binders);
    show_all(known, claims_within(known.facts(), known.around(), first, second, phi));
  }

  void show_all(const Instance& known, const Claims& claims) {
    show_all(known, claims.indices);
    for (const Inner& element : claims.elements) {
      instance(Instance(known, element));
      if (!word("end")) throw NotShown{"steps about an inner element that are not expected"};
    }
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

}  // namespace

std::string check(const std::vector<Sides>& instances, const std::vector<std::string>& steps) {
  if (instances.empty()) return "there are no two sides to compare";
  try {
    Checker checker(steps);
    for (const Sides& sides : instances) checker.instance(Instance(sides));
    return checker.at_end() ? "" : "steps follow after the last instance";
  } catch (const NotShown& reason) {
    return reason.why;
  } catch (const UserError& error) {
    return error.message();
  }
}

}  // namespace hallmark::pairs
