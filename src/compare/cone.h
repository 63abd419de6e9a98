// The definitions behind a tensor of each model, back to tensors that both have: what has to be equal so that
// two tensors are.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/pair.h"
#include "search/explain.h"

namespace hallmark::compare {

class Cones {
 public:
  static constexpr int whole = 1 << 20;
  explicit Cones(const Pair& pair);

  bool is_known(const std::string& right) const { return partner_.count(right) != 0; }
  // The definition is one of the first model's with known tensors in it, or a copy of a known tensor: records
  // it.
  bool known_by_congruence(const calculus::Definition& right);
  // `right` of the second model is `left` of the first: an input, a constant or a definition.
  void merge(const std::string& left, const std::string& right) { partner_[right] = left; }

  // left = right as a step over tensors of the first model. The second model's definitions are followed back
  // to known tensors, passing `depth` known ones on each path; the first model's back to the same tensors.
  // Nothing when one side has more than 60 definitions.
  std::optional<search::Step> step(const std::string& left, const std::string& right, int depth,
                                   std::size_t number) const;

 private:
  const calculus::Definition* definition(const std::string& name) const;
  const calculus::Declaration& declaration(const std::string& name) const;
  bool follow_right(const std::string& name, int depth, std::map<std::string, int>& seen,
                    std::vector<std::string>& order, std::set<std::string>& cut) const;
  bool follow_left(const std::string& name, const std::set<std::string>& cut, std::set<std::string>& seen,
                   std::vector<std::string>& order, std::set<std::string>& leaves) const;

  const Pair& pair_;
  std::map<std::string, const calculus::Definition*> definitions_;
  std::map<std::string, const calculus::Declaration*> declarations_;
  std::map<std::string, std::string> partner_;    // of tensors of the second model
  std::map<std::string, std::string> first_;      // the first model's definitions by canonical text
  std::map<std::string, std::string> canonical_;  // of tensors of the first model that are copies of others
};

}  // namespace hallmark::compare
