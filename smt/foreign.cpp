#include "smt/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/files.h"
#include "base/process.h"
#include "smt/child.h"
#include "smt/solver.h"

namespace hallmark::smt {
namespace {

constexpr std::chrono::milliseconds most_for_a_check{10'000};  // each takes some milliseconds
constexpr std::size_t texts_of_a_claim = 3;

// For solvers that know bit vectors and no integers: x < 8 gives x >> 2 < 2, and not x >> 2 < 1.
std::vector<QueryText> checks() {
  Arena a;
  const Term x = a.variable("x", Sort::bit_vector(8));
  const auto constant = [&](int value) { return a.bit_vector(Integer(value), 8); };
  const Term shifted = bv(Op::bv_shift_right, x, constant(2));
  Query bits;
  bits.hypotheses = {{"range", bv(Op::bv_unsigned_less, x, constant(8))}};
  bits.goal = bv(Op::bv_unsigned_less, shifted, constant(2));
  bits.mutants = {bv(Op::bv_unsigned_less, shifted, constant(1))};
  std::vector<QueryText> out = self_test();
  out.push_back(mutated_goal_texts(bits, false).front());
  out.push_back(goal_text(bits));
  out.push_back(hypotheses_text(bits, false));
  return out;
}

}  // namespace

Answer ask_program(const std::string& path, const std::string& text, const Budget& budget) {
  if (!find_tool(path)) return Answer::failure(Reason::solver_missing, path + " cannot be started");
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/query.smt2";
  write_file(file, text);
  const std::atomic<bool> stop{false};
  ChildProcess child({path, file}, budget.memory_bytes);
  std::string reply;
  // It is not spoken to: all that it writes is its answer, up to where it closes its output.
  const ChildProcess::Event event =
      child.exchange("", "(no line of an answer)", ChildProcess::Clock::now() + budget.wall, stop, reply);
  if (event == ChildProcess::Event::late)
    return Answer::failure(Reason::wall_limit, path + " did not end in time");
  if (event == ChildProcess::Event::flooded)
    return Answer::failure(Reason::solver_crash, path + " wrote without end");
  const ChildProcess::End end = child.end();
  const std::string said = (reply + child.errors()).substr(0, 400);
  if (end.signalled)
    return Answer::failure(reason_of_garbage(said), fmt::format("{} was ended by signal {}", path, end.code));
  Answer out;
  out.reason = Reason::none;
  switch (event == ChildProcess::Event::closed ? word_of(reply) : Word::garbage) {
    case Word::unsat:
      out.kind = Answer::Kind::unsat;
      return out;
    case Word::sat:
      out.kind = Answer::Kind::sat;
      return out;
    case Word::unknown:
      return Answer::failure(Reason::gave_up, "unknown");
    case Word::garbage:
      break;
  }
  return Answer::failure(reason_of_garbage(said),
                         said.empty() ? fmt::format("no word, exit status {}", end.code) : said);
}

std::string failed_checks(const std::string& path, const Budget& budget) {
  Budget small = budget;
  small.wall = std::min(budget.wall, most_for_a_check);
  static const std::vector<QueryText> texts = checks();
  bool some_claim = false;
  std::string undecided;
  for (std::size_t i = 0; i < texts.size(); i += texts_of_a_claim) {
    bool whole = true;
    for (std::size_t j = i; j < i + texts_of_a_claim; ++j) {
      const Answer answer = ask_program(path, texts[j].text, small);
      if (answer.kind != Answer::Kind::failed) {
        const std::string said = answer.is_sat() ? "sat" : "unsat";
        if (said != texts[j].expected)
          return fmt::format("it answered {} to a known text whose answer is {}", said, texts[j].expected);
        continue;
      }
      whole = false;
      if (undecided.empty()) undecided = answer.raw;
      // More of these would take long and say no more.
      if (answer.reason == Reason::wall_limit || answer.reason == Reason::memory_limit)
        return "it did not decide a known text: " + answer.raw;
    }
    some_claim = some_claim || whole;
  }
  return some_claim ? "" : "it decided no known claim together with its false twin: " + undecided;
}

}  // namespace hallmark::smt
