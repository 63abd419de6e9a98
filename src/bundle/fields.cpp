#include "bundle/fields.h"

#include <algorithm>

#include "base/error.h"

namespace hallmark::bundle {

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
    };
    const auto tail = [&](std::size_t k) { return (byte(k) & 0xc0u) == 0x80u; };
    const unsigned a = byte(0), b = byte(1);
    std::size_t length = 0;
    if (a < 0x80)
      length = 1;
    else if (a >= 0xc2 && a <= 0xdf && tail(1))
      length = 2;
    // The second byte rules out overlong forms, surrogates and what is beyond U+10FFFF (RFC 3629).
    else if (a >= 0xe0 && a <= 0xef && tail(1) && tail(2) && !(a == 0xe0 && b < 0xa0) &&
             !(a == 0xed && b > 0x9f))
      length = 3;
    else if (a >= 0xf0 && a <= 0xf4 && tail(1) && tail(2) && tail(3) && !(a == 0xf0 && b < 0x90) &&
             !(a == 0xf4 && b > 0x8f))
      length = 4;
    out += length == 0 ? std::string("?") : std::string(text.substr(i, length));
    i += length == 0 ? 1 : length;
  }
  return out;
}

std::string for_terminal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const bool second_set =
        c == 0xc2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xe0u) == 0x80u;
    if (second_set) ++i;
    out += second_set || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? '?' : text[i];
  }
  return out;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_canonical(const json::value& value, std::string_view bytes) {
  try {
    return canonical_json(value) == bytes;
  } catch (const InternalError&) {
    // Writing a floating-point number would be our fault; having been given one is not.
    return false;
  }
}

Fields::Fields(const json::value& value, std::string file, std::string place)
    : object_(value.if_object()), file_(std::move(file)), place_(std::move(place)) {
  if (object_ == nullptr) fail("expected an object");
}

void Fields::fail(const std::string& what) const {
  throw UserError("E5120", (place_.empty() ? "" : place_ + ": ") + what, {file_});
}

const json::value& Fields::any(const char* name) {
  const json::value* value = object_->if_contains(name);
  if (value == nullptr) fail(std::string("member '") + name + "' is missing");
  read_.emplace_back(name);
  return *value;
}

std::string Fields::text(const char* name) {
  const json::value& value = any(name);
  if (!value.is_string()) fail(std::string("member '") + name + "' is no string");
  return std::string(value.get_string());
}

std::uint64_t Fields::number(const char* name) {
  const json::value& value = any(name);
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  if (!value.is_uint64()) fail(std::string("member '") + name + "' is no natural number");
  return value.get_uint64();
}

bool Fields::flag(const char* name) {
  const json::value& value = any(name);
  if (!value.is_bool()) fail(std::string("member '") + name + "' is neither true nor false");
  return value.get_bool();
}

bool Fields::has(const char* name) const {
  return object_->contains(name);
}

bool Fields::is_null(const char* name) {
  return any(name).is_null();
}

Fields Fields::object(const char* name) {
  return Fields(any(name), file_, place_.empty() ? name : place_ + "." + name);
}

std::vector<std::string> Fields::texts(const char* name) {
  const json::value& value = any(name);
  std::vector<std::string> out;
  if (!value.is_array()) fail(std::string("member '") + name + "' is no list");
  for (const json::value& item : value.get_array()) {
    if (!item.is_string()) fail(std::string("member '") + name + "' has an element that is no string");
    out.emplace_back(item.get_string());
  }
  return out;
}

void Fields::each(const char* name, const std::function<void(Fields)>& read) {
  const json::value& value = any(name);
  if (!value.is_array()) fail(std::string("member '") + name + "' is no list");
  std::size_t i = 0;
  for (const json::value& item : value.get_array())
    read(Fields(item, file_, (place_.empty() ? "" : place_ + ".") + name + "[" + std::to_string(i++) + "]"));
}

void Fields::done() const {
  for (const auto& member : *object_)
    if (std::find(read_.begin(), read_.end(), std::string_view(member.key())) == read_.end())
      fail("unknown member '" + std::string(member.key()) + "'");
}

std::string Fields::digest(const char* name) {
  std::string out = text(name);
  if (!is_sha256(out)) fail(std::string("member '") + name + "' is no SHA-256");
  return out;
}

}  // namespace hallmark::bundle
