// A small bundle built by hand: one kernel at both levels, every kind that the end-to-end sentence rests on.
#pragma once
#include <string>
#include <vector>

#include "base/sha256.h"
#include "bundle/audit.h"
#include "bundle/spool.h"
#include "bundle/writer.h"

namespace hallmark::bundle::testing {

inline constexpr const char* sample_cuda = R"(// y = max(x, 0)
extern "C" __global__ void relu(const float* x, float* y, unsigned n) {
  unsigned i = blockIdx.x * 128u + threadIdx.x;
  if (i < n) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}
)";
inline constexpr const char* sample_ptx = R"(.version 9.0
.target sm_90
.visible .entry relu(.param .u64 p0, .param .u64 p1, .param .u32 p2) {
  ld.param.u64 %rd1, [p0];
  @%p1 bra $L0;
  ld.global.f32 %f1, [%rd1];
  max.f32 %f2, %f1, 0f00000000;
  st.global.f32 [%rd2], %f2;
$L0:
  ret;
}
)";

inline constexpr const char* sample_launch =
    R"({"buffers": [{"name": "T", "role": "arena"}, {"name": "Y", "role": "output"}],
 "launches": [{"kernel": "relu", "prepare": false}]}
)";

// An obligation with id kind/subject/level, unrun and not scheduled.
Obligation claim(ObligationKind, Level, const std::string& subject);
// Proved by both solvers, with a goal and its two paired queries, whose texts go into `texts`.
void prove(Obligation&, QueryTexts& texts, const std::vector<std::string>& solvers = {"z3", "cvc5"});
void refute(Obligation&, const std::string& summary);

struct Sample {
  std::vector<Obligation> obligations;  // all proved: the end-to-end sentence holds
  QueryTexts texts;
  Identities identities;
  Observations observations;

  Sample();
  Obligation& at(const std::string& id);
  Receipt write(const std::string& folder, const std::vector<PrivateKey>& keys = {}) const;
};

// An audit that derives the sample's list and finds `outcomes` (by default what the sample says).
AuditOptions audit_with(const Sample&);

}  // namespace hallmark::bundle::testing
