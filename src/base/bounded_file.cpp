#include "base/bounded_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace hallmark {

namespace {

[[noreturn]] void too_large(std::size_t most, const std::string& path) {
  throw UserError("E0001", "larger than " + std::to_string(most) + " bytes, which no such file needs",
                  {path});
}

}  // namespace

void expect_settings_size(std::string_view text, const std::string& file) {
  if (text.size() > most_settings_bytes) too_large(most_settings_bytes, file);
}

std::string read_file(const std::string& path, std::size_t most) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, ignored))
    throw UserError("E0001", std::string("cannot read the file: ") + std::strerror(in ? EISDIR : errno),
                    {path});
  std::string bytes, part(1 << 16, '\0');
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
    bytes.append(part, 0, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > most) too_large(most, path);
  }
  if (in.bad()) throw UserError("E0001", "the file could not be read to its end", {path});
  return bytes;
}

}  // namespace hallmark
