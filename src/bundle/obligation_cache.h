// Settled obligations remembered between runs of the command line: one file each in a folder, found by
// content.
//
// A file's name is the SHA-256 of (context, statement leaf); the context is the caller's digest of everything
// that an outcome depends on beside its statement: this program's bytes, the solvers' programs and libraries,
// options, seed, budgets. Only outcomes that another run would reach again are kept. Each file is sealed with
// a secret of this user (base/secret.h) over its name and contents: one that was changed in any byte, moved
// to another name, or written by anybody else is the same as none, also when the whole folder came from
// elsewhere. Where no secret can be had, nothing is kept and nothing is found.
#pragma once
#include <optional>
#include <string>

#include "obligation/obligation.h"

namespace hallmark::bundle {

class ObligationCache {
 public:
  // Creates the folder. Never throws: see warning().
  ObligationCache(std::string folder, std::string context_sha256);
  // Why the cache is out of use, or empty.
  const std::string& warning() const { return warning_; }
  // The obligation with its outcome, strength and scope.
  std::optional<Obligation> find(const Obligation& stated) const;
  // Ignores what another run might decide otherwise.
  void keep(const Obligation& settled) const;

 private:
  std::string file_of(const Obligation& o) const;
  std::string folder_, context_, secret_, warning_;
};

}  // namespace hallmark::bundle
