// Finished obligations of a run that may be killed: one content-addressed file each, in FOLDER.spool beside
// the bundle. A later run of the same context picks up what is there, after checking every digest, and does
// the rest.
//
// A file's name is the SHA-256 of (context, statement leaf). The context is the caller's digest of everything
// an outcome depends on beside its statement: tool version, solver binaries, options, seed, limits, policy.
// What another run might decide otherwise (wall clock, memory, a crash, a missing tool, an interruption) is
// never kept.
//
// A digest protects against damage, not against whoever can write files: a folder that was checked out or
// unpacked beside a bundle could say `proved`. So each file is sealed with the secret of this user
// (base/secret.h), over its name and contents, and anything else is the same as none. Where no secret can be
// had, nothing is kept.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "obligation/obligation.h"

namespace hallmark::bundle {

using QueryTexts = std::map<std::string, std::string>;  // SHA-256 -> SMT-LIB text

struct Spooled {
  Obligation obligation;  // with outcome, strength and scope as they were found
  QueryTexts queries;
};

class Spool {
 public:
  Spool(const std::string& bundle_folder, std::string context_sha256);
  // Empty when there is no such file, this user did not seal it, or anything about it does not check: then
  // the obligation is solved again.
  std::optional<Spooled> find(const Obligation&) const;
  // Writes atomically. Throws InternalError when the outcome is not well formed or a query's text is missing;
  // UserError E0002.
  void keep(const Obligation&, const QueryTexts&) const;
  // After the bundle was published.
  void remove() const;
  const std::string& folder() const { return folder_; }

 private:
  std::string file_of(const Obligation&) const;
  std::string seal_of(const std::string& file, const std::string& contents) const;
  std::string folder_, context_, secret_;
};

}  // namespace hallmark::bundle
