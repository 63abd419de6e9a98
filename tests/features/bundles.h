// Bundles that the tests of features look at (make_bundles.cpp).
#pragma once
#include <string>

namespace hallmark::testing {

inline const std::string bundles_folder = HALLMARK_BUNDLES;
// relu: everything in it is proved; signed with signing_key + ".key".
inline const std::string proved_bundle = bundles_folder + "/proved";
inline const std::string signing_key = bundles_folder + "/auditor";
// A product of matrices under a tolerance that its roundings break.
inline const std::string refuted_bundle = bundles_folder + "/refuted";
inline const std::string refuted_id = "tolerance/c/model";

}  // namespace hallmark::testing
