#include "validator/symbolic/writers.h"

#include <algorithm>

#include "base/error.h"
#include "validator/symbolic/divide.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

// floor(p / 2) + floor((p + 1) / 2) = p: the two slots of a double buffer, one of them written as 1 - p % 2.
Term with_halves_joined(Term sum) {
  const std::vector<calculus::Monomial> parts = calculus::monomials(sum);
  struct Half {
    Term dividend, others;
    Integer coefficient;
  };
  std::vector<Half> halves;
  for (const calculus::Monomial& m : parts)
    for (Term factor : factors_of(m.product)) {
      if (factor->kind != Kind::floor_div || factor->children[1] != calculus::integer(2)) continue;
      Term others = calculus::integer(1), rest = nullptr;
      divide_by_product(m.product, factor, others, rest);
      halves.push_back({factor->children[0], others, m.coefficient});
    }
  Term out = sum;
  for (Half& a : halves)
    for (Half& b : halves) {
      if (a.coefficient == 0 || sgn(a.coefficient) != sgn(b.coefficient) || a.others != b.others ||
          b.dividend != calculus::add(a.dividend, calculus::integer(1)))
        continue;
      const Integer both = abs(a.coefficient) < abs(b.coefficient) ? a.coefficient : b.coefficient;
      const Term two = calculus::integer(2);
      const Term excess =
          calculus::subtract(calculus::subtract(a.dividend, calculus::floor_div(a.dividend, two)),
                             calculus::floor_div(b.dividend, two));
      out = calculus::add(out, calculus::scale(both, calculus::multiply(a.others, excess)));
      a.coefficient -= both;
      b.coefficient -= both;
    }
  return out;
}

// floor(r / b) = 0 for 0 <= r < b: the lower digits of a flat index that is put together and divided again.
Term without_small_rests(Term quotient, const Scope& scope, Arithmetic& arithmetic) {
  Term out = quotient;
  for (const calculus::Monomial& m : calculus::monomials(quotient)) {
    if (m.product == nullptr || m.product->kind != Kind::floor_div) continue;
    if (arithmetic.rely(scope, calculus::in_range(m.product->children[0], m.product->children[1])))
      out = calculus::subtract(out, calculus::scale(m.coefficient, m.product));
  }
  return out;
}

}  // namespace

Term simplify(Term term, const Scope& scope, Arithmetic& arithmetic) {
  bool divides = false;
  calculus::for_each_node(term, [&](Term node) { divides = divides || node->kind == Kind::floor_div; });
  if (!divides) return term;
  return calculus::rewrite(term, [&](Term node) -> Term {
    if (node->kind == Kind::polynomial) return with_halves_joined(node);
    if (node->kind != Kind::floor_div) return node;
    const Integer* c = calculus::as_integer(node->children[1]);
    if (c == nullptr) {
      // Extents and the like: a divisor that belongs to the launch.
      bool symbols = true;
      calculus::for_each_node(node->children[1], [&](Term leaf) {
        symbols = symbols && (leaf->kind == Kind::symbol || leaf->kind == Kind::integer ||
                              leaf->kind == Kind::polynomial || leaf->kind == Kind::product);
      });
      if (!symbols || !arithmetic.rely(scope, calculus::at_most(calculus::integer(1), node->children[1])))
        return node;
      return without_small_rests(arithmetic.divide_by(node->children[0], node->children[1], scope), scope,
                                 arithmetic);
    }
    return *c > 0 ? arithmetic.divide_by(node->children[0], node->children[1], scope) : node;
  });
}

namespace {

bool holds_name_of(const calculus::Substitution& names, Term term, bool itself) {
  if (itself || term == nullptr || !term->has_variables) return false;
  bool found = false;
  calculus::for_each_node(term, [&](Term node) {
    for (const auto& [own, other] : names) found = found || node == other;
  });
  return found;
}

}  // namespace

std::vector<Term> WriterSearch::thread_symbols() const {
  std::vector<Term> out;
  for (int d = 0; d < 3; ++d)
    if (block_extent(spec_, d) != calculus::integer(1)) out.push_back(thread_symbol(d));
  return out;
}

