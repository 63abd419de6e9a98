// One solver: a program that speaks SMT-LIB 2, run as a child process that is kept alive and told (reset)
// between queries. Not thread-safe, and to be used and destroyed by the thread that first asks (SolverWorker
// in worker.h does that).
//
// Nothing but exactly one word `unsat` or `sat` is an answer. A process that crashes, hangs, floods, says
// anything else or fails the self-test is killed. A query that reaches 90 % of its resource limit, or whose
// process crashed, is asked once more in a fresh process with the whole limit; that answer is the one
// recorded.
#pragma once
#include <atomic>
#include <memory>

#include "smt/answer.h"
#include "smt/child.h"
#include "smt/query.h"

namespace hallmark::smt {

enum class Dialect { z3, cvc5 };

struct SolverProgram {
  std::string name;     // as recorded: "z3"
  Dialect dialect;      // how limits and options are spelled
  std::string program;  // a name on PATH, or a path
  static SolverProgram z3() { return {"z3", Dialect::z3, "z3"}; }
  static SolverProgram cvc5() { return {"cvc5", Dialect::cvc5, "cvc5"}; }
};

// What the receipt records of a solver; part of the cache's key.
struct SolverIdentity {
  std::string name;
  std::string version;        // first line of --version
  std::string binary_sha256;  // of the program file; empty when it is not installed
  // Shared libraries that the running program has mapped (cvc5's solver is one), file name -> SHA-256.
  std::vector<std::pair<std::string, std::string>> libraries;
  std::string options;  // arguments and the options sent before each query, limit and logic left open
  unsigned seed = 0;
  bool operator==(const SolverIdentity&) const = default;
};

class Solver {
 public:
  Solver(SolverProgram program, Budget budget, unsigned seed);
  ~Solver();

  const std::string& name() const { return program_.name; }
  bool installed() const { return !path_.empty(); }
  // Starts the program to see which libraries it maps; computed once.
  const SolverIdentity& identity();
  const Budget& budget() const { return budget_; }

  // Puts one text under the whole budget. With `want_model`, a `sat` brings the values of the text's
  // variables.
  Answer ask(const QueryText& query, bool want_model) { return ask(query, want_model, budget_); }
  // The same within another budget (the address space stays the process's).
  Answer ask(const QueryText& query, bool want_model, const Budget& budget);
  // Puts one text once, under a budget of its own (the address space stays the process's); for search.
  Answer probe(const QueryText& query, bool want_model, const Budget& budget);
  // From now on what ask() answers says what it cost. cvc5 tells only among all its statistics, which takes
  // longer than most queries of kernels.
  void measure_units() { measuring_ = true; }
  // The next query starts a new process.
  void restart();
  // The number of the process that would answer next or answered last; 0 before the first.
  unsigned process() const { return process_number_; }
  // Whether the process is old enough that a new one should be taken when no group of queries is under way.
  bool aged() const;
  // False for good once a self-test was failed with a wrong answer: the program lies.
  bool truthful() const { return truthful_; }
  // From any thread: the query under way, and all later ones, answer `interrupted`.
  void interrupt() { stop_ = true; }

 private:
  struct Limit {
    unsigned long units;
    std::chrono::milliseconds wall;
  };
  Answer ask_process(const QueryText& query, Limit limit, bool want_model);
  std::uint64_t spent(ChildProcess::Clock::time_point deadline);
  bool start();  // true when a process that passed its self-test is there
  Answer ended(ChildProcess::Event event, const std::string& reply, Limit limit);
  unsigned long units(const Budget& budget) const;

  SolverProgram program_;
  Budget budget_;
  unsigned seed_;
  std::string path_;  // empty when not installed
  std::unique_ptr<ChildProcess> child_;
  SolverIdentity identity_;
  bool identified_ = false, truthful_ = true, measuring_ = false;
  unsigned process_number_ = 0, asked_ = 0, failed_starts_ = 0;
  unsigned long tokens_ = 0;
  Answer start_failure_;
  std::atomic<bool> stop_{false};
};

// The command line after the program, and what is sent before a query. `logic` is the text's.
std::vector<std::string> arguments_of(Dialect dialect);
std::string prelude_of(Dialect dialect, std::string_view logic, unsigned long units, unsigned seed);

// Known-true and known-false texts that each new process must answer rightly before anything else, so that a
// program that always says the same is never believed.
const std::vector<QueryText>& self_test();

}  // namespace hallmark::smt
