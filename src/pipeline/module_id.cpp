#include "pipeline/module_id.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hallmark::pipeline {

namespace {

constexpr std::string_view mark = "_INTERNAL_";
constexpr std::size_t digits = 8;

bool is_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

// Where `text` has such a number, from `start` on: the place of its first digit.
std::size_t next_number(std::string_view text, std::size_t start) {
  for (std::size_t at = text.find(mark, start); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const std::size_t first = at + mark.size();
    if (first + digits >= text.size() || text[first + digits] != '_') continue;
    bool all = true;
    for (std::size_t n = 0; n < digits; ++n) all = all && is_digit(text[first + n]);
    if (all) return first;
  }
  return std::string_view::npos;
}

// Numbers of .b8 lines that follow each other, as bytes, with their places in the text.
struct Bytes {
  std::string value;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // first character, length
};

std::vector<Bytes> byte_lists(std::string_view text) {
  constexpr std::string_view directive = ".b8 ";
  std::vector<Bytes> out;
  bool open = false;
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    const bool is_list = text.substr(line, directive.size()) == directive;
    if (is_list && !open) out.emplace_back();
    open = is_list;
    for (std::size_t at = line + directive.size(); is_list && at < end;) {
      const std::size_t stop = std::min(text.find(',', at), end);
      unsigned number = 0;
      for (std::size_t n = at; n < stop; ++n)
        if (text[n] >= '0' && text[n] <= '9') number = number * 10 + static_cast<unsigned>(text[n] - '0');
      out.back().value.push_back(static_cast<char>(number & 0xff));
      out.back().places.emplace_back(at, stop - at);
      at = stop + 1;
    }
    line = end + 1;
  }
  return out;
}

}  // namespace

std::string with_module_id(std::string ptx, std::string_view id) {
  ensure(id.size() == digits, "a module's number has eight digits");
  for (std::size_t at = next_number(ptx, 0); at != std::string::npos; at = next_number(ptx, at))
    ptx.replace(at, digits, id);
  // From the end on, so that earlier places stay where they are.
  const std::vector<Bytes> lists = byte_lists(ptx);
  for (auto list = lists.rbegin(); list != lists.rend(); ++list) {
    std::vector<std::size_t> found;
    for (std::size_t at = next_number(list->value, 0); at != std::string::npos;
         at = next_number(list->value, at))
      found.push_back(at);
    for (auto at = found.rbegin(); at != found.rend(); ++at)
      for (std::size_t n = digits; n-- > 0;) {
        const auto& [place, length] = list->places[*at + n];
        ptx.replace(place, length, std::to_string(static_cast<unsigned>(static_cast<unsigned char>(id[n]))));
      }
  }
  return ptx;
}

}  // namespace hallmark::pipeline
