// Reports for people and for CI servers; the contract is in report.h.
#pragma once
#include <string>

#include "bundle/report.h"

namespace hallmark::bundle {

// The value of a witness as a report shows it: its beginning, and how long it is. The witness itself is
// whole.
std::string shortened(const std::string& value);

std::string render_text(const Report&);
std::string render_junit(const Report&);
std::string render_sarif(const Report&, bool for_code_scanning);
std::string render_markdown(const Report&);
std::string render_annotations(const Report&);

}  // namespace hallmark::bundle
