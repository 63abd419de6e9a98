// The operator families: each file of this folder that defines operators lists them here once.
#pragma once
#include <vector>

#include "operators/operator.h"

namespace hallmark::operators {

using Table = std::vector<Operator>;

void add_activations(Table& table);
void add_arg_reductions(Table& table);
void add_casts(Table& table);
void add_comparisons(Table& table);
void add_constants(Table& table);
void add_convolutions(Table& table);
void add_einsum(Table& table);
void add_elementwise(Table& table);
void add_gathers(Table& table);
void add_legacy(Table& table);
void add_matrix_products(Table& table);
void add_normalizations(Table& table);
void add_pads(Table& table);
void add_pools(Table& table);
void add_rearrangements(Table& table);
void add_quantizations(Table& table);
void add_reductions(Table& table);
void add_reshapes(Table& table);
void add_resizes(Table& table);
void add_slices(Table& table);
void add_softmax(Table& table);

// ONNX's number of an element type (TensorProto.DataType); empty for strings, complex numbers and unknown
// ones.
std::optional<Format> element_type(std::int64_t onnx_number);

}  // namespace hallmark::operators
