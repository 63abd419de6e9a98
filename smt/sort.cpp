#include "smt/sort.h"

#include <fmt/format.h>

#include <functional>
#include <mutex>
#include <set>

#include "base/error.h"

namespace hallmark::smt {

Sort Sort::bit_vector(unsigned width) {
  ensure(width > 0, "a bit vector of width 0");
  return {SortKind::bit_vector, width, nullptr};
}

Sort Sort::uninterpreted(const std::string& name) {
  ensure(!name.empty(), "an uninterpreted sort without a name");
  static std::mutex guard;
  static std::set<std::string> names;  // nodes of a set never move
  const std::lock_guard lock(guard);
  return {SortKind::uninterpreted, 0, &*names.insert(name).first};
}

const std::string& Sort::name() const {
  ensure(name_ != nullptr, "the name of a sort that has none");
  return *name_;
}

std::size_t Sort::hash() const {
  return static_cast<std::size_t>(kind_) * 1'000'003U + width_ * 31U + std::hash<const void*>{}(name_);
}

std::string to_string(Sort sort) {
  switch (sort.kind()) {
    case SortKind::boolean:
      return "Bool";
    case SortKind::integer:
      return "Int";
    case SortKind::real:
      return "Real";
    case SortKind::bit_vector:
      return fmt::format("(_ BitVec {})", sort.width());
    case SortKind::uninterpreted:
      return sort.name();
  }
  throw InternalError("a sort without a kind");
}

}  // namespace hallmark::smt
