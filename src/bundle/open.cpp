#include "bundle/open.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "bundle/answers.h"
#include "bundle/dsse.h"
#include "bundle/fields.h"
#include "bundle/layout.h"
#include "bundle/obligation_json.h"
#include "bundle/verdict.h"
#include "bundle/writer.h"

namespace hallmark::bundle {
namespace {

class Opener {
 public:
  Opener(OpenBundle& bundle, const std::vector<PublicKey>& pinned) : bundle_(bundle), pinned_(pinned) {}

  void run() {
    for (const std::string& path : bundle_.listing.strange)
      add("E5205", path, "neither a file nor a folder with files: it does not belong into a bundle");
    for (const std::string& path : bundle_.listing.misnamed)
      add("E5205", path, "a name that no file of a bundle has: something else than printable ASCII is in it");
    for (const std::string& path : bundle_.listing.oversized)
      add("E5221", path, "larger than any file of a bundle may be; it was not read");
    check_manifest();
    for (const char* path : {receipt_file, result_file, observations_file, statements_file}) require(path);
    for (const std::string_view stage : {stage_model, stage_candidates, stage_selection, stage_artifact}) {
      const auto at = bundle_.listing.files.lower_bound(std::string(stage));
      if (at == bundle_.listing.files.end() || !at->first.starts_with(stage))
        add("E5220", std::string(stage), "the stage has no file");
    }
    read_receipt();
    if (bundle_.receipt) check_receipt(*bundle_.receipt);
    check_observations();
    if (has(envelope_file)) check_signature(envelope_file, text(receipt_file), bundle_.signed_by, true);
    if (has(observations_envelope_file))
      check_signature(observations_envelope_file,
                      observations_statement(text(observations_file), text(receipt_file)),
                      bundle_.observed_by, false);
  }

 private:
  void add(const char* code, const std::string& where, const std::string& message) {
    const Finding finding{code, where, message};
    if (std::find(bundle_.findings.begin(), bundle_.findings.end(), finding) == bundle_.findings.end())
      bundle_.findings.push_back(finding);
  }
  bool has(const std::string& path) const { return bundle_.listing.files.contains(path); }
  std::string text(const char* path) const { return has(path) ? bundle_.read(path) : std::string(); }
  void require(const std::string& path) {
    const auto named = [&](const Finding& f) { return f.code == "E5201" && f.where == path; };
    if (!has(path) && std::none_of(bundle_.findings.begin(), bundle_.findings.end(), named))
      add("E5201", path, "the file is missing from the bundle");
  }

  void check_manifest() {
    if (!has(manifest_file)) return add("E5201", manifest_file, "the file is missing from the bundle");
    for (const Finding& finding : compare_manifest(text(manifest_file), bundle_.listing))
      bundle_.findings.push_back(finding);
  }

  std::map<std::string, std::string> read_statements() {
    std::map<std::string, std::string> out;
    const std::string bytes = text(statements_file);
    const json::value value = parse_json(bytes, statements_file);
    if (!value.is_object() || !is_canonical(value, bytes))
      throw UserError("E5120", "not an object in canonical form", {statements_file});
    for (const auto& member : value.get_object()) {
      const std::string digest(member.key());
      const std::string statement =
          member.value().is_string() ? std::string(member.value().get_string()) : "";
      if (sha256_hex(statement) != digest) add("E5211", digest, "the statement's text has another digest");
      out[digest] = statement;
    }
    return out;
  }

  void read_receipt() {
    if (!has(receipt_file) || !has(statements_file)) return;
    try {
      bundle_.receipt = parse_receipt(text(receipt_file), receipt_file, read_statements());
    } catch (const UserError& error) {
      add("E5206", error.where().file, "cannot be read: " + error.message());
    }
  }

  void check_receipt(const Receipt& receipt) {
    check_files(receipt);
    check_obligations(receipt);
    check_queries(receipt);
    if (text(statements_file) != statements_text(receipt.obligations))
      add("E5211", statements_file, "holds a statement of no obligation, or is not in canonical form");
    if (program_verdict(receipt.obligations, receipt.identities) != receipt.verdict)
      add("E5213", receipt_file, "the verdict sentence does not follow from the states");
    if (has(result_file) && text(result_file) != result_text(receipt))
      add("E5212", result_file, "does not follow from the receipt");
    for (const auto& [role, path] : receipt.identities.roles)
      if (!has(path)) add("E5219", role, "the role names the absent file " + path);
  }

