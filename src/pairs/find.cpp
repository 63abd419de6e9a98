#include <algorithm>

#include "base/error.h"
#include "certificate/certificate.h"
#include "certify/find_farkas.h"
#include "pairs/instance.h"
#include "pairs/pairs.h"

namespace hallmark::pairs {
namespace {

using namespace calculus;

constexpr std::size_t most_summands = 48, most_maps = 6, most_products = 48, most_claims = 4000,
                      most_elements = 200;
constexpr int most_parts = 3;
// Each claim is small; one that needs more is not certified.
constexpr certify::Effort effort{1500, 200, 30};

class Finder {
 public:
  Finder(const Propose& propose, std::vector<std::string>& steps) : propose_(propose), steps_(steps) {}

  // Writes the steps of the instance, or leaves them as they were.
  bool run(const Instance& instance) {
    if (instance.summands().size() > most_summands) return false;
    const std::size_t before = steps_.size();
    for (std::string& line : instance.heading()) steps_.push_back(std::move(line));
    if (instance.extremum() ? extremum(instance) : sums(instance)) return true;
    steps_.resize(before);
    return false;
  }

 private:
  bool sums(const Instance& known) {
    std::vector<Summand> rest = known.summands();
    for (std::size_t n = 0; n < rest.size(); ++n)
      if (known.first(rest[n]).guard != truth(true) && empty(known, rest[n], " " + std::to_string(n)))
        rest[n].coefficient = 0;
    // Parts of sums only after what corresponds as a whole.
    for (const bool by_parts : {false, true})
      for (std::size_t i = 0; i < rest.size(); ++i)
        for (std::size_t j = i + 1; j < rest.size(); ++j) {
          if (sgn(rest[i].coefficient) * sgn(rest[j].coefficient) >= 0) continue;
          if (!by_parts)
            pair(known, rest, i, j);
          else if (rest.size() <= most_summands && !pair(known, rest, i, j) &&
                   !pair_of_part(known, rest, i, j))
            pair_of_part(known, rest, j, i);
        }
    return std::all_of(rest.begin(), rest.end(), [](const Summand& s) { return s.coefficient == 0; });
  }

  // Writes the steps that `write` writes, or none.
  bool attempt(const std::function<bool()>& write) {
    const std::size_t before = steps_.size();
    try {
      if (write()) return true;
    } catch (const NotShown&) {
    } catch (const UserError&) {
    }
    steps_.resize(before);
    return false;
  }

  void write_images(const Instance& known, const char* verb, const std::vector<Binder>& of,
                    const std::vector<Term>& images) {
    for (std::size_t d = 0; d < images.size(); ++d)
      steps_.push_back(verb + of.at(d).variable->name + " = " + known.print(images[d]));
  }

  bool written(const Instance& known, std::size_t i, std::size_t j, const Summand& first,
               const Summand& second, const Maps& maps) {
    steps_.push_back("pair " + std::to_string(i) + " " + std::to_string(j));
    write_images(known, "phi ", second.binders, maps.phi);
    write_images(known, "psi ", first.binders, maps.psi);
    steps_.emplace_back("factors");
    for (const std::size_t f : maps.factors) steps_.back() += " " + std::to_string(f);
    return show_all(known, claims_of(known.facts(), known.around(), first, second, maps));
  }

  static void cancel(Summand& a, Summand& b) {
    const Rational moved = abs(a.coefficient) < abs(b.coefficient) ? a.coefficient : Rational(-b.coefficient);
    a.coefficient -= moved;
    b.coefficient += moved;
  }

  bool pair(const Instance& known, std::vector<Summand>& rest, std::size_t i, std::size_t j) {
    const Summand first = known.first(rest[i]), second = known.second(rest[j]);
    if (first.factors.size() != second.factors.size()) return false;
    bool done = false;
    std::size_t tried = 0;
    propose_(first, second, [&](const Maps& maps) {
      done = attempt([&] { return written(known, i, j, first, second, maps); });
      return done || ++tried >= most_maps;
    });
    if (done) cancel(rest[i], rest[j]);
    return done;
  }

  // Law SPLIT: where the map leads from elements of the larger set into the smaller one and back.
  static Term condition_of(const Summand& larger, const Summand& smaller, const std::vector<Term>& phi,
                           const std::vector<Term>& psi) {
    Substitution into, back;
    for (std::size_t d = 0; d < phi.size(); ++d) into[smaller.binders.at(d).variable] = phi[d];
    Term out = truth(true);
    for (Term member : membership(smaller)) out = both(out, substitute(member, into));
    for (std::size_t d = 0; d < psi.size(); ++d)
      out = both(out, equal(substitute(psi[d], into), larger.binders.at(d).variable));
    return out;
  }

