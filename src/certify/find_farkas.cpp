#include "certify/find_farkas.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/sha256.h"
#include "certificate/certificate.h"
#include "certificate/farkas.h"
#include "certify/simplex.h"

namespace hallmark::certify {
namespace {

using namespace certificate;

// A proof as it is found. Entries are named by what they say, because a case that turns out to be needless is
// dropped and the numbers of what comes after it change.
struct Proof {
  enum class Kind { close, split, branch } kind = Kind::close;
  std::vector<std::pair<Entry, Rational>> sum;  // close
  Entry entry;                                  // split, branch
  Integer at;                                   // branch
  std::vector<std::unique_ptr<Proof>> cases;
  std::set<std::size_t> used;  // numbers of the entries that it rests on, as they were when it was found
};

bool same(const Entry& a, const Entry& b) {
  return a.inequality == b.inequality && a.cases == b.cases;
}

class Search {
 public:
  Search(Query& query, const Effort& effort) : query_(query), left_(effort), entries_(query) {}

  std::unique_ptr<Proof> run() {
    for (const NodeId assertion : query_.assertions()) entries_.add(Literal{assertion, true});
    return solve();
  }

 private:
  // Gives the simplex method what it does not know yet; false on a contradiction.
  bool feed() {
    for (; bounded_ < entries_.size(); ++bounded_) {
      const Entry entry = entries_.at(bounded_);
      if (!entry.inequality) continue;
      const auto& [form, strict] = *entry.inequality;
      if (form.terms.empty()) {
        if (form.constant > 0 || (form.constant == 0 && !strict)) continue;
        conflict_ = {{bounded_, 1}};
        return false;
      }
      // s * direction + constant >= 0 with 1 as the first coefficient of the direction.
      const Rational scale = form.terms.begin()->second;
      Simplex::Sum direction;
      for (const auto& [id, c] : form.terms) direction[column(id)] = c / scale;
      const std::size_t at = direction.size() == 1 ? direction.begin()->first : simplex_.sum(direction);
      scales_.resize(std::max(scales_.size(), bounded_ + 1));
      scales_[bounded_] = abs(scale);
      Bound bound{-form.constant / scale, strict ? Rational(scale > 0 ? 1 : -1) : Rational(0)};
      if (!(scale > 0 ? simplex_.lower(at, bound, bounded_) : simplex_.upper(at, bound, bounded_))) {
        take_conflict();
        return false;
      }
    }
    return true;
  }

  void take_conflict() {
    conflict_.clear();
    for (const auto& [entry, times] : simplex_.conflict()) conflict_[entry] += times / scales_[entry];
  }

  std::size_t column(NodeId unknown) {
    const auto [entry, fresh] = columns_.emplace(unknown, 0);
    if (fresh) entry->second = simplex_.unknown();
    return entry->second;
  }

  Rational value(const Form& form) {
    Rational out = form.constant;
    for (const auto& [id, c] : form.terms) out += c * simplex_.value(column(id));
    return out;
  }

