#include "select/cost_model.h"

#include <fmt/format.h>

#include "base/bounded_file.h"
#include "base/files.h"
#include "base/sha256.h"
#include "select/toml_reader.h"

namespace hallmark::select {

CostModel parse_cost_model(std::string_view text, const std::string& file) {
  const TomlReader in(text, file);
  in.expect_version_one();
  in.known(in.root(), {"version", "name", "weights", "efficiency", "launch"});
  CostModel out;
  out.text = text;
  out.sha256 = sha256_hex(text);
  out.name = in.text(in.root(), "name");
  const auto figure = [&](const toml::table& table, std::string_view key, Rational& into) {
    if (const toml::node* node = table.get(key)) into = in.positive(*node, fmt::format("`{}`", key));
  };
  if (const toml::node* weights = in.root().get("weights")) {
    const toml::table& table = in.table(*weights);
    in.known(table, {"plain", "conversion", "fma", "division", "elementary"});
    figure(table, "plain", out.plain);
    figure(table, "conversion", out.conversion);
    figure(table, "fma", out.fma);
    figure(table, "division", out.division);
    figure(table, "elementary", out.elementary);
  }
  if (const toml::node* efficiency = in.root().get("efficiency")) {
    const toml::table& table = in.table(*efficiency);
    in.known(table, {"compute", "memory"});
    figure(table, "compute", out.compute_efficiency);
    figure(table, "memory", out.memory_efficiency);
    for (const Rational* part : {&out.compute_efficiency, &out.memory_efficiency})
      if (*part > 1) in.fail("E7303", "an efficiency is at most 1", table.source());
  }
  if (const toml::node* launch = in.root().get("launch")) {
    in.known(in.table(*launch), {"factor"});
    figure(in.table(*launch), "factor", out.launch_factor);
  }
  return out;
}

CostModel load_cost_model(const std::string& name, const std::string& corpus_folder) {
  const std::string path = data_file(name, corpus_folder, "cost-models", "E7320", "cost model");
  return parse_cost_model(read_file(path, most_settings_bytes), path);
}

}  // namespace hallmark::select
