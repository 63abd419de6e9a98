// Checks the steps of a certificate of kind "farkas" (certificate.h).
#pragma once
#include <string>
#include <vector>

#include "certificate/linear.h"

namespace hallmark::certificate {

// Why the steps do not close every case, or nothing. Throws UserError E5451 for a step that cannot be read.
std::string check_farkas(Query& query, const std::vector<std::string>& steps);

// What both sides of "branch E n" say.
std::pair<Inequality, Inequality> branches(const Form& form, const Integer& at);

}  // namespace hallmark::certificate