  bool pair_of_part(const Instance& known, std::vector<Summand>& rest, std::size_t larger,
                    std::size_t smaller) {
    const Summand first = known.first(rest[larger]), second = known.second(rest[smaller]);
    if (first.factors.size() != second.factors.size() || rest[larger].coefficient == 0 ||
        rest[smaller].coefficient == 0)
      return false;
    bool done = false;
    std::size_t tried = 0;
    propose_(first, second, [&](const Maps& maps) {
      done = attempt([&] {
        const Term where = condition_of(first, second, maps.phi, maps.psi);
        if (where == truth(true)) return false;
        const Summand part = part_of(first, known.around(), where, true),
                      other = part_of(first, known.around(), where, false);
        steps_.push_back("part " + std::to_string(larger) + " where " + known.print(where));
        if (known.parse(known.print(where)) != where) return false;
        if (!written(known, rest.size(), smaller, known.first(part), second, maps)) return false;
        rest[larger].coefficient = 0;
        rest.push_back(part);
        rest.push_back(other);
        return true;
      });
      return done || ++tried >= most_maps;
    });
    if (!done) return false;
    cancel(rest[rest.size() - 2], rest[smaller]);
    if (empty(known, rest.back(), " " + std::to_string(rest.size() - 1))) rest.back().coefficient = 0;
    return true;
  }

  bool empty(const Instance& known, const Summand& summand, const std::string& number) {
    return attempt([&] {
      steps_.push_back("empty" + number);
      return show_all(known, claims_of_emptiness(known.facts(), known.first(summand)));
    });
  }

  bool extremum(const Instance& known) {
    for (std::size_t n = 0; n < known.summands().size(); ++n)
      if (!within(known, n < known.left_count(), known.summands()[n], 0)) return false;
    return true;
  }

  bool within(const Instance& known, bool left, const Summand& part, int depth) {
    const Summand first = known.first(part);
    if (first.guard != truth(true) && empty(known, part, "")) return true;
    const std::size_t from = left ? known.left_count() : 0,
                      to = left ? known.summands().size() : known.left_count();
    const auto each = [&](const std::function<bool(std::size_t, const Summand&, const Maps&)>& use) {
      bool done = false;
      for (std::size_t m = from; m < to && !done; ++m) {
        const Summand second = known.second(known.summands()[m]);
        std::size_t tried = 0;
        propose_(first, second, [&](const Maps& maps) {
          done = attempt([&] { return use(m, second, maps); });
          return done || ++tried >= most_maps;
        });
      }
      return done;
    };
    const auto whole = [&](const Summand& of, std::size_t m, const Summand& second, const Maps& maps) {
      steps_.push_back("within " + std::to_string(m));
      write_images(known, "phi ", second.binders, maps.phi);
      return show_all(known, claims_within(known.facts(), known.around(), known.first(of), second, maps.phi));
    };
    if (each([&](std::size_t m, const Summand& second, const Maps& maps) {
          return whole(part, m, second, maps);
        }))
      return true;
    if (depth >= most_parts) return false;
    return each([&](std::size_t m, const Summand& second, const Maps& maps) {
      const Term where = condition_of(first, second, maps.phi, {});
      if (where == truth(true) || known.parse(known.print(where)) != where) return false;
      steps_.push_back("part where " + known.print(where));
      return whole(part_of(first, known.around(), where, true), m, second, maps) &&
             within(known, left, part_of(first, known.around(), where, false), depth + 1);
    });
  }

  bool show_all(const Instance& known, const Claims& claims) {
    if (!show_all(known, claims.indices)) return false;
    for (const Inner& element : claims.elements) {
      if (++elements_ > most_elements || !run(Instance(known, element))) return false;
      steps_.emplace_back("end");
    }
    return true;
  }

  bool show_all(const Instance& known, const std::vector<Claim>& claims) {
    int direction = -1;
    std::vector<Term> had;
    for (Claim claim : claims) {
      if (claim.direction != direction) had.clear();
      direction = claim.direction;
      claim.hypotheses.insert(claim.hypotheses.end(), had.begin(), had.end());
      if (show(known, claim, "show ")) continue;
      for (Term fact : quotient_facts(claim)) {
        Claim first = claim;
        first.goal = fact;
        if (!show(known, first, "have ")) continue;
        had.push_back(fact);
        claim.hypotheses.push_back(fact);
      }
      if (!show(known, claim, "show ")) return false;
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

  bool show(const Instance& known, Claim claim, const char* verb) {
    if (++claims_ > most_claims) return false;
    if (close(known, claim, verb)) return true;
    for (const bool wide : {false, true}) {
      std::vector<std::pair<std::size_t, std::size_t>> products = products_for(claim, wide);
      if (products.empty() || products == claim.products) continue;
      claim.products = std::move(products);
      if (!refutation(claim)) continue;
      leave_out(claim);
      return close(known, claim, verb);
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

  bool close(const Instance& known, const Claim& claim, const char* verb) {
    const std::optional<std::string> found = refutation(claim);
    if (!found) return false;
    steps_.push_back(verb + known.print(claim.goal));
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

  const Propose& propose_;
  std::vector<std::string>& steps_;
  std::size_t claims_ = 0, elements_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> find(const std::vector<Sides>& instances, const Propose& propose) {
  std::vector<std::string> steps;
  try {
    for (const Sides& sides : instances) {
      if (!Finder(propose, steps).run(Instance(sides))) return std::nullopt;
    }
  } catch (const NotShown&) {
    return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
  return check(instances, steps).empty() ? std::optional(steps) : std::nullopt;
}

}  // namespace hallmark::pairs
