// Issue bar 7 and soundness D2, D3: what somebody can do to a bundle, and what audit says.
#include "tamper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "bundle/audit.h"
#include "bundle/layout.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;
using testing::Sample;

bool has(const AuditResult& result, const std::string& code, const std::string& where) {
  return std::any_of(result.report.findings.begin(), result.report.findings.end(),
                     [&](const Finding& f) { return f.code == code && f.where == where; });
}

// All files of a bundle, of the queries every eighth: they are many and alike.
std::map<std::string, ListedFile> some_files(const std::string& folder) {
  std::map<std::string, ListedFile> out = list_folder(folder).files;
  std::size_t queries = 0;
  std::erase_if(out, [&](const auto& file) { return file.first.ends_with(".smt2") && ++queries % 8 != 0; });
  return out;
}

struct Tampering : ::testing::Test {
  TemporaryFolder top;
  std::string folder = top.path() + "/b";
  Sample sample;
  AuditResult audited() const { return audit(folder, testing::audit_with(sample)); }
};

TEST_F(Tampering, AnyFlippedByteInAnyFileIsExit5) {
  testing::refute(sample.at("rounding/Y/plan"), "x = 1");
  const PrivateKey key = PrivateKey::generate();
  sample.write(folder, {key});
  ASSERT_EQ(audited().exit_code, 1);
  const AuditOptions options = testing::audit_with(sample);
  std::size_t flips = 0;
  const auto files = some_files(folder);
  for (const auto& [path, file] : files) {
    const std::string full = folder + "/" + path, bytes = read_file(full);
    ASSERT_FALSE(bytes.empty()) << path;
    // All of a small file would take minutes over all files; these positions hit every member of every
    // format.
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / (path.ends_with(".smt2") ? 1 : 12));
    for (std::size_t i = 0; i < bytes.size(); i += step) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 7)));
      write_file(full, changed);
      const AuditResult result = audit(folder, options);
      EXPECT_EQ(result.exit_code, 5) << path << " byte " << i;
      if (path != manifest_file) {
        EXPECT_TRUE(has(result, "E5203", path)) << path;
      }
      ++flips;
    }
    write_file(full, bytes);
  }
  EXPECT_GT(flips, files.size());
  EXPECT_EQ(audited().exit_code, 1);
}

// Every byte of the manifest, whose digest nobody else keeps.
TEST_F(Tampering, EveryByteOfTheManifest) {
  sample.obligations.resize(3);
  sample.write(folder);
  const Listing listing = list_folder(folder);
  const std::string bytes = read_file(folder + "/" + manifest_file);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(compare_manifest(changed, listing).empty()) << i;
  }
  EXPECT_TRUE(compare_manifest(bytes, listing).empty());
}

TEST_F(Tampering, AppendedTruncatedAndEmptiedFiles) {
  sample.write(folder);
  for (const std::string path : {"4-artifact/relu.cu", receipt_file, observations_file}) {
    const std::string full = folder + "/" + path, bytes = read_file(full);
    for (const std::string& changed : {bytes + "\n", bytes.substr(0, bytes.size() - 1), std::string()}) {
      write_file(full, changed);
      EXPECT_EQ(audited().exit_code, 5) << path;
    }
    write_file(full, bytes);
  }
}

TEST_F(Tampering, ADeletedFileIsNamed) {
  sample.write(folder, {PrivateKey::generate()});
  for (const auto& [path, file] : some_files(folder)) {
    const std::string bytes = read_file(folder + "/" + path);
    fs::remove(folder + "/" + path);
    const AuditResult result = audited();
    EXPECT_EQ(result.exit_code, 5) << path;
    EXPECT_TRUE(has(result, "E5201", path)) << path;
    EXPECT_NE(render(result.report, Format::text).find(path), std::string::npos) << path;
    fs::create_directories(fs::path(folder + "/" + path).parent_path());
    write_file(folder + "/" + path, bytes);
  }
  EXPECT_EQ(audited().exit_code, 0);
}

