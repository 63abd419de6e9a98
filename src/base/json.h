// JSON with one byte-stable form: keys sorted, two-space indentation, no floating-point numbers.
#pragma once
#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace hallmark {

namespace json = boost::json;

// Sorted keys, `\n` line ends, a final newline. Throws InternalError for a double: numbers that are not
// integers are written as strings (hexadecimal floats, exact rationals; design section 4).
std::string canonical_json(const json::value& value);
// Strict: no comments, no trailing commas, no duplicate keys, depth at most 64. Throws UserError E0003 with
// the position.
json::value parse_json(std::string_view text, const std::string& file);

}  // namespace hallmark
