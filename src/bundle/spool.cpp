#include "bundle/spool.h"

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "bundle/answers.h"
#include "bundle/obligation_json.h"
#include "bundle/receipt.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view spool_format = "hallmark-spool/2";

bool worth_keeping(const Outcome& outcome) {
  if (!reproducible(outcome)) return false;
  if (outcome.state != State::unrun) return true;
  return outcome.reason != Reason::not_scheduled && outcome.reason != Reason::tool_missing &&
         outcome.reason != Reason::solver_missing && outcome.reason != Reason::disagreement;
}

json::object body_of(const Obligation& obligation, const QueryTexts& queries) {
  json::object texts;
  for (const QueryRecord& query : obligation.outcome.queries) {
    const auto text = queries.find(query.sha256);
    ensure(text != queries.end() && sha256_hex(text->second) == query.sha256,
           obligation.id + ": no text for its query " + query.sha256);
    texts[query.sha256] = text->second;
  }
  return {{"obligation", obligation_json(obligation, "")}, {"queries", std::move(texts)}};
}

Spooled read_body(const json::value& value, const Obligation& wanted, const std::string& file) {
  Fields in(value, file, "body");
  Spooled out;
  Obligation stored =
      obligation_from_json(in.object("obligation"), "", {{statement_digest(wanted), wanted.statement}});
  const json::value& texts = in.any("queries");
  if (!texts.is_object()) in.fail("queries are no object");
  for (const auto& member : texts.get_object()) {
    if (!member.value().is_string()) in.fail("a query is no text");
    out.queries[std::string(member.key())] = std::string(member.value().get_string());
  }
  in.done();
  if (statement_leaf(stored) != statement_leaf(wanted)) in.fail("another obligation");
  check_well_formed(stored);
  if (const std::string fault = evidence_fault(stored); !fault.empty()) in.fail(fault);
  // Writing it again checks the query texts against their digests and leaves nothing unread.
  if (json::value(body_of(stored, out.queries)) != value) in.fail("not what this program writes");
  out.obligation = std::move(stored);
  return out;
}

}  // namespace

Spool::Spool(const std::string& bundle_folder, std::string context_sha256)
    : folder_(fs::path(bundle_folder + "/.").lexically_normal().parent_path().string() + ".spool"),
      context_(std::move(context_sha256)),
      secret_(local_secret()) {}

std::string Spool::file_of(const Obligation& obligation) const {
  const std::string leaf = statement_leaf(obligation);
  return folder_ + "/" + sha256_hex(json::serialize(json::array{context_, leaf})) + ".json";
}

std::optional<Spooled> Spool::find(const Obligation& obligation) const {
  const std::string file = file_of(obligation);
  std::error_code error;
  if (secret_.empty() || !fs::is_regular_file(fs::symlink_status(file, error))) return std::nullopt;
  try {
    const std::string bytes = read_file(file);
    const std::size_t line = bytes.find('\n');
    if (line == std::string::npos) return std::nullopt;
    const std::string contents = bytes.substr(line + 1);
    // The seal first: nothing of an unsealed file is read.
    if (bytes.substr(0, line) != seal_of(file, contents)) return std::nullopt;
    const json::value value = parse_json(contents, file);
    Fields in(value, file, "");
    if (in.text("format") != spool_format || in.text("context") != context_) return std::nullopt;
    const json::value& body = in.any("body");
    in.done();
    return read_body(body, obligation, file);
  } catch (const Error&) {
    // A damaged file is the same as none: the obligation is not proved by it, it is solved again.
    return std::nullopt;
  }
}

void Spool::keep(const Obligation& obligation, const QueryTexts& queries) const {
  check_well_formed(obligation);
  if (secret_.empty() || !worth_keeping(obligation.outcome)) return;
  const std::string file = file_of(obligation);
  const std::string contents = canonical_json(
      json::object{{"format", spool_format}, {"context", context_}, {"body", body_of(obligation, queries)}});
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  write_file(file, seal_of(file, contents) + "\n" + contents);
}

std::string Spool::seal_of(const std::string& file, const std::string& contents) const {
  return seal(secret_, fs::path(file).filename().string() + "\n" + contents);
}

void Spool::remove() const {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace hallmark::bundle