std::optional<WriterSearch::Named> WriterSearch::named(const Event& store, const Event& read,
                                                       const Visits& visits, const std::string& mark) const {
  const auto iterations = paths_.iterations(visits);
  if (!iterations) return std::nullopt;
  Named out;
  out.unknowns = thread_symbols();
  for (int loop : store.loops) {
    const Term it = trace_.loops[static_cast<std::size_t>(loop)].iteration;
    const bool common = std::find(read.loops.begin(), read.loops.end(), loop) != read.loops.end();
    if (const auto visit = iterations->find(it); visit != iterations->end())
      out.all[it] = visit->second;
    else if (common)
      out.all[it] = it;
    else
      out.unknowns.push_back(it);
  }
  const auto see = [&](Term term) {
    if (term == nullptr || !term->has_variables) return;
    calculus::for_each_node(term, [&](Term node) {
      if (node->kind != Kind::variable || out.all.count(node) != 0 ||
          std::find(out.unknowns.begin(), out.unknowns.end(), node) != out.unknowns.end())
        return;
      out.renamed[node] = out.all[node] = calculus::variable(node->name + mark, node->sort);
    });
  };
  for (Term fact : store.scope->facts()) see(fact);
  see(store.offset);
  see(store.value.term);
  see(store.of_part);
  return out;
}

WriterSearch::Named WriterSearch::primed(const Event& store, const std::vector<int>& shared) const {
  Named out;
  std::vector<Term> kept;
  for (int loop : store.loops) {
    const Term it = trace_.loops[static_cast<std::size_t>(loop)].iteration;
    if (std::find(shared.begin(), shared.end(), loop) != shared.end())
      kept.push_back(it);
    else
      out.unknowns.push_back(it);
  }
  for (Term symbol : thread_symbols()) out.unknowns.push_back(symbol);
  for (Term u : out.unknowns) out.all[u] = calculus::variable(u->name + "'", u->sort);
  const auto see = [&](Term term) {
    if (!term->has_variables) return;
    calculus::for_each_node(term, [&](Term node) {
      if (node->kind == Kind::variable && std::find(kept.begin(), kept.end(), node) == kept.end())
        out.all.try_emplace(node, calculus::variable(node->name + "'", node->sort));
    });
  };
  for (Term fact : store.scope->facts()) see(fact);
  see(store.offset);
  return out;
}

namespace {

// Accesses of one size that lie at multiples of it are the same or apart.
bool whole(const Event& event) {
  return event.instruction != nullptr && event.instruction->alignment % event.bytes == 0;
}

}  // namespace

bool WriterSearch::is_vector(const Event& store, const Event& read) {
  return store.of_part != nullptr && store.bytes == read.bytes && whole(store) && whole(read);
}
bool WriterSearch::is_rest_of_vector(const Event& store, const Event& read) {
  return is_vector(store, read) && store.lane > 0;
}

// Where the store has to begin, to write what is read.
Term WriterSearch::place(const Event& store, const Event& read) const {
  if (!is_vector(store, read)) return read.offset;
  Arithmetic arithmetic(prover_, true);
  const Integer bytes = from_u64(std::uint64_t{store.lanes} * store.bytes);
  return calculus::scale(bytes, arithmetic.divide(read.offset, bytes, read.scope));
}

// Which part of the vector is read.
Term WriterSearch::part(const Event& store, const Event& read) const {
  Arithmetic arithmetic(prover_, true);
  return arithmetic.divide(
      arithmetic.modulo(read.offset, from_u64(std::uint64_t{store.lanes} * store.bytes), read.scope),
      from_u64(store.bytes), read.scope);
}

std::vector<Term> WriterSearch::hits(const Event& store, const Event& read, const Named& names) const {
  std::vector<Term> facts;
  for (Term fact : store.scope->facts()) facts.push_back(calculus::substitute(fact, names.all));
  const Term there = calculus::substitute(store.offset, names.all);
  facts.push_back(
      store.bytes == read.bytes && whole(store) && whole(read)
          ? calculus::equal(there, place(store, read))
          : calculus::both(
                calculus::less(there, calculus::add(read.offset, calculus::integer(read.bytes))),
                calculus::less(read.offset, calculus::add(there, calculus::integer(store.bytes)))));
  return facts;
}

// Whether the store, as named, may write a byte of what is read.
bool WriterSearch::may_hit(const Event& store, const Event& read, const Named& names,
                           const std::vector<Term>& known) {
  std::vector<Term> facts = known;
  for (Term fact : hits(store, read, names)) facts.push_back(fact);
  const Term overlap = facts.back();
  facts.pop_back();
  return !prover_.rely(Context::extend(read.scope, facts), calculus::negation(overlap));
}

