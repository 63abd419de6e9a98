// Kernels without a specification, as they stand in files with host code around them: what is read, what is
// decided, and under which preconditions.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "pipeline/kernel_compare.h"
#include "pipeline/kernel_file.h"
#include "pipeline/kernel_safety.h"

namespace hallmark::pipeline {
namespace {

class Unspecified : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!validator::source::clang_is_there({})) GTEST_SKIP() << "clang++-14 is not installed";
  }

  KernelFile read(const std::string& text, const std::vector<std::string>& instances = {}) {
    const std::string path = folder_.path() + "/file.cu";
    write_file(path, text);
    KernelFileOptions options;
    options.ptx = false;
    options.instances = instances;
    return KernelFile(path, options);
  }

  Safety check(const KernelFile& file, const std::string& kernel, SafetyRequest request = {}) {
    if (!request.launch.block) request.launch.block = file.launched_block(kernel);
    return check_safety(kernel, file.find(kernel, Level::source), Level::source, request, portfolio_);
  }

  // The second kernel of the file against the first, in blocks of so many threads.
  Comparison compared(const KernelFile& file, const std::string& first, const std::string& second,
                      plan::Equality equality = plan::Equality::bits, long block = 64) {
    SafetyRequest request;
    request.launch.block = {block, 1, 1};
    const auto side = [&](const std::string& name) {
      return ComparedKernel{name, file.find(name, Level::source), Level::source, request};
    };
    return compare_kernels(side(first), side(second), equality, portfolio_);
  }
  static Outcome value_of(const Comparison& comparison, const std::string& kernel) {
    for (const Obligation& o : comparison.obligations)
      if (o.kind == ObligationKind::value && o.subject == kernel) return o.outcome;
    throw InternalError("no such obligation");
  }

  static const Obligation& of(const Safety& safety, ObligationKind kind) {
    for (const Obligation& o : safety.obligations)
      if (o.kind == kind) return o;
    throw InternalError("no such obligation");
  }
  static void expect(const Safety& safety, State state, const std::vector<ObligationKind>& kinds) {
    for (const Obligation& o : safety.obligations)
      if (std::find(kinds.begin(), kinds.end(), o.kind) != kinds.end()) {
        EXPECT_EQ(o.outcome.state, state) << o.id << ": " << o.outcome.detail;
      }
  }
  // Every bounds obligation is proved, or proved under a precondition that is stated.
  static std::set<std::string> preconditions(const Safety& safety) {
    std::set<std::string> out;
    for (const Obligation& o : safety.obligations) {
      if (o.kind != ObligationKind::bounds || o.outcome.state == State::proved) continue;
      EXPECT_EQ(o.outcome.reason, Reason::bounded) << o.id << ": " << o.outcome.detail;
      out.insert(o.outcome.detail);
    }
    return out;
  }

  TemporaryFolder folder_;
  smt::Portfolio portfolio_;
};

using K = ObligationKind;
const std::vector<K> decided{K::alignment, K::ub, K::init, K::race, K::barrier, K::shuffle, K::termination};

TEST_F(Unspecified, AGuardedKernelInAProgramIsSafeWhereItsBuffersHoldItsElements) {
  const KernelFile file = read(R"(
#include <cstdio>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(x) do { if ((x) != cudaSuccess) { std::cerr << __LINE__; exit(1); } } while (0)
__global__ void add(const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + 1.0f;
}
int main() {
  std::vector<float> h(100);
  float* d;
  CHECK(cudaMalloc(&d, 400));
  const int threads = 128;
  add<<<(100 + threads - 1) / threads, threads>>>(d, d, 100);
  CHECK(cudaDeviceSynchronize());
})");
  EXPECT_EQ(file.kernels(), std::vector<std::string>{"add"});
  EXPECT_EQ(file.launched_block("add"), (std::array<long, 3>{128, 1, 1}));
  const Safety safety = check(file, "add");
  expect(safety, State::proved, decided);
  expect(safety, State::proved, {K::overflow});
  EXPECT_EQ(preconditions(safety), (std::set<std::string>{"proved if a has at least n elements",
                                                          "proved if c has at least n elements"}));
}

