// Checks a refutation in the DRAT format (Wetzler, Heule and Hunt, "DRAT-trim", SAT 2014): each added clause
// must follow by unit propagation (RUP) or be a resolution asymmetric tautology on its first literal (RAT);
// the last one must be empty, or unit propagation alone must fail. A deletion ("d ...") of a unit clause is
// passed over, as solvers mean it.
#pragma once
#include <string>
#include <vector>

#include "certificate/bits.h"

namespace hallmark::certificate {

// Why the steps are no refutation, or nothing. Throws UserError E5451 for a line that is no clause.
std::string check_clauses(const Clauses& clauses, const std::vector<std::string>& steps);
// The same for the bits of a query.
std::string check_drat(const Query& query, const std::vector<std::string>& steps);

}  // namespace hallmark::certificate