// Any thread's store at these visits.
bool WriterSearch::may_hit_at(const Layer::Store& found, const Event& read, const std::vector<Term>& known) {
  const Event& store = trace_.events[static_cast<std::size_t>(found.event)];
  auto names = named(store, read, found.visits, "'");
  if (!names) return true;
  for (Term u : names->unknowns) names->all[u] = calculus::variable(u->name + "'", u->sort);
  std::vector<Term> facts = known;
  facts.insert(facts.end(), found.when.begin(), found.when.end());
  return may_hit(store, read, *names, facts);
}

// Whether `later` may happen after the writer and before the read. `shared`: loops in one visit of which all
// three are; `when` says which visits of the next loop inside these are meant, over primed names.
bool WriterSearch::comes_between(const Writer& writer, int later, const Event& read, int read_id,
                                 std::vector<int>& shared, std::vector<Term>& when) const {
  const Event &s = trace_.events[static_cast<std::size_t>(writer.store)],
              &t = trace_.events[static_cast<std::size_t>(later)];
  const auto in = [](const std::vector<int>& loops, int loop) {
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
  };
  const auto visit_of = [&](int loop) {
    return std::find_if(writer.visits.begin(), writer.visits.end(),
                        [&](const Visit& v) { return v.loop == loop; });
  };
  // The outermost loop of which the writer and the read are in different visits.
  int apart = -1;
  for (int loop : read.loops) {
    const auto visit = visit_of(loop);
    if (in(s.loops, loop) && visit != writer.visits.end() && visit->back == 0 && !visit->ended) {
      shared.push_back(loop);
      continue;
    }
    if (!in(s.loops, loop) && !paths_.stored_in(loop, read.memory)) continue;
    apart = loop;
    break;
  }
  if (apart < 0)
    for (const Visit& visit : writer.visits)
      if (visit.ended && apart < 0) apart = visit.loop;
  const auto before_read = [&](std::vector<int> loops) {
    return (t.node == read.node && (read_id < 0 || later < read_id)) ||
           paths_.reaches(t.node, read.node, loops);
  };
  if (apart < 0 || !in(t.loops, apart)) {
    // Between two visits of one loop nothing outside it happens.
    if (apart >= 0 && in(s.loops, apart) && in(read.loops, apart)) return false;
    return paths_.precedes(writer.store, later, shared) && before_read(shared);
  }
  std::vector<int> once = shared;
  once.push_back(apart);
  const Term it = trace_.loops[static_cast<std::size_t>(apart)].iteration,
             other = calculus::variable(it->name + "'");
  if (in(s.loops, apart)) {
    const auto iterations = paths_.iterations(writer.visits);
    if (!iterations || iterations->count(it) == 0) return true;
    const Term first = iterations->at(it);
    when.push_back(paths_.precedes(writer.store, later, once) ? calculus::at_most(first, other)
                                                              : calculus::less(first, other));
  }
  if (in(read.loops, apart))
    when.push_back(before_read(once) ? calculus::at_most(other, it) : calculus::less(other, it));
  return true;
}

// What was found is the newest: paths with fewer barriers show older stores first, so that each store that
// may come later than one that is used has to miss the place where that one counts. Empty, or what is wrong.
std::string WriterSearch::newest(const Event& read, int read_id, const std::vector<Writer>& found,
                                 const Settled& settled) {
  std::vector<Term> known;  // none of the writers before this one
  for (const Writer& writer : found) {
    std::vector<Term> here = known;
    here.push_back(writer.condition);
    for (std::size_t t = 0; t < trace_.events.size(); ++t) {
      const Event& other = trace_.events[t];
      const int id = static_cast<int>(t);
      if (other.kind != Event::Kind::store && other.kind != Event::Kind::atomic) continue;
      if (other.memory >= 0 && other.memory != read.memory) continue;
      if (is_rest_of_vector(other, read)) continue;
      std::vector<int> shared;
      std::vector<Term> when = here;
      if (!comes_between(writer, id, read, read_id, shared, when)) continue;
      if (when.size() == here.size() &&
          std::any_of(settled.begin(), settled.end(), [&](const auto& known_miss) {
            const Visits& visits = known_miss.first.second;
            return known_miss.first.first == id && known_miss.second < writer.depth &&
                   std::all_of(visits.begin(), visits.end(),
                               [](const Visit& v) { return v.back == 0 && !v.ended; });
          }))
        continue;
      if (other.memory < 0) return "a store to an address that is not understood";
      if (other.kind == Event::Kind::atomic) return "an atomic writes the array";
      const Named names = primed(other, shared);
      if (id != writer.store) {
        if (may_hit(other, read, names, when)) return "which of several stores the read sees is not known";
        continue;
      }
      // The same store in another iteration of a loop that has ended, or of a loop around the read.
      std::vector<Term> same;
      const auto iterations = paths_.iterations(writer.visits);
      for (Term u : names.unknowns) {
        const auto own = writer.inverse.find(u);
        const auto turn = iterations ? iterations->find(u) : calculus::Substitution::const_iterator{};
        if (own != writer.inverse.end())
          same.push_back(calculus::equal(names.all.at(u), own->second));
        else if (iterations && turn != iterations->end())
          same.push_back(calculus::equal(names.all.at(u), turn->second));
        else
          return "which iteration's store the read sees is not known";
      }
      for (Term fact : hits(other, read, names)) when.push_back(fact);
      if (!prover_.rely(Context::extend(read.scope, when), calculus::conjunction(same)))
        return "which iteration's store the read sees is not known";
    }
    known.push_back(calculus::negation(writer.condition));
  }
  return {};
}