TEST_F(Tampering, NothingMayBeAdded) {
  sample.write(folder);
  const auto refused = [&](const char* code, const std::string& where) {
    const AuditResult result = audited();
    EXPECT_EQ(result.exit_code, 5) << where;
    EXPECT_TRUE(has(result, code, where)) << where;
  };
  write_file(folder + "/4-artifact/extra.cu", "x");
  refused("E5202", "4-artifact/extra.cu");
  fs::remove(folder + "/4-artifact/extra.cu");
  fs::create_symlink("/etc/hostname", folder + "/4-artifact/link");
  refused("E5205", "4-artifact/link");
  fs::remove(folder + "/4-artifact/link");
  fs::create_directory(folder + "/6-more");
  refused("E5205", "6-more/");
  fs::remove(folder + "/6-more");
  EXPECT_EQ(audited().exit_code, 0);
}

// D3: flip unrun to proved and recompute every hash. Without solver or signature that is never 0.
TEST_F(Tampering, AForgedStateInAConsistentUnsignedBundleIsNeverMet) {
  sample.at("value/relu/ptx").outcome = Outcome::unrun(Reason::gave_up, "");
  sample.write(folder);
  testing::forge(folder, [](Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      if (o.id == "value/relu/ptx") {
        o.outcome = {};
        o.outcome.state = State::proved;
        o.outcome.reason = Reason::none;
        o.outcome.discharged_by = {"syntactic"};
      }
  });
  const auto verdict = [&](AuditOptions options) { return audit(folder, options); };
  // Offline, without any solver: consistent, but only a receipt's word.
  AuditOptions offline = testing::audit_with(sample);
  offline.reestablish = nullptr;
  AuditResult result = verdict(offline);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.not_reestablished, sample.obligations.size());
  EXPECT_EQ(result.report.notes.at(0),
            "states not re-established: " + std::to_string(sample.obligations.size()));
  EXPECT_TRUE(result.report.verdict.starts_with("Not established:")) << result.report.verdict;
  // With the solvers: all but the forged one are found again.
  result = verdict(testing::audit_with(sample));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.not_reestablished, 1u);
}

TEST_F(Tampering, AForgedStateThatTheAuditRefutesIsALie) {
  testing::refute(sample.at("bounds/relu/ptx"), "thread 5 reads x[5]");
  sample.write(folder);
  testing::forge(folder, [](Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      if (o.id == "bounds/relu/ptx") {
        o.outcome = {};
        o.outcome.state = State::proved;
        o.outcome.reason = Reason::none;
        o.outcome.discharged_by = {"syntactic"};
      }
  });
  // The witness file is left over: even before any solver is asked the bundle contradicts itself.
  EXPECT_EQ(audited().exit_code, 5);
  fs::remove_all(folder + "/" + witness_folder);
  testing::forge(folder, [](Receipt&) {});
  const AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "E5232", "bounds/relu/ptx"));
}

TEST_F(Tampering, AForgedUnrunHidesNoRefutation) {
  testing::refute(sample.at("tolerance/Y/model"), "x = 1");
  sample.write(folder);
  fs::remove_all(folder + "/" + witness_folder);
  testing::forge(folder, [](Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      if (o.id == "tolerance/Y/model") o.outcome = Outcome::unrun(Reason::gap, "");
  });
  EXPECT_EQ(audited().exit_code, 1) << "`gap` is tolerated there, a refutation that the audit finds is not";
}

// D2: a consistent bundle from which one obligation is left out.
TEST_F(Tampering, ALeftOutObligationShows) {
  sample.write(folder);
  testing::forge(folder, [&](Receipt& receipt) {
    std::erase_if(receipt.obligations, [](const Obligation& o) { return o.id == "rounding/Y/plan"; });
  });
  for (const QueryRecord& query : sample.at("rounding/Y/plan").outcome.queries)
    fs::remove(folder + "/" + query_file(query.sha256));
  testing::forge(folder, [](Receipt&) {});
  AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "E5230", "rounding/Y/plan"));

  // The scanner misses a safety kind even if the derivation forgot it too.
  Sample forgetful;
  std::erase_if(forgetful.obligations, [](const Obligation& o) { return o.id == "race/relu/ptx"; });
  forgetful.write(folder);
  result = audit(folder, testing::audit_with(forgetful));
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "E5231", "4-artifact/"));
}

TEST_F(Tampering, AnAddedOrEditedObligationShows) {
  sample.write(folder);
  testing::forge(folder, [](Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      if (o.id == "rounding/Y/plan") o.statement = "1 = 1";
  });
  const AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "E5230", "rounding/Y/plan"));
}

