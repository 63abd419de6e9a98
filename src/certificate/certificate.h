// Certificates: why a query has no solution, in a form that a small program checks without a solver. One file
// a query, canonical JSON {"format", "kind", "query", "steps"}, named by the SHA-256 of the query's text.
//
//   farkas   a walk over the cases of the assertions, in this order, each step a line:
//              "split E"          entry E (linear.h) is an alternative: what follows closes its cases, one
//              after the other "branch E n"       cases f <= n and f >= n + 1, where f is the sum in entry E
//              without its constant, over integers "cut E:c ..."      a sum of entries with positive
//              multiples is an entry of its own (after tightening) "close E:c ..."    the sum of entries with
//              positive multiples is 0 >= a number above 0: the case is closed
//            Farkas' lemma says that a system of linear inequalities without solution has such a sum.
//   boxes    of a statement and not of a query (`query` is the statement's SHA-256): an enclosure for each
//            definition of a program, checked by boxes/boxes.h; of a tolerance with errors, by
//            boxes/tolerances.h
//   bijection  of the statement of a rule or of a rewrite step: which sums of its two sides correspond by
//            which maps, checked by pairs/pairs.h
//   drat     a refutation of the query's bits as clauses (bits.h), in the DRAT format of SAT solvers (drat.h)
//
// The claim that a certificate proves is "these assertions have no solution" and nothing else: that the query
// says what an obligation says is derived by whoever audits.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hallmark::certificate {

struct Certificate {
  std::string kind;   // "farkas", "drat", "boxes", "bijection"
  std::string query;  // SHA-256 of the text of the query or the statement
  std::vector<std::string> steps;
};

std::string certificate_text(const Certificate&);
// Throws UserError E5451 when it is not such a file in canonical form.
Certificate parse_certificate(std::string_view text, const std::string& file);

// A sentence that says why the certificate does not show that the query has no solution, or nothing when it
// does. Never throws for what the two texts hold.
std::string check(std::string_view query_text, std::string_view certificate_text);

}  // namespace hallmark::certificate