  void check_files(const Receipt& receipt) {
    std::vector<FileEntry> there;
    for (const auto& [path, file] : bundle_.listing.files)
      if (!outside_core(path)) there.push_back({path, file.sha256});
    if (there == receipt.files) return;
    std::map<std::string, std::string> claimed;
    for (const FileEntry& file : receipt.files) claimed[file.path] = file.sha256;
    for (const FileEntry& file : there) {
      const auto entry = claimed.find(file.path);
      if (entry == claimed.end())
        add("E5207", file.path, "the receipt does not list the file");
      else if (entry->second != file.sha256)
        add("E5207", file.path, "the receipt lists another digest of the file");
    }
    for (const auto& [path, digest] : claimed)
      if (!has(path)) add("E5207", path, "the receipt lists the file and the bundle lacks it");
    add("E5207", receipt_file, "the receipt's list of files is not that of the bundle");
  }

  void check_obligations(const Receipt& receipt) {
    std::vector<std::string> claims, outcomes;
    std::set<std::string> ids;
    bool same_next_time = true;
    for (const Obligation& o : receipt.obligations) {
      claims.push_back(statement_leaf(o));
      outcomes.push_back(outcome_leaf(o));
      same_next_time = same_next_time && reproducible(o.outcome);
      if (const std::string member = unprintable(o); !member.empty())
        add("E5209", for_terminal(o.id), "its " + member + " has control characters");
      if (!ids.insert(o.id).second) add("E5217", o.id, "two obligations share this id");
      try {
        check_well_formed(o);
        if (const std::string fault = evidence_fault(o); !fault.empty()) add("E5209", o.id, fault);
      } catch (const InternalError& error) {
        // check_well_formed states rules of ours; here somebody else broke them.
        add("E5209", o.id, error.message());
      }
      if (o.outcome.witness &&
          (!has(witness_file(o.id)) || bundle_.read(witness_file(o.id)) != witness_text(o)))
        add("E5216", witness_file(o.id), "does not hold the witness of " + o.id);
    }
    std::vector<Obligation> sorted = receipt.obligations;
    sort_obligations(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i].id != receipt.obligations[i].id) {
        add("E5217", receipt_file, "the obligations are not in their order");
        break;
      }
    if (merkle_tree(claims) != receipt.statements)
      add("E5208", receipt_file, "root or count of the tree of statements is wrong");
    if (merkle_tree(outcomes) != receipt.outcomes)
      add("E5208", receipt_file, "root or count of the tree of outcomes is wrong");
    if (same_next_time != receipt.reproducible)
      add("E5213", receipt_file, "'reproducible' does not follow from the outcomes");
  }

  // What stands in the lines of every report. Details and witnesses may have several lines, and are printed
  // so.
  static std::string unprintable(const Obligation& o) {
    for (const auto& [member, text] : {std::pair<const char*, const std::string*>{"id", &o.id},
                                       {"subject", &o.subject},
                                       {"scope", &o.scope},
                                       {"strength", &o.strength},
                                       {"location", &o.location.file},
                                       {"location", &o.location.node}})
      if (has_control_characters(*text)) return member;
    for (const std::vector<std::string>* list : {&o.outcome.discharged_by, &o.outcome.assumptions})
      if (std::any_of(list->begin(), list->end(), has_control_characters)) return "outcome";
    return {};
  }

  void check_queries(const Receipt& receipt) {
    std::set<std::string> used, witnesses;
    for (const Obligation& o : receipt.obligations) {
      if (o.outcome.witness) witnesses.insert(witness_file(o.id));
      for (const QueryRecord& query : o.outcome.queries) {
        const std::string path = query_file(query.sha256);
        used.insert(path);
        const auto file = bundle_.listing.files.find(path);
        if (file == bundle_.listing.files.end())
          add("E5210", path, "the query of " + o.id + " is missing");
        else if (file->second.sha256 != query.sha256)
          add("E5210", path, "the file has another digest than its name");
      }
    }
    check_certificate_names(receipt, used);
    for (const auto& [path, file] : bundle_.listing.files) {
      if (path.starts_with(std::string(query_folder) + "/") && !used.contains(path))
        add("E5210", path, "a query of no obligation");
      if (path.starts_with(std::string(witness_folder) + "/") && !witnesses.contains(path))
        add("E5216", path, "a witness of no obligation");
    }
  }

