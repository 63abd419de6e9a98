#include "scanner/scanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"

namespace hallmark::scanner {
namespace {

using Counts = std::map<std::string, std::size_t>;

TEST(ScanPtx, CountsByInstructionAndSpace) {
  const std::vector<Unit> units = scan_ptx(R"(
// ld.global.f32 in a comment
.visible .entry k(
	.param .u64 k_param_0
)
.maxntid 128, 1, 1
{
	.reg .pred 	%p<3>;
	.shared .align 4 .b8 s[512];
	.loc	1 3 5
	ld.param.u64 	%rd1, [k_param_0];
	mov.f32 	%f1, 0f3F800000;
$L__BB0_1:
	ld.global.nc.v4.f32 	{%f2, %f3, %f4, %f5}, [%rd1]; st.shared.f32 [%r1], %f2;
	bar.sync 	0;
	@!%p1 bra 	$L__BB0_2;
	shfl.sync.bfly.b32 	%r2|%p2, %r3, 16, 31, -1;
	atom.global.add.f32 	%f6, [%rd1], 0f00000000;
	ld.local.f32 %f7, [%rd2]; ld.f32 %f8, [%rd2];
	@%p2 bra 	$L__BB0_1;
	@%p1 bra 	$L__BB0_1;
$L__BB0_2:
	{ .param .b32 q; st.param.b32 [q], %r1; call (q), helper, (q); ld.param.b32 %r5, [q]; }
	ret;
}
)");
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].name, "k");
  EXPECT_TRUE(units[0].kernel);
  EXPECT_EQ(counts(units[0]), (Counts{{"load global", 1},
                                      {"store shared", 1},
                                      {"barrier", 1},
                                      {"shuffle", 1},
                                      {"atomic global", 1},
                                      {"load local", 1},
                                      {"load generic", 1},
                                      {"loop", 1},
                                      {"float constant", 2},
                                      {"call", 1}}));
}

TEST(ScanPtx, ForwardBranchesAreNoLoopsAndEveryBackwardTargetIsOne) {
  const std::vector<Unit> units = scan_ptx(
      ".entry a() { bra B; A: B: @%p bra C; @%p bra A; @%p bra B; C: ret; }\n"
      ".func (.param .b32 r) f(.param .b32 x) { ret; }\n.func g();\n.entry b() { A: bra A; }");
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(counts(units[0]).at("loop"), 2u);
  EXPECT_EQ(units[1].name, "f");
  EXPECT_FALSE(units[1].kernel);
  EXPECT_EQ(counts(units[2]).at("loop"), 1u);
}

TEST(ScanPtx, AsynchronousAndWarpInstructions) {
  const std::vector<Unit> units = scan_ptx(
      ".entry k() { cp.async.ca.shared.global [%r1], [%rd1], 16; cp.async.commit_group; cp.async.wait_group "
      "0;\n"
      "bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2]; "
      "mma.sync.aligned.m16n8k16.row.col.f32 x;\n"
      "red.shared::cta.add.u32 [%r1], 1; barrier.cluster.arrive; }");
  EXPECT_EQ(counts(units.at(0)), (Counts{{"load global", 1},
                                         {"store shared", 1},
                                         {"load shared", 1},
                                         {"shuffle", 3},
                                         {"atomic shared", 1},
                                         {"barrier", 1}}));
}

TEST(ScanCuda, CountsAccessesLoopsAndCalls) {
  const std::vector<Unit> units = scan_cuda(R"cu(
#include <x[3]>
/* y[i] = 1.0f; */
__device__ __forceinline__ float half_of(const float* p, unsigned i) { return p[i] * 0.5f; }
extern "C" __global__ void __launch_bounds__(256) k(const float* __restrict__ x, float* y, unsigned n) {
  __shared__ float tile[16][17];
  float acc[4] = {0.0f, 1.0f, 2.f, 3e0f};
  const char* text = "x[i] for (;;)";
  for (unsigned i = threadIdx.x; i < n; i += 256u) {
    tile[i / 16u][i % 16u] = x[i];
    __syncthreads();
    acc[i] += tile[0][i];
  }
  do {
    n -= 1u; } while (n > 5u);
  while (n > 0u) --n;
  acc[0] = __shfl_xor_sync(0xffffffffu, acc[0], 16);
  atomicAdd(&y[0], half_of(x, n));
  y[1] = *(x + 2) * 2.0f;
}
)cu");
  ASSERT_EQ(units.size(), 2u);
  EXPECT_FALSE(units[0].kernel);
  EXPECT_EQ(counts(units[0]), (Counts{{"load global", 1}, {"float constant", 1}}));
  EXPECT_TRUE(units[1].kernel);
  EXPECT_EQ(units[1].name, "k");
  EXPECT_EQ(counts(units[1]), (Counts{{"store shared", 1},
                                      {"load global", 1},
                                      {"barrier", 1},
                                      {"load local", 2},
                                      {"load shared", 1},
                                      {"store local", 2},
                                      {"loop", 3},
                                      {"shuffle", 1},
                                      {"atomic generic", 1},
                                      {"call", 1},
                                      {"store global", 1},
                                      {"load generic", 1},
                                      {"float constant", 5}}));
  EXPECT_EQ(counts(with_callees(units[1], units)).at("load global"), 2u);
}

TEST(ScanCuda, RecursionEnds) {
  const std::vector<Unit> units =
      scan_cuda("__device__ int f(int* p) { return p[0] + f(p); }\n__global__ void k(int* p) { f(p); }");
  EXPECT_EQ(counts(with_callees(units.at(1), units)).at("load global"), 1u);
}

TEST(Scan, BrokenTextIsNoCrash) {
  const std::string cuda = "__global__ void k(float* y) { for (;;) { y[0] = \"a\\\" + '\\'' * /* ";
  const std::string ptx = ".entry k(.param .u64 a) { @%p bra L; L: ld.global [%r], {%f1, ";
  for (std::size_t i = 0; i <= cuda.size(); ++i) scan_cuda(cuda.substr(0, i));
  for (std::size_t i = 0; i <= ptx.size(); ++i) scan_ptx(ptx.substr(0, i));
  scan_cuda(std::string(10'000, '('));
  scan_ptx(std::string(10'000, '{'));
  SUCCEED();
}

// Soundness D2: small enough to be read by a sceptic.
TEST(Scan, TheScannerHasAtMost500LinesAndSharesNoCode) {
  std::size_t lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HALLMARK_SOURCE_DIR "/src/scanner")) {
    const std::string text = read_file(entry.path().string());
    lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(text.find("#include \"validator"), std::string::npos);
    EXPECT_EQ(text.find("#include \"lowering"), std::string::npos);
  }
  EXPECT_LE(lines, 500u);
  EXPECT_GT(lines, 100u);
}

}  // namespace
}  // namespace hallmark::scanner
