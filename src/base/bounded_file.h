// Reading a file that somebody else may have made, or that may be a device without an end.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace hallmark {

// What no file of settings (TOML: contracts, policies, waivers, targets, workloads) needs to exceed: reading
// one of this size takes well below a second.
inline constexpr std::size_t most_settings_bytes = std::size_t{4} << 20;

// What is looked at before toml++ reads the text of a file of settings, wherever it came from. Throws
// UserError E0001 when it is longer, and E0004 for a character beyond ASCII that stands neither in a comment
// nor in a string of one line: TOML has no use for it there, and toml++ 3.2 asks of some (from U+00A1 to
// U+0499) whether they are blanks in a function that has no answer for them ("unreachable", found by
// fuzzing).
void expect_settings_text(std::string_view text, const std::string& file);

// Throws UserError E0001 when the file cannot be read, and as soon as it is seen to have more than `most`
// bytes.
std::string read_file(const std::string& path, std::size_t most);

}  // namespace hallmark
