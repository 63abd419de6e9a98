#include "bundle/obligation_cache.h"

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "bundle/answers.h"
#include "bundle/fields.h"
#include "bundle/obligation_json.h"
#include "bundle/receipt.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view cache_format = "hallmark-obligation/1";

}  // namespace

ObligationCache::ObligationCache(std::string folder, std::string context_sha256)
    : folder_(std::move(folder)), context_(std::move(context_sha256)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || !fs::is_directory(folder_, error)) {
    warning_ = "the cache " + folder_ + " is not used: it is no folder and cannot be made one";
    return;
  }
  secret_ = local_secret();
  if (secret_.empty())
    warning_ = "the cache " + folder_ + " is not used: no secret that this user alone can read, at " +
               (secret_file().empty() ? "$XDG_STATE_HOME/hallmark/secret" : secret_file());
}

std::string ObligationCache::file_of(const Obligation& o) const {
  return sha256_hex(json::serialize(json::array{context_, statement_leaf(o)})) + ".json";
}

std::optional<Obligation> ObligationCache::find(const Obligation& stated) const {
  if (secret_.empty()) return std::nullopt;
  const std::string name = file_of(stated), path = folder_ + "/" + name;
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return std::nullopt;
  try {
    const std::string bytes = read_file(path);
    const std::size_t line = bytes.find('\n');
    if (line == std::string::npos) return std::nullopt;
    const std::string body = bytes.substr(line + 1);
    // The seal first: nothing of an unsealed file is read.
    if (bytes.substr(0, line) != seal(secret_, name + "\n" + body)) return std::nullopt;
    const json::value value = parse_json(body, path);
    Fields in(value, path, "");
    if (in.text("format") != cache_format) return std::nullopt;
    Obligation out =
        obligation_from_json(in.object("obligation"), "", {{statement_digest(stated), stated.statement}});
    in.done();
    if (statement_leaf(out) != statement_leaf(stated)) return std::nullopt;
    check_well_formed(out);
    if (!evidence_fault(out).empty()) return std::nullopt;
    // Where a rule stands may change without its statement.
    out.location = stated.location;
    return out;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void ObligationCache::keep(const Obligation& settled) const {
  if (secret_.empty() || settled.outcome.state == State::unrun || !reproducible(settled.outcome)) return;
  const std::string name = file_of(settled);
  const std::string body =
      canonical_json(json::object{{"format", cache_format}, {"obligation", obligation_json(settled, "")}});
  write_file(folder_ + "/" + name, seal(secret_, name + "\n" + body) + "\n" + body);
}

}  // namespace hallmark::bundle
