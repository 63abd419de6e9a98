// The cost model: a roofline with launch overhead. For one kernel
//
//   latency     seconds = launch + max(operations / fp32 peak, bytes / bandwidth) / utilisation
//   throughput  seconds = max(launch, the rest): the next launch is prepared meanwhile
//
// operations and bytes are counted from the calculus term; a tensor that is read many times counts its size
// once where it fits into the L2 cache and once for each re-read otherwise (up to the number of loads);
// utilisation is the part of the machine's threads that the kernel's threads can fill. All figures are
// modelled, not measured (Williams, Waterman, Patterson: "Roofline", CACM 52(4), 2009).
#pragma once
#include <map>
#include <string>

#include "calculus/program.h"
#include "select/cost_model.h"
#include "select/target.h"

namespace hallmark::select {

// Values of the symbols at one point of the workload.
using Sizes = std::map<std::string, Integer>;

enum class Metric { latency, throughput };
std::string_view name(Metric);

// What prices are made of, beside the work: all of it is input (design, section 3).
struct Pricing {
  Target target;
  CostModel model;
  Metric metric = Metric::latency;
};

struct Work {
  Rational operations;  // float operations, weighted by the cost model
  Rational bytes;       // device memory traffic
  Integer threads;      // that do it: one an element, unless the launch says otherwise
};

struct Price {
  Work work;
  Rational seconds;
};

// The work of computing one definition by itself. Throws InternalError when a symbol has no size. A block
// that computes whole rows evaluates what depends on the first `row_axes` axes alone once a row; -1: once an
// element.
Work work_of(calculus::Term body, const calculus::Declaration& declaration,
             const std::map<std::string, calculus::Declaration>& tensors, const Sizes& sizes,
             const Pricing& pricing, int row_axes = -1);
Price price_of(const Work& work, const Pricing& pricing);
// The sum over a program's definitions, one kernel each.
Price price_program(const calculus::Program& program, const Sizes& sizes, const Pricing& pricing);
// A time below which no route with these outputs can come under this model: one launch that writes each once.
Rational lower_bound(const calculus::Program& program, const Sizes& sizes, const Pricing& pricing);

// The largest size that each symbol may have, or 1024 where it is unbounded: the default workload.
Sizes default_sizes(const calculus::Program& program);

}  // namespace hallmark::select
