// Asks CaDiCaL (Debian package cadical) for a refutation of a query over bit vectors and Booleans, as a
// certificate of kind "drat". It is no verdict: the steps count only because they were checked.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hallmark::certify {

// The text of a certificate that was checked; nothing when CaDiCaL is not installed, the query is of another
// theory, it has a solution, or `conflicts` did not suffice.
std::optional<std::string> find_drat(std::string_view query_text, std::size_t conflicts = 20'000);
bool can_find_drat();

}  // namespace hallmark::certify
