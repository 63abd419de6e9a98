// The report as one HTML file: it loads nothing, opens from disk, prints, and is the same bytes for the same
// bundle. Sections: verdict; obligations by kind; what was assumed; candidates and prices; route; kernels as
// CUDA and PTX side by side with the state of what is claimed about each line; every obligation.
#pragma once
#include <string>

#include "bundle/open.h"

namespace hallmark::bundle {

// A bundle with findings gives a page that says so and shows nothing else: what does not check is not shown
// as if it did. Everything that comes from the bundle is escaped.
std::string render_html(const OpenBundle&);

}  // namespace hallmark::bundle
