// Verdicts remembered between runs, in one SQLite file on this machine. The key is the exact bytes of the
// query, the solver's program and libraries, its options, seed, budget and this tool's version: anything
// that differs is a miss. Only sat and unsat are stored; an answer that a limit cut off is asked again each
// time. A file that cannot be read or has been damaged is left alone, with a warning, and nothing is taken
// from it. Whether an answer was cached is an observation and no part of a receipt's core.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "smt/solver.h"

namespace hallmark::smt {

// Part of every key; raised whenever printing, options or the reading of replies change.
constexpr const char* cache_version = "hallmark-smt-1";

class VerdictCache {
 public:
  // Opens or creates the file. Never throws: see warning().
  explicit VerdictCache(const std::string& path);
  ~VerdictCache();
  VerdictCache(const VerdictCache&) = delete;
  VerdictCache& operator=(const VerdictCache&) = delete;

  // Why the cache is out of use, or empty.
  const std::string& warning() const { return warning_; }

  static std::string key(const std::string& text_sha256, const SolverIdentity& identity, const Budget& budget,
                         const std::string& version = cache_version);
  // sat or unsat, marked as cached.
  std::optional<Answer> find(const std::string& key);
  // Ignores answers that are neither sat nor unsat.
  void store(const std::string& key, const Answer& answer, const SolverIdentity& identity);
  // Forgets what this object stored for a solver that turned out to lie.
  void withdraw(const std::string& solver);

 private:
  struct Database;
  void give_up(const std::string& why);
  std::unique_ptr<Database> database_;
  std::string path_, warning_;
};

}  // namespace hallmark::smt
