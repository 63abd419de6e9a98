// coverage: each element that an ensure names is written.
//
// The writer of an element is a guess, found by inverting the offset of each store; that one of them is there
// is a claim. A thread that writes a tile of elements has a store for each, and of each of them its own
// residues of the element's coordinates: a coordinate c is taken apart as V*s*q + s*e + r with 0 <= e < V and
// 0 <= r < s, once for each e, so that the stores of other residues drop out before a solver is asked. Every
// c is that of one q, e and r, so that nothing is lost.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "validator/checks/accumulate.h"
#include "validator/checks/examine.h"
#include "validator/checks/match.h"
#include "validator/checks/specification.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

constexpr std::size_t most_cases = 64;

// A coordinate as (count * step) * q + step * e + r.
struct Residues {
  std::size_t axis = 0;
  Integer step = 1, count = 1;
};

// By how many elements along each axis one store is from another; nothing where they differ otherwise.
std::optional<std::vector<Integer>> steps_between(Term from, Term to, const std::vector<Term>& strides) {
  Term left = calculus::subtract(to, from);
  std::vector<Integer> out(strides.size(), Integer(0));
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const std::vector<calculus::Monomial> stride = calculus::monomials(strides[d]);
    if (stride.empty()) return std::nullopt;
    // By the longest product of the stride: outer axes come first.
    const calculus::Monomial longest =
        *std::max_element(stride.begin(), stride.end(), [](const auto& a, const auto& b) {
          return factors_of(a.product).size() < factors_of(b.product).size();
        });
    for (const calculus::Monomial& m : calculus::monomials(left))
      if (m.product == longest.product) out[d] = floor_div(m.coefficient, longest.coefficient);
    left = calculus::subtract(left, calculus::scale(out[d], strides[d]));
  }
  if (left != calculus::integer(0)) return std::nullopt;
  return out;
}

// The lowest digit of a set of numbers that has 0: {0, s, .., (V - 1) s} and multiples of V s above them.
Residues lowest_digit(std::size_t axis, std::set<Integer> numbers) {
  const Integer first = *numbers.begin();
  std::set<Integer> from_zero;
  for (const Integer& n : numbers) from_zero.insert(n - first);
  Residues out{axis, 1, 1};
  if (from_zero.size() < 2) return out;
  out.step = *std::next(from_zero.begin());
  while (from_zero.count(out.count * out.step) != 0) ++out.count;
  return out;
}

// The residues that tell the stores of a tile apart: the same for all groups of stores that are whole numbers
// of elements apart. None where there is no such tile.
std::vector<Residues> tile_of(const std::vector<const Event*>& stores, const std::vector<Term>& strides) {
  std::vector<std::vector<const Event*>> groups;
  std::vector<std::vector<std::set<Integer>>> numbers;
  for (const Event* store : stores) {
    bool known = false;
    for (std::size_t g = 0; g < groups.size() && !known; ++g)
      if (const auto steps = steps_between(groups[g].front()->offset, store->offset, strides)) {
        known = true;
        groups[g].push_back(store);
        for (std::size_t d = 0; d < strides.size(); ++d) numbers[g][d].insert((*steps)[d]);
      }
    if (known) continue;
    groups.push_back({store});
    numbers.emplace_back(strides.size(), std::set<Integer>{Integer(0)});
  }
  std::vector<Residues> out;
  Integer cases = 1;
  for (std::size_t d = 0; d < strides.size() && !groups.empty(); ++d) {
    const Residues digit = lowest_digit(d, numbers[0][d]);
    const bool all = std::all_of(numbers.begin(), numbers.end(), [&](const auto& group) {
      const Residues other = lowest_digit(d, group[d]);
      return other.step == digit.step && other.count == digit.count;
    });
    if (!all || digit.count == 1) continue;
    out.push_back(digit);
    cases *= digit.count;
  }
  if (cases > Integer(static_cast<long>(most_cases))) out.clear();
  return out;
}

class Coverage {
 public:
  Coverage(const plan::KernelSpec& spec, const Trace& trace, Prover& prover, const plan::Ensure& ensure)
      : spec_(spec),
        trace_(trace),
        prover_(prover),
        ensure_(ensure),
        buffer_(buffer_of(spec, ensure.buffer)) {
    for (const Event& store : trace.events) {
      if (store.kind != Event::Kind::store || store.memory < 0) continue;
      const Memory& memory = trace.memories[static_cast<std::size_t>(store.memory)];
      if (memory.parameter == &buffer_ || memory.name == ensure.buffer) stores_.push_back(&store);
    }
  }