// Each of the two is an obligation of the bundle; only which proof stands for which claim is another matter.
TEST_F(Tampering, TwoSwappedObligationsShow) {
  const auto swapped = [&](const std::function<void(Obligation&, Obligation&)>& swap) {
    sample.write(folder);
    testing::forge(folder, [&](Receipt& receipt) {
      Obligation *first = nullptr, *second = nullptr;
      for (Obligation& o : receipt.obligations) {
        if (o.id == "bounds/relu/ptx") first = &o;
        if (o.id == "value/relu/ptx") second = &o;
      }
      ASSERT_TRUE(first != nullptr && second != nullptr);
      swap(*first, *second);
    });
    return audited();
  };
  const AuditResult statements =
      swapped([](Obligation& a, Obligation& b) { std::swap(a.statement, b.statement); });
  EXPECT_EQ(statements.exit_code, 5);
  EXPECT_TRUE(has(statements, "E5230", "bounds/relu/ptx"));
  EXPECT_TRUE(has(statements, "E5230", "value/relu/ptx"));
  const AuditResult outcomes =
      swapped([](Obligation& a, Obligation& b) { std::swap(a.outcome.queries, b.outcome.queries); });
  EXPECT_EQ(outcomes.exit_code, 5) << "the queries of one under the name of the other";
  const AuditResult names = swapped([](Obligation& a, Obligation& b) { std::swap(a.id, b.id); });
  EXPECT_EQ(names.exit_code, 5);
}

TEST_F(Tampering, AQueryOfAnotherTextShows) {
  sample.write(folder);
  const std::string digest = sample.at("value/relu/ptx").outcome.queries[0].sha256;
  write_file(folder + "/" + query_file(digest), "(assert false)\n(check-sat)\n");
  testing::forge(folder, [](Receipt&) {});
  const AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "E5210", query_file(digest)));
}

TEST_F(Tampering, SignedByAPinnedKeyStandsAndAnEditedSignedReceiptDoesNot) {
  const PrivateKey ours = PrivateKey::generate(), other = PrivateKey::generate();
  sample.write(folder, {ours});
  AuditOptions offline = testing::audit_with(sample);
  offline.reestablish = nullptr;
  EXPECT_EQ(audit(folder, offline).exit_code, 3) << "a key that nobody pinned says nothing";
  offline.pinned = {other.public_key()};
  AuditResult foreign = audit(folder, offline);
  EXPECT_EQ(foreign.exit_code, 5) << "it is signed, and by somebody else";
  EXPECT_TRUE(has(foreign, "E5223", envelope_file));
  offline.pinned = {other.public_key(), ours.public_key()};
  EXPECT_EQ(audit(folder, offline).exit_code, 0);
  offline.policy.signature_threshold = 2;
  EXPECT_EQ(audit(folder, offline).exit_code, 3);
  offline.policy.signature_threshold = 1;
  // Edited and made consistent: the envelope still holds the old receipt.
  testing::forge(folder, [](Receipt& receipt) { receipt.identities.tool_version = "0.1.1"; });
  AuditResult result = audit(folder, offline);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "E5214", envelope_file));
  // Re-enveloped under a foreign key: consistent, and signed by somebody else than who is wanted.
  fs::remove(folder + "/" + observations_envelope_file);
  write_file(folder + "/" + envelope_file, sign_envelope(read_file(folder + "/" + receipt_file), {other}));
  write_file(folder + "/" + manifest_file, manifest_text(list_folder(folder)));
  offline.pinned = {ours.public_key()};
  EXPECT_EQ(audit(folder, offline).exit_code, 5);
}

