// The operators that are written out, one function each.
#pragma once
#include "model/node_writer.h"

namespace hallmark::model {

// Each throws what expansion_of throws.
Function expand_rnn(NodeWriter& writer);
Function expand_gru(NodeWriter& writer);
Function expand_lstm(NodeWriter& writer);
Function expand_quantized_matmul(NodeWriter& writer);
Function expand_quantized_convolution(NodeWriter& writer);

}  // namespace hallmark::model
