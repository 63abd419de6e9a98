// "did you mean": the known name nearest to an unknown one.
#pragma once
#include <string>
#include <vector>

namespace hallmark::contract {

// The name with the least edit distance (the first of several); empty when there is none within a third of
// the unknown name's length, or two.
std::string nearest(const std::string& unknown, const std::vector<std::string>& known);
// "; did you mean 'x'?" or, when nothing is near, "; expected one of a, b, c".
std::string suggestion(const std::string& unknown, const std::vector<std::string>& known);

}  // namespace hallmark::contract
