#include "select/constraints.h"

#include <algorithm>

#include "base/bounded_file.h"
#include "base/files.h"
#include "base/sha256.h"
#include "select/toml_reader.h"

namespace hallmark::select {

bool Constraints::forbids_rule(const std::string& rule) const {
  return std::any_of(forbidden_rules.begin(), forbidden_rules.end(), [&](const std::string& pattern) {
    if (!pattern.empty() && pattern.back() == '*')
      return rule.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
    // An instance of a family with axis classes is named FAMILY@RANKS.
    return rule == pattern || rule.starts_with(pattern + "@");
  });
}

bool Constraints::permits_schedule(const std::string& schedule) const {
  return std::find(schedules.begin(), schedules.end(), schedule) != schedules.end();
}

Constraints parse_constraints(std::string_view text, const std::string& file) {
  const TomlReader in(text, file);
  in.expect_version_one();
  in.known(in.root(),
           {"version", "name", "max_kernels", "max_arena_bytes", "max_seconds", "forbid_rules", "schedules"});
  Constraints out;
  out.text = text;
  out.sha256 = sha256_hex(text);
  out.name = in.text(in.root(), "name");
  if (const toml::node* limit = in.root().get("max_kernels"))
    out.max_kernels = in.positive_integer(*limit, "`max_kernels`");
  if (const toml::node* limit = in.root().get("max_arena_bytes"))
    out.max_arena_bytes = in.positive_integer(*limit, "`max_arena_bytes`");
  if (const toml::node* limit = in.root().get("max_seconds"))
    out.max_seconds = in.positive(*limit, "`max_seconds`");
  if (const toml::node* rules = in.root().get("forbid_rules")) out.forbidden_rules = in.texts(*rules);
  if (const toml::node* schedules = in.root().get("schedules")) {
    out.schedules = in.texts(*schedules);
    for (const std::string& schedule : out.schedules)
      if (schedule != "separate" && schedule != "fused")
        in.fail("E7302", "expected \"separate\" or \"fused\"", schedules->source());
    if (out.schedules.empty()) in.fail("E7302", "an empty list permits nothing", schedules->source());
  }
  return out;
}

Constraints load_constraints(const std::string& name, const std::string& corpus_folder) {
  const std::string path = data_file(name, corpus_folder, "constraints", "E7330", "constraints");
  return parse_constraints(read_file(path, most_settings_bytes), path);
}

}  // namespace hallmark::select
