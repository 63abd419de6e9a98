// Opens a bundle that somebody else may have written and checks everything that needs neither a solver nor
// the pipeline: manifest, extra and missing files, canonical forms, the receipt's core against the folder,
// both trees, the states' evidence, queries, statements, witnesses, result.json, the envelopes. Nothing is
// believed that was not compared.
//
//   E5201 missing file        E5208 tree                     E5214 envelope
//   E5202 extra file          E5209 state without evidence   E5215 signature of a pinned key does not verify
//   E5203 changed file        E5210 query file               E5216 witness file
//   E5204 manifest            E5211 statement                E5217 identifiers and order
//   E5205 link, device, ...   E5212 result.json              E5218 observations.json
//   E5206 receipt unreadable  E5213 verdict sentence         E5219 role, E5220 empty stage
//   E5221 file too large      E5223 keys are pinned, and all that signed are others
//   E5207 receipt's file list E5222 certificate of no query, or a state that says it has one and has not
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bundle/keys.h"
#include "bundle/manifest.h"
#include "bundle/observations.h"
#include "bundle/receipt.h"

namespace hallmark::bundle {

struct OpenBundle {
  std::string folder;
  Listing listing;
  std::optional<Receipt> receipt;            // absent when it cannot be read: then there is a finding
  std::optional<Observations> observations;  // likewise
  std::vector<Finding> findings;             // integrity failures; any of them means exit 5
  std::vector<std::string> signed_by;        // pinned keys that signed this receipt, distinct, by id
  std::vector<std::string> observed_by;      // pinned keys that signed these observations
  std::size_t unknown_signatures = 0;        // of keys that the auditor did not pin

  // The bytes of a file, which must still be those that were listed. Throws UserError E5203 otherwise, E5201
  // when not listed.
  std::string read(const std::string& path) const;
  // The digest of the file with this role ("model", "contract", "plan"), or nothing.
  std::optional<std::string> role_digest(const std::string& role) const;
  // SHA-256 over path and digest of every file of stage 4.
  std::string artifact_digest() const;
};

// Throws UserError E5001 when there is no such folder; everything else is a finding.
OpenBundle open_bundle(const std::string& folder, const std::vector<PublicKey>& pinned = {});

}  // namespace hallmark::bundle