  // Under the values of the unknowns; what is no sum holds when it was stated.
  bool holds(const Literal& literal) {
    const auto& node = query_.node(literal.formula);
    const std::vector<NodeId> args = node.args;
    const std::string op = node.op;
    const auto each = [&](bool sign) {
      return std::all_of(args.begin(), args.end(), [&](NodeId a) { return holds({a, sign}); });
    };
    const auto some = [&](bool sign) {
      return std::any_of(args.begin(), args.end(), [&](NodeId a) { return holds({a, sign}); });
    };
    const auto difference = [&](std::size_t i) {
      Form out = form_of(query_, args[i + 1]);
      out.add(form_of(query_, args[i]), -1);
      return value(out);
    };
    if (truths_.contains({literal.formula, literal.positive})) return true;
    if (op == "true" || op == "false") return (op == "true") == literal.positive;
    if (op == "not") return holds({args[0], !literal.positive});
    if (op == "and") return literal.positive ? each(true) : some(false);
    if (op == "or") return literal.positive ? some(true) : each(false);
    if (op == "=>") {
      bool out = holds({args.back(), true});
      for (std::size_t i = 0; i + 1 < args.size(); ++i) out = out || holds({args[i], false});
      return out == literal.positive;
    }
    if (op == "ite") return holds({args[holds({args[0], true}) ? 1 : 2], literal.positive});
    const bool number =
        query_.node(args.empty() ? literal.formula : args[0]).sort.kind == Sort::Kind::integer ||
        query_.node(args.empty() ? literal.formula : args[0]).sort.kind == Sort::Kind::real;
    if (number && args.size() == 2) {
      if (op == "<") return (difference(0) > 0) == literal.positive;
      if (op == "<=") return (difference(0) >= 0) == literal.positive;
      if (op == ">") return (difference(0) < 0) == literal.positive;
      if (op == ">=") return (difference(0) <= 0) == literal.positive;
      if (op == "=") return (difference(0) == 0) == literal.positive;
      if (op == "distinct") return (difference(0) != 0) == literal.positive;
    }
    if ((op == "=") && args.size() == 2 && query_.node(args[0]).sort.kind == Sort::Kind::boolean)
      return (holds({args[0], true}) == holds({args[1], true})) == literal.positive;
    return false;
  }

  std::unique_ptr<Proof> closed() {
    auto out = std::make_unique<Proof>();
    for (const auto& [entry, times] : conflict_) {
      out->sum.emplace_back(entries_.at(entry), times);
      out->used.insert(entry);
    }
    return out;
  }

  std::unique_ptr<Proof> solve() {
    if (left_.cases == 0 || depth_ >= left_.depth) return nullptr;
    --left_.cases;
    if (!feed()) return closed();
    if (!simplex_.solve(left_.pivots)) {
      if (simplex_.conflict().empty()) return nullptr;
      take_conflict();
      return closed();
    }
    // The latest alternatives come first: the negated goal, and what a case before brought in.
    std::optional<std::size_t> violated;
    std::size_t fewest = ~std::size_t{0};
    for (std::size_t i = entries_.size(); i-- > 0;) {
      const Entry& entry = entries_.at(i);
      if (entry.inequality || entry.cases.size() >= fewest) continue;
      const Cases cases = entry.cases;
      const bool satisfied = std::any_of(cases.begin(), cases.end(), [&](const std::vector<Literal>& all) {
        return std::all_of(all.begin(), all.end(), [&](const Literal& l) { return holds(l); });
      });
      if (satisfied) continue;
      violated = i;
      fewest = cases.size();
    }
    if (violated) {
      const Entry entry = entries_.at(*violated);
      return cases(Proof::Kind::split, *violated, entry, 0, entry.cases.size(), [&](std::size_t which) {
        for (const Literal& literal : entry.cases[which]) {
          truths_.insert({literal.formula, literal.positive});
          truth_trail_.push_back({literal.formula, literal.positive});
          entries_.add(literal);
        }
      });
    }
    return split_integer();
  }

  // A sum of integers whose value is none.
  std::unique_ptr<Proof> split_integer() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry entry = entries_.at(i);
      if (!entry.inequality || entry.inequality->form.terms.empty() ||
          !over_integers(query_, entry.inequality->form))
        continue;
      Form form = entry.inequality->form;
      form.constant = 0;
      if (std::any_of(form.terms.begin(), form.terms.end(),
                      [](const auto& t) { return t.second.get_den() != 1; }))
        continue;
      const Rational now = value(form);
      if (now.get_den() == 1) continue;
      Integer at;
      mpz_fdiv_q(at.get_mpz_t(), now.get_num_mpz_t(), now.get_den_mpz_t());
      const auto sides = branches(form, at);
      return cases(Proof::Kind::branch, i, entry, at, 2,
                   [&](std::size_t which) { entries_.add(which == 0 ? sides.first : sides.second); });
    }
    return nullptr;  // a solution, as far as can be seen here
  }

