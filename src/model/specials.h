// Values that a file writes and the exact meaning does not keep: the reals have one zero and no infinities,
// and the importer reads -0 as 0 and an infinite mask as a guard (soundness A2). Where a file holds none of
// them, what is shown for any operations holds bit for bit.
#pragma once
#include <string_view>

namespace hallmark::model {

// Whether an initializer, a constant or an attribute holds a float that is -0, infinite or NaN. Throws as
// import_model does.
bool has_special_values(std::string_view bytes, bool is_text);

}  // namespace hallmark::model
