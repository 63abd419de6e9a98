// The tables of corpus/accuracy, as texts inside the program: a proof may not depend on a file that somebody
// edited after the build without a new digest in the obligation.
#pragma once
#include <string>

namespace hallmark::numerics {

const char* functions_toml();
const char* tensor_cores_toml();
const char* cuda_math_toml();

// The first eight hexadecimal digits of the SHA-256 of a table's text: how obligations name it.
std::string table_digest(const std::string& text);

}  // namespace hallmark::numerics
