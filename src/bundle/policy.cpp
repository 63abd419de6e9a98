#include "bundle/policy.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/bounded_file.h"
#include "base/error.h"
#include "base/sha256.h"
#include "bundle/default_policy.h"
#include "bundle/fields.h"

namespace hallmark::bundle {
namespace {

template <typename T>
bool in(const std::vector<T>& items, const T& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Policy run() {
    expect_settings_text(text_, file_);
    const toml::table root = parse();
    known(root, {"version", "name", "require", "tolerate", "solvers", "limits", "assumptions", "states",
                 "expect", "signatures", "waivers"});
    if (const toml::node& version = need(root, "version"); version.value<std::int64_t>() != 1)
      fail("E5304", version, "this program reads policy version 1");
    out_.name = text(need(root, "name"));
    out_.sha256 = sha256_hex(text_);
    tables(root, "require", [&](const toml::table& t) {
      known(t, {"kinds", "levels"});
      out_.require.push_back(selection(t));
    });
    if (out_.require.empty()) out_.require.emplace_back();
    tables(root, "tolerate", [&](const toml::table& t) { tolerate(t); });
    section(root, "solvers", {"one_suffices"}, [&](const toml::table& t) {
      if (const toml::node* kinds = t.get("one_suffices"))
        out_.one_solver_suffices =
            kinds->value<std::string>() == "all" ? all_obligation_kinds() : list(*kinds, "kind", kind_of);
    });
    section(root, "limits", {"max_unrun"}, [&](const toml::table& t) {
      if (const toml::node* limit = t.get("max_unrun")) out_.max_unrun = natural(*limit);
    });
    section(root, "assumptions", {"allow", "default_boxes"}, [&](const toml::table& t) { assumptions(t); });
    section(root, "states", {"need"}, [&](const toml::table& t) {
      const toml::node& what = need(t, "need");
      const std::string word = text(what);
      if (word != "established" && word != "recorded")
        fail("E5304", what, "expected \"established\" or \"recorded\"");
      out_.established = word == "established";
    });
    if (const toml::node* expect = root.get("expect")) expected(table(*expect));
    section(root, "signatures", {"keys", "threshold"}, [&](const toml::table& t) { signatures(t); });
    section(root, "waivers", {"keys"},
            [&](const toml::table& t) { out_.waiver_keys = keys(need(t, "keys")); });
    return std::move(out_);
  }

 private:
  toml::table parse() {
    try {
      return toml::parse(text_, file_);
    } catch (const toml::parse_error& error) {
      fail("E5301", error.source(), "not valid TOML: " + std::string(error.description()));
    }
  }

  [[noreturn]] void fail(const char* code, const toml::source_region& at, const std::string& message) const {
    throw UserError(code, message, {file_, at.begin.line, at.begin.column}, line_of(text_, at.begin.line));
  }
  [[noreturn]] void fail(const char* code, const toml::node& at, const std::string& message) const {
    fail(code, at.source(), message);
  }

  void known(const toml::table& table, std::initializer_list<std::string_view> names) const {
    for (const auto& [key, value] : table)
      if (std::find(names.begin(), names.end(), key.str()) == names.end())
        fail("E5302", key.source(),
             fmt::format("unknown member '{}'; expected one of: {}", key.str(), fmt::join(names, ", ")));
  }
  const toml::node& need(const toml::table& table, std::string_view name) const {
    const toml::node* node = table.get(name);
    if (node == nullptr) fail("E5302", table, fmt::format("member '{}' is missing", name));
    return *node;
  }
  const toml::table& table(const toml::node& node) const {
    if (!node.is_table()) fail("E5303", node, "expected a table");
    return *node.as_table();
  }
  std::string text(const toml::node& node) const {
    if (!node.is_string()) fail("E5303", node, "expected a string");
    return node.as_string()->get();
  }
  bool flag(const toml::node& node) const {
    if (!node.is_boolean()) fail("E5303", node, "expected true or false");
    return node.as_boolean()->get();
  }
  std::uint64_t natural(const toml::node& node) const {
    if (!node.is_integer() || node.as_integer()->get() < 0) fail("E5303", node, "expected a natural number");
    return static_cast<std::uint64_t>(node.as_integer()->get());
  }
  std::vector<std::string> texts(const toml::node& node) const {
    std::vector<std::string> out;
    if (!node.is_array()) fail("E5303", node, "expected a list of strings");
    for (const toml::node& item : *node.as_array()) out.push_back(text(item));
    return out;
  }
  void section(const toml::table& root, std::string_view name, std::initializer_list<std::string_view> names,
               const std::function<void(const toml::table&)>& read) const {
    const toml::node* node = root.get(name);
    if (node == nullptr) return;
    known(table(*node), names);
    read(table(*node));
  }
  void tables(const toml::table& root, std::string_view name,
              const std::function<void(const toml::table&)>& read) const {
    const toml::node* node = root.get(name);
    if (node == nullptr) return;
    if (!node->is_array()) fail("E5303", *node, fmt::format("write it as [[{}]]", name));
    for (const toml::node& item : *node->as_array()) read(table(item));
  }

  // "all" or a list of names of one closed set.
  template <typename Enum>
  std::vector<Enum> list(const toml::node& node, const char* what,
                         std::optional<Enum> (*parse)(std::string_view)) const {
    if (node.is_string() && node.as_string()->get() == "all") return {};
    if (!node.is_array()) fail("E5303", node, fmt::format("expected \"all\" or a list of {} names", what));
    // An empty list would read as "none" and mean "all" here.
    if (node.as_array()->empty())
      fail("E5303", node, "an empty list selects nothing; write \"all\" or leave the entry out");
    std::vector<Enum> out;
    for (const toml::node& item : *node.as_array()) {
      const std::optional<Enum> value = parse(text(item));
      if (!value) fail("E5304", item, fmt::format("unknown {} '{}'", what, text(item)));
      out.push_back(*value);
    }
    return out;
  }

  Selection selection(const toml::table& t) const {
    Selection out;
    if (const toml::node* kinds = t.get("kinds")) out.kinds = list(*kinds, "kind", kind_of);
    if (const toml::node* levels = t.get("levels")) out.levels = list(*levels, "level", level_of);
    return out;
  }

  void tolerate(const toml::table& t) {
    known(t, {"reason", "kinds", "levels"});
    const toml::node& node = need(t, "reason");
    const std::optional<Reason> reason = reason_of(text(node));
    if (!reason || *reason == Reason::none)
      fail("E5304", node, fmt::format("unknown reason '{}'", text(node)));
    if (*reason == Reason::disagreement)
      fail("E5305", node, "no policy can tolerate solvers that contradict each other");
    out_.tolerate.push_back({*reason, selection(t)});
  }

  void assumptions(const toml::table& t) {
    if (const toml::node* allow = t.get("allow"); allow != nullptr && allow->value<std::string>() != "all")
      out_.allowed_assumptions = texts(*allow);
    if (const toml::node* boxes = t.get("default_boxes")) out_.default_boxes_allowed = flag(*boxes);
  }

  void expected(const toml::table& t) {
    for (const auto& [key, value] : t) {
      if (key.str() == "max_age_days") {
        out_.max_age_days = natural(value);
        continue;
      }
      const std::string digest = text(value);
      if (!is_sha256(digest)) fail("E5303", value, "expected a SHA-256: 64 lower-case hexadecimal digits");
      out_.expected_digests[std::string(key.str())] = digest;
    }
  }

  std::vector<PublicKey> keys(const toml::node& list) const {
    const std::filesystem::path beside = std::filesystem::path(file_).parent_path();
    const std::vector<std::string> names = texts(list);
    // Whoever writes a list of keys wants one of them to sign; that nobody may is surely not meant.
    if (names.empty()) fail("E5303", list, "an empty list of keys; name one or leave the entry out");
    std::vector<PublicKey> out;
    for (const std::string& name : names) out.push_back(PublicKey::load((beside / name).string()));
    return out;
  }

  void signatures(const toml::table& t) {
    if (const toml::node* list = t.get("keys")) out_.keys = keys(*list);
    if (const toml::node* threshold = t.get("threshold")) {
      out_.signature_threshold = natural(*threshold);
      if (out_.signature_threshold == 0)
        fail("E5305", *threshold, "a threshold of 0 would accept an unsigned receipt");
    }
  }

  std::string_view text_;
  std::string file_;
  Policy out_;
};

}  // namespace

bool Selection::matches(const Obligation& o) const {
  return (kinds.empty() || in(kinds, o.kind)) && (levels.empty() || in(levels, o.level));
}

bool Policy::wants_both_solvers(ObligationKind kind) const {
  return !in(one_solver_suffices, kind);
}

Policy load_policy(const std::string& path) {
  return parse_policy(read_file(path, most_settings_bytes), path);
}

Policy parse_policy(std::string_view text, const std::string& file) {
  return Reader(text, file).run();
}

std::string_view default_policy_text() {
  return default_policy_bytes;
}

const Policy& default_policy() {
  static const Policy policy = parse_policy(default_policy_text(), "corpus/policies/default.toml");
  return policy;
}

const Policy& all_proved_policy() {
  static const Policy policy = [] {
    Policy out = default_policy();
    out.name = "all-proved";
    out.tolerate.clear();
    out.sha256 = sha256_hex(out.name);
    return out;
  }();
  return policy;
}

}  // namespace hallmark::bundle
