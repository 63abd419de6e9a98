#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace hallmark::fuzz {

namespace {

using Engine = std::mt19937_64;

// A number below n; 0 for n = 0.
std::size_t below(Engine& engine, std::size_t n) {
  return n == 0 ? 0 : static_cast<std::size_t>(engine() % n);
}

std::string piece(const std::string& text, Engine& engine) {
  const std::size_t begin = below(engine, text.size());
  return text.substr(begin, 1 + below(engine, std::min<std::size_t>(64, text.size() - begin)));
}

void replace_number(std::string& text, Engine& engine) {
  static constexpr std::array<std::string_view, 12> limits{"0",
                                                           "-1",
                                                           "1e999",
                                                           "nan",
                                                           "9223372036854775807",
                                                           "9223372036854775808",
                                                           "4294967296",
                                                           "2147483648",
                                                           "1e-99",
                                                           "0x",
                                                           "inf",
                                                           "99999999999999999999999999999999999999"};
  const std::size_t start = below(engine, text.size());
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), digit);
  const auto end = std::find_if_not(begin, text.end(), digit);
  text.replace(begin, end, limits[below(engine, limits.size())]);
}

void repeat_bracket(std::string& text, Engine& engine) {
  const std::size_t found = text.find_first_of("([{", below(engine, text.size()));
  if (found != std::string::npos) text.insert(found, 1 + below(engine, 200), text[found]);
}

void change(std::string& text, const std::vector<std::string>& seeds, Engine& engine) {
  const std::size_t at = below(engine, text.size());
  switch (engine() % 9) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(engine());
      break;
    case 1:
      if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << (engine() % 8)));
      break;
    case 2:
      text.erase(at, 1 + below(engine, 32));
      break;
    case 3:
      text.insert(at, 1, static_cast<char>(engine()));
      break;
    case 4:
      if (!text.empty()) text.insert(at, piece(text, engine));
      break;
    case 5: {
      const std::string& other = seeds[below(engine, seeds.size())];
      if (!other.empty()) text.insert(at, piece(other, engine));
      break;
    }
    case 6:
      replace_number(text, engine);
      break;
    case 7:
      repeat_bracket(text, engine);
      break;
    default:
      if (engine() % 8 == 0) text.resize(at);
      break;
  }
}

}  // namespace

std::string mutated(const std::vector<std::string>& seeds, Engine& engine, std::size_t limit) {
  std::string text = seeds[below(engine, seeds.size())];
  for (std::size_t changes = 1 + below(engine, 8); changes > 0; --changes) change(text, seeds, engine);
  if (text.size() > limit) text.resize(limit);
  return text;
}

}  // namespace hallmark::fuzz
