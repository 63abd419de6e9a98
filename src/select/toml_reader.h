// Reading of the data files of stage 3 (targets, workloads, cost models, constraints): every member is asked
// for by name, one that is not known is an error with line, column and caret.
#pragma once
#include <toml++/toml.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/integer.h"

namespace hallmark::select {

class TomlReader {
 public:
  // Throws UserError E7301 for text that is not TOML. Keeps views of `text`.
  TomlReader(std::string_view text, const std::string& file);

  [[noreturn]] void fail(const std::string& code, const std::string& message,
                         const toml::source_region& at) const;
  const toml::table& root() const { return table_; }
  // E7302, naming the known members, for one that is not known.
  void known(const toml::table& table, std::initializer_list<std::string_view> names) const;
  // `version = 1`, or E7302.
  void expect_version_one() const;
  const toml::table& table(const toml::node& node) const;
  std::string text(const toml::table& table, std::string_view key) const;
  std::string text(const toml::node& node) const;
  std::vector<std::string> texts(const toml::node& node) const;
  // A number above 0, exactly as the double that was written (E7303 otherwise).
  Rational positive(const toml::node& node, std::string_view what) const;
  Integer positive_integer(const toml::node& node, std::string_view what) const;

 private:
  std::string_view text_;
  std::string file_;
  toml::table table_;
};

// The path of a data file: `name` itself when it is a path or there is such a file, else
// CORPUS/FOLDER/NAME.toml. Throws UserError `code` with the known names.
std::string data_file(const std::string& name, const std::string& corpus_folder, const std::string& folder,
                      const std::string& code, const std::string& what);

}  // namespace hallmark::select
