// SHA-256 of bytes and of files (OpenSSL), as lower-case hexadecimal.
#pragma once
#include <array>
#include <string>
#include <string_view>

namespace hallmark {

using Digest = std::array<unsigned char, 32>;
Digest sha256(std::string_view bytes);
std::string hex(const Digest& digest);
std::string sha256_hex(std::string_view bytes);
// Throws UserError E0001 when the file cannot be read.
std::string sha256_file(const std::string& path);

}  // namespace hallmark
