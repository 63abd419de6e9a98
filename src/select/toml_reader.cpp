#include "select/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/bounded_file.h"
#include "base/error.h"

namespace hallmark::select {

TomlReader::TomlReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
  expect_settings_text(text, file);
  try {
    table_ = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    fail("E7301", "not valid TOML: " + std::string(error.description()), error.source());
  }
}

void TomlReader::fail(const std::string& code, const std::string& message,
                      const toml::source_region& at) const {
  throw UserError(code, message, {file_, at.begin.line, at.begin.column, {}}, line_of(text_, at.begin.line));
}

void TomlReader::known(const toml::table& table, std::initializer_list<std::string_view> names) const {
  for (const auto& [key, value] : table)
    if (std::find(names.begin(), names.end(), key.str()) == names.end())
      fail("E7302",
           fmt::format("unknown member '{}'; expected one of: {}", key.str(), fmt::join(names, ", ")),
           key.source());
}

void TomlReader::expect_version_one() const {
  const toml::node* version = table_.get("version");
  if (version == nullptr) fail("E7302", "expected `version = 1`", table_.source());
  if (version->value<std::int64_t>() != 1) fail("E7302", "this program reads version 1", version->source());
}

const toml::table& TomlReader::table(const toml::node& node) const {
  if (!node.is_table()) fail("E7302", "expected a table", node.source());
  return *node.as_table();
}

std::string TomlReader::text(const toml::node& node) const {
  if (!node.is_string()) fail("E7302", "expected a string", node.source());
  return node.as_string()->get();
}

std::string TomlReader::text(const toml::table& table, std::string_view key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) fail("E7302", fmt::format("expected the string `{}`", key), table.source());
  return text(*node);
}

std::vector<std::string> TomlReader::texts(const toml::node& node) const {
  if (!node.is_array()) fail("E7302", "expected a list of strings", node.source());
  std::vector<std::string> out;
  for (const toml::node& item : *node.as_array()) out.push_back(text(item));
  return out;
}

Rational TomlReader::positive(const toml::node& node, std::string_view what) const {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  // Infinity and NaN are TOML numbers and no figures.
  if (!value || !(*value > 0) || *value > 1e300)
    fail("E7303", fmt::format("{} is not a positive number", what), node.source());
  return exact_rational(*value);
}

Integer TomlReader::positive_integer(const toml::node& node, std::string_view what) const {
  const Rational value = positive(node, what);
  if (value.get_den() != 1) fail("E7302", fmt::format("{} is not an integer", what), node.source());
  return value.get_num();
}

std::string data_file(const std::string& name, const std::string& corpus_folder, const std::string& folder,
                      const std::string& code, const std::string& what) {
  namespace fs = std::filesystem;
  if (fs::is_regular_file(name)) return name;
  const std::string shipped = corpus_folder + "/" + folder + "/" + name + ".toml";
  if (name.find('/') == std::string::npos && fs::exists(shipped)) return shipped;
  std::vector<std::string> known;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(corpus_folder + "/" + folder, ignored))
    if (entry.path().extension() == ".toml") known.push_back(entry.path().stem().string());
  std::sort(known.begin(), known.end());
  throw UserError(code, fmt::format("unknown {} `{}`: no such file, and the shipped ones are: {}", what, name,
                                    fmt::join(known, ", ")));
}

}  // namespace hallmark::select
