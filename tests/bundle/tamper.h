// Forging a bundle the way somebody would who knows all of its rules: edit, then make every hash fit again.
#pragma once
#include <functional>
#include <string>

#include "bundle/receipt.h"

namespace hallmark::bundle::testing {

// Rewrites receipt, result and manifest of the unsigned bundle in `folder` after `edit`; trees, counts and
// verdict sentence are computed anew, as well as the list of files.
void forge(const std::string& folder, const std::function<void(Receipt&)>& edit);

}  // namespace hallmark::bundle::testing
