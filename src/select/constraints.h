// What the user demands of the elected route beside the contract. A TOML file (corpus/constraints), all
// members optional:
//
//   version = 1
//   name = "small"
//   max_kernels = 12                  # launches of the plan
//   max_arena_bytes = 1048576         # at every point of the workload, with what is prepared and kept
//   max_seconds = 0.001               # modelled, at every point of the workload
//   forbid_rules = ["matmul/..."]     # rules that no step of the route may use; a trailing * stands for any
//   end schedules = ["fused"]             # permitted: "separate" (one kernel a definition), "fused"
//
// A constraint narrows what may be elected and never justifies anything.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/integer.h"

namespace hallmark::select {

struct Constraints {
  std::string name;
  std::optional<Integer> max_kernels, max_arena_bytes;
  std::optional<Rational> max_seconds;
  std::vector<std::string> forbidden_rules;
  std::vector<std::string> schedules{"separate", "fused"};
  std::string text, sha256;  // the file as it was read, and its digest

  bool forbids_rule(const std::string& rule) const;
  bool permits_schedule(const std::string& schedule) const;
};

// Throws UserError E7301 (not TOML), E7302 (member unknown or of a wrong type), E7303 (a limit is not
// positive), with line, column and caret.
Constraints parse_constraints(std::string_view text, const std::string& file);
// `name` is a path, or the name of a file in corpus/constraints. Throws UserError E7330 with the known names.
Constraints load_constraints(const std::string& name, const std::string& corpus_folder);

}  // namespace hallmark::select
