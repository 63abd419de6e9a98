// The operator families: each file of this folder that defines operators lists them here once.
#pragma once
#include <vector>

#include "operators/operator.h"

namespace hallmark::operators {

using Table = std::vector<Operator>;

void add_elementwise(Table& table);
void add_matrix_products(Table& table);

}  // namespace hallmark::operators
