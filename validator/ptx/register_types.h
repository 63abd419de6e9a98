// Which registers declared .bN hold floats: those that only float instructions and plain moves touch.
#pragma once
#include <vector>

#include "validator/ptx/syntax.h"

namespace hallmark::validator::ptx {

// One type for each register of the flat function, of the declared width.
std::vector<ir::Type> infer_register_types(const Function& flat);

}  // namespace hallmark::validator::ptx
