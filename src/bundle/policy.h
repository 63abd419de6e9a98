// A gate policy: what must be proved, what may stay undecided and why, which solvers, which assumptions.
// TOML; the shipped default (corpus/policies/default.toml) is compiled in. Errors: UserError E5301 (not
// TOML), E5302 (unknown member), E5303 (wrong type), E5304 (unknown name), E5305 (a state that no policy may
// excuse), each with line, column and caret.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/keys.h"
#include "obligation/obligation.h"

namespace hallmark::bundle {

// A set of obligations by kind and level; an empty list means all.
struct Selection {
  std::vector<ObligationKind> kinds;
  std::vector<Level> levels;
  bool matches(const Obligation&) const;
};

struct Tolerance {
  Reason reason{};
  Selection what;
};

struct Policy {
  std::string name;
  std::string sha256;              // of the policy's text
  std::vector<Selection> require;  // an obligation in none of these may stay undecided for any reason
  std::vector<Tolerance> tolerate;
  std::vector<ObligationKind> one_solver_suffices;
  std::optional<std::uint64_t> max_unrun;
  std::optional<std::vector<std::string>> allowed_assumptions;  // absent: all
  bool default_boxes_allowed = true;
  bool established = true;                              // false: the recorded states are believed
  std::map<std::string, std::string> expected_digests;  // role -> SHA-256
  std::optional<std::uint64_t> max_age_days;
  std::vector<PublicKey>
      keys;  // pinned by the policy: as many as the threshold have to have signed the receipt
  std::uint64_t signature_threshold = 1;
  std::vector<PublicKey> waiver_keys;  // may sign waivers; empty: the keys of receipts may

  bool wants_both_solvers(ObligationKind) const;
};

// `file` is named in errors; key files are looked up beside it.
Policy parse_policy(std::string_view text, const std::string& file);
// The same of a file: E0001 where it cannot be read or is larger than any policy.
Policy load_policy(const std::string& path);
std::string_view default_policy_text();
const Policy& default_policy();
// Nothing tolerated: what exit code 0 of `rules prove` and `kernel check` means. One solver suffices as in
// the default.
const Policy& all_proved_policy();

}  // namespace hallmark::bundle