// The store as a writer of what is read, by a guess at its thread and iterations: nothing where there is no
// guess. `foreign` is set where what was stored depends on what another thread computed.
std::optional<WriterSearch::Writer> WriterSearch::written_by(const Layer::Store& found, const Event& read,
                                                             int depth, const Scope& scope, bool& foreign) {
  Arithmetic arithmetic(prover_, true);
  const int id = found.event;
  const Visits& visits = found.visits;
  const Event& store = trace_.events[static_cast<std::size_t>(id)];
  const auto names = named(store, read, visits, "~" + std::to_string(id));
  if (!names) return std::nullopt;
  std::vector<Term> facts;
  for (Term fact : store.scope->facts()) facts.push_back(calculus::substitute(fact, names->all));
  const Term offset = calculus::substitute(store.offset, names->all);
  const Term wanted = place(store, read);
  auto inverse = invert(offset, names->unknowns, facts, wanted, scope, arithmetic);
  if (!inverse) return std::nullopt;
  // The thread itself, in the same iterations: then what is its own is the same as well.
  const bool itself =
      std::all_of(inverse->begin(), inverse->end(),
                  [](const auto& pair) { return pair.first == pair.second; }) &&
      std::all_of(visits.begin(), visits.end(), [](const Visit& v) { return v.back == 0 && !v.ended; });
  calculus::Substitution back = *inverse;
  if (itself)
    for (const auto& [own, other] : names->renamed) back[other] = own;
  const bool vector = is_vector(store, read);
  Writer out{id, visits, nullptr, store.value, *inverse, depth};
  if (vector) out.value.term = store.of_part;
  std::vector<Term> parts = found.when;
  for (Term fact : facts) {
    const Term there = simplify(calculus::substitute(fact, back), scope, arithmetic);
    if (!scope->knows(there)) parts.push_back(there);
  }
  parts.push_back(calculus::equal(simplify(calculus::substitute(offset, back), scope, arithmetic), wanted));
  out.condition = calculus::conjunction(parts);
  if (out.condition == calculus::truth(false)) return std::nullopt;
  if (out.value.term != nullptr) {
    Term value = calculus::substitute(calculus::substitute(out.value.term, names->all), back);
    if (vector) value = calculus::substitute(value, {{part_symbol(), part(store, read)}});
    out.value.term = simplify(value, scope, arithmetic);
  }
  foreign = foreign || holds_name_of(names->renamed, out.value.term, itself) ||
            holds_name_of(names->renamed, out.condition, itself);
  return out;
}

// A store of the read's own interval, which no other thread may have made (obligation `race`): the thread's
// own one, earlier in the same visits of all its loops.
std::optional<WriterSearch::Writer> WriterSearch::written_by_itself(const Layer::Store& found,
                                                                    const Event& read) {
  const Visits& visits = found.visits;
  const Event& store = trace_.events[static_cast<std::size_t>(found.event)];
  const bool here =
      store.bytes == read.bytes &&
      std::all_of(store.loops.begin(), store.loops.end(),
                  [&](int loop) {
                    return std::find(read.loops.begin(), read.loops.end(), loop) != read.loops.end();
                  }) &&
      std::all_of(visits.begin(), visits.end(), [](const Visit& v) { return v.back == 0 && !v.ended; });
  if (!here) return std::nullopt;
  auto names = named(store, read, visits, "'");
  if (!names) return std::nullopt;
  std::vector<Term> same;
  for (Term u : names->unknowns) {
    names->all[u] = calculus::variable(u->name + "'", u->sort);
    same.push_back(calculus::equal(names->all.at(u), u));
  }
  if (!prover_.rely(Context::extend(read.scope, hits(store, read, *names)), calculus::conjunction(same)))
    return std::nullopt;
  Writer out{found.event, visits, nullptr, store.value, {}, 0};
  for (Term u : names->unknowns) out.inverse[u] = u;
  std::vector<Term> parts = found.when;
  for (Term fact : store.scope->facts())
    if (!read.scope->knows(fact)) parts.push_back(fact);
  parts.push_back(calculus::equal(store.offset, place(store, read)));
  out.condition = calculus::conjunction(parts);
  if (is_vector(store, read))
    out.value.term = calculus::substitute(store.of_part, {{part_symbol(), part(store, read)}});
  return out;
}

