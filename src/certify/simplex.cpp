#include "certify/simplex.h"

#include <algorithm>

namespace hallmark::certify {
namespace {

void add(Simplex::Sum& to, const Simplex::Sum& more, const Rational& times) {
  for (const auto& [column, c] : more) {
    Rational& mine = to[column];
    mine += c * times;
    if (mine == 0) to.erase(column);
  }
}

void add(Bound& to, const Bound& more, const Rational& times) {
  to.value += more.value * times;
  to.epsilon += more.epsilon * times;
}

}  // namespace

std::size_t Simplex::unknown() {
  columns_.emplace_back();
  return columns_.size() - 1;
}

std::size_t Simplex::sum(const Sum& of) {
  const auto [entry, fresh] = sums_.emplace(of, columns_.size());
  if (!fresh) return entry->second;
  Column column;
  column.basic = true;
  for (const auto& [part, c] : of) {
    add(column.value, columns_[part].value, c);
    if (columns_[part].basic)
      add(column.row, columns_[part].row, c);
    else
      add(column.row, {{part, 1}}, c);
  }
  columns_.push_back(std::move(column));
  return entry->second;
}

bool Simplex::lower(std::size_t at, const Bound& bound, std::size_t reason) {
  Column& column = columns_[at];
  if (column.low && !(column.low->bound < bound)) return true;
  trail_.push_back({at, true, column.low});
  column.low = Limit{bound, reason};
  if (column.high && column.high->bound < bound) {
    conflict_ = {{reason, 1}, {column.high->reason, 1}};
    return false;
  }
  if (!column.basic && column.value < bound) move(at, bound);
  return true;
}

bool Simplex::upper(std::size_t at, const Bound& bound, std::size_t reason) {
  Column& column = columns_[at];
  if (column.high && !(bound < column.high->bound)) return true;
  trail_.push_back({at, false, column.high});
  column.high = Limit{bound, reason};
  if (column.low && bound < column.low->bound) {
    conflict_ = {{reason, 1}, {column.low->reason, 1}};
    return false;
  }
  if (!column.basic && bound < column.value) move(at, bound);
  return true;
}

void Simplex::rewind(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    Undo& undo = trail_.back();
    (undo.is_lower ? columns_[undo.column].low : columns_[undo.column].high) = std::move(undo.before);
  }
}

// Of a column that is not basic.
void Simplex::move(std::size_t at, const Bound& to) {
  Bound change = to;
  add(change, columns_[at].value, -1);
  columns_[at].value = to;
  for (Column& column : columns_) {
    if (!column.basic) continue;
    const auto c = column.row.find(at);
    if (c != column.row.end()) add(column.value, change, c->second);
  }
}

void Simplex::pivot(std::size_t leaves, std::size_t enters) {
  Sum row = std::move(columns_[leaves].row);
  columns_[leaves].row.clear();
  columns_[leaves].basic = false;
  const Rational c = row.at(enters);
  row.erase(enters);
  Sum solved{{leaves, 1 / c}};
  add(solved, row, -1 / c);
  for (Column& column : columns_) {
    if (!column.basic) continue;
    const auto entry = column.row.find(enters);
    if (entry == column.row.end()) continue;
    const Rational times = entry->second;
    column.row.erase(entry);
    add(column.row, solved, times);
  }
  columns_[enters].basic = true;
  columns_[enters].row = std::move(solved);
}

void Simplex::explain(std::size_t at, bool too_low) {
  const Column& column = columns_[at];
  conflict_ = {{too_low ? column.low->reason : column.high->reason, 1}};
  for (const auto& [part, c] : column.row) {
    const Column& other = columns_[part];
    const bool at_high = (c > 0) == too_low;
    conflict_.emplace_back(at_high ? other.high->reason : other.low->reason, abs(c));
  }
}

bool Simplex::solve(std::size_t& pivots) {
  while (true) {
    std::size_t broken = 0;
    bool too_low = false;
    for (; broken < columns_.size(); ++broken) {
      const Column& column = columns_[broken];
      if (!column.basic) continue;
      too_low = column.low && column.value < column.low->bound;
      if (too_low || (column.high && column.high->bound < column.value)) break;
    }
    if (broken == columns_.size()) return true;
    const Column& column = columns_[broken];
    // The first column that can give way: Bland's rule.
    std::size_t enters = columns_.size();
    for (const auto& [part, c] : column.row) {
      const Column& other = columns_[part];
      const bool up = (c > 0) == too_low;
      const bool free =
          up ? !other.high || other.value < other.high->bound : !other.low || other.low->bound < other.value;
      if (free) {
        enters = part;
        break;
      }
    }
    if (enters == columns_.size()) {
      explain(broken, too_low);
      return false;
    }
    conflict_.clear();
    if (pivots == 0) return false;
    --pivots;
    const Bound target = too_low ? column.low->bound : column.high->bound;
    Bound change = target;
    add(change, column.value, -1);
    const Rational c = column.row.at(enters);
    Bound to = columns_[enters].value;
    add(to, change, 1 / c);
    pivot(broken, enters);
    // `enters` is basic now and follows from the others.
    move(broken, target);
  }
}

}  // namespace hallmark::certify
