#include "bundle/layout.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/sha256.h"

namespace hallmark::bundle {

std::string query_file(const std::string& sha256) {
  return std::string(query_folder) + "/" + sha256 + ".smt2";
}

std::string certificate_file(const std::string& query_sha256) {
  return std::string(certificate_folder) + "/" + query_sha256 + ".json";
}

std::string witness_file(const std::string& id) {
  std::string readable;
  for (const char c : id.substr(0, 80)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    readable += plain ? c : '_';
  }
  return std::string(witness_folder) + "/" + readable + "-" + sha256_hex(id).substr(0, 12) + ".json";
}

bool outside_core(std::string_view path) {
  static constexpr std::array<std::string_view, 6> names{
      manifest_file, receipt_file, envelope_file, result_file, observations_file, observations_envelope_file};
  return std::find(names.begin(), names.end(), path) != names.end();
}

void check_stage_path(std::string_view path) {
  static constexpr std::array<std::string_view, 6> roots{stage_model,           stage_candidates,
                                                         stage_selection,       stage_artifact,
                                                         "5-evidence/samples/", "5-evidence/reports/"};
  const auto wrong = [&](const char* what) {
    return InternalError("bundle path '" + std::string(path) + "' " + what);
  };
  if (std::none_of(roots.begin(), roots.end(), [&](std::string_view root) { return path.starts_with(root); }))
    throw wrong("is below no stage");
  for (const char c : path)
    if (c < 0x20 || c > 0x7e || c == '\\') throw wrong("has a character outside printable ASCII");
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == "..") throw wrong("has an empty, '.' or '..' part");
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace hallmark::bundle