namespace {

// Whether the two are one value wherever the scope holds: alike but for indices that are equal there.
bool same_value(Term a, Term b, const Scope& scope, Prover& prover, int depth = 0) {
  if (a == b) return true;
  if (depth > 6 || a->sort != b->sort) return false;
  // The bits of two elements.
  if (a->kind == Kind::to_index && b->kind == Kind::to_index &&
      same_value(a->children[0], b->children[0], scope, prover, depth + 1))
    return true;
  if (a->sort == calculus::Sort::index()) return prover.rely(scope, calculus::equal(a, b));
  if (b->kind == Kind::select)
    return same_value(a, b->children[1], Context::extend(scope, b->children[0]), prover, depth + 1) &&
           same_value(a, b->children[2], Context::extend(scope, calculus::negation(b->children[0])), prover,
                      depth + 1);
  const bool alike = a->kind == b->kind && a->op == b->op && a->rounding == b->rounding &&
                     a->flush_subnormals == b->flush_subnormals && a->format == b->format &&
                     a->name == b->name && a->children.size() == b->children.size() &&
                     (a->kind == Kind::load || a->kind == Kind::operation || a->kind == Kind::cast) &&
                     !a->children.empty();
  if (!alike) return false;
  for (std::size_t i = 0; i < a->children.size(); ++i)
    if (!same_value(a->children[i], b->children[i], scope, prover, depth + 1)) return false;
  return true;
}

}  // namespace

// One value, or a choice among the writers by their conditions. Where one's value is what the other's
// would be there (the first tile, loaded before the loop), the other's serves for both.
std::optional<Value> WriterSearch::choice(const Event& read, const std::vector<Writer>& found,
                                          std::string& detail) {
  // A literal's bits, stored from an integer register, beside floats that were stored as such.
  const auto as_kind_of = [](const Value& value, const Value& other) {
    const Integer* bits = value.kind == Value::Kind::integer && value.term != nullptr
                              ? calculus::as_integer(value.term)
                              : nullptr;
    if (bits == nullptr || other.kind != Value::Kind::element || other.term == nullptr ||
        other.term->sort.kind != calculus::Sort::Kind::floating || value.width != other.width ||
        calculus::storage_bits(other.term->sort.format) != value.width)
      return value;
    return Value{Value::Kind::element, value.width,
                 calculus::float_constant(other.term->sort.format,
                                          *to_u64(floor_mod(*bits, power_of_two(value.width))))};
  };
  Value value = found.back().value;
  for (std::size_t i = found.size() - 1; i-- > 0;) {
    const Value newer = as_kind_of(found[i].value, value);
    value = as_kind_of(value, newer);
    if (value.kind != newer.kind || value.term == nullptr || newer.term == nullptr ||
        value.term->sort != newer.term->sort) {
      detail = "stores of different kinds meet";
      return std::nullopt;
    }
    const Scope otherwise = Context::extend(read.scope, calculus::negation(found[i].condition));
    const std::size_t mark = prover_.mark();
    if (same_value(newer.term, value.term, otherwise, prover_)) {
      value = newer;
      continue;
    }
    prover_.rewind(mark);
    if (same_value(value.term, newer.term, Context::extend(read.scope, found[i].condition), prover_))
      continue;
    prover_.rewind(mark);
    // A store to another slot, which never meets the read.
    if (prover_.rely(read.scope, calculus::negation(found[i].condition))) continue;
    value.term = calculus::select(found[i].condition, newer.term, value.term);
  }
  if (value.term == nullptr || value.kind == Value::Kind::arbitrary) return std::nullopt;
  return value;
}

