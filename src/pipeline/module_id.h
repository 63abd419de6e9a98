// Names of functions and variables with internal linkage hold a number that nvcc makes of the path of the
// file it compiles, "_INTERNAL_645ee84f_9_module_cu_...": the same text gives other bytes in another folder.
#pragma once
#include <string>
#include <string_view>

namespace hallmark::pipeline {

// PTX with `id` (eight hexadecimal digits) in the place of these numbers, in names and in the names that
// debug information spells out byte by byte (.b8 lines).
std::string with_module_id(std::string ptx, std::string_view id);

}  // namespace hallmark::pipeline
