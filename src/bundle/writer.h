// Writes a bundle folder so that it appears whole or not at all: everything goes into FOLDER.staging, which
// is renamed when it is complete. An older bundle in FOLDER is exchanged for the new one in one step. A
// killed run leaves FOLDER as it was. Errors: UserError E5001 (FOLDER is something else than a bundle), E5002
// (another run writes there), E0002 (disk).
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/dsse.h"
#include "bundle/keys.h"
#include "bundle/observations.h"
#include "bundle/receipt.h"
#include "bundle/spool.h"

namespace hallmark::bundle {

class BundleWriter {
 public:
  // Takes the staging folder for this process; what a killed run left there is removed.
  explicit BundleWriter(std::string folder);
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  // A file of one of the stages (layout.h says which paths). Throws InternalError when the path is taken.
  void add_file(const std::string& path, std::string_view bytes);
  void add_copy(const std::string& path, const std::string& source);
  // One query; returns its SHA-256. The same text may come many times.
  std::string add_query(std::string_view text);
  // The texts of all queries of these obligations, from a collection that may hold others. Throws
  // InternalError when one lacks.
  void add_queries(const std::vector<Obligation>&, const QueryTexts&);

  // The certificate of a query (certificate/certificate.h). Throws InternalError when the query was not
  // added.
  void add_certificate(const std::string& query_sha256, std::string_view text);

  // The certificate of an obligation that no solver had a part in, or of the matched sums of one
  // (answers.h, by_bijection), named by its statement.
  void add_statement_certificate(const Obligation&, std::string_view text);

  // Writes the evidence, then renames. Throws InternalError when a role names no file, an obligation names a
  // query that was not added or a query belongs to no obligation, a stage is empty, or make_receipt refuses.
  // May be called once.
  Receipt publish(const FixedList&, std::vector<Obligation> solved, Identities, const Observations&,
                  const std::vector<PrivateKey>& keys = {});

 private:
  void put(const std::string& path, std::string_view bytes);
  void add_evidence(std::vector<Obligation>&, const Identities&);
  void release();

  std::string folder_, staging_;
  int lock_ = -1;
  std::map<std::string, std::string> files_;  // path -> SHA-256
};

// The exact bytes of the evidence files that follow from the obligations; audit derives them again.
std::string statements_text(const std::vector<Obligation>&);
std::string witness_text(const Obligation&);
std::string result_text(const Receipt&);

}  // namespace hallmark::bundle
