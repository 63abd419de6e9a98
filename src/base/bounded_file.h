// Reading a file that somebody else may have made, or that may be a device without an end.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace hallmark {

// What no file of settings (TOML: contracts, policies, waivers, targets, workloads) needs to exceed: reading
// one of this size takes well below a second.
inline constexpr std::size_t most_settings_bytes = std::size_t{4} << 20;

// Throws UserError E0001 when the text of a file of settings, wherever it came from, is longer.
void expect_settings_size(std::string_view text, const std::string& file);

// Throws UserError E0001 when the file cannot be read, and as soon as it is seen to have more than `most`
// bytes.
std::string read_file(const std::string& path, std::size_t most);

}  // namespace hallmark