// What soundness D3 says of a receipt that nobody vouches for, and issue bar 2 of one that a stranger does.
TEST_F(Tampering, AForeignKeyIsFiveAndNoKeyIsThreeWhereOneIsPinned) {
  const PrivateKey ours = PrivateKey::generate(), other = PrivateKey::generate();
  AuditOptions wanted = testing::audit_with(sample);
  wanted.pinned = {ours.public_key()};
  sample.write(folder, {other});
  EXPECT_EQ(audit(folder, testing::audit_with(sample)).exit_code, 0)
      << "nobody is pinned, all is established";
  AuditResult result = audit(folder, wanted);
  EXPECT_EQ(result.exit_code, 5) << "established or not: it is not the receipt that was asked for";
  EXPECT_TRUE(has(result, "E5223", envelope_file));
  EXPECT_TRUE(has(result, "E5223", observations_envelope_file));
  // Ours beside the foreign one is what was asked for.
  sample.write(folder, {other, ours});
  EXPECT_EQ(audit(folder, wanted).exit_code, 0);
  // Nobody signed, or whoever did was cut away: intact, and not what was asked for.
  sample.write(folder, {ours});
  for (const char* envelope : {envelope_file, observations_envelope_file})
    fs::remove(folder + "/" + envelope);
  write_file(folder + "/" + manifest_file, manifest_text(list_folder(folder)));
  result = audit(folder, wanted);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(has(result, "E5320", receipt_file));
  EXPECT_EQ(audit(folder, testing::audit_with(sample)).exit_code, 0);
  // A policy that asks for a signature asks also where it believes what is recorded.
  AuditOptions believing;
  believing.policy.established = false;
  EXPECT_EQ(audit(folder, believing).exit_code, 0);
  believing.policy.keys = {ours.public_key()};
  EXPECT_EQ(audit(folder, believing).exit_code, 3);
  // One of the two that the policy wants.
  sample.write(folder, {ours});
  wanted.pinned = {ours.public_key(), other.public_key()};
  wanted.policy.signature_threshold = 2;
  result = audit(folder, wanted);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(has(result, "E5320", receipt_file));
  // An envelope that nobody signed is none.
  json::value envelope = parse_json(read_file(folder + "/" + envelope_file), envelope_file);
  envelope.as_object()["signatures"] = json::array{};
  write_file(folder + "/" + envelope_file, canonical_json(envelope));
  write_file(folder + "/" + manifest_file, manifest_text(list_folder(folder)));
  result = audit(folder, wanted);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "E5214", envelope_file));
}

// A row that a bundle makes up inside another one's text, and commands to the reader's terminal.
TEST_F(Tampering, NothingOfABundleIsPrintedAsIfTheReportSaidIt) {
  testing::refute(sample.at("bounds/relu/ptx"),
                  "thread 5 reads x[5]\nproved     bounds/relu/ptx\x1b[1A\xc2\x9b");
  sample.write(folder);
  for (const Format format : {Format::text, Format::markdown, Format::annotations}) {
    const std::string text = render(audited().report, format);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(text.find("\nproved     bounds/relu/ptx"), std::string::npos);
  }
  testing::forge(folder, [](Receipt& receipt) {
    for (Obligation& o : receipt.obligations)
      if (o.id == "rounding/Y/plan") o.scope = "n = 1\nproved     bounds/relu/ptx";
  });
  const AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "E5209", "rounding/Y/plan"));
}

TEST_F(Tampering, HostileJsonIsAFindingNotACrash) {
  sample.obligations.resize(2);
  sample.write(folder);
  const std::vector<std::string> hostile{
      "",
      "null",
      "[]",
      "{}",
      "1.5",
      "{\"a\": 1.5}",
      std::string(5000, '['),
      "{\"format\": \"hallmark-manifest/1\", \"files\": [{\"path\": 1.5}]}",
      "{\"payload\": \"\", \"payloadType\": \"\", \"signatures\": [1.5]}",
      "\xff\xfe"};
  for (const char* path : {receipt_file, statements_file, observations_file, manifest_file, result_file}) {
    const std::string bytes = read_file(folder + "/" + path);
    for (const std::string& text : hostile) {
      write_file(folder + "/" + path, text);
      if (path != std::string(manifest_file)) {
        const std::string manifest = read_file(folder + "/" + manifest_file);
        write_file(folder + "/" + manifest_file, manifest_text(list_folder(folder)));
        EXPECT_EQ(audited().exit_code, 5) << path << ": " << text.substr(0, 40);
        write_file(folder + "/" + manifest_file, manifest);
      } else {
        EXPECT_EQ(audited().exit_code, 5) << text.substr(0, 40);
      }
    }
    write_file(folder + "/" + path, bytes);
  }
  write_file(folder + "/" + envelope_file, hostile[8]);
  write_file(folder + "/" + manifest_file, manifest_text(list_folder(folder)));
  EXPECT_EQ(audited().exit_code, 5);
}

}  // namespace
}  // namespace hallmark::bundle
