// Certificates for the goals of what solvers proved (certificate/certificate.h): looked for after the
// verdicts, and no part of them. The same list and texts give the same certificates, whatever the number of
// threads.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "bundle/spool.h"
#include "obligation/obligation.h"

namespace hallmark::pipeline {

// Certificates by the SHA-256 of their query. Where each goal of an obligation has one, "certificate" is
// added to what it was discharged by.
std::map<std::string, std::string> certify_goals(std::vector<Obligation>& list,
                                                 const bundle::QueryTexts& texts, unsigned jobs);

}  // namespace hallmark::pipeline
