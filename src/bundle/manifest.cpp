#include "bundle/manifest.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "bundle/fields.h"
#include "bundle/layout.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view manifest_format = "hallmark-manifest/1";

// Models with their weights are the only large files that a bundle has.
constexpr std::uintmax_t most_text_bytes = std::uintmax_t{64} << 20, most_bytes = std::uintmax_t{8} << 30;
constexpr std::size_t most_files = 1'000'000;
constexpr int most_levels = 8;

// What this program names its files: a name with a line break or a control character would be printed into
// reports as if the report said it.
bool plain_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= 0x20 && c <= 0x7e && c != '\\'; });
}

std::map<std::string, ListedFile> read_manifest(std::string_view text) {
  std::map<std::string, ListedFile> out;
  const json::value value = parse_json(text, manifest_file);
  Fields in(value, manifest_file, "");
  if (in.text("format") != manifest_format) in.fail("another format than " + std::string(manifest_format));
  in.each("files", [&](Fields file) {
    const std::string path = file.text("path");
    if (!out.emplace(path, ListedFile{file.number("size"), file.digest("sha256")}).second)
      file.fail("'" + path + "' is listed twice");
    file.done();
  });
  in.done();
  return out;
}

}  // namespace

Listing list_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw UserError("E5001", "no such folder", {folder});
  Listing out;
  fs::recursive_directory_iterator at(folder, error), end;
  if (error) throw UserError("E5001", "the folder cannot be read: " + error.message(), {folder});
  for (; at != end; at.increment(error)) {
    const fs::directory_entry& entry = *at;
    const std::string path = entry.path().lexically_relative(folder).generic_string();
    const fs::file_status status = entry.symlink_status(error);
    if (!plain_name(path)) {
      out.misnamed.push_back(valid_utf8(for_terminal(one_line(path))));
      at.disable_recursion_pending();
    } else if (fs::is_directory(status)) {
      if (fs::is_empty(entry.path(), error) || error || at.depth() >= most_levels) {
        out.strange.push_back(path + "/");
        at.disable_recursion_pending();
      }
    } else if (fs::is_regular_file(status)) {
      const std::uintmax_t most = path.starts_with(stage_model) ? most_bytes : most_text_bytes;
      const std::uintmax_t size = entry.file_size(error);
      if (error || size > most || out.files.size() >= most_files) {
        out.oversized.push_back(path);
        continue;
      }
      out.files[path] = {size, sha256_file(entry.path().string())};
    } else {
      out.strange.push_back(path);
    }
  }
  if (error) out.strange.push_back("(a folder that cannot be read: " + error.message() + ")");
  std::sort(out.strange.begin(), out.strange.end());
  std::sort(out.misnamed.begin(), out.misnamed.end());
  std::sort(out.oversized.begin(), out.oversized.end());
  return out;
}

std::string manifest_text(const Listing& listing) {
  json::array files;
  for (const auto& [path, file] : listing.files)
    if (path != manifest_file)
      files.push_back(json::object{{"path", path}, {"size", file.size}, {"sha256", file.sha256}});
  return canonical_json(json::object{{"format", manifest_format}, {"files", std::move(files)}});
}

std::vector<Finding> compare_manifest(std::string_view text, const Listing& listing) {
  if (manifest_text(listing) == text) return {};
  std::map<std::string, ListedFile> claimed;
  try {
    claimed = read_manifest(text);
  } catch (const UserError& error) {
    return {{"E5204", manifest_file, "the manifest cannot be read: " + error.message()}};
  }
  std::vector<Finding> out;
  for (const auto& [path, file] : claimed) {
    const auto found = listing.files.find(path);
    if (found == listing.files.end())
      out.push_back({"E5201", path, "the file is in the manifest and missing from the bundle"});
    else if (found->second != file)
      out.push_back({"E5203", path, "the file was changed: its digest is not the manifest's"});
  }
  for (const auto& [path, file] : listing.files)
    if (path != manifest_file && !claimed.contains(path))
      out.push_back({"E5202", path, "the file is not in the manifest"});
  if (out.empty()) out.push_back({"E5204", manifest_file, "the manifest is not in canonical form"});
  return out;
}

}  // namespace hallmark::bundle