ReadResult WriterSearch::resolve(const Event& read, int id) {
  ReadResult out;
  const TraceNode& node = trace_.nodes[static_cast<std::size_t>(read.node)];
  std::size_t position = 0;
  while (position < node.events.size() && node.events[position] != id) ++position;
  Layer layer = paths_.before(read, {paths_.start(read, static_cast<int>(position))});
  if (!layer.trouble.empty()) {
    out.detail = layer.trouble;
    return out;
  }
  const std::string carried = "the array is carried from one iteration of a loop to the next",
                    several = "which of several stores the read sees is not known";
  Scope scope = read.scope;
  std::vector<Writer> found;  // newest first
  // Stores that hit nothing where none of those found up to their depth does.
  Settled settled;
  std::vector<Term> conditions;
  bool exact = true;
  bool foreign = false;  // what is read depends on what belongs to another thread and is not known
  bool incomplete = layer.incomplete;
  const auto covered = [&](Writer writer) {
    conditions.push_back(writer.condition);
    found.push_back(std::move(writer));
    out.initialised = prover_.rely(read.scope, calculus::disjunction(conditions));
    return out.initialised;
  };
  const auto settle = [&](const Layer::Store& store, int depth) {
    if (store.when.empty()) settled.emplace(std::make_pair(store.event, store.visits), depth);
  };
  const auto stands_for_itself = [&](const Layer::Store& store) {
    return !is_rest_of_vector(trace_.events[static_cast<std::size_t>(store.event)], read);
  };
  for (const Layer::Store& store : layer.stores) {
    if (out.initialised) break;
    if (!stands_for_itself(store)) continue;
    if (!may_hit_at(store, read, {})) {
      settle(store, 0);
      continue;
    }
    auto writer = written_by_itself(store, read);
    if (!writer) {
      out.detail = "the array is written in the interval in which it is read";
      return out;
    }
    covered(std::move(*writer));
  }
  if (!found.empty()) scope = Context::extend(scope, calculus::negation(calculus::disjunction(conditions)));
  for (int depth = 1; depth <= 64 && !out.initialised; ++depth) {
    if (layer.beyond) {
      out.detail = carried;
      return out;
    }
    if (layer.barriers.empty()) {
      out.detail = "no store of an earlier interval is shown to have written the place";
      return out;
    }
    if (layer.entry && depth == 1) {
      out.detail = "a path from the start reaches the read without a barrier";
      return out;
    }
    layer = paths_.before(read, layer.barriers);
    incomplete = incomplete || layer.incomplete;
    if (!layer.trouble.empty()) {
      out.detail = layer.trouble;
      return out;
    }
    std::vector<Term> here;
    for (const Layer::Store& store : layer.stores) {
      if (!stands_for_itself(store)) continue;
      if (trace_.events[static_cast<std::size_t>(store.event)].bytes != read.bytes) {
        out.detail = "the array is written and read in different widths";
        return out;
      }
      auto writer = written_by(store, read, depth, scope, foreign);
      if (!writer) continue;
      // The other slots: below it is shown that what is left out here hits nothing.
      if (!store.visits.empty() && prover_.holds(read.scope, calculus::negation(writer->condition))) continue;
      here.push_back(writer->condition);
      if (covered(std::move(*writer))) break;
    }
    if (out.initialised) break;
    if (!layer.stores.empty()) {
      // Where no writer of this interval was found there must be none, for an older one to count.
      const Term rest = calculus::negation(calculus::disjunction(here));
      for (const Layer::Store& store : layer.stores) {
        if (!stands_for_itself(store)) continue;
        if (exact && may_hit_at(store, read, {rest})) exact = false;
        settle(store, depth);
      }
      scope = Context::extend(scope, rest);
    }
    if (layer.entry && layer.barriers.empty()) {
      out.detail = "no store of an earlier interval is shown to have written the place";
      return out;
    }
  }
  if (!out.initialised) return out;
  // What is written in the read's own visits is newer than whatever an earlier visit will turn out to do.
  const Visits own = paths_.start(read, 0).visits;
  incomplete = incomplete && std::any_of(found.begin(), found.end(),
                                         [&](const Writer& writer) { return writer.visits != own; });
  out.detail = incomplete ? carried
               : !exact   ? several
               : foreign  ? "what is read depends on what another thread computed and is not known"
                          : newest(read, id, found, settled);
  if (out.detail.empty()) out.value = choice(read, found, out.detail);
  return out;
}

}  // namespace hallmark::validator
