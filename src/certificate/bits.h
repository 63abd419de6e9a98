// A query over bit vectors as clauses: the textbook circuit of each operation, in the order of the query's
// terms, so that the maker and the checker of a certificate number the same variables.
//
//   E5452 a term of another sort than Bool or bit vector, or more than a million gates
#pragma once
#include <string>
#include <vector>

#include "certificate/smtlib.h"

namespace hallmark::certificate {

using Clause = std::vector<int>;  // literals of DIMACS: 1, -1, 2, ...

struct Clauses {
  int variables = 0;
  std::vector<Clause> all;
};

// Satisfiable exactly when the query is. Throws UserError E5452.
Clauses clauses_of(const Query& query);
// In the DIMACS format.
std::string dimacs(const Clauses& clauses);

}  // namespace hallmark::certificate
