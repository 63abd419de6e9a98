#include <algorithm>

#include "base/error.h"
#include "certificate/certificate.h"
#include "certify/find_farkas.h"
#include "pairs/pairs.h"

namespace hallmark::pairs {
namespace {

using namespace calculus;

constexpr std::size_t most_summands = 48, most_maps = 6, most_products = 48, most_claims = 4000;
// Each claim is small; one that needs more is not certified.
constexpr certify::Effort effort{1500, 200, 30};

class Finder {
 public:
  Finder(const Instance& instance, const Propose& propose, std::vector<std::string>& steps)
      : instance_(instance), propose_(propose), steps_(steps) {}

  bool run() {
    if (instance_.size() > most_summands) return false;
    std::vector<Rational> rest;
    for (std::size_t n = 0; n < instance_.size(); ++n) {
      rest.push_back(instance_.coefficient(n));
      if (instance_.first(n).guard != truth(true) && empty(n)) rest[n] = 0;
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
      for (std::size_t j = i + 1; j < rest.size() && rest[i] != 0; ++j) {
        if (sgn(rest[i]) * sgn(rest[j]) >= 0 || !pair(i, j)) continue;
        const Rational moved = abs(rest[i]) < abs(rest[j]) ? rest[i] : Rational(-rest[j]);
        rest[i] -= moved;
        rest[j] += moved;
      }
      if (rest[i] != 0) return false;
    }
    return true;
  }

 private:
  bool pair(std::size_t i, std::size_t j) {
    const Summand first = instance_.first(i), second = instance_.second(j);
    if (first.factors.size() != second.factors.size()) return false;
    bool done = false;
    std::size_t tried = 0;
    propose_(first, second, [&](const Maps& maps) {
      const std::size_t before = steps_.size();
      try {
        steps_.push_back("pair " + std::to_string(i) + " " + std::to_string(j));
        for (std::size_t d = 0; d < maps.phi.size(); ++d)
          steps_.push_back("phi " + second.binders.at(d).variable->name + " = " +
                           instance_.print(maps.phi[d]));
        for (std::size_t d = 0; d < maps.psi.size(); ++d)
          steps_.push_back("psi " + first.binders.at(d).variable->name + " = " +
                           instance_.print(maps.psi[d]));
        steps_.emplace_back("factors");
        for (const std::size_t f : maps.factors) steps_.back() += " " + std::to_string(f);
        done = show_all(claims_of(instance_.facts(), first, second, maps));
      } catch (const NotShown&) {
        done = false;
      }
      if (!done) steps_.resize(before);
      return done || ++tried >= most_maps;
    });
    return done;
  }

  bool empty(std::size_t n) {
    const std::size_t before = steps_.size();
    try {
      steps_.push_back("empty " + std::to_string(n));
      if (show_all(claims_of_emptiness(instance_.facts(), instance_.first(n)))) return true;
    } catch (const NotShown&) {
    }
    steps_.resize(before);
    return false;
  }

  bool show_all(const std::vector<Claim>& claims) {
    int direction = -1;
    std::vector<Term> had;
    for (Claim claim : claims) {
      if (claim.direction != direction) had.clear();
      direction = claim.direction;
      claim.hypotheses.insert(claim.hypotheses.end(), had.begin(), had.end());
      if (show(claim, "show ")) continue;
      for (Term fact : quotient_facts(claim)) {
        Claim first = claim;
        first.goal = fact;
        if (!show(first, "have ")) continue;
        had.push_back(fact);
        claim.hypotheses.push_back(fact);
      }
      if (!show(claim, "show ")) return false;
    }
    return true;
  }

