// One subcommand a file: it declares its options on the parser and says what to do. The result goes to
// stdout, progress and diagnostics to stderr.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace hallmark::cli {

// Options that every subcommand shares.
struct Common {
  std::string format = "text";  // text, json, junit, sarif, github, md
  std::string solvers = "z3,cvc5";
  bool solvers_given = false;
  unsigned jobs = 0;     // 0: one per core
  std::string deadline;  // "", "90s", "10m"
};

// What the chosen subcommand does; returns the exit code.
using Action = std::function<int()>;

struct Registration {
  CLI::App& app;
  Common& common;
  Action& chosen;  // set by the subcommand that was parsed
};

void add_run(Registration);
void add_stages(Registration);  // import, search, select, lower, package
void add_eval(Registration);
void add_compare(Registration);
void add_rules(Registration);
void add_kernel(Registration);
void add_numerics(Registration);
void add_audit(Registration);    // audit, gate
void add_inspect(Registration);  // diff, explain, report, keygen
void add_replay(Registration);
void add_version(Registration);

std::vector<std::string> solver_list(const Common& common);

}  // namespace hallmark::cli
