// Bare additions of PTX: which of them the assembler may fuse with a multiplication (soundness G8). What it
// may fuse has no value that is known, what it may not rounds like the form with .rn.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/spec_text.h"
#include "support.h"
#include "validator/ptx/reader.h"

namespace hallmark::validator::testing {
namespace {

using Kind = ObligationKind;

// One thread an element; `body` computes %f9 from %f1 = x[i] and %f2 = z[i]; predicate %p2 is i < 7.
std::string ptx_of(const std::string& body) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u64 k_2, .param .u32 k_3)
{
  .reg .pred %p<9>; .reg .f32 %f<20>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
  .shared .align 4 .b8 box[1024];
  ld.param.u64 %rd1, [k_0]; ld.param.u64 %rd2, [k_1]; ld.param.u64 %rd3, [k_2]; ld.param.u32 %r1, [k_3];
  cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2; cvta.to.global.u64 %rd3, %rd3;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r2, 256, %r3;
  setp.ge.u32 %p1, %r4, %r1;
  @%p1 bra END;
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6];
  setp.lt.u32 %p2, %r4, 7;
)" + body +
         R"(
  st.global.f32 [%rd7], %f9;
END:
  ret;
}
)";
}

std::vector<Obligation> checked(const std::string& body, const std::string& value,
                                const std::string& equality = "") {
  const std::string text =
      "hallmark 1\nkernel k\nparam x : f32[n] in\nparam z : f32[n] in\n"
      "param y : f32[n] out\nparam n : u32\nwhere 1 <= n <= 2^20\n"
      "launch grid (ceil_div(n, 256)) block (256)\n" +
      equality + "ensures y[i < n] = " + value + "\n";
  const plan::KernelSpec spec = plan::parse_spec(text, "k.hm");
  const ir::Module module = ptx::read_ptx(ptx_of(body), "k.ptx");
  return check(spec, ir::find_kernel(module, "k"), Level::ptx);
}

void expect_proved(const std::string& body, const std::string& value) {
  const std::vector<Obligation> all = checked(body, value);
  EXPECT_EQ(not_proved(all), "") << body;
}

void expect_contraction(const std::string& body, const std::string& value) {
  const std::vector<Obligation> all = checked(body, value);
  const Obligation& o = one(all, Kind::value);
  EXPECT_EQ(o.outcome.state, State::unrun) << body << not_proved(all);
  EXPECT_EQ(o.outcome.reason, Reason::unsupported) << body;
  EXPECT_NE(o.outcome.detail.find("contraction allowed"), std::string::npos) << o.outcome.detail;
  // The others do not depend on it.
  EXPECT_EQ(state_of_kind(all, Kind::coverage), State::proved);
  EXPECT_EQ(state_of_kind(all, Kind::bounds), State::proved);
}

TEST(Contraction, ABareAdditionWithoutAProductRoundsToNearest) {
  expect_proved("add.f32 %f9, %f1, 0f3F800000;", "x[i] + 1");
  expect_proved("sub.f32 %f9, %f1, %f2;", "x[i] - z[i]");
  expect_proved("add.f32 %f3, %f1, %f2; add.f32 %f9, %f3, %f1;", "x[i] + z[i] + x[i]");
}

TEST(Contraction, TheAssumptionIsNamed) {
  const std::vector<Obligation> all = checked("add.f32 %f9, %f1, %f2;", "x[i] + z[i]");
  const std::vector<std::string>& rests = one(all, Kind::value).outcome.assumptions;
  EXPECT_NE(std::find(rests.begin(), rests.end(), "ptxas-contraction-only-mul-add"), rests.end());
}

TEST(Contraction, ABareProductAloneRoundsToNearest) {
  expect_proved("mul.f32 %f9, %f1, %f2;", "x[i] * z[i]");
  // The addition forbids it, or the product does.
  expect_proved("mul.f32 %f3, %f1, %f2; add.rn.f32 %f9, %f3, %f1;", "x[i] * z[i] + x[i]");
  expect_proved("mul.rn.f32 %f3, %f1, %f2; add.f32 %f9, %f3, %f1;", "x[i] * z[i] + x[i]");
}

TEST(Contraction, ABareProductAndABareAdditionMayBecomeOne) {
  expect_contraction("mul.f32 %f3, %f1, %f2; add.f32 %f9, %f3, %f1;", "x[i] * z[i] + x[i]");
  expect_contraction("mul.f32 %f3, %f1, %f2; add.f32 %f9, %f1, %f3;", "x[i] + x[i] * z[i]");
  expect_contraction("mul.f32 %f3, %f1, %f2; sub.f32 %f9, %f1, %f3;", "x[i] - x[i] * z[i]");
  // Nor is it proved to be the fused form.
  expect_contraction("mul.f32 %f3, %f1, %f2; add.f32 %f9, %f3, %f1;", "fma(x[i], z[i], x[i])");
}

TEST(Contraction, AProductIsSeenThroughCopies) {
  const std::string value = "x[i] * z[i] + x[i]";
  const std::string product = "mul.f32 %f3, %f1, %f2;\n", sum = "\nadd.f32 %f9, %f4, %f1;";
  expect_contraction(product + "mov.f32 %f4, %f3;" + sum, value);
  expect_contraction(product + "mov.b32 %r5, %f3; mov.b32 %f4, %r5;" + sum, value);
  expect_contraction(product + "neg.f32 %f5, %f3; neg.f32 %f4, %f5;" + sum, value);
  expect_contraction(product + "selp.f32 %f4, %f3, %f1, %p2;" + sum,
                     "(if i < 7 then x[i] * z[i] else x[i]) + x[i]");
  expect_contraction(product + "mov.f32 %f4, %f1; @%p2 mov.f32 %f4, %f3;" + sum,
                     "(if i < 7 then x[i] * z[i] else x[i]) + x[i]");
  expect_contraction(product + "mov.f32 %f4, %f1; @!%p2 bra SKIP; mov.f32 %f4, %f3;\nSKIP:" + sum,
                     "(if i < 7 then x[i] * z[i] else x[i]) + x[i]");
  // The sign flipped as a bit.
  expect_contraction(product + "mov.b32 %r5, %f3; xor.b32 %r6, %r5, 0x80000000; mov.b32 %f4, %r6;" + sum,
                     "x[i] - x[i] * z[i]");
}

TEST(Contraction, AProductThatWentThroughMemoryIsRounded) {
  expect_proved(
      "mul.f32 %f3, %f1, %f2; mov.u32 %r5, box; shl.b32 %r6, %r3, 2; add.s32 %r7, %r5, %r6;\n"
      "st.shared.f32 [%r7], %f3; bar.sync 0; ld.shared.f32 %f4, [%r7]; add.f32 %f9, %f4, %f1;",
      "x[i] * z[i] + x[i]");
}

// Over the reals it does not matter.
TEST(Contraction, OverTheRealsEitherFormIsRight) {
  const std::vector<Obligation> all =
      checked("mul.f32 %f3, %f1, %f2; add.f32 %f9, %f3, %f1;", "x[i] * z[i] + x[i]", "equality reals\n");
  EXPECT_EQ(not_proved(all), "");
}

}  // namespace
}  // namespace hallmark::validator::testing
