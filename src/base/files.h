// Reading whole files and writing them so that a killed run leaves nothing half-written.
#pragma once
#include <string>
#include <string_view>

namespace hallmark {

// Throws UserError E0001 when the file cannot be read.
std::string read_file(const std::string& path);
// Writes a temporary file beside `path`, flushes it and renames it. Throws UserError E0002.
void write_file(const std::string& path, std::string_view bytes);
// A new empty folder under the system's temporary folder, removed with everything in it on destruction.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hallmark
