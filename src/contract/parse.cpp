#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "base/bounded_file.h"
#include "contract/contract.h"
#include "contract/nearest.h"
#include "contract/number.h"

namespace hallmark::contract {
namespace {

using calculus::Format;

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Contract run() {
    expect_settings_text(text_, file_);
    toml::table root;
    try {
      root = toml::parse(text_, file_);
    } catch (const toml::parse_error& e) {
      fail("E8001", "not TOML: " + std::string(e.description()), e.source().begin);
    }
    result_.text = std::string(text_);
    fields(root, "",
           {{"version", [&](const toml::node& n) { version(n); }},
            {"casts",
             [&](const toml::node& n) {
               result_.casts = choice(n, {"exact", "storage"}) == 1 ? Casts::storage : Casts::exact;
             }},
            {"ftz", [&](const toml::node& n) { result_.ftz = boolean(n); }},
            {"fma", [&](const toml::node& n) { result_.fma = boolean(n); }},
            {"nan",
             [&](const toml::node& n) {
               result_.nan_allowed = choice(n, {"forbidden", "allowed"}) == 1;
             }},
            {"infinity",
             [&](const toml::node& n) {
               result_.infinity_allowed = choice(n, {"forbidden", "allowed"}) == 1;
             }},
            {"storage", [&](const toml::node& n) { result_.storage = formats(n); }},
            {"accumulation", [&](const toml::node& n) { result_.accumulation = formats(n); }},
            {"orders", [&](const toml::node& n) { result_.orders = orders(n); }},
            {"dimensions", [&](const toml::node& n) { dimensions(n); }},
            {"tolerance", [&](const toml::node& n) { result_.tolerance = tolerance(n, "tolerance"); }},
            {"inputs", [&](const toml::node& n) { inputs(n); }},
            {"outputs", [&](const toml::node& n) { outputs(n); }}});
    if (root.find("version") == root.end())
      fail("E8006", "the key 'version' is missing; expected 'version = 1'", toml::source_position{1, 1});
    return std::move(result_);
  }

 private:
  using Handler = std::function<void(const toml::node&)>;
  using Handlers = std::vector<std::pair<std::string, Handler>>;

  // toml++ counts columns in code points; a caret needs the byte column.
  Location at(toml::source_position p) const {
    const std::string line = line_of(text_, p.line);
    std::size_t byte = 0, points = 1;
    while (byte < line.size() && points < p.column) {
      do ++byte;
      while (byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xc0) == 0x80);
      ++points;
    }
    return {.file = file_, .line = p.line, .column = byte + 1, .node = {}};
  }
  [[noreturn]] void fail(const std::string& code, const std::string& message, toml::source_position p) const {
    throw UserError(code, message, at(p), line_of(text_, p.line));
  }
  [[noreturn]] void fail(const std::string& code, const std::string& message, const toml::node& n) const {
    fail(code, message, n.source().begin);
  }
  [[noreturn]] void wrong_type(const toml::node& n, const std::string& expected) const {
    fail("E8003", "expected " + expected, n);
  }