  // Of quotients floor((d t + r) / d) by terms that are known to be positive: that they are t.
  static std::vector<Term> quotient_facts(const Claim& claim) {
    std::vector<Term> all = claim.hypotheses, out;
    all.push_back(claim.goal);
    for (Term t : all)
      for_each_node(t, [&](Term n) {
        Term whole = nullptr, rest = nullptr;
        if (n->kind != Kind::floor_div || out.size() > 16 ||
            std::find(claim.positive.begin(), claim.positive.end(), n->children[1]) == claim.positive.end() ||
            !affine_in(n->children[0], n->children[1], whole, rest) || whole == integer(0))
          return;
        for (Term fact : {at_most(n, whole), at_most(whole, n)})
          if (std::find(out.begin(), out.end(), fact) == out.end() &&
              std::find(all.begin(), all.end(), fact) == all.end())
            out.push_back(fact);
      });
    return out;
  }

  bool show(Claim claim, const char* verb) {
    if (++claims_ > most_claims) return false;
    if (close(claim, verb)) return true;
    for (const bool wide : {false, true}) {
      std::vector<std::pair<std::size_t, std::size_t>> products = products_for(claim, wide);
      if (products.empty() || products == claim.products) continue;
      claim.products = std::move(products);
      if (!refutation(claim)) continue;
      leave_out(claim);
      return close(claim, verb);
    }
    return false;
  }

  static std::optional<std::string> refutation(const Claim& claim) {
    return certify::find_farkas(query_text(claim), effort);
  }

  // The products that it can do without, in ever smaller parts.
  static void leave_out(Claim& claim) {
    for (std::size_t part = (claim.products.size() + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2)
      for (std::size_t at = 0; at < claim.products.size();) {
        Claim less = claim;
        const auto from = less.products.begin() + static_cast<std::ptrdiff_t>(at);
        less.products.erase(from,
                            from + static_cast<std::ptrdiff_t>(std::min(part, less.products.size() - at)));
        if (refutation(less))
          claim = std::move(less);
        else
          at += part;
      }
  }

  bool close(const Claim& claim, const char* verb) {
    const std::optional<std::string> found = refutation(claim);
    if (!found) return false;
    steps_.push_back(verb + instance_.print(claim.goal));
    for (const auto& [a, b] : claim.products)
      steps_.push_back("times " + std::to_string(a) + " " + std::to_string(b));
    const certificate::Certificate farkas = certificate::parse_certificate(*found, "certificate");
    steps_.insert(steps_.end(), farkas.steps.begin(), farkas.steps.end());
    return true;
  }

  // Products of inequalities whose own products occur in the claim: all of them, or one at least where
  // `wide`.
  static std::vector<std::pair<std::size_t, std::size_t>> products_for(const Claim& claim, bool wide) {
    const std::vector<Term> known = inequalities(claim);
    std::vector<Term> occurring;
    for (Term p : known)
      for (const Monomial& m : monomials(p))
        if (m.product != nullptr && m.product->kind == Kind::product) occurring.push_back(m.product);
    std::vector<std::pair<std::size_t, std::size_t>> out;
    // What the goal's negation says is last, and the most likely to be needed.
    for (std::size_t a = known.size(); a-- > 0;)
      for (std::size_t b = a; b-- > 0 && out.size() < most_products;) {
        std::size_t hits = 0, misses = 0;
        if (monomials(known[a]).size() * monomials(known[b]).size() > 4096) continue;
        for (const Monomial& m : monomials(multiply(known[a], known[b]))) {
          if (m.product == nullptr || m.product->kind != Kind::product) continue;
          const bool hit = std::find(occurring.begin(), occurring.end(), m.product) != occurring.end();
          (hit ? hits : misses) += 1;
        }
        if (hits > 0 && (wide || misses == 0)) out.emplace_back(a, b);
      }
    return out;
  }

  const Instance& instance_;
  const Propose& propose_;
  std::vector<std::string>& steps_;
  std::size_t claims_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> find(const std::vector<Sides>& instances, const Propose& propose) {
  std::vector<std::string> steps;
  try {
    for (const Sides& sides : instances) {
      const Instance instance(sides);
      for (std::string& line : instance.heading()) steps.push_back(std::move(line));
      if (!Finder(instance, propose, steps).run()) return std::nullopt;
    }
  } catch (const NotShown&) {
    return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
  return check(instances, steps).empty() ? std::optional(steps) : std::nullopt;
}

}  // namespace hallmark::pairs