  template <typename Enter>
  std::unique_ptr<Proof> cases(Proof::Kind kind, std::size_t index, const Entry& entry, const Integer& at,
                               std::size_t n, const Enter& enter) {
    auto out = std::make_unique<Proof>();
    out->kind = kind;
    out->entry = entry;
    out->at = at;
    out->used.insert(index);
    const Entries::Mark mark = entries_.mark();
    const std::size_t bounds = simplex_.mark(), bounded = bounded_, truths = truth_trail_.size();
    ++depth_;
    for (std::size_t which = 0; which < n; ++which) {
      enter(which);
      std::unique_ptr<Proof> part = solve();
      entries_.rewind(mark);
      simplex_.rewind(bounds);
      bounded_ = bounded;
      for (; truth_trail_.size() > truths; truth_trail_.pop_back())
        truths_.erase(truths_.find(truth_trail_.back()));
      if (!part) {
        --depth_;
        return nullptr;
      }
      const auto own = part->used.lower_bound(mark.entries);
      if (own == part->used.end()) {
        // It did not need the case: it closes all of them.
        --depth_;
        return part;
      }
      out->used.insert(part->used.begin(), own);
      out->cases.push_back(std::move(part));
    }
    --depth_;
    return out;
  }

  Query& query_;
  Effort left_;
  Entries entries_;
  Simplex simplex_;
  std::map<NodeId, std::size_t> columns_;
  std::vector<Rational> scales_;  // by entry
  std::map<std::size_t, Rational> conflict_;
  std::multiset<std::pair<NodeId, bool>> truths_;
  std::vector<std::pair<NodeId, bool>> truth_trail_;
  std::size_t bounded_ = 0, depth_ = 0;
};

// Writes a proof with the numbers that the checker will give.
class Writer {
 public:
  explicit Writer(Query& query) : entries_(query) {
    for (const NodeId assertion : query.assertions()) entries_.add(Literal{assertion, true});
  }
  bool write(const Proof& proof) {
    if (proof.kind == Proof::Kind::close) {
      std::string line = "close";
      for (const auto& [entry, times] : proof.sum) {
        const std::optional<std::size_t> at = number(entry);
        if (!at) return false;
        line += " " + std::to_string(*at) + ":" + times.get_str();
      }
      steps.push_back(line);
      return true;
    }
    const std::optional<std::size_t> at = number(proof.entry);
    if (!at) return false;
    const bool split = proof.kind == Proof::Kind::split;
    steps.push_back(split ? "split " + std::to_string(*at)
                          : "branch " + std::to_string(*at) + " " + proof.at.get_str());
    const Entries::Mark mark = entries_.mark();
    for (std::size_t i = 0; i < proof.cases.size(); ++i) {
      if (split) {
        for (const Literal& literal : proof.entry.cases[i]) entries_.add(literal);
      } else {
        Form form = proof.entry.inequality->form;
        form.constant = 0;
        const auto sides = branches(form, proof.at);
        entries_.add(i == 0 ? sides.first : sides.second);
      }
      if (!write(*proof.cases[i])) return false;
      entries_.rewind(mark);
    }
    return true;
  }
  std::vector<std::string> steps;

 private:
  std::optional<std::size_t> number(const Entry& entry) const {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (same(entries_.at(i), entry)) return i;
    return std::nullopt;
  }
  Entries entries_;
};

}  // namespace

std::optional<std::string> find_farkas(std::string_view text, const Effort& effort) {
  try {
    Query query(text);
    const std::unique_ptr<Proof> proof = Search(query, effort).run();
    if (!proof) return std::nullopt;
    Writer writer(query);
    if (!writer.write(*proof)) return std::nullopt;
    const std::string out = certificate_text({"farkas", sha256_hex(text), std::move(writer.steps)});
    // What is handed out was checked by the code that audits run.
    return certificate::check(text, out).empty() ? std::optional(out) : std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;  // a query outside the subset has no certificate
  }
}

}  // namespace hallmark::certify