  // Gives each key to its handler, in the order of the handlers so that errors do not depend on a table's
  // order.
  void fields(const toml::table& table, const std::string& path, const Handlers& handlers) {
    std::vector<std::string> known;
    for (const auto& [name, handler] : handlers) known.push_back(name);
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) == known.end())
        fail("E8002", "unknown key '" + name + "'" + suggestion(name, known), key.source().begin);
      result_.places[path.empty() ? name : path + "." + name] = at(key.source().begin);
    }
    for (const auto& [name, handler] : handlers)
      if (const toml::node* node = table.get(name); node != nullptr) handler(*node);
  }

  const toml::table& table(const toml::node& n, const std::string& expected) const {
    if (!n.is_table()) wrong_type(n, expected);
    return *n.as_table();
  }
  bool boolean(const toml::node& n) const {
    if (!n.is_boolean()) wrong_type(n, "true or false");
    return **n.as_boolean();
  }
  std::string string(const toml::node& n, const std::string& expected) const {
    if (!n.is_string()) wrong_type(n, expected);
    return **n.as_string();
  }
  std::size_t choice(const toml::node& n, const std::vector<std::string>& values) const {
    std::string expected;
    for (const std::string& value : values) expected += (expected.empty() ? "\"" : " or \"") + value + "\"";
    const std::string text = string(n, expected);
    const auto found = std::find(values.begin(), values.end(), text);
    if (found == values.end()) fail("E8005", "'" + text + "' is not known here; expected " + expected, n);
    return static_cast<std::size_t>(found - values.begin());
  }

  // The text of a number as it stands in the file: a TOML float literal must not pass through a double.
  std::string literal(const toml::node& n) const {
    const Location place = at(n.source().begin);
    const std::string line = line_of(text_, place.line);
    std::string out;
    for (std::size_t i = place.column - 1; i < line.size(); ++i) {
      const char c = line[i];
      if (c == ',' || c == ']' || c == '}' || c == '#' || c == ' ' || c == '\t') break;
      if (c != '_') out += c;
    }
    return out;
  }
  Rational number(const toml::node& n) const {
    std::string text;
    if (n.is_integer())
      return Rational(from_i64(**n.as_integer()));
    else if (n.is_floating_point())
      text = literal(n);
    else if (n.is_string())
      text = **n.as_string();
    else
      wrong_type(n, "a number: 0.1, \"0x1.8p-3\" or \"1/3\"");
    const auto value = parse_number(text);
    if (!value)
      fail("E8004",
           "'" + text + "' is not an exact finite number; expected 0.1, 1e-5, \"0x1.8p-3\" or \"1/3\"", n);
    return *value;
  }
  Integer size(const toml::node& n) const {
    if (!n.is_integer()) wrong_type(n, "an integer");
    const Integer value = from_i64(**n.as_integer());
    if (value < 0) fail("E8009", "a dimension cannot be negative", n);
    return value;
  }

  void version(const toml::node& n) const {
    if (!n.is_integer() || **n.as_integer() != 1)
      fail("E8005", "this program reads contracts of version 1", n);
  }

  const toml::array& list(const toml::node& n, const std::string& of_what) const {
    if (!n.is_array() || n.as_array()->empty()) wrong_type(n, "a list of " + of_what);
    return *n.as_array();
  }
  std::vector<Format> formats(const toml::node& n) const {
    std::vector<Format> out;
    for (const toml::node& item : list(n, "formats, such as [\"f32\", \"f16\"]")) {
      const Format format = float_format(item);
      if (std::find(out.begin(), out.end(), format) == out.end()) out.push_back(format);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  Format float_format(const toml::node& n) const {
    const Format format = any_format(n);
    if (!calculus::is_float(format)) fail("E8005", "expected a floating-point format", n);
    return format;
  }
  Format any_format(const toml::node& n) const {
    const std::string text = string(n, "the name of a format, such as \"f32\"");
    const auto format = calculus::format_of(text);
    if (!format) {
      std::vector<std::string> known;
      for (int f = 0; f <= static_cast<int>(Format::boolean); ++f)
        known.emplace_back(calculus::name(static_cast<Format>(f)));
      fail("E8005", "unknown format '" + text + "'" + suggestion(text, known), n);
    }
    return *format;
  }
  std::vector<std::string> orders(const toml::node& n) const {
    const std::vector<std::string> known{"any", "seq", "strided", "tree", "blocked", "mma"};
    std::vector<std::string> out;
    for (const toml::node& item : list(n, "orders, such as [\"seq\", \"tree\"]")) {
      const std::string text = string(item, "the name of an order");
      if (std::find(known.begin(), known.end(), text) == known.end())
        fail("E8005", "unknown order '" + text + "'" + suggestion(text, known), item);
      if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  void remember(const std::string& path, const toml::key& key) {
    result_.places[path] = at(key.source().begin);
  }

  void dimensions(const toml::node& n) {
    for (const auto& [key, node] : table(n, "a table of dimensions")) {
      const std::string name(key.str()), path = "dimensions." + name;
      remember(path, key);
      DimensionRange range;
      if (node.is_integer()) {
        range.low = size(node);
        range.high = range.low;
      } else if (const toml::array* pair = node.as_array(); pair != nullptr) {
        if (pair->size() != 2) wrong_type(node, "a pair [low, high]");
        range.low = size(*pair->get(0));
        range.high = size(*pair->get(1));
      } else if (node.is_table()) {
        fields(*node.as_table(), path,
               {{"low", [&](const toml::node& v) { range.low = size(v); }},
                {"high", [&](const toml::node& v) { range.high = size(v); }}});
      } else {
        wrong_type(node, "a size, a pair [low, high] or { low = ..., high = ... }");
      }
      if (range.high && *range.high < range.low)
        fail("E8007",
             "the dimension '" + name + "' has no size: low " + range.low.get_str() + " is above high " +
                 range.high->get_str(),
             key.source().begin);
      result_.dimensions[name] = range;
    }
  }

  void inputs(const toml::node& n) {
    for (const auto& [key, node] : table(n, "a table of inputs")) {
      const std::string name(key.str()), path = "inputs." + name;
      remember(path, key);
      const toml::table& entry = table(node, "a table with low and high");
      InputBox box;
      fields(entry, path,
             {{"low", [&](const toml::node& v) { box.low = number(v); }},
              {"high", [&](const toml::node& v) { box.high = number(v); }},
              {"format", [&](const toml::node& v) { box.format = any_format(v); }},
              {"assumed", [&](const toml::node& v) { box.assumed = boolean(v); }}});
      for (const char* bound : {"low", "high"})
        if (entry.get(bound) == nullptr)
          fail("E8006", "the input '" + name + "' has no '" + bound + "'", key.source().begin);
      if (box.low > box.high)
        fail("E8007",
             "the box of '" + name + "' is empty: low " + print_number(box.low) + " is above high " +
                 print_number(box.high),
             *entry.get("low"));
      result_.inputs[name] = box;
    }
  }

  Tolerance tolerance(const toml::node& n, const std::string& path) {
    Tolerance t;
    const auto part = [&](std::optional<Rational>& value) {
      return [&](const toml::node& v) {
        value = number(v);
        if (*value < 0) fail("E8009", "a tolerance cannot be negative", v);
      };
    };
    fields(table(n, "a table with absolute, relative or ulp"), path,
           {{"absolute", part(t.absolute)},
            {"relative", part(t.relative)},
            {"ulp", part(t.ulp)},
            {"assumed", [&](const toml::node& v) { t.assumed = boolean(v); }}});
    return t;
  }
  void outputs(const toml::node& n) {
    for (const auto& [key, node] : table(n, "a table of outputs")) {
      const std::string name(key.str()), path = "outputs." + name;
      remember(path, key);
      result_.outputs[name] = tolerance(node, path);
    }
  }

  std::string_view text_;
  std::string file_;
  Contract result_;
};

}  // namespace

Contract parse(std::string_view text, const std::string& file) {
  return Reader(text, file).run();
}

Contract load(const std::string& path) {
  return parse(read_file(path, most_settings_bytes), path);
}

bool Contract::operator==(const Contract& o) const {
  return dimensions == o.dimensions && inputs == o.inputs && tolerance == o.tolerance &&
         outputs == o.outputs && nan_allowed == o.nan_allowed && infinity_allowed == o.infinity_allowed &&
         ftz == o.ftz && fma == o.fma && casts == o.casts && storage == o.storage &&
         accumulation == o.accumulation && orders == o.orders;
}

}  // namespace hallmark::contract
