#include "certificate/drat.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/error.h"

namespace hallmark::certificate {
namespace {

[[noreturn]] void unreadable(const std::string& line) {
  throw UserError("E5451", "the line '" + line.substr(0, 80) + "' is no clause");
}

Clause read(const std::string& line, std::size_t from, int variables) {
  Clause out;
  const char *at = line.data() + from, *end = line.data() + line.size();
  while (true) {
    while (at < end && *at == ' ') ++at;
    int literal = 0;
    const auto [after, error] = std::from_chars(at, end, literal);
    if (error != std::errc() || after == at) unreadable(line);
    at = after;
    if (literal == 0) break;
    if (literal > variables || literal < -variables) unreadable(line);
    out.push_back(literal);
  }
  if (at != end) unreadable(line);
  return out;
}

class Checker {
 public:
  explicit Checker(int variables)
      : values_(2 * static_cast<std::size_t>(variables) + 2, 0),
        watches_(2 * static_cast<std::size_t>(variables) + 2) {}

  // False when the clauses fail by unit propagation alone.
  bool add(Clause clause) {
    std::vector<int> sorted = clause;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    const std::size_t id = clauses_.size();
    by_literals_[sorted].push_back(id);
    // Watched: literals that are not false, where there are any.
    std::stable_partition(sorted.begin(), sorted.end(), [&](int l) { return value(l) >= 0; });
    clauses_.push_back({std::move(sorted), true});
    const Clause& kept = clauses_.back().literals;
    if (kept.empty()) return false;
    watch(kept[0], id);
    if (kept.size() > 1) watch(kept[1], id);
    if (value(kept[0]) < 0) return false;
    if ((kept.size() == 1 || value(kept[1]) < 0) && value(kept[0]) == 0)
      return assume(kept[0]) && propagate();
    return true;
  }

  void remove(Clause clause) {
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    const auto found = by_literals_.find(clause);
    if (found == by_literals_.end() || found->second.empty()) return;
    const std::size_t id = found->second.back();
    // A clause that is the reason of a value that stands: solvers delete it and keep the value.
    const auto& literals = clauses_[id].literals;
    if (std::any_of(literals.begin(), literals.end(), [&](int l) { return value(l) > 0; })) return;
    found->second.pop_back();
    clauses_[id].there = false;
  }

  bool follows(const Clause& clause) {
    if (fails_with(clause)) return true;
    if (clause.empty()) return false;
    // RAT on the first literal: every resolvent follows.
    const int pivot = clause[0];
    for (std::size_t id = 0; id < clauses_.size(); ++id) {
      const auto& other = clauses_[id];
      if (!other.there ||
          std::find(other.literals.begin(), other.literals.end(), -pivot) == other.literals.end())
        continue;
      Clause resolvent = clause;
      for (const int l : other.literals)
        if (l != -pivot) resolvent.push_back(l);
      if (!fails_with(resolvent)) return false;
    }
    return true;
  }

 private:
  struct Stored {
    std::vector<int> literals;
    bool there;
  };
  static std::size_t index(int literal) {
    return literal > 0 ? 2 * static_cast<std::size_t>(literal) : 2 * static_cast<std::size_t>(-literal) + 1;
  }
  int value(int literal) const { return values_[index(literal)]; }
  void watch(int literal, std::size_t id) { watches_[index(literal)].push_back(id); }

  bool assume(int literal) {
    if (value(literal) != 0) return value(literal) > 0;
    values_[index(literal)] = 1;
    values_[index(-literal)] = -1;
    trail_.push_back(literal);
    return true;
  }

  bool propagate() {
    for (; head_ < trail_.size(); ++head_) {
      const int false_literal = -trail_[head_];
      std::vector<std::size_t> watching = std::move(watches_[index(false_literal)]);
      std::vector<std::size_t>& keep = watches_[index(false_literal)];
      keep.clear();
      for (std::size_t i = 0; i < watching.size(); ++i) {
        Stored& clause = clauses_[watching[i]];
        if (!clause.there) continue;
        auto& l = clause.literals;
        if (l[0] == false_literal && l.size() > 1) std::swap(l[0], l[1]);
        bool moved = false;
        if (value(l[0]) <= 0)
          for (std::size_t k = 2; k < l.size() && !moved; ++k)
            if (value(l[k]) >= 0) {
              std::swap(l[1], l[k]);
              watch(l[1], watching[i]);
              moved = true;
            }
        if (moved) continue;
        keep.push_back(watching[i]);
        if (!assume(l[0])) {
          keep.insert(keep.end(), watching.begin() + static_cast<std::ptrdiff_t>(i) + 1, watching.end());
          return false;
        }
      }
    }
    return true;
  }

  // Whether the opposite of every literal fails by unit propagation. Leaves no trace.
  bool fails_with(const Clause& clause) {
    const std::size_t before = trail_.size(), head = head_;
    bool failed = false;
    for (const int literal : clause)
      if (!assume(-literal)) {
        failed = true;
        break;
      }
    failed = failed || !propagate();
    for (; trail_.size() > before; trail_.pop_back()) {
      values_[index(trail_.back())] = 0;
      values_[index(-trail_.back())] = 0;
    }
    head_ = head;
    return failed;
  }

  std::vector<Stored> clauses_;
  std::map<std::vector<int>, std::vector<std::size_t>> by_literals_;
  std::vector<signed char> values_;  // by literal: 1 true, -1 false, 0 open
  std::vector<std::vector<std::size_t>> watches_;
  std::vector<int> trail_;
  std::size_t head_ = 0;
};

}  // namespace

std::string check_clauses(const Clauses& clauses, const std::vector<std::string>& steps) {
  Checker checker(clauses.variables);
  for (const Clause& clause : clauses.all)
    if (!checker.add(clause)) return {};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].starts_with("d ")) {
      checker.remove(read(steps[i], 2, clauses.variables));
      continue;
    }
    const Clause clause = read(steps[i], 0, clauses.variables);
    if (!checker.follows(clause)) return "step " + std::to_string(i + 1) + " does not follow";
    if (!checker.add(clause)) return {};
  }
  return "the steps do not end in the empty clause";
}

std::string check_drat(const Query& query, const std::vector<std::string>& steps) {
  return check_clauses(clauses_of(query), steps);
}

}  // namespace hallmark::certificate
