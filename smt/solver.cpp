#include "smt/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/process.h"
#include "base/sha256.h"

namespace hallmark::smt {
namespace {

// Measured: cvc5 needs about half as long again for the same query after a thousand, Z3 does not change;
// starting anew and the self-test cost about 30 ms.
constexpr unsigned queries_per_process_cvc5 = 400, queries_per_process_z3 = 4000;
constexpr unsigned most_failed_starts = 3;
constexpr unsigned long self_test_units = 1'000'000;  // each test needs some hundred units of either solver
constexpr std::chrono::milliseconds self_test_wall{10'000};

std::string_view logic_in(std::string_view text) {
  constexpr std::string_view key = "(set-logic ";
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + key.size();
  return text.substr(from, text.find(')', from) - from);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Work on bits is counted in units throughout, so that time is a backstop there however short it is meant to
// be where units do not count (nonlinear arithmetic over the reals).
std::chrono::milliseconds wall_of(const QueryText& query, const Budget& budget) {
  constexpr std::chrono::milliseconds least_for_bits{20'000};
  const bool bits = query.text.find("(_ BitVec ") != std::string::npos;
  return bits ? std::max(budget.wall, least_for_bits) : budget.wall;
}

// Raw text is kept for a person and for the receipt: short, and without the process's own numbers.
std::string short_text(std::string text) {
  constexpr std::size_t most = 400;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() > most) text = text.substr(0, most) + " ...";
  return text;
}

// Once a run and file: libraries are large, and each solver of each portfolio asks.
std::string digest_of(const std::string& path) {
  static std::mutex guard;
  static std::map<std::string, std::string> known;
  const std::filesystem::path file(path);
  const std::string key = fmt::format("{} {} {}", path, std::filesystem::file_size(file),
                                      std::filesystem::last_write_time(file).time_since_epoch().count());
  const std::lock_guard lock(guard);
  const auto found = known.find(key);
  return found != known.end() ? found->second : known[key] = sha256_file(path);
}

std::vector<std::pair<std::string, std::string>> mapped_libraries(pid_t pid) {
  std::set<std::string> paths;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash != std::string::npos && line.find(".so") != std::string::npos) paths.insert(line.substr(slash));
  }
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& path : paths)
    if (std::filesystem::is_regular_file(path))
      out.emplace_back(std::filesystem::path(path).filename().string(), digest_of(path));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Solver::Solver(SolverProgram program, Budget budget, unsigned seed)
    : program_(std::move(program)), budget_(budget), seed_(seed) {
  path_ = find_tool(program_.program).value_or("");
}

Solver::~Solver() = default;

unsigned long Solver::units(const Budget& budget) const {
  return program_.dialect == Dialect::z3 ? budget.z3_units : budget.cvc5_units;
}

const SolverIdentity& Solver::identity() {
  if (identified_) return identity_;
  identified_ = true;
  identity_.name = program_.name;
  identity_.seed = seed_;
  for (const std::string& word : arguments_of(program_.dialect)) identity_.options += word + " ";
  identity_.options += prelude_of(program_.dialect, "LOGIC", 0, seed_);
  std::replace(identity_.options.begin(), identity_.options.end(), '\n', ' ');
  if (!installed()) return identity_;
  const ProcessResult version =
      run_process({path_, "--version"}, {}, {std::chrono::milliseconds(5000), budget_.memory_bytes});
  identity_.version = version.ok() ? first_line(version.out) : "";
  identity_.binary_sha256 = digest_of(path_);
  if (start()) identity_.libraries = mapped_libraries(child_->pid());
  return identity_;
}

void Solver::restart() {
  child_.reset();
}

bool Solver::aged() const {
  return asked_ >= (program_.dialect == Dialect::z3 ? queries_per_process_z3 : queries_per_process_cvc5);
}

bool Solver::start() {
  if (child_) return true;
  if (!installed()) {
    start_failure_ = Answer::failure(Reason::solver_missing, program_.program + " is not installed");
    return false;
  }
  // A program that cannot be started or does not pass its self-test is not tried for ever.
  if (!truthful_ || failed_starts_ == most_failed_starts) return false;
  std::vector<std::string> argv = arguments_of(program_.dialect);
  argv.insert(argv.begin(), path_);
  child_ = std::make_unique<ChildProcess>(argv, budget_.memory_bytes);
  ++process_number_;
  asked_ = 0;
  const Limit limit{self_test_units, std::min(budget_.wall, self_test_wall)};
  for (const QueryText& known : self_test()) {
    const Answer answer = ask_process(known, limit, false);
    if (answer.kind == Answer::Kind::failed) {
      ++failed_starts_;
      start_failure_ = answer;
      restart();
      return false;
    }
    if (answer.is_sat() == (known.expected == "sat")) continue;
    truthful_ = false;
    start_failure_ = Answer::failure(
        Reason::solver_crash, fmt::format("{} answered {} to a self-test whose answer is {}", program_.name,
                                          answer.is_sat() ? "sat" : "unsat", known.expected));
    restart();
    return false;
  }
  failed_starts_ = 0;
  return true;
}

Answer Solver::ended(ChildProcess::Event event, const std::string& reply, Limit limit) {
  switch (event) {
    case ChildProcess::Event::late:
      return Answer::failure(Reason::wall_limit, fmt::format("killed after {} ms", limit.wall.count()));
    case ChildProcess::Event::interrupted:
      return Answer::failure(Reason::interrupted, "interrupted");
    case ChildProcess::Event::flooded:
      return Answer::failure(Reason::solver_crash, "wrote without end");
    default:
      break;
  }
  const ChildProcess::End end = child_->end();
  const std::string said = short_text(reply + child_->errors());
  if (!end.signalled && end.code == 127 && said.empty())
    return Answer::failure(Reason::solver_missing, path_ + " cannot be started (exit status 127)");
  const std::string how = fmt::format("{} {}", end.signalled ? "ended by signal" : "exit status", end.code);
  return Answer::failure(reason_of_garbage(said), said.empty() ? how : how + ": " + said);
}

// What the query under way cost. A process that does not say so has a query's answer all the same, and is
// not kept.
std::uint64_t Solver::spent(ChildProcess::Clock::time_point deadline) {
  const std::string token = fmt::format("hallmark-end-{}", ++tokens_);
  std::string reply;
  const char* question =
      program_.dialect == Dialect::z3 ? "(get-info :rlimit)\n" : "(get-info :all-statistics)\n";
  if (child_->exchange(question + ("(echo \"" + token + "\")\n"), token, deadline, stop_, reply) !=
      ChildProcess::Event::answered) {
    child_.reset();
    return 0;
  }
  return units_in(reply);
}

Answer Solver::ask_process(const QueryText& query, Limit limit, bool want_model) {
  const auto begun = ChildProcess::Clock::now();
  const auto deadline = begun + limit.wall;
  const auto next_token = [&] { return fmt::format("hallmark-end-{}", ++tokens_); };
  std::string token = next_token(), reply;
  const auto event =
      child_->exchange("(reset)\n" + prelude_of(program_.dialect, logic_in(query.text), limit.units, seed_) +
                           query.text + "(echo \"" + token + "\")\n",
                       token, deadline, stop_, reply);
  ++asked_;
  Answer answer;
  bool usable = event == ChildProcess::Event::answered;
  if (!usable) {
    answer = ended(event, reply, limit);
  } else {
    const Word word = word_of(reply);
    if (word == Word::garbage) {
      answer = Answer::failure(reason_of_garbage(reply), short_text(reply));
      usable = false;
    } else if (word == Word::unknown) {
      token = next_token();
      usable = child_->exchange("(get-info :reason-unknown)\n(echo \"" + token + "\")\n", token, deadline,
                                stop_, reply) == ChildProcess::Event::answered;
      answer = Answer::failure(usable ? reason_of_unknown(reply) : Reason::gave_up, short_text(reply));
    } else {
      answer.kind = word == Word::sat ? Answer::Kind::sat : Answer::Kind::unsat;
      answer.reason = Reason::none;
      if (answer.is_sat() && want_model && !query.variables.empty()) {
        std::string names;
        for (const auto& [symbol, printed] : query.variables) names += printed + " ";
        token = next_token();
        usable = child_->exchange("(get-value (" + names + "))\n(echo \"" + token + "\")\n", token, deadline,
                                  stop_, reply) == ChildProcess::Event::answered;
        if (usable) answer.model = parse_model(reply, query.variables, query.variable_sorts);
      }
    }
  }
  if (usable && measuring_) answer.units = spent(deadline);
  if (!usable) child_.reset();
  answer.process = process_number_;
  answer.milliseconds = std::chrono::duration<double, std::milli>(ChildProcess::Clock::now() - begun).count();
  return answer;
}

Answer Solver::ask(const QueryText& query, bool want_model, const Budget& budget) {
  if (stop_) return Answer::failure(Reason::interrupted, "interrupted");
  if (!start()) return start_failure_;
  // With nine tenths of the limit: whoever answers within them is not near the limit, without asking the
  // solver how much it spent (which costs cvc5 6 ms).
  const unsigned long whole = units(budget);
  const Answer answer = ask_process(query, {whole / 10 * 9, wall_of(query, budget)}, want_model);
  const bool again = answer.reason == Reason::resource_limit || answer.reason == Reason::solver_crash ||
                     answer.reason == Reason::memory_limit;
  if (!again) return answer;
  restart();
  return start() ? ask_process(query, {whole, wall_of(query, budget)}, want_model) : start_failure_;
}

Answer Solver::probe(const QueryText& query, bool want_model, const Budget& budget) {
  if (stop_) return Answer::failure(Reason::interrupted, "interrupted");
  if (aged()) restart();
  return start() ? ask_process(query, {units(budget), wall_of(query, budget)}, want_model) : start_failure_;
}

}  // namespace hallmark::smt