TEST_F(Unspecified, ReadingANeighbourThatAnotherThreadWritesIsARaceWithLineAndThreads) {
  const Safety safety = check(read(R"(__global__ void shift(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) x[i] = x[i + 1];
})"),
                              "shift");
  const Outcome& race = of(safety, K::race).outcome;
  ASSERT_EQ(race.state, State::refuted) << race.detail;
  EXPECT_NE(race.witness->summary.find("line 3"), std::string::npos) << race.witness->summary;
  EXPECT_NE(race.witness->summary.find("thread ("), std::string::npos);
  EXPECT_EQ(race.witness->executed_by, "interpreter");
}

TEST_F(Unspecified, AMissingBarrierIsFoundAndItsTwinIsProved) {
  const auto text = [](const std::string& barrier) {
    return "__global__ void turn(const float* in, float* out) {\n  __shared__ float s[256];\n"
           "  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];\n  " +
           barrier +
           "\n  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];\n}\n"
           "void go(float* a, float* b) { turn<<<4, 256>>>(a, b); }\n";
  };
  const Safety wrong = check(read(text("")), "turn"), right = check(read(text("__syncthreads();")), "turn");
  expect(wrong, State::refuted, {K::race, K::init});
  expect(right, State::proved, decided);
  EXPECT_EQ(preconditions(right).size(), 2u);
}

TEST_F(Unspecified, AnIndexOf32BitsIsSafeOnlyWhereItDoesNotWrap) {
  const Safety safety = check(read(R"(__global__ void rows(const float* x, float* y, int m, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r < m) for (int c = 0; c < n; ++c) y[r * n + c] = x[r * n + c];
}
void go(float* x) { rows<<<1, 64>>>(x, x, 1, 1); })"),
                              "rows");
  expect(safety, State::proved, decided);
  const Outcome& overflow = of(safety, K::overflow).outcome;
  EXPECT_EQ(overflow.reason, Reason::bounded) << overflow.detail;
  EXPECT_NE(overflow.detail.find("m * n"), std::string::npos) << overflow.detail;
  EXPECT_EQ(preconditions(safety), (std::set<std::string>{"proved if x has at least m * n elements",
                                                          "proved if y has at least m * n elements"}));
}

TEST_F(Unspecified, AStructPassedByValueIsTakenApart) {
  const Safety safety = check(read(R"(struct P { const float* x; float* y; int n; };
__global__ void copy(P p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) p.y[i] = p.x[i];
})"),
                              "copy");
  expect(safety, State::proved, decided);
  EXPECT_EQ(preconditions(safety), (std::set<std::string>{"proved if p_0 has at least p_16 elements",
                                                          "proved if p_8 has at least p_16 elements"}));
}

TEST_F(Unspecified, TemplatesAreReadWhereALaunchOrTheUserInstantiatesThem) {
  const std::string text = R"(template <typename T, int B> __global__ void fill(T* x, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) x[i] = T(i);
}
template <typename T> __global__ void unused(T* x) { x[0] = 1; }
void go(float* x) { fill<float, 128><<<1, 128>>>(x, 5); })";
  const KernelFile file = read(text);
  EXPECT_EQ(file.kernels(), (std::vector<std::string>{"fill<float, 128>", "unused"}));
  EXPECT_NE(file.find("unused", Level::source).detail.find("--instantiate"), std::string::npos);
  const KernelFile more = read(text, {"unused<int>"});
  EXPECT_NE(more.find("unused<int>", Level::source).kernel, nullptr);
  EXPECT_THROW(read(text, {"fill<nothing, 1>"}), UserError);
}

TEST_F(Unspecified, AKernelThatDoesNotCompileHidesNoOther) {
  const KernelFile file = read(R"(__device__ float twice(float a) { return undeclared(a); }
__device__ double twice(double a) { return 2 * a; }
__global__ void uses(float* x) { x[0] = twice(x[0]); }
__global__ void bad(float* x) { x[0] = other_undeclared; }
__global__ void good(float* x) { if (threadIdx.x == 0) x[0] = 1.0f; })");
  EXPECT_NE(file.find("good", Level::source).kernel, nullptr);
  // Without the overload that does not compile, the call would mean the other.
  for (const std::string name : {"uses", "bad"}) {
    const KernelText text = file.find(name, Level::source);
    EXPECT_EQ(text.kernel, nullptr) << name;
    EXPECT_EQ(text.reason, Reason::unsupported);
    EXPECT_NE(text.detail.find("undeclared"), std::string::npos) << text.detail;
  }
  for (const Obligation& o : check(file, "bad").obligations) EXPECT_EQ(o.outcome.state, State::unrun);
}

