#include "tamper.h"

#include "base/files.h"
#include "bundle/layout.h"
#include "bundle/manifest.h"
#include "bundle/open.h"
#include "bundle/verdict.h"
#include "bundle/writer.h"

namespace hallmark::bundle::testing {

void forge(const std::string& folder, const std::function<void(Receipt&)>& edit) {
  Receipt receipt = *open_bundle(folder).receipt;
  edit(receipt);
  sort_obligations(receipt.obligations);
  std::vector<std::string> claims, outcomes;
  for (const Obligation& o : receipt.obligations) {
    claims.push_back(statement_leaf(o));
    outcomes.push_back(outcome_leaf(o));
  }
  receipt.statements = merkle_tree(claims);
  receipt.outcomes = merkle_tree(outcomes);
  receipt.verdict = program_verdict(receipt.obligations, receipt.identities);
  write_file(folder + "/" + statements_file, statements_text(receipt.obligations));
  receipt.files.clear();
  for (const auto& [path, file] : list_folder(folder).files)
    if (!outside_core(path)) receipt.files.push_back({path, file.sha256});
  write_file(folder + "/" + receipt_file, receipt_text(receipt));
  write_file(folder + "/" + result_file, result_text(receipt));
  write_file(folder + "/" + manifest_file, manifest_text(list_folder(folder)));
}

}  // namespace hallmark::bundle::testing