  // That each stands for a query, and that the receipt says of exactly the right obligations that they have
  // them. What they prove is checked by audit.
  void check_certificate_names(const Receipt& receipt, const std::set<std::string>& queries) {
    const std::string folder = std::string(certificate_folder) + "/";
    std::set<std::string> statements;
    for (const Obligation& o : receipt.obligations)
      if (o.outcome.queries.empty() || may_carry_bijection(o)) statements.insert(statement_digest(o));
    for (auto at = bundle_.listing.files.lower_bound(folder);
         at != bundle_.listing.files.end() && at->first.starts_with(folder); ++at) {
      std::string digest = at->first.substr(folder.size());
      if (digest.ends_with(".json")) digest.resize(digest.size() - 5);
      if (at->first != certificate_file(digest) ||
          (!queries.contains(query_file(digest)) && !statements.contains(digest)))
        add("E5222", at->first, "a certificate of no query and no statement");
    }
    for (const Obligation& o : receipt.obligations) {
      const auto& by = o.outcome.discharged_by;
      const bool said = std::find(by.begin(), by.end(), by_certificate) != by.end();
      const bool has = carries_certificate(
          o, [&](const std::string& digest) { return this->has(certificate_file(digest)); });
      if (said != has)
        add("E5222", o.id,
            said ? "is said to have a certificate for all that it rests on, and has not"
                 : "has a certificate for all that it rests on, and the receipt does not say so");
      const bool matched = std::find(by.begin(), by.end(), by_bijection) != by.end();
      if (matched != (may_carry_bijection(o) && this->has(certificate_file(statement_digest(o)))))
        add("E5222", o.id,
            matched ? "is said to have a certificate of its matched sums, and has not"
                    : "has a certificate of its matched sums, and the receipt does not say so");
    }
  }

  void check_observations() {
    if (!has(observations_file)) return;
    try {
      bundle_.observations = parse_observations(text(observations_file), observations_file);
    } catch (const UserError& error) {
      add("E5218", observations_file, "cannot be read: " + error.message());
    }
  }

  void check_signature(const char* path, const std::string& payload, std::vector<std::string>& signers,
                       bool count) {
    try {
      const std::string bytes = text(path);
      const EnvelopeCheck envelope = check_envelope(bytes, path, pinned_);
      if (!is_canonical(parse_json(bytes, path), bytes)) add("E5214", path, "not in canonical form");
      if (envelope.payload != payload)
        return add("E5214", path, "the payload is not what it has to be the envelope of");
      if (envelope.signed_by.empty() && envelope.bad.empty() && envelope.unknown == 0)
        return add("E5214", path, "an envelope without a signature");
      for (const std::string& id : envelope.bad)
        add("E5215", path, "the signature of pinned key " + id + " does not verify");
      if (!pinned_.empty() && envelope.signed_by.empty() && envelope.bad.empty())
        add("E5223", path,
            "signed, and by no key that is pinned here: somebody else's signature stands in its place");
      signers = envelope.signed_by;
      if (count) bundle_.unknown_signatures = envelope.unknown;
    } catch (const UserError& error) {
      add("E5214", path, "cannot be read: " + error.message());
    }
  }

  OpenBundle& bundle_;
  const std::vector<PublicKey>& pinned_;
};

}  // namespace

std::string OpenBundle::read(const std::string& path) const {
  const auto entry = listing.files.find(path);
  if (entry == listing.files.end()) throw UserError("E5201", "the file is missing from the bundle", {path});
  std::string bytes = read_file(folder + "/" + path);
  if (sha256_hex(bytes) != entry->second.sha256)
    throw UserError("E5203", "the file was changed while the bundle was read", {path});
  return bytes;
}

std::optional<std::string> OpenBundle::role_digest(const std::string& role) const {
  if (!receipt) return std::nullopt;
  const auto path = receipt->identities.roles.find(role);
  if (path == receipt->identities.roles.end()) return std::nullopt;
  const auto file = listing.files.find(path->second);
  return file == listing.files.end() ? std::nullopt : std::optional(file->second.sha256);
}

std::string OpenBundle::artifact_digest() const {
  json::array entries;
  for (const auto& [path, file] : listing.files)
    if (path.starts_with(stage_artifact)) entries.push_back(json::array{path, file.sha256});
  return sha256_hex(json::serialize(entries));
}

OpenBundle open_bundle(const std::string& folder, const std::vector<PublicKey>& pinned) {
  OpenBundle out;
  out.folder = folder;
  out.listing = list_folder(folder);
  Opener(out, pinned).run();
  return out;
}

}  // namespace hallmark::bundle
