#include "select/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bounded_file.h"
#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "base/toml_key.h"
#include "select/toml_reader.h"

namespace hallmark::select {

Workload parse_workload(std::string_view text, const std::string& file) {
  const TomlReader in(text, file);
  in.expect_version_one();
  in.known(in.root(), {"version", "name", "metric", "point"});
  Workload out;
  out.text = text;
  out.sha256 = sha256_hex(text);
  out.name = in.text(in.root(), "name");
  if (const toml::node* metric = in.root().get("metric")) {
    const std::string word = in.text(*metric);
    if (word != "latency" && word != "throughput")
      in.fail("E7302", "expected \"latency\" or \"throughput\"", metric->source());
    out.metric = word == "latency" ? Metric::latency : Metric::throughput;
  }
  const toml::node* points = in.root().get("point");
  if (points == nullptr || !points->is_array() || points->as_array()->empty())
    in.fail("E7311", "a workload needs at least one [[point]]",
            points == nullptr ? in.root().source() : points->source());
  for (const toml::node& node : *points->as_array()) {
    const toml::table& table = in.table(node);
    in.known(table, {"weight", "sizes"});
    WorkloadPoint point;
    if (const toml::node* weight = table.get("weight")) point.weight = in.positive(*weight, "the weight");
    if (const toml::node* sizes = table.get("sizes"))
      for (const auto& [key, value] : in.table(*sizes))
        point.sizes[std::string(key.str())] =
            in.positive_integer(value, fmt::format("the size `{}`", key.str()));
    out.points.push_back(std::move(point));
  }
  return out;
}

Workload load_workload(const std::string& name, const std::string& corpus_folder) {
  const std::string path = data_file(name, corpus_folder, "workloads", "E7310", "workload");
  return parse_workload(read_file(path, most_settings_bytes), path);
}

Workload default_workload(const calculus::Program& program) {
  std::string text =
      "# Nobody gave a workload: one point, the largest size that each symbol may have (1024 where it is\n"
      "# unbounded).\nversion = 1\nname = \"default\"\nmetric = \"latency\"\n[[point]]\nweight = 1\n";
  std::string sizes;
  for (const auto& [name, value] : default_sizes(program))
    sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", toml_key(name), value.get_str());
  return parse_workload(text + "sizes = { " + sizes + " }\n", "workload.toml");
}

void check_workload(const Workload& workload, const calculus::Program& program) {
  for (std::size_t i = 0; i < workload.points.size(); ++i) {
    const Sizes& sizes = workload.points[i].sizes;
    const std::string at = fmt::format("point {} of workload '{}'", i + 1, workload.name);
    for (const auto& [name, value] : sizes)
      if (std::none_of(program.symbols.begin(), program.symbols.end(),
                       [&, &symbol = name](const calculus::SymbolRange& s) { return s.name == symbol; }))
        throw UserError("E7312", fmt::format("{}: the program has no size '{}'", at, name));
    for (const calculus::SymbolRange& symbol : program.symbols) {
      const auto size = sizes.find(symbol.name);
      if (size == sizes.end())
        throw UserError("E7312", fmt::format("{}: no value for the size '{}'", at, symbol.name));
      if (size->second < symbol.low || (symbol.high && size->second > *symbol.high))
        throw UserError("E7312", fmt::format("{}: {} = {} is outside the contract's range", at, symbol.name,
                                             size->second.get_str()));
    }
  }
}

}  // namespace hallmark::select
