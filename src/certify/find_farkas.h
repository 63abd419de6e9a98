// Looks for a certificate of kind "farkas" of a query (certificate/certificate.h): a search over the cases of
// its alternatives, guided by rational solutions. Not finding one means nothing.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace hallmark::certify {

// The same answer everywhere: effort is counted in steps of the search, never in time.
struct Effort {
  std::size_t pivots = 4000;  // of the simplex method, all together
  std::size_t cases = 600;
  std::size_t depth = 60;  // alternatives within each other
};

// The text of a certificate that was checked, or nothing. Throws nothing for what the query holds.
std::optional<std::string> find_farkas(std::string_view query_text, const Effort& effort = {});

}  // namespace hallmark::certify
