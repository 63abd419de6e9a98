#include "certify/find_drat.h"

#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "certificate/bits.h"
#include "certificate/certificate.h"

namespace hallmark::certify {

bool can_find_drat() {
  static const bool there = find_tool("cadical").has_value();
  return there;
}

std::optional<std::string> find_drat(std::string_view text, std::size_t conflicts) {
  // Most queries are about integers: they are told apart before anything is read.
  if (text.find("BitVec") == std::string_view::npos || !can_find_drat()) return std::nullopt;
  certificate::Clauses clauses;
  try {
    clauses = certificate::clauses_of(certificate::Query(text));
  } catch (const UserError&) {
    return std::nullopt;
  }
  const TemporaryFolder folder;
  const std::string cnf = folder.path() + "/query.cnf", proof = folder.path() + "/proof";
  write_file(cnf, certificate::dimacs(clauses));
  const ProcessResult run =
      run_process({"cadical", "-q", "--no-binary", "-c", std::to_string(conflicts), cnf, proof});
  if (run.end != ProcessResult::End::exited || run.code != 20) return std::nullopt;
  certificate::Certificate out{"drat", sha256_hex(text), {}};
  std::istringstream lines(read_file(proof));
  for (std::string line; std::getline(lines, line);) out.steps.push_back(line);
  const std::string made = certificate::certificate_text(out);
  return certificate::check(text, made).empty() ? std::optional(made) : std::nullopt;
}

}  // namespace hallmark::certify