  // By the residues of the tile that a thread writes.
  bool by_tile(const std::vector<Term>& facts, const Scope& launch) {
    std::vector<Term> strides;
    for (std::size_t d = 0; d < ensure_.domain.size() && !stores_.empty(); ++d) {
      const Term axis = calculus::axis(static_cast<int>(d));
      Term stride = nullptr, rest = nullptr;
      if (!calculus::affine_in(target(*stores_[0]), axis, stride, rest)) return false;
      strides.push_back(stride);
    }
    const std::vector<Residues> tile = tile_of(stores_, strides);
    if (tile.empty()) return false;
    const std::size_t mark = prover_.mark();
    std::vector<Integer> residues(tile.size(), Integer(0));
    for (;;) {
      if (!case_holds(tile, residues, facts, launch)) {
        prover_.rewind(mark);
        return false;
      }
      std::size_t n = 0;
      while (n < tile.size() && ++residues[n] == tile[n].count) residues[n++] = 0;
      if (n == tile.size()) return true;
    }
  }

  // Whether one of the stores writes the element with these coordinates. `writers`: when each of them does.
  bool holds(const calculus::Substitution& coordinates, const Scope& scope, std::vector<Term>& writers) {
    Arithmetic arithmetic(prover_, true);
    for (const Event* store : stores_) {
      const Term element = calculus::substitute(target(*store), coordinates);
      std::vector<Term> unknowns;
      for (int d = 0; d < 3; ++d) {
        if (grid_extent(spec_, d) != calculus::integer(1)) unknowns.push_back(block_symbol(d));
        if (block_extent(spec_, d) != calculus::integer(1)) unknowns.push_back(thread_symbol(d));
      }
      for (int loop : store->loops)
        unknowns.push_back(trace_.loops[static_cast<std::size_t>(loop)].iteration);
      for (bool floors : {false, true}) {
        const std::size_t mark = prover_.mark();
        const auto inverse =
            invert(store->offset, unknowns, store->scope->facts(), element, scope, arithmetic, {floors});
        if (!inverse) continue;
        std::vector<Term> parts{calculus::equal(
            simplify(calculus::substitute(store->offset, *inverse), scope, arithmetic), element)};
        for (Term fact : store->scope->facts()) {
          const Term there = simplify(calculus::substitute(fact, *inverse), scope, arithmetic);
          if (!scope->knows(there)) parts.push_back(there);
        }
        const Term condition = calculus::conjunction(parts);
        if (condition == calculus::truth(false)) {
          prover_.rewind(mark);
          continue;
        }
        if (prover_.rely(scope, condition) || holds_by_digits(condition, scope)) return true;
        writers.push_back(condition);
        if (writers.size() > 1 && prover_.rely(scope, calculus::disjunction(writers))) return true;
      }
    }
    return false;
  }

 private:
  // Quotients of one coordinate v by k1, k2, .., each a divisor of the next, are sums of its digits: with
  // v = d0 + k1 d1 + k2 d2 + .. and 0 <= d0 < k1, 0 <= k1 d1 < k2, .. the same is said of every v.
  bool holds_by_digits(Term condition, const Scope& scope) {
    std::map<Term, std::set<Integer>, calculus::TermLess> divisors;
    calculus::for_each_node(condition, [&](Term node) {
      if (node->kind != calculus::Kind::floor_div || !node->children[0]->children.empty()) return;
      const Integer* divisor = calculus::as_integer(node->children[1]);
      if (divisor != nullptr && *divisor > 1) divisors[node->children[0]].insert(*divisor);
    });
    calculus::Substitution map;
    std::vector<Term> ranges, highest;
    for (const auto& [coordinate, radices] : divisors) {
      Term sum = calculus::integer(0);
      Integer weight = 1;
      const auto digit = [&] {
        return calculus::variable(fmt::format("place.{}.{}", map.size(), weight.get_str()));
      };
      for (const Integer& radix : radices) {
        if (floor_mod(radix, weight) != 0) continue;
        ranges.push_back(calculus::in_range(digit(), calculus::integer(Integer(radix / weight))));
        sum = calculus::add(sum, calculus::scale(weight, digit()));
        weight = radix;
      }
      highest.push_back(digit());
      map[coordinate] = calculus::add(sum, calculus::scale(weight, highest.back()));
    }
    if (map.empty()) return false;
    const std::size_t mark = prover_.mark();
    Scope there = Context::extend(substitute(scope, map), ranges);
    for (Term q : highest) there = knowing_sign(there, q);
    Arithmetic arithmetic(prover_, true);
    if (prover_.rely(there, simplify(calculus::substitute(condition, map), there, arithmetic))) return true;
    prover_.rewind(mark);
    return false;
  }

  // That it is not negative is said of the quotient itself, so that intervals know it.
  Scope knowing_sign(const Scope& scope, Term quotient) {
    const Term not_negative = calculus::at_most(calculus::integer(0), quotient);
    return prover_.rely(scope, not_negative) ? Context::extend(scope, not_negative) : scope;
  }

