#include "base/json.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace hallmark {
namespace {

void write(const json::value& value, int depth, std::string& out) {
  const std::string inner(static_cast<std::size_t>(2 * (depth + 1)), ' ');
  const std::string outer(static_cast<std::size_t>(2 * depth), ' ');
  switch (value.kind()) {
    case json::kind::object: {
      std::vector<json::string_view> keys;
      for (const auto& member : value.get_object()) keys.push_back(member.key());
      std::sort(keys.begin(), keys.end());
      if (keys.empty()) {
        out += "{}";
        return;
      }
      out += "{\n";
      for (std::size_t i = 0; i < keys.size(); ++i) {
        out += inner + json::serialize(keys[i]) + ": ";
        write(value.get_object().at(keys[i]), depth + 1, out);
        out += i + 1 < keys.size() ? ",\n" : "\n";
      }
      out += outer + "}";
      return;
    }
    case json::kind::array: {
      const json::array& items = value.get_array();
      if (items.empty()) {
        out += "[]";
        return;
      }
      out += "[\n";
      for (std::size_t i = 0; i < items.size(); ++i) {
        out += inner;
        write(items[i], depth + 1, out);
        out += i + 1 < items.size() ? ",\n" : "\n";
      }
      out += outer + "]";
      return;
    }
    case json::kind::double_:
      throw InternalError("a floating-point number in canonical JSON");
    default:
      out += json::serialize(value);
  }
}

// Boost.JSON keeps the last of two equal keys; an attacker could show one reader the first and us the last.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(std::string_view text) : text_(text) {}
  bool found() {
    value();
    return found_;
  }

 private:
  void space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  json::string string() {
    const std::size_t begin = at_++;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
    const std::string_view literal = text_.substr(begin, at_ - begin);
    return json::parse(json::string_view(literal.data(), literal.size())).as_string();
  }
  void value() {
    space();
    if (text_[at_] == '{') {
      std::vector<json::string> keys;
      ++at_;
      for (space(); text_[at_] != '}'; space()) {
        if (text_[at_] == ',') ++at_, space();
        keys.push_back(string());
        space();
        ++at_;  // the colon
        value();
      }
      ++at_;
      std::sort(keys.begin(), keys.end());
      found_ = found_ || std::adjacent_find(keys.begin(), keys.end()) != keys.end();
    } else if (text_[at_] == '[') {
      ++at_;
      for (space(); text_[at_] != ']'; space()) {
        if (text_[at_] == ',') ++at_;
        value();
      }
      ++at_;
    } else if (text_[at_] == '"') {
      string();
    } else {
      while (at_ < text_.size() && std::string_view(",]} \n\r\t").find(text_[at_]) == std::string_view::npos)
        ++at_;
    }
  }
  std::string_view text_;
  std::size_t at_ = 0;
  bool found_ = false;
};

}  // namespace

std::string canonical_json(const json::value& value) {
  std::string out;
  write(value, 0, out);
  out += '\n';
  return out;
}

json::value parse_json(std::string_view text, const std::string& file) {
  json::parse_options options;
  options.max_depth = 64;
  json::stream_parser parser({}, options);
  boost::system::error_code error;
  const std::size_t used = parser.write_some(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  const std::size_t line =
      static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(used), '\n')) + 1;
  const std::size_t start = text.substr(0, used).rfind('\n');
  const std::size_t column = used - (start == std::string_view::npos ? 0 : start + 1) + 1;
  if (error)
    throw UserError("E0003", "not valid JSON: " + error.message(), {file, line, column}, line_of(text, line));
  if (text.substr(used).find_first_not_of(" \n\r\t") != std::string_view::npos)
    throw UserError("E0003", "text after the end of the JSON value", {file, line, column},
                    line_of(text, line));
  if (DuplicateKeys(text).found())
    throw UserError("E0003", "an object has two members of the same name", {file});
  return parser.release();
}

}  // namespace hallmark
