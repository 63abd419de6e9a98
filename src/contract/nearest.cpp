#include "contract/nearest.h"

#include <algorithm>
#include <numeric>

namespace hallmark::contract {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& unknown, const std::vector<std::string>& known) {
  std::size_t best = std::max<std::size_t>(2, unknown.size() / 3) + 1;
  std::string result;
  for (const std::string& name : known)
    if (const std::size_t distance = edit_distance(unknown, name); distance < best) {
      best = distance;
      result = name;
    }
  return result;
}

std::string suggestion(const std::string& unknown, const std::vector<std::string>& known) {
  if (known.empty()) return "; there is none";
  if (const std::string near = nearest(unknown, known); !near.empty())
    return "; did you mean '" + near + "'?";
  std::string out = "; expected one of ";
  for (std::size_t i = 0; i < known.size() && i < 12; ++i) out += (i == 0 ? "" : ", ") + known[i];
  return known.size() > 12 ? out + ", ..." : out;
}

}  // namespace hallmark::contract
