#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "base/error.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/say.h"

namespace hallmark::cli {

std::vector<std::string> solver_list(const Common& common) {
  std::vector<std::string> out;
  std::istringstream in(common.solvers);
  for (std::string name; std::getline(in, name, ',');)
    if (!name.empty()) out.push_back(name);
  return out;
}

namespace {

// Interrupting leaves nothing half-written: files are renamed into place, and finished obligations stay in
// the spool.
extern "C" void on_interrupt(int) {
  static constexpr char text[] = "\ninterrupted; run the same command again to resume\n";
  if (::write(2, text, sizeof text - 1) < 0) ::_exit(interrupted);
  ::_exit(interrupted);
}

std::string command_line(int argc, char** argv) {
  std::string out;
  for (int i = 0; i < argc; ++i) out += (i > 0 ? " " : "") + std::string(argv[i]);
  return out;
}

// An argument without text is a variable of a script that nobody set. Taken as "not given", `gate --policy
// ""` would pass under the default policy. What stands behind `--` is another program's.
std::optional<std::string> empty_argument(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--") break;
    if (argument.empty()) return std::string(i > 1 ? argv[i - 1] : "");
    if (argument.starts_with("--") && argument.ends_with("=") && argument.find('=') == argument.size() - 1)
      return argument;
  }
  return std::nullopt;
}

int run(int argc, char** argv) {
  CLI::App app{
      "hallmark: from an ONNX model to CUDA kernels, with a receipt that says of each proof obligation "
      "whether it is proved, "
      "refuted or unrun.\n\nFirst steps:\n  hallmark run corpus/models/relu.onnxtxt -o out\n  hallmark audit "
      "out\n"};
  app.require_subcommand(1);
  Common common;
  app.add_option("--format", common.format,
                 "text, json, junit, sarif, github (SARIF for code-scanning sites), md or annotations (of "
                 "GitHub Actions)")
      ->check(CLI::IsMember({"text", "json", "junit", "sarif", "github", "md", "annotations"}));
  CLI::Option* solvers = app.add_option("--solvers", common.solvers, "solvers to ask, for example z3,cvc5");
  app.add_option("--jobs", common.jobs, "threads; 0 is one per core");
  app.add_option(
      "--deadline", common.deadline,
      "time after which nothing more is asked (90s, 10m): what is open then is unrun, interrupted");
  app.fallthrough();
  Action chosen;
  const Registration registration{app, common, chosen};
  add_run(registration);
  add_stages(registration);
  add_eval(registration);
  add_compare(registration);
  add_rules(registration);
  add_kernel(registration);
  add_numerics(registration);
  add_audit(registration);
  add_inspect(registration);
  add_replay(registration);
  add_version(registration);
  if (const std::optional<std::string> before = empty_argument(argc, argv)) {
    std::fprintf(stderr,
                 "error: the argument after '%s' is empty; is a variable of the script not set? [E9117]\n",
                 before->c_str());
    return usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? met : usage;
  }
  common.solvers_given = solvers->count() > 0;
  return chosen();
}

}  // namespace

namespace {

int fault(const std::exception& error, int argc, char** argv) {
  std::fprintf(stderr,
               "error: %s [E9002]\nThis is a fault in hallmark. To reproduce it, run again in the same "
               "folder:\n  %s\n",
               error.what(), command_line(argc, argv).c_str());
  return internal;
}

}  // namespace

int guarded(int argc, char** argv) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a failed write, not a death
  try {
    const int code = run(argc, argv);
    if (result_written()) return code;
    std::fputs("error: the result could not be written to the standard output [E0002]\n", stderr);
    return code == met ? invalid : code;
  } catch (const InternalError& error) {
    std::fputs(error.render().c_str(), stderr);
    std::fprintf(stderr,
                 "This is a fault in hallmark. To reproduce it, run again in the same folder:\n  %s\n",
                 command_line(argc, argv).c_str());
    return internal;
  } catch (const Error& error) {
    std::fputs(error.render().c_str(), stderr);
    return error.code() == "E5402" ? integrity : invalid;  // a bundle that does not check, whatever the verb
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory [E9001]\n", stderr);
    return internal;
  } catch (const std::system_error& error) {
    // Who reads the output has seen enough, as `| head` does: what was asked is not finished, and nothing is
    // at fault.
    if (error.code() == std::errc::broken_pipe) return interrupted;
    return fault(error, argc, argv);
  } catch (const std::exception& error) {
    return fault(error, argc, argv);
  }
}

}  // namespace hallmark::cli

int main(int argc, char** argv) {
  return hallmark::cli::guarded(argc, argv);
}