TEST_F(Unspecified, HalvesRoundAtEachStep) {
  const std::string text = R"(#include <cuda_fp16.h>
__global__ void steps(const half* x, half* y) { y[0] = x[0] * x[1] + x[2]; }
__global__ void calls(const half* x, half* y) { y[0] = __hadd(__hmul(x[0], x[1]), x[2]); }
__global__ void wide(const half* x, half* y) { y[0] = __float2half(__half2float(x[0]) * __half2float(x[1]) + __half2float(x[2])); })";
  const KernelFile file = read(text);
  EXPECT_NE(value_of(compared(file, "calls", "wide", plan::Equality::bits, 1), "wide").state, State::proved);
}

TEST_F(Unspecified, OneKernelAgainstAnother) {
  const KernelFile file = read(R"(__global__ void one(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2.0f + 1.0f;
}
__global__ void same(const float* in, float* out, int count) {
  int k = threadIdx.x + blockDim.x * blockIdx.x;
  if (k >= count) return;
  float v = in[k] * 2.0f;
  out[k] = v + 1.0f;
}
__global__ void other(const float* in, float* out, int count) {
  int k = threadIdx.x + blockDim.x * blockIdx.x;
  if (k < count) out[k] = (in[k] * 3.0f + 1.0f) - in[k];
}
__global__ void wrong(const float* in, float* out, int count) {
  int k = threadIdx.x + blockDim.x * blockIdx.x;
  if (k < count - 1) out[k] = in[k] * 2.0f + 1.0f;
})");
  const auto compare = [&](const std::string& name, plan::Equality equality) {
    std::map<K, State> out;
    for (const Obligation& o : compared(file, "one", name, equality).obligations)
      if (o.id.find("reference") == std::string::npos) out[o.kind] = o.outcome.state;
    return out;
  };
  const auto same = compare("same", plan::Equality::bits);
  EXPECT_EQ(same.at(K::value), State::proved);
  EXPECT_EQ(same.at(K::coverage), State::proved);
  EXPECT_EQ(same.at(K::frame), State::proved);
  EXPECT_EQ(compare("other", plan::Equality::bits).at(K::value), State::refuted);
  EXPECT_EQ(compare("other", plan::Equality::reals).at(K::value), State::proved);
  EXPECT_EQ(compare("wrong", plan::Equality::bits).at(K::coverage), State::refuted);
}

// What the second kernel needs of sizes and the first does not is a difference, and no condition that nobody
// reads.
TEST_F(Unspecified, WhatTheOtherKernelNeedsIsAskedOfIt) {
  const KernelFile file = read(R"(__global__ void plain(const float* x, float* y, int n) {
  int t = threadIdx.x;
  if (t < n) y[t] = x[t];
}
__global__ void of_sixty_four(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0) s[n - 1] = 0.0f;
  if (t < n) y[t] = n > 64 ? 0.0f : x[t];
})");
  const auto states = [&](const std::string& name) {
    std::map<K, State> out;
    const Comparison comparison = compared(file, "plain", name, plan::Equality::bits, 128);
    for (const Obligation& o : comparison.obligations)
      if (o.id.find("reference") == std::string::npos && out[o.kind] != State::refuted)
        out[o.kind] = o.outcome.state;
    const bool named =
        std::any_of(comparison.notes.begin(), comparison.notes.end(), [](const std::string& note) {
          return note.find("integer scalars are sizes, from 1 to 2^30") != std::string::npos;
        });
    EXPECT_TRUE(named);
    return out;
  };
  EXPECT_EQ(states("plain").at(K::value), State::proved);
  EXPECT_EQ(states("of_sixty_four").at(K::bounds), State::refuted);
  EXPECT_NE(states("of_sixty_four").at(K::value), State::proved);
}

