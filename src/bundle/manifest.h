// What is in a bundle folder, and the manifest that says what should be. The manifest is a function of the
// folder, so a reader derives it again and compares bytes; names in the differences come from the entries.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hallmark::bundle {

struct ListedFile {
  std::uint64_t size = 0;
  std::string sha256;
  bool operator==(const ListedFile&) const = default;
};

struct Listing {
  std::map<std::string, ListedFile> files;  // by path below the root, '/' between parts
  // Larger than any bundle needs: files of stage 1 (models with their weights) above 8 GiB, others above 64
  // MiB, anything after a million files. Not read: an audit of hostile input ends soon.
  std::vector<std::string> oversized;
  // Links, devices, sockets, empty or very deep folders; names beyond printable ASCII, with a backslash or a
  // line break, of which two may look the same: none belongs into a bundle. As they may be printed.
  std::vector<std::string> strange, misnamed;
};

// Hashes every regular file below `folder`, follows no link. Throws UserError E5001 when it is no folder.
Listing list_folder(const std::string& folder);

// Canonical bytes of the manifest of `listing`; the manifest itself has no entry.
std::string manifest_text(const Listing&);

struct Finding {
  std::string code;     // "E5201"
  std::string where;    // path in the bundle, or an obligation's id
  std::string message;  // what is wrong, in a sentence
  bool operator==(const Finding&) const = default;
};

// Compares the manifest's text with the folder: E5201 missing, E5202 not listed, E5203 changed, E5204 the
// manifest itself.
std::vector<Finding> compare_manifest(std::string_view text, const Listing&);

}  // namespace hallmark::bundle
