// The receipt: an in-toto Statement v1 whose predicate is the hashed core (design, section 4). Same inputs,
// same bytes: no clock, host, cache or path outside the bundle has a place here (those are observations).
//
// Two RFC 6962 trees: the first over (id, kind, level, subject, statement digest), fixed before any solver is
// asked; the second over (id, state, reason, discharged by, answers). A leaf is the compact JSON array of its
// strings, as `json.dumps(leaf, separators=(",", ":"), ensure_ascii=False)` of Python writes it.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "bundle/merkle.h"
#include "obligation/obligation.h"

namespace hallmark::bundle {

inline constexpr std::string_view statement_type = "https://in-toto.io/Statement/v1";
inline constexpr std::string_view receipt_predicate_type = "urn:hallmark:receipt:v1";

struct SolverIdentity {
  std::string name, version, binary_sha256;
  std::map<std::string, std::string> libraries;  // that the running program has mapped: file name -> SHA-256
  std::vector<std::string> options;              // the command line and set-option lines
  std::string seed, limit;                       // of every query, in the solver's own resource units
  bool operator==(const SolverIdentity&) const = default;
};

struct Assumption {
  std::string id;    // "importer", "ptx-semantics", "default-boxes"; obligations name these
  std::string text;  // what is trusted and not proved, in a sentence
  std::string
      source;  // where it comes from: a document, a table, a file of the bundle, a part of this program
  bool operator==(const Assumption&) const = default;
};

// Something that a bundle usually has and this one has not: "PTX of kernel add" because of tool-missing.
struct Absent {
  std::string what;
  Reason reason{};
  std::string detail;
  bool operator==(const Absent&) const = default;
};

// What the obligations are about, and under which conditions their states were found.
struct Identities {
  std::string tool_version, tool_sha256;  // the digest is that of the running program; may be empty
  std::map<std::string, std::string>
      roles;                               // "model", "contract", "plan", "launch", ... -> path in the bundle
  std::string policy_name, policy_sha256;  // of the policy that the run applied
  std::vector<SolverIdentity> solvers;     // also one that is missing: version "missing", no digest
  std::vector<Assumption> assumptions;
  std::vector<std::string>
      outputs;  // program outputs; each needs its own `tolerance` for the end-to-end sentence
  std::vector<std::string> default_boxes;       // inputs whose box nobody declared: "x in [-1, 1]"
  std::map<std::string, std::string> settings;  // the stated choices of the design's section 7
  std::vector<Absent> absent;
  bool operator==(const Identities&) const = default;
};

// The complete list of claims, fixed before solving. Copies identifiers and statement digests; outcomes are
// not looked at.
class FixedList {
 public:
  // Throws InternalError when two obligations share an id or one has no statement.
  explicit FixedList(const std::vector<Obligation>&);
  const MerkleTree& tree() const { return tree_; }
  // Throws InternalError, naming the first obligation that was added, lost or edited since.
  void expect_unchanged(const std::vector<Obligation>& solved) const;

 private:
  std::vector<std::pair<std::string, std::string>> leaves_;  // id, leaf
  MerkleTree tree_;
};

// The order of receipts and reports: kind (in the design's order), level, id.
void sort_obligations(std::vector<Obligation>&);

std::string statement_leaf(const Obligation&);
std::string outcome_leaf(const Obligation&);

struct FileEntry {
  std::string path, sha256;
  bool operator==(const FileEntry&) const = default;
};

struct Receipt {
  Identities identities;
  std::vector<FileEntry> files;  // every file of the bundle that the core binds (layout.h), by path
  std::vector<Obligation> obligations;
  MerkleTree statements, outcomes;
  std::string verdict;       // the sentence (verdict.h)
  bool reproducible = true;  // false when a clock, a memory limit or a crash had a part in an outcome
};

// Sorts, computes both trees, the verdict sentence and `reproducible`. Throws InternalError when an
// obligation is not well formed, its evidence does not carry its state (answers.h), or the list is not the
// fixed one.
Receipt make_receipt(const FixedList&, std::vector<Obligation> solved, Identities,
                     std::vector<FileEntry> files);

// Canonical bytes of receipt.json.
std::string receipt_text(const Receipt&);

// The inverse. Checks shape, types and canonical form, not the truth of any member: audit.h does that.
// `statements` maps digests to statement texts. Throws UserError E5120 (shape), E5121 (another _type,
// predicateType or format), E0003 (JSON).
Receipt parse_receipt(std::string_view text, const std::string& file,
                      const std::map<std::string, std::string>& statements);

}  // namespace hallmark::bundle