// C++ computes pow of a float and an integer in double.
TEST_F(Unspecified, MixedOperandsOfAFunctionAreDoubles) {
  const KernelFile file = read(R"(__global__ void of_doubles(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (float)pow((double)x[i], 3.0);
}
__global__ void mixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = pow(x[i], 3);
}
__global__ void of_an_integer(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (float)sqrt(n);
}
__global__ void of_floats(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = powf(x[i], 3.0f);
})");
  const auto value = [&](const std::string& name) {
    return value_of(compared(file, "of_doubles", name), name);
  };
  EXPECT_EQ(value("mixed").state, State::proved);
  EXPECT_NE(value("of_floats").state, State::proved);
  EXPECT_NE(file.find("of_an_integer", Level::source).kernel, nullptr);
}

// nvcc fuses by default; a proof of bits is about a compilation that does not.
TEST_F(Unspecified, BitsOfPlainProductsAndSumsRestOnHowTheyAreCompiled) {
  const KernelFile file = read(R"(__global__ void plain(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i] + 1.0f;
}
__global__ void rounded(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __fadd_rn(__fmul_rn(x[i], x[i]), 1.0f);
})");
  const auto rests = [&](const std::string& first, const std::string& second) {
    bool found = false;
    for (const Obligation& o : compared(file, first, second).obligations) {
      const std::vector<std::string>& all = o.outcome.assumptions;
      if (o.kind == K::value) {
        EXPECT_EQ(o.outcome.state, State::proved);
      }
      found = found || std::find(all.begin(), all.end(), "compiled-without-contraction") != all.end();
    }
    return found;
  };
  EXPECT_TRUE(rests("plain", "rounded"));
  EXPECT_TRUE(rests("rounded", "plain"));
  EXPECT_FALSE(rests("rounded", "rounded"));
}

// Counting zeros in 32 and in 64 bits are different functions of one number, and their results have one
// width.
TEST_F(Unspecified, TheWidthOfAnOperandBelongsToAnOperation) {
  const KernelFile file = read(R"(__global__ void words(const unsigned* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __clz(x[i]);
}
__global__ void again(const unsigned* x, int* y, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  y[i] = __clz(x[i]);
}
__global__ void longs(const unsigned* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __clzll((unsigned long long)x[i]);
}
__global__ void ones(const unsigned* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __popc(x[i]);
})");
  const auto value = [&](const std::string& name) { return value_of(compared(file, "words", name), name); };
  EXPECT_EQ(value("again").state, State::proved);
  for (const char* other : {"longs", "ones"}) {
    const Outcome outcome = value(other);
    EXPECT_EQ(outcome.state, State::refuted) << other;
    ASSERT_TRUE(outcome.witness) << other;
    EXPECT_EQ(outcome.witness->executed_by, "interpreter");
    EXPECT_FALSE(outcome.witness->bindings.empty());
  }
}

TEST_F(Unspecified, AProposalIsMarkedAsOneAndReadsBack) {
  const KernelFile file = read(
      "__global__ void k(const float* x, float* y, int n) { int i = blockIdx.x * "
      "blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }");
  const std::string text =
      proposed_specification(*file.find("k", Level::source).kernel, SafetyRequest{}, portfolio_);
  EXPECT_NE(text.find("# A proposal"), std::string::npos) << text;
  EXPECT_NE(text.find("param x : f32[n] in"), std::string::npos) << text;
  EXPECT_NE(text.find("param y : f32[n] out"), std::string::npos) << text;
  EXPECT_NE(text.find("equality safety"), std::string::npos) << text;
}

// Files that hold no kernel end in an error that says so, soon.
TEST_F(Unspecified, FilesThatAreNoKernels) {
  EXPECT_TRUE(read("").kernels().empty());
  EXPECT_TRUE(read("int main() { return 0; }").kernels().empty());
  // What is no kernel is the host's, whatever it is; the command line says that there is nothing to check.
  EXPECT_TRUE(read("this is no CUDA at all {{{").kernels().empty());
  EXPECT_TRUE(read(std::string("\0\1\2\xff{", 5)).kernels().empty());
  EXPECT_THROW(read("#include \"missing.h\"\n"), UserError);
  std::string many = "__global__ void k(float* x) {\n";
  for (int i = 0; i < 100000; ++i) many += "x[0] += 1.0f;\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(read(many.substr(0, many.size() / 2) + "x["), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace hallmark::pipeline
