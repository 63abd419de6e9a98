#include "select/target.h"

#include <fmt/format.h>

#include "base/bounded_file.h"
#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "select/toml_reader.h"

namespace hallmark::select {
namespace {

class Reader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  // Each figure has its source beside it.
  Rational figure(std::string_view key) const {
    const toml::node* node = root()["figures"][key].node();
    if (node == nullptr)
      fail("E7302", fmt::format("expected the figure `{}` in [figures]", key), root().source());
    const Rational value = positive(*node, fmt::format("the figure `{}`", key));
    if (!root()["sources"][key].is_string())
      fail("E7303", fmt::format("the figure `{}` has no source in [sources]", key), node->source());
    return value;
  }

  Integer count(std::string_view key) const {
    figure(key);
    return positive_integer(*root()["figures"][key].node(), fmt::format("the figure `{}`", key));
  }

  std::map<std::string, std::string> sources() const {
    std::map<std::string, std::string> out;
    if (const toml::table* table = root()["sources"].as_table())
      for (const auto& [key, value] : *table)
        if (const auto text = value.value<std::string>()) out[std::string(key.str())] = *text;
    return out;
  }
};

}  // namespace

Target parse_target(std::string_view text, const std::string& file) {
  const Reader in(text, file);
  Target out;
  out.text = text;
  out.name = in.text(in.root(), "name");
  out.compute_capability = in.text(in.root(), "compute_capability");
  out.fp32_flops = in.figure("fp32_flops");
  out.memory_bytes_per_second = in.figure("memory_bytes_per_second");
  out.sm_count = in.count("sm_count");
  out.l2_bytes = in.count("l2_bytes");
  out.shared_bytes_per_sm = in.count("shared_bytes_per_sm");
  out.registers_per_sm = in.count("registers_per_sm");
  out.threads_per_sm = in.count("threads_per_sm");
  out.launch_seconds = in.figure("launch_seconds");
  out.sources = in.sources();
  out.sha256 = sha256_hex(text);
  return out;
}

Target load_target(const std::string& name, const std::string& corpus_folder) {
  const std::string path = data_file(name, corpus_folder, "targets", "E7304", "target");
  return parse_target(read_file(path, most_settings_bytes), path);
}

}  // namespace hallmark::select
