// What solvers answered in this run, by text, for the portfolios of all its threads: the same question about
// another kernel, or about the other text of one kernel, is put once. Within a run only, so that it holds
// answers of these very programs with these options; what a clock or a fault decided is not kept.
// Thread-safe.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "smt/group.h"

namespace hallmark::smt {

class AnswerMemory {
 public:
  // The answers to a group that one process of this solver gave within this budget, over these texts.
  std::optional<GroupAnswers> find(const std::string& solver, const GroupTexts& texts,
                                   const Budget& budget) const;
  void keep(const std::string& solver, const GroupTexts& texts, const Budget& budget,
            const GroupAnswers& answers);

  std::optional<Answer> find_probe(const std::string& key) const;
  void keep_probe(const std::string& key, const Answer& answer);
  // Everything that a solver said, which was convicted of a false answer; and all probes.
  void withdraw(const std::string& solver);

 private:
  struct Known {
    std::string solver;
    std::map<std::string, Answer> answers;  // by digest
  };
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Known> groups_;
  std::unordered_map<std::string, Answer> probes_;
};

}  // namespace hallmark::smt