  // In bytes, over the ensure's axes.
  Term target(const Event& store) const {
    return calculus::scale(from_u64(store.bytes), flatten(buffer_, ensure_.target));
  }

  bool case_holds(const std::vector<Residues>& tile, const std::vector<Integer>& residues,
                  const std::vector<Term>& facts, const Scope& launch) {
    calculus::Substitution coordinates;
    std::vector<Term> here, quotients;
    for (std::size_t n = 0; n < tile.size(); ++n) {
      const Residues& digit = tile[n];
      const Term q = calculus::variable(fmt::format("tile.{}", digit.axis)),
                 r = calculus::variable(fmt::format("tile.{}.rest", digit.axis));
      std::vector<Term> parts{calculus::scale(Integer(digit.count * digit.step), q),
                              calculus::integer(Integer(digit.step * residues[n]))};
      if (digit.step != 1) {
        parts.push_back(r);
        here.push_back(calculus::in_range(r, calculus::integer(digit.step)));
      }
      coordinates[calculus::axis(static_cast<int>(digit.axis))] = calculus::add(parts);
      quotients.push_back(q);
    }
    for (Term fact : facts) here.push_back(calculus::substitute(fact, coordinates));
    Scope scope = Context::extend(launch, here);
    for (Term q : quotients) scope = knowing_sign(scope, q);
    std::vector<Term> writers;
    return holds(coordinates, scope, writers);
  }

  const plan::KernelSpec& spec_;
  const Trace& trace_;
  Prover& prover_;
  const plan::Ensure& ensure_;
  const plan::Buffer& buffer_;
  std::vector<const Event*> stores_;
};

}  // namespace

// Whether the element held its value before the launch: then it does not matter whether a store reaches it,
// since each store is shown to leave the value.
bool Examiner::keeps_its_value(const plan::Ensure& ensure, const plan::Buffer& buffer, const Scope& scope) {
  if (buffer.access != plan::Access::inout || scope->contradictory()) return false;
  const std::size_t mark = prover_.mark();
  Arithmetic arithmetic(prover_, true);
  Matcher matcher(prover_);
  const calculus::Format format = buffer.declaration.format;
  const Term before =
      calculus::load(ensure.buffer, {simplify(flatten(buffer, ensure.target), scope, arithmetic)},
                     calculus::stored_sort(format));
  const Term wanted = simplify(prepare_value(spec_, ensure.value), scope, arithmetic);
  const bool same = calculus::is_float(format)
                        ? matcher.match_value(before, wanted, scope)
                        : matcher.match_integer(calculus::to_index(before), integer_reading(wanted),
                                                calculus::storage_bits(format), scope);
  if (!same) prover_.rewind(mark);
  return same;
}

Finding Examiner::coverage() {
  Finding out;
  out.holds = true;
  const Scope launch = launch_scope();
  for (std::size_t n = 0; n < spec_.ensures.size(); ++n) {
    const plan::Ensure& ensure = spec_.ensures[n];
    // Of an output without elements nothing is left to write, and compilers write nothing.
    if (std::any_of(ensure.domain.begin(), ensure.domain.end(),
                    [](Term extent) { return extent == calculus::integer(0); })) {
      out.rules.push_back("no element");
      continue;
    }
    std::vector<Term> facts;
    for (std::size_t d = 0; d < ensure.domain.size(); ++d)
      facts.push_back(calculus::in_range(calculus::axis(static_cast<int>(d)), ensure.domain[d]));
    if (ensure.guard != nullptr) facts.push_back(ensure.guard);
    const Scope scope = Context::extend(launch, facts);
    const plan::Buffer& buffer = buffer_of(spec_, ensure.buffer);
    // Where atomics add, an element that none of them names keeps its content, and the sum says that this is
    // its value.
    if (accumulates(trace_, ensure.buffer)) {
      if (adds_up(trace_, spec_, kernel_, ensure, launch, prover_, out)) continue;
      out.holds = false;
      return out;
    }
    Coverage stores(spec_, trace_, prover_, ensure);
    std::vector<Term> writers;
    if (stores.by_tile(facts, launch)) {
      out.rules.push_back("residues-of-a-tile");
      continue;
    }
    if (stores.holds({}, scope, writers)) continue;
    if (keeps_its_value(ensure, buffer,
                        Context::extend(scope, calculus::negation(calculus::disjunction(writers))))) {
      out.rules.push_back("contents-that-are-the-value");
      continue;
    }
    out.holds = false;
    out.failure = fmt::format("not every element of {} that ensure {} names is shown to be written",
                              ensure.buffer, n + 1);
    return out;
  }
  out.rules.push_back("writer-by-inversion");
  return out;
}

}  // namespace hallmark::validator
