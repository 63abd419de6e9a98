#include "select/target.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"

namespace hallmark::select {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    try {
      table_ = toml::parse(text, file);
    } catch (const toml::parse_error& error) {
      fail("E7301", "not valid TOML: " + std::string(error.description()), error.source());
    }
  }

  [[noreturn]] void fail(const std::string& code, const std::string& message,
                         const toml::source_region& at) const {
    throw UserError(code, message, {file_, at.begin.line, at.begin.column, {}},
                    line_of(text_, at.begin.line));
  }

  std::string text(std::string_view key) const {
    const auto value = table_[key].value<std::string>();
    if (!value) fail("E7302", fmt::format("expected the string `{}`", key), table_.source());
    return *value;
  }

  // A decimal literal, exactly: the double that TOML makes of it is only used where it is an integer.
  Rational figure(std::string_view key) const {
    const toml::node* node = table_["figures"][key].node();
    if (node == nullptr)
      fail("E7302", fmt::format("expected the figure `{}` in [figures]", key), table_.source());
    const auto value = node->value<double>();
    if (!value || !(*value > 0))
      fail("E7303", fmt::format("the figure `{}` is not a positive number", key), node->source());
    if (!table_["sources"][key].is_string())
      fail("E7303", fmt::format("the figure `{}` has no source in [sources]", key), node->source());
    return exact_rational(*value);
  }

  Integer count(std::string_view key) const {
    const Rational value = figure(key);
    if (value.get_den() != 1)
      fail("E7302", fmt::format("the figure `{}` is not an integer", key),
           table_["figures"][key].node()->source());
    return value.get_num();
  }

  std::map<std::string, std::string> sources() const {
    std::map<std::string, std::string> out;
    if (const toml::table* table = table_["sources"].as_table())
      for (const auto& [key, value] : *table)
        if (const auto text = value.value<std::string>()) out[std::string(key.str())] = *text;
    return out;
  }

 private:
  std::string_view text_;
  std::string file_;
  toml::table table_;
};

}  // namespace

Target parse_target(std::string_view text, const std::string& file) {
  const Reader in(text, file);
  Target out;
  out.name = in.text("name");
  out.compute_capability = in.text("compute_capability");
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
  namespace fs = std::filesystem;
  const std::string path = name.find('/') != std::string::npos || fs::exists(name)
                               ? name
                               : corpus_folder + "/targets/" + name + ".toml";
  if (!fs::exists(path)) {
    std::vector<std::string> known;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(corpus_folder + "/targets", ignored))
      if (entry.path().extension() == ".toml") known.push_back(entry.path().stem().string());
    std::sort(known.begin(), known.end());
    throw UserError("E7304",
                    fmt::format("unknown target `{}`; known targets: {}", name, fmt::join(known, ", ")));
  }
  return parse_target(read_file(path), path);
}

}  // namespace hallmark::select
