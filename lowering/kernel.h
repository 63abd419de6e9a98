// One kernel: what it has to compute, and its text with the launch that runs it.
#pragma once
#include <string>
#include <vector>

#include "calculus/program.h"
#include "lowering/writer.h"
#include "plan/launch_plan.h"

namespace hallmark::lowering {

struct KernelRequest {
  const calculus::Program* formulation = nullptr;
  const calculus::Definition* definition = nullptr;  // the tensor that the kernel writes
  calculus::Term value = nullptr;                    // its element over the buffers that the kernel reads
  // The index space that the kernel runs over, and where in the output a point of it is stored; both over
  // axis(d). The output's own extents and axes, unless an axis was split in two.
  std::vector<calculus::Term> domain, target;
  std::vector<std::string> fused;  // definitions that are computed inside, in program order
  // Tensors in memory that the definition's meaning reads: parameters of the kernel even where its simplified
  // text does not look at them, so that its specification can name them.
  std::vector<std::string> inputs;
  std::string kernel;              // entry name
  int threads = 256;
};

struct Kernel {
  std::vector<Line> lines;
  plan::PlannedLaunch launch;  // digests empty
  // Conditions on symbols under which the launch is possible, each term >= 0.
  std::vector<calculus::Term> requirements;
};

// Parameter names, tensors and symbols of a kernel in the order of its signature: buffers read in the order
// of first use, the buffer written, the symbols by name.
class Signature {
 public:
  explicit Signature(const KernelRequest& request);

  Writer writer() const;  // with every symbol bound to its parameter
  // Comment, device functions, signature up to the opening brace.
  std::vector<Line> head(const std::string& schedule) const;
  std::vector<plan::Argument> arguments() const;
  const std::string& output() const { return parameters_.at(request_.definition->declaration.name); }

 private:
  const KernelRequest& request_;
  std::vector<std::string> reads_;
  std::vector<std::string> symbols_;
  std::map<std::string, std::string> parameters_;    // tensor -> name
  std::map<std::string, std::string> symbol_names_;  // symbol -> name
  std::map<std::string, calculus::Declaration> tensors_;
};

// Schedule (a): one thread for each element of the output, loops straight from the calculus.
Kernel thread_per_element(const KernelRequest& request);
// Schedule (b): one block for each row. The value must have a row_shape().
Kernel block_per_row(const KernelRequest& request);
// Splits an axis where the value takes it apart anyway, by axis / W and axis % W: its quotient keeps the
// axis' number, its remainder becomes a new last axis. Leaves other requests as they are.
void split_axes(KernelRequest& request);

// Schedule (c): a matrix product through shared memory. The value must have a matmul_shape(), and the grid
// must fit: at most 65535 tile rows and batches.
Kernel tiled_matmul(const KernelRequest& request);

}  // namespace hallmark::lowering
