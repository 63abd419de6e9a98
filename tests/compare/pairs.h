// Two models as text, the verdict that is expected of their comparison, and the check.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compare/compare.h"

namespace hallmark::compare {

struct Case {
  std::string name;
  std::string first, second;  // signature and body of each, without the version header
  State state;
  std::string strength;  // of a proved one
};

inline void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

inline std::string write(const std::string& name, const std::string& text) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / (name + ".onnxtxt")).string();
  std::ofstream(path) << "<ir_version: 8, opset_import: [\"\" : 17]>\nm " << text;
  return path;
}

inline const std::vector<rules::RuleFamily>& library() {
  static const auto rules = rules::load_rules({HALLMARK_SOURCE_DIR "/corpus/rules"});
  return rules;
}

inline std::vector<Obligation> run(const Case& c, Options options = {}) {
  static smt::Portfolio portfolio;
  options.library = library();
  return compare(load_pair(write(c.name + ".a", c.first), write(c.name + ".b", c.second), std::nullopt),
                 portfolio, options);
}

// Every output has its state, with an executed witness where it is refuted and the strength where it is
// proved.
inline void expect_verdict(const Case& c) {
  const std::vector<Obligation> all = run(c);
  State state = State::proved;
  for (const Obligation& o : all) {
    check_well_formed(o);
    if (o.subject.rfind("output ", 0) != 0) continue;
    if (o.outcome.state == State::refuted) state = State::refuted;
    if (o.outcome.state == State::unrun && state == State::proved) state = State::unrun;
    if (o.outcome.state == State::proved && c.state == State::proved) {
      EXPECT_EQ(o.strength, c.strength) << o.outcome.detail;
    }
    if (o.outcome.witness) {
      EXPECT_EQ(o.outcome.witness->executed_by, "evaluator");
    }
    EXPECT_NE(o.outcome.state, State::unrun) << o.subject << ": " << o.outcome.detail;
  }
  EXPECT_EQ(state, c.state) << verdict_of(all);
}

}  // namespace hallmark::compare
