// Ways in which a wrong proof could arise (design, soundness.md): each wrong kernel is refuted by execution,
// its right twin is proved.
#include <gtest/gtest.h>

#include "support.h"
#include "validator/ptx/reader.h"

namespace hallmark::validator::testing {
namespace {

using Kind = ObligationKind;

calculus::SymbolRange range(const char* name, long low, long high) {
  return {name, Integer(low), Integer(high)};
}

std::vector<Obligation> examine(plan::KernelSpec spec, const std::string& kernel) {
  static const ir::Module module = read_fixture("soundness");
  spec.kernel = kernel;
  spec.equality = plan::Equality::safety;
  return check(spec, ir::find_kernel(module, kernel), Level::ptx);
}

TEST(Soundness, ALoopWithoutIterationsHasNoBarrier) {
  const plan::KernelSpec spec = testing::spec(
      "", {range("trips", 0, 1000)}, {output("y", {n(2)}), scalar("trips", Format::u32)}, n(1), n(2));
  const auto bad = examine(spec, "zero_trips_bad");
  EXPECT_EQ(state_of_kind(bad, Kind::race), State::refuted) << not_proved(bad);
  const auto ok = examine(spec, "zero_trips_ok");
  EXPECT_EQ(state_of_kind(ok, Kind::race), State::proved) << not_proved(ok);
  EXPECT_EQ(state_of_kind(ok, Kind::barrier), State::proved) << not_proved(ok);
}

TEST(Soundness, LanesOfAShuffleAreInOneIteration) {
  const plan::KernelSpec spec = testing::spec(
      "", {range("n", 0, 4096)},
      {input("x", {n(32)}, Format::u32), output("y", {n(32)}, Format::u32), scalar("n", Format::u32)}, n(1),
      n(32));
  const auto bad = examine(spec, "lanes_in_other_iterations_bad");
  EXPECT_EQ(state_of_kind(bad, Kind::shuffle), State::refuted) << not_proved(bad);
  const auto ok = examine(spec, "lanes_in_other_iterations_ok");
  EXPECT_EQ(not_proved(ok), "");
}

TEST(Soundness, LanesOfTheMaskExist) {
  const plan::KernelSpec spec = testing::spec(
      "", {}, {input("x", {n(48)}, Format::u32), output("y", {n(48)}, Format::u32)}, n(1), n(48));
  const auto bad = examine(spec, "missing_lanes_bad");
  EXPECT_EQ(state_of_kind(bad, Kind::shuffle), State::refuted) << not_proved(bad);
}

TEST(Soundness, ABarrierUnderAConditionOfTheThread) {
  const plan::KernelSpec spec =
      testing::spec("", {range("n", 0, 64)},
                    {input("x", {n(64)}), output("y", {n(64)}), scalar("n", Format::u32)}, n(1), n(64));
  const auto bad = examine(spec, "divergent_barrier_bad");
  EXPECT_EQ(state_of_kind(bad, Kind::barrier), State::refuted) << not_proved(bad);
}

TEST(Soundness, TheLastIntervalOfAnIterationMeetsTheFirstOfTheNext) {
  const plan::KernelSpec spec = testing::spec(
      "", {range("n", 1, 1000)},
      {input("x", {calculus::scale(64, s("n"))}), output("y", {n(64)}), scalar("n", Format::u32)}, n(1),
      n(64));
  const auto bad = examine(spec, "back_edge_bad");
  EXPECT_EQ(state_of_kind(bad, Kind::race), State::refuted) << not_proved(bad);
  EXPECT_EQ(not_proved(examine(spec, "back_edge_ok")), "");
}

TEST(Soundness, MemoryIsCarriedByALoopToo) {
  const plan::KernelSpec spec = testing::spec(
      "", {range("n", 1, 1000)},
      {input("x", {calculus::scale(64, s("n"))}), output("y", {n(64)}), scalar("n", Format::u32)}, n(1),
      n(64));
  // In the first iteration nobody has written the slots.
  EXPECT_EQ(state_of_kind(examine(spec, "carried_memory_bad"), Kind::init), State::refuted);
}

// By hand, since CUDA's names for it are not read: one place, added to by all blocks.
std::string counting(const std::string& scope) {
  return ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry count(.param .u64 y)\n{\n"
         ".reg .b64 %rd<3>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [y];\ncvta.to.global.u64 %rd2, %rd1;\n"
         "mov.u32 %r1, 1;\nred.relaxed" +
         scope + ".global.add.u32 [%rd2], %r1;\nret;\n}\n";
}

TEST(Soundness, AtomicsOfOneBlockRaceWithThoseOfAnother) {
  plan::KernelSpec spec = testing::spec("", {}, {output("y", {n(1)}, Format::u32)}, n(3), n(4));
  spec.parameters[0].buffer->access = plan::Access::inout;
  spec.kernel = "count";
  spec.equality = plan::Equality::safety;
  const auto state = [&](const std::string& scope) {
    const ir::Module module = ptx::read_ptx(counting(scope), "count.ptx");
    return state_of_kind(check(spec, ir::find_kernel(module, "count"), Level::ptx), Kind::race);
  };
  EXPECT_EQ(state(".cta"), State::refuted);
  EXPECT_EQ(state(".gpu"), State::proved);
}

TEST(Soundness, OneBufferSeenInTwoShapes) {
  plan::KernelSpec spec =
      testing::spec("", {}, {input("x", {n(2), n(3)}), output("y", {n(2), n(3)})}, n(1), n(2));
  spec.launch.block[1] = n(3);
  EXPECT_EQ(state_of_kind(examine(spec, "two_views_bad"), Kind::race), State::refuted);
}

TEST(Soundness, RequirementsThatNothingMeetsProveNothing) {
  plan::KernelSpec spec = sample_spec("relu");
  spec.requirements.push_back(calculus::at_most(s("n"), n(0)));
  const ir::Module module = read_fixture("elementwise");
  for (const Obligation& o : check(spec, ir::find_kernel(module, "relu"), Level::ptx)) {
    EXPECT_EQ(o.outcome.state, State::unrun) << o.id;
    EXPECT_EQ(o.outcome.reason, Reason::vacuous) << o.id;
  }
}

TEST(Soundness, TheNumberOfQueriesDoesNotGrowWithTheExtents) {
  const auto queries = [](long size) {
    plan::KernelSpec spec = sample_spec("matmul_tiled");
    spec.symbols = {range("m", size, size), range("n", size, size), range("k", size, size)};
    const ir::Module module = read_fixture("tiled");
    std::size_t count = 0;
    const auto all = check(spec, ir::find_kernel(module, "matmul_tiled"), Level::ptx);
    EXPECT_EQ(not_proved(all), "");
    for (const Obligation& o : all) count += o.outcome.queries.size();
    return count;
  };
  EXPECT_EQ(queries(256), queries(8192));
}

// One thread's value after as many equal lines as `lines`.
std::string repeated(const std::string& declared, const std::string& load, const std::string& line, int lines,
                     const std::string& store) {
  std::string out =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n"
      " .reg .b32 %r<9>; .reg .b64 %rd<9>;\n " +
      declared +
      "\n ld.param.u64 %rd1, [p0];\n ld.param.u64 %rd2, [p1];\n mov.u32 %r1, %tid.x;\n"
      " mul.wide.u32 %rd3, %r1, 4;\n add.s64 %rd4, %rd1, %rd3;\n add.s64 %rd5, %rd2, %rd3;\n " +
      load + "\n";
  for (int n = 0; n < lines; ++n) out += line + "\n";
  return out + store + "\n ret;\n}\n";
}

TEST(Soundness, AValueThatIsNestedTooDeeplyIsNotFollowed) {
  const std::string text = repeated(".reg .f32 %f<3>;", "ld.global.f32 %f1, [%rd4];",
                                    " fma.rn.f32 %f1, %f1, %f1, %f1;", 150000, " st.global.f32 [%rd5], %f1;");
  plan::KernelSpec spec = testing::spec("k", {}, {input("x", {n(32)}), output("y", {n(32)})}, n(1), n(32));
  ensure_whole(spec, "y", calculus::load("x", {calculus::axis(0)}, f32()));
  const ir::Module module = ptx::read_ptx(text, "deep.ptx");
  const auto all = check(spec, ir::find_kernel(module, "k"), Level::ptx);
  EXPECT_NE(state_of_kind(all, Kind::value), State::proved);
  EXPECT_EQ(state_of_kind(all, Kind::bounds), State::proved) << not_proved(all);
}

TEST(Soundness, ProductsOfProductsStayOperations) {
  const std::string text =
      repeated("", "ld.global.u32 %r2, [%rd4];", " mul.lo.s32 %r2, %r2, %r2;\n add.s32 %r2, %r2, %r1;", 60,
               " st.global.u32 [%rd5], %r2;");
  const plan::KernelSpec spec = testing::spec(
      "k", {}, {input("x", {n(32)}, Format::u32), output("y", {n(32)}, Format::u32)}, n(1), n(32));
  plan::KernelSpec safe = spec;
  safe.equality = plan::Equality::safety;
  const ir::Module module = ptx::read_ptx(text, "squares.ptx");
  EXPECT_EQ(not_proved(check(safe, ir::find_kernel(module, "k"), Level::ptx)), "");
}

}  // namespace
}  // namespace hallmark::validator::testing
