#include "bundle/writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "bundle/answers.h"
#include "bundle/layout.h"
#include "bundle/manifest.h"
#include "bundle/obligation_json.h"
#include "bundle/report.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void disk_error(const std::string& path, const char* what) {
  throw UserError("E0002", std::string(what) + ": " + std::strerror(errno), {path});
}

// An empty folder or an older bundle may be replaced; anything else is somebody's data.
bool replaceable(const std::string& folder) {
  if (!fs::exists(fs::symlink_status(folder))) return true;
  if (!fs::is_directory(fs::symlink_status(folder))) return false;
  return fs::is_empty(folder) || fs::is_regular_file(folder + "/" + manifest_file);
}

void empty_folder(const std::string& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
}

}  // namespace

BundleWriter::BundleWriter(std::string folder) : folder_(std::move(folder)) {
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  staging_ = folder_ + ".staging";
  if (!replaceable(folder_))
    throw UserError("E5001", "exists and is no bundle; it is not replaced", {folder_});
  std::error_code error;
  fs::create_directories(staging_, error);
  lock_ = ::open(staging_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (lock_ < 0) disk_error(staging_, "cannot create the staging folder");
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    lock_ = -1;
    throw UserError("E5002", "another run is writing this bundle", {folder_});
  }
  empty_folder(staging_);
}

BundleWriter::~BundleWriter() {
  if (lock_ < 0) return;
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
  release();
}

void BundleWriter::release() {
  ::close(lock_);
  lock_ = -1;
}

void BundleWriter::put(const std::string& path, std::string_view bytes) {
  ensure(lock_ >= 0, "a bundle was already published");
  ensure(files_.emplace(path, sha256_hex(bytes)).second, "two files of the bundle have the path " + path);
  const fs::path full = fs::path(staging_) / path;
  fs::create_directories(full.parent_path());
  // No flush per file: publish() flushes the file system once, before the rename that makes any of this
  // visible.
  std::ofstream out(full, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) disk_error(full.string(), "cannot write the file");
}

void BundleWriter::add_file(const std::string& path, std::string_view bytes) {
  check_stage_path(path);
  put(path, bytes);
}

void BundleWriter::add_copy(const std::string& path, const std::string& source) {
  add_file(path, read_file(source));
}

std::string BundleWriter::add_query(std::string_view text) {
  const std::string digest = sha256_hex(text);
  if (!files_.contains(query_file(digest))) put(query_file(digest), text);
  return digest;
}

void BundleWriter::add_certificate(const std::string& query_sha256, std::string_view text) {
  ensure(files_.contains(query_file(query_sha256)),
         "a certificate of a query that was not added: " + query_sha256);
  put(certificate_file(query_sha256), text);
}

void BundleWriter::add_statement_certificate(const Obligation& o, std::string_view text) {
  ensure(o.outcome.queries.empty() || may_carry_bijection(o),
         "a certificate of a statement that has queries: " + o.id);
  put(certificate_file(statement_digest(o)), text);
}

void BundleWriter::add_queries(const std::vector<Obligation>& obligations, const QueryTexts& texts) {
  for (const Obligation& obligation : obligations)
    for (const QueryRecord& query : obligation.outcome.queries) {
      const auto text = texts.find(query.sha256);
      ensure(text != texts.end() && add_query(text->second) == query.sha256,
             obligation.id + ": no text for its query " + query.sha256);
    }
}

void BundleWriter::add_evidence(std::vector<Obligation>& solved, const Identities& identities) {
  std::set<std::string> used;
  for (const Obligation& obligation : solved) {
    for (const QueryRecord& query : obligation.outcome.queries) {
      ensure(files_.contains(query_file(query.sha256)),
             obligation.id + ": its query " + query.sha256 + " was not added");
      used.insert(query_file(query.sha256));
    }
    if (obligation.outcome.witness) put(witness_file(obligation.id), witness_text(obligation));
  }
  for (const auto& [path, digest] : files_)
    if (path.starts_with(std::string(query_folder) + "/"))
      ensure(used.contains(path), path + " belongs to no obligation");
  put(statements_file, statements_text(solved));
  for (const auto& [role, path] : identities.roles)
    ensure(files_.contains(path), "the role " + role + " names the absent file " + path);
  for (const std::string_view stage : {stage_model, stage_candidates, stage_selection, stage_artifact}) {
    const auto at = files_.lower_bound(std::string(stage));
    ensure(at != files_.end() && at->first.starts_with(stage), "stage " + std::string(stage) + " is empty");
  }
}

Receipt BundleWriter::publish(const FixedList& list, std::vector<Obligation> solved, Identities identities,
                              const Observations& observations, const std::vector<PrivateKey>& keys) {
  add_evidence(solved, identities);
  std::vector<FileEntry> entries;
  for (const auto& [path, digest] : files_) entries.push_back({path, digest});
  Receipt receipt = make_receipt(list, std::move(solved), std::move(identities), std::move(entries));
  const std::string text = receipt_text(receipt), seen = observations_text(observations);
  put(receipt_file, text);
  put(result_file, result_text(receipt));
  put(observations_file, seen);
  if (!keys.empty()) {
    put(envelope_file, sign_envelope(text, keys));
    put(observations_envelope_file, sign_envelope(observations_statement(seen, text), keys));
  }
  put(manifest_file, manifest_text(list_folder(staging_)));
  if (::syncfs(lock_) != 0) disk_error(staging_, "cannot flush the bundle");
  if (!replaceable(folder_))
    throw UserError("E5001", "exists and is no bundle; it is not replaced", {folder_});
  const bool exchange = fs::exists(folder_);
  if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, folder_.c_str(), exchange ? RENAME_EXCHANGE : 0) != 0)
    disk_error(folder_, "cannot rename the bundle into place");
  if (exchange) fs::remove_all(staging_);
  release();
  return receipt;
}

std::string statements_text(const std::vector<Obligation>& obligations) {
  json::object out;
  for (const Obligation& obligation : obligations) out[statement_digest(obligation)] = obligation.statement;
  return canonical_json(out);
}

std::string witness_text(const Obligation& obligation) {
  const json::object row = obligation_json(obligation, "");
  return canonical_json(json::object{{"format", "hallmark-witness/1"},
                                     {"obligation", obligation.id},
                                     {"statement", statement_digest(obligation)},
                                     {"witness", row.at("witness")}});
}

std::string result_text(const Receipt& receipt) {
  Report report;
  report.subject = "bundle";
  report.verdict = receipt.verdict;
  report.obligations = receipt.obligations;
  report.query_folder = query_folder;
  describe(receipt.identities, report);
  // Relative to the bundle's own folder: the bytes do not depend on where it lies.
  report.replay = [](const Obligation& o) { return replay_command(".", o); };
  return canonical_json(report_json(report));
}

}  // namespace hallmark::bundle
