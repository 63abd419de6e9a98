// The one shape in which verdicts leave the program: `audit`, `gate`, `rules prove`, `kernel check` and
// result.json (issue bar 9): top-level `verdict`, `counts` {proved, refuted, unrun}, `obligations` with the
// fields of the design's section 4.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "bundle/manifest.h"
#include "obligation/obligation.h"

namespace hallmark::bundle {

struct Report {
  std::string subject;                  // what was examined: a bundle folder, a rule file, "FILE.cu: KERNEL"
  std::string verdict;                  // the sentence (verdict.h)
  std::vector<Obligation> obligations;  // in the order of sort_obligations for same bytes
  std::vector<Finding> findings;        // integrity failures and policy violations
  std::vector<std::string> notes;       // what else a reader must know: "states not re-established: 3"
  // Of a bundle: what is trusted and not proved (id, sentence), what is not there, what has another version
  // here.
  std::vector<std::pair<std::string, std::string>> assumed;
  std::vector<std::string> missing, other_versions;
  std::map<std::string, std::string> waived;  // id -> by whom, until when, why; a part of the unrun ones
  std::optional<int> exit_code;               // absent in result.json: a policy decides, not the receipt
  std::string query_folder;  // folder of the queries relative to the bundle; empty outside a bundle
  std::function<std::string(const Obligation&)>
      replay;  // the command that repeats one obligation; may be empty
  // The command that shows every row, for formats that show the first ones; of bundles `report_command`.
  std::string all_rows = "the same command with --format text";
};

struct Identities;
struct Assumption;
// "SENTENCE Source: SOURCE."
std::string words(const Assumption&);
// Fills `assumed` and `missing`.
void describe(const Identities&, Report&);

enum class Format { text, json, junit, sarif, github, markdown, annotations };
// "text", "json", "junit", "sarif", "github" (SARIF for code-scanning sites), "md", "annotations"; nothing
// for other text.
std::optional<Format> format_of(std::string_view);

// Rows of how many obligations of one kind were settled in one way: kind, how ("z3+cvc5", "interval", "gap"
// for an unrun one), state, number; in the order of the obligations' kinds.
struct MatrixRow {
  ObligationKind kind{};
  std::string how;
  State state{};
  std::size_t count = 0;
};
std::vector<MatrixRow> matrix(const std::vector<Obligation>&);

json::object report_json(const Report&);
// Text: the counts, the verdict, notes and findings, the matrix, what was assumed, what is missing, what
// differs in version, then every obligation that is not proved with its replay command, then the proved ones.
// JUnit: refuted is <failure>, unrun is <error> (a skipped test is green nearly everywhere), findings are
// <error>, assumptions are properties. SARIF 2.1.0: proved is kind pass, refuted fail and error, unrun open;
// each finding a notification, which makes the invocation unsuccessful. For code-scanning sites, which show
// every result as an alert: no passes, unrun as fail and warning under a rule of its own, at most 5 000 rows
// and never cut silently. Markdown: verdict, matrix, the first five rows that are not proved with their
// replay command, the number of the rest and what shows them. Annotations: workflow commands of GitHub
// Actions, refuted ones and findings as errors, unrun ones as warnings, at most ten each with the number of
// the rest and what shows them. In text, Markdown and annotations no
// control character of a bundle or a solver gets through: a terminal would obey it.
std::string render(const Report&, Format);

// "'it'\''s'": quoted for a POSIX shell when it needs to be.
std::string shell_word(const std::string&);
// "hallmark replay FOLDER ID"
std::string replay_command(const std::string& folder, const Obligation&);
// "hallmark report FOLDER -o report.html"
std::string report_command(const std::string& folder);

}  // namespace hallmark::bundle
