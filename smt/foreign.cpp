#include "smt/foreign.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/process.h"

namespace hallmark::smt {

Answer ask_program(const std::string& path, const std::string& text, const Budget& budget) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/query.smt2";
  write_file(file, text);
  const ProcessResult result = run_process({path, file}, {}, {budget.wall, budget.memory_bytes});
  using End = ProcessResult::End;
  if (result.end == End::not_started)
    return Answer::failure(Reason::solver_missing, path + " cannot be started");
  if (result.end == End::timed_out) return Answer::failure(Reason::wall_limit, path + " did not end in time");
  if (result.end == End::signalled)
    return Answer::failure(Reason::solver_crash, fmt::format("{} was ended by signal {}", path, result.code));
  Answer out;
  out.reason = Reason::none;
  switch (word_of(result.out)) {
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
  const std::string said = (result.out + result.err).substr(0, 400);
  return Answer::failure(reason_of_garbage(said), said);
}

}  // namespace hallmark::smt
