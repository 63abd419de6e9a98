// Two receipts compared: what is newly proved, refuted or open, what claims came and went, and what changed
// around them. The obligations' ids are stable across edits, so they are what is compared.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "bundle/open.h"

namespace hallmark::bundle {

struct Change {
  std::string what;   // "state", "added", "removed", "statement", "assumption", "version", "file", "setting"
  std::string where;  // id, assumption, tool, path or setting
  std::string before, after;  // states, digests or versions; empty for what was not there
};

struct Diff {
  std::vector<Change> changes;  // in the order above, by `where`
  // 1 when something is newly refuted, 3 when something proved is no longer, else 0.
  int exit_code = 0;
};

// Both must be free of findings (UserError E5402 otherwise).
Diff diff(const OpenBundle& before, const OpenBundle& after);
std::string diff_text(const Diff&);
json::object diff_json(const Diff&);

}  // namespace hallmark::bundle
