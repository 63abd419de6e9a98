#include "bundle/waiver.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/bounded_file.h"
#include "base/error.h"
#include "bundle/fields.h"
#include "bundle/observations.h"

namespace hallmark::bundle {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Waiver> run() {
    expect_settings_text(text_, file_);
    const toml::table root = parse();
    for (const auto& [key, value] : root)
      if (key.str() != "version" && key.str() != "waive") fail(key.source(), "unknown member");
    const toml::node* version = root.get("version");
    if (version == nullptr || version->value<std::int64_t>() != 1)
      fail(version == nullptr ? root.source() : version->source(), "expected `version = 1`");
    const toml::node* list = root.get("waive");
    if (list == nullptr || !list->is_array()) fail(root.source(), "expected [[waive]]");
    std::vector<Waiver> out;
    for (const toml::node& item : *list->as_array()) {
      if (!item.is_table()) fail(item.source(), "expected [[waive]]");
      out.push_back(waiver(*item.as_table()));
    }
    return out;
  }

 private:
  toml::table parse() {
    try {
      return toml::parse(text_, file_);
    } catch (const toml::parse_error& error) {
      throw UserError("E5330", "not valid TOML: " + std::string(error.description()),
                      {file_, error.source().begin.line, error.source().begin.column},
                      line_of(text_, error.source().begin.line));
    }
  }
  [[noreturn]] void fail(const toml::source_region& at, const std::string& message) const {
    throw UserError("E5331", message, {file_, at.begin.line, at.begin.column}, line_of(text_, at.begin.line));
  }
  std::string text(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr || !node->is_string() || node->as_string()->get().empty())
      fail(node == nullptr ? table.source() : node->source(), fmt::format("expected the string `{}`", key));
    return node->as_string()->get();
  }

  Waiver waiver(const toml::table& table) const {
    static constexpr std::array<std::string_view, 6> members{"obligation", "statement", "reason",
                                                             "author",     "why",       "expires"};
    for (const auto& [key, value] : table)
      if (std::find(members.begin(), members.end(), key.str()) == members.end())
        fail(key.source(),
             "unknown member; expected one of: obligation, statement, reason, author, why, expires");
    Waiver out;
    out.obligation = text(table, "obligation");
    if (table.contains("statement")) {
      out.statement = text(table, "statement");
      if (!is_sha256(out.statement)) fail(table.get("statement")->source(), "expected a SHA-256");
    }
    const auto reason = reason_of(text(table, "reason"));
    // Solvers that contradict each other are an alarm that nobody can accept.
    if (!reason || *reason == Reason::none || *reason == Reason::disagreement)
      fail(table.get("reason")->source(), "no reason for which an obligation may be waived");
    out.reason = *reason;
    out.author = text(table, "author");
    out.why = text(table, "why");
    out.expires_text = text(table, "expires");
    try {
      out.expires = seconds_of_utc(out.expires_text + "T00:00:00Z");
    } catch (const UserError&) {
      fail(table.get("expires")->source(), "expected a day of the form 2026-12-31");
    }
    return out;
  }

  std::string_view text_;
  std::string file_;
};

}  // namespace

std::vector<Waiver> parse_waivers(std::string_view text, const std::string& file) {
  return Reader(text, file).run();
}

std::vector<Waiver> load_waivers(const std::string& path, const std::vector<PublicKey>& trusted) {
  const std::string text = read_file(path, most_settings_bytes), signature_file = path + ".sig";
  std::error_code ignored;
  const std::string signature = std::filesystem::is_regular_file(signature_file, ignored)
                                    ? read_file(signature_file, most_settings_bytes)
                                    : "";
  if (std::none_of(trusted.begin(), trusted.end(),
                   [&](const PublicKey& key) { return key.verify(text, signature); }))
    throw UserError(
        "E5332",
        "the waivers carry no signature of a trusted key: sign them with `openssl pkeyutl -sign -rawin "
        "-inkey KEY -in FILE -out FILE.sig` and name the public key (--waiver-key, or [waivers] of the "
        "policy; without either --pin or [signatures])",
        {path});
  return parse_waivers(text, path);
}

}  // namespace hallmark::bundle
