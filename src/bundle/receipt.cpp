#include "bundle/receipt.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "bundle/answers.h"
#include "bundle/obligation_json.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {

void sort_obligations(std::vector<Obligation>& obligations) {
  std::sort(obligations.begin(), obligations.end(), [](const Obligation& a, const Obligation& b) {
    return std::tie(a.kind, a.level, a.id) < std::tie(b.kind, b.level, b.id);
  });
}

std::string statement_leaf(const Obligation& o) {
  return json::serialize(json::array{o.id, name(o.kind), name(o.level), o.subject, statement_digest(o)});
}

std::string outcome_leaf(const Obligation& o) {
  json::array by, queries;
  for (const std::string& who : o.outcome.discharged_by) by.emplace_back(who);
  for (const QueryRecord& query : o.outcome.queries) {
    json::array answers;
    for (const SolverAnswer& answer : query.answers)
      answers.push_back(json::array{answer.solver, answer.answer});
    queries.push_back(json::array{query.sha256, query.purpose, std::move(answers)});
  }
  return json::serialize(
      json::array{o.id, name(o.outcome.state), name(o.outcome.reason), std::move(by), std::move(queries)});
}

FixedList::FixedList(const std::vector<Obligation>& given) {
  std::vector<Obligation> sorted = given;
  sort_obligations(sorted);
  std::set<std::string> ids;
  std::vector<std::string> leaves;
  for (const Obligation& obligation : sorted) {
    ensure(!obligation.id.empty() && !obligation.statement.empty(),
           "an obligation without identifier or statement");
    const std::string shown = obligation.id + obligation.statement + obligation.subject + obligation.scope;
    ensure(valid_utf8(shown) == shown, obligation.id + ": its text is not UTF-8");
    ensure(ids.insert(obligation.id).second, "two obligations share the id " + obligation.id);
    leaves_.emplace_back(obligation.id, statement_leaf(obligation));
    leaves.push_back(leaves_.back().second);
  }
  tree_ = merkle_tree(leaves);
}

void FixedList::expect_unchanged(const std::vector<Obligation>& solved) const {
  std::map<std::string, std::string> left(leaves_.begin(), leaves_.end());
  for (const Obligation& obligation : solved) {
    const auto entry = left.find(obligation.id);
    ensure(entry != left.end(), "obligation added after the list was fixed: " + obligation.id);
    ensure(entry->second == statement_leaf(obligation),
           "obligation edited after the list was fixed: " + obligation.id);
    left.erase(entry);
  }
  ensure(left.empty(),
         "obligation lost after the list was fixed: " + (left.empty() ? "" : left.begin()->first));
}

Receipt make_receipt(const FixedList& list, std::vector<Obligation> solved, Identities identities,
                     std::vector<FileEntry> files) {
  list.expect_unchanged(solved);
  sort_obligations(solved);
  Receipt out;
  std::vector<std::string> leaves;
  for (const Obligation& obligation : solved) {
    check_well_formed(obligation);
    const std::string fault = evidence_fault(obligation);
    ensure(fault.empty(), obligation.id + ": " + fault);
    leaves.push_back(outcome_leaf(obligation));
    out.reproducible = out.reproducible && reproducible(obligation.outcome);
  }
  out.statements = list.tree();
  out.outcomes = merkle_tree(leaves);
  std::sort(files.begin(), files.end(),
            [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; });
  out.files = std::move(files);
  out.verdict = valid_utf8(program_verdict(solved, identities));
  out.obligations = std::move(solved);
  out.identities = std::move(identities);
  return out;
}

}  // namespace hallmark::bundle
