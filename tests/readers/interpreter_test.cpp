// Each kind of fault is reported where it is committed and nowhere else.
#include "support.h"

namespace hallmark::validator::test {
namespace {

using interpreter::Argument;
using interpreter::Buffer;
using interpreter::Request;
using interpreter::Result;
using interpreter::Schedule;
using K = ObligationKind;

const char* const registers =
    ".reg .pred %p<9>;\n.reg .b32 %r<19>;\n.reg .f32 %f<9>;\n.reg .b64 %q<9>;\n"
    "ld.param.u64 %q1, [out];\nld.param.u32 %r9, [n];\ncvta.to.global.u64 %q1, %q1;\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %q2, %r1, 4;\nadd.s64 %q2, %q1, %q2;\n";

// Parameters: out (32 words, zero), n. %r1 = thread, %q2 = its word of out, %r9 = n.
Result run(const std::string& body, std::uint32_t threads, std::uint32_t n = 0,
           const std::string& globals = {}, const std::function<void(Request&)>& change = {}) {
  const ir::Module m = ptx::read_ptx(
      ptx_module(".param .u64 out, .param .u32 n", registers + body + "\nret;", globals), "t.ptx");
  Request r;
  r.block = {threads, 1, 1};
  Buffer out = output("out", 32);
  out.fill = 0;
  r.buffers = {out};
  r.arguments = {Argument::pointer(0), Argument::scalar(n, 4)};
  if (change) change(r);
  return interpreter::launch(ir::find_kernel(m, "k"), r);
}

const std::string shared = ".shared .align 4 .b8 s[128];\n";
const std::string own_slot = "mov.u32 %r2, s;\nmul.lo.u32 %r3, %r1, 4;\nadd.u32 %r2, %r2, %r3;\n";

TEST(Faults, StoreOutsideABuffer) {
  const Result r = run("st.global.u32 [%q2+8], 7;", 32);
  ASSERT_EQ(kinds(r), std::vector{K::bounds});
  EXPECT_EQ(r.find(K::bounds)->thread.thread[0], 30u);
  EXPECT_EQ(r.find(K::bounds)->offset, 128);
  EXPECT_EQ(r.find(K::bounds)->memory, "out");
  EXPECT_TRUE(r.find(K::bounds)->is_write);
  EXPECT_EQ(word(r, 0, 31), 7u);
}

// The elements of a vector access that are inside are touched: what is proved of them holds.
TEST(Faults, PartOfAVectorOutside) {
  const Result r =
      run("st.global.v4.u32 [%q1+112], {1, 2, 3, 4};\nld.global.v4.u32 {%r2, %r3, %r4, %r5}, "
          "[%q1+112];\nst.global.u32 [%q1], %r3;",
          1, 0, {}, [](Request& q) { q.buffers[0].bytes = 120; });
  ASSERT_EQ(kinds(r), std::vector{K::bounds}) << faults_text(r);
  EXPECT_EQ(word(r, 0, 28), 1u);
  EXPECT_EQ(word(r, 0, 29), 2u);
  EXPECT_EQ(word(r, 0, 0), 2u);
  // An element of which a part is outside is not.
  const Result half =
      run("st.global.v2.u32 [%q1+112], {1, 2};", 1, 0, {}, [](Request& q) { q.buffers[0].bytes = 118; });
  ASSERT_EQ(kinds(half), std::vector{K::bounds}) << faults_text(half);
  EXPECT_EQ(word(half, 0, 28), 1u);
}

TEST(Faults, BelowABufferAndNullPointer) {
  EXPECT_EQ(run("ld.global.u32 %r2, [%q1+-4];", 1).find(K::bounds)->offset, -4);
  EXPECT_NE(run("mov.b64 %q3, 0;\nld.global.u32 %r2, [%q3];", 1).find(K::bounds), nullptr);
}

TEST(Faults, ReadOnlyBuffer) {
  const Result r =
      run("st.global.u32 [%q2], 7;", 1, 0, {}, [](Request& q) { q.buffers[0].writable = false; });
  EXPECT_EQ(kinds(r), std::vector{K::bounds});
}

TEST(Faults, Alignment) {
  EXPECT_EQ(kinds(run("st.global.u32 [%q1+2], 7;", 1)), std::vector{K::alignment});
  EXPECT_EQ(kinds(run("st.global.v4.u32 [%q1+8], {1, 2, 3, 4};", 1)), std::vector{K::alignment});
  EXPECT_TRUE(run("st.global.v4.u32 [%q1+16], {1, 2, 3, 4};", 1).faults.empty());
  // A buffer that promises 8 bytes only.
  const Result r =
      run("st.global.v4.u32 [%q1], {1, 2, 3, 4};", 1, 0, {}, [](Request& q) { q.buffers[0].alignment = 8; });
  EXPECT_EQ(kinds(r), std::vector{K::alignment});
}

TEST(Faults, SharedBytesNobodyWrote) {
  const Result r = run(shared + own_slot +
                           "setp.lt.u32 %p1, %r1, 2;\n@%p1 st.shared.u32 [%r2], 5;\nbar.sync 0;\n"
                           "ld.shared.u32 %r4, [%r2];\nst.global.u32 [%q2], %r4;",
                       4);
  ASSERT_EQ(kinds(r), std::vector{K::init});
  EXPECT_EQ(r.find(K::init)->thread.thread[0], 2u);
  EXPECT_TRUE(r.buffers[0]->defined(0, 8));
  EXPECT_FALSE(r.buffers[0]->defined(8, 4));
}

TEST(Faults, UndefinedAddressAndBranch) {
  EXPECT_EQ(kinds(run("st.global.u32 [%q8], 1;", 1)), std::vector{K::init});
  EXPECT_EQ(kinds(run("setp.eq.u32 %p1, %r8, 1;\n@%p1 bra L;\nst.global.u32 [%q1], 1;\nL:", 1)),
            std::vector{K::init});
  // Undefined bits that are masked away do not matter.
  EXPECT_TRUE(
      run("and.b32 %r8, %r8, 0;\nsetp.eq.u32 %p1, %r8, 0;\n@%p1 bra L;\nst.global.u32 [%q1], 1;\nL:", 1)
          .faults.empty());
}

TEST(Faults, SharedArrayBounds) {
  const Result r = run(shared + own_slot + "st.shared.u32 [%r2+100], 1;", 16);
  ASSERT_EQ(kinds(r), std::vector{K::bounds});
  EXPECT_EQ(r.find(K::bounds)->offset, 128);
  EXPECT_EQ(r.find(K::bounds)->thread.thread[0], 7u);
}

TEST(Faults, DynamicSharedMemoryHasTheSizeOfTheLaunch) {
  const std::string body =
      "mov.u32 %r2, d;\nmul.lo.u32 %r3, %r1, 4;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], 1;";
  const auto with = [&](std::uint64_t bytes) {
    return run(body, 8, 0, ".extern .shared .align 4 .b8 d[];",
               [bytes](Request& q) { q.dynamic_shared_bytes = bytes; });
  };
  EXPECT_TRUE(with(32).faults.empty());
  EXPECT_EQ(with(31).find(K::bounds)->thread.thread[0], 7u);
}

TEST(Races, BarrierOrders) {
  const std::string neighbour = "xor.b32 %r4, %r3, 4;\nmov.u32 %r5, s;\nadd.u32 %r4, %r5, %r4;\n";
  const std::string write = shared + own_slot + neighbour + "st.shared.u32 [%r2], %r1;\n";
  const std::string read = "ld.shared.u32 %r6, [%r4];\nst.global.u32 [%q2], %r6;\n";
  EXPECT_TRUE(run(write + "bar.sync 0;\n" + read, 32).faults.empty());
  EXPECT_TRUE(run(write + "bar.warp.sync 0xffffffff;\n" + read, 32).faults.empty());
  for (Schedule s : {Schedule::forward, Schedule::reverse_threads, Schedule::random}) {
    const Result r = run(write + read, 32, 0, {}, [s](Request& q) { q.schedule = s; });
    EXPECT_NE(r.find(K::race), nullptr);
  }
  // A warp barrier does not order warps.
  const std::string far = "xor.b32 %r4, %r3, 128;\nmov.u32 %r5, s;\nadd.u32 %r4, %r5, %r4;\n";
  const std::string wide = ".shared .align 4 .b8 s[256];\n" + own_slot + far + "st.shared.u32 [%r2], %r1;\n";
  const std::string sum = "ld.shared.u32 %r6, [%r4];\n";
  EXPECT_NE(run(wide + "bar.warp.sync 0xffffffff;\n" + sum, 64).find(K::race), nullptr);
  EXPECT_TRUE(run(wide + "bar.sync 0;\n" + sum, 64).faults.empty());
}

TEST(Races, EqualValuesAndBytesOfOneWord) {
  EXPECT_EQ(kinds(run("st.global.u32 [%q1], 1;", 2)), std::vector{K::race});
  EXPECT_TRUE(
      run("sub.s64 %q3, %q2, %q1;\nshr.u64 %q3, %q3, 2;\nadd.s64 %q3, %q1, %q3;\nst.global.u8 [%q3], %r1;", 4)
          .faults.empty());
}

TEST(Races, OneOfManyReadersIsNotOrdered) {
  // All read one word; the write of thread 0 waits for 64 of them, by a barrier that the last 32 do not come
  // to.
  const std::string read = "ld.global.u32 %r2, [%q1];\n";
  const std::string rest = "setp.ge.u32 %p1, %r1, 64;\n@%p1 ret;\n";
  const std::string write = "setp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nst.global.u32 [%q1], 1;";
  const Result r = run(read + rest + "bar.sync 1, 64;\n" + write, 96, 0, {},
                       [](Request& q) { q.schedule = Schedule::reverse_threads; });
  ASSERT_NE(r.find(K::race), nullptr);
  EXPECT_EQ(r.find(K::race)->thread.thread[0], 0u);
  EXPECT_EQ(r.find(K::race)->other->thread[0], 95u);
  EXPECT_EQ(run(read + rest + "bar.sync 1, 64;\n" + write, 64).find(K::race), nullptr);
  EXPECT_EQ(run(read + "bar.sync 0;\n" + rest + write, 96).find(K::race), nullptr);
}
TEST(Races, BetweenBlocksNoBarrierHelps) {
  const auto two_blocks = [](Request& q) { q.grid = {2, 1, 1}; };
  EXPECT_EQ(kinds(run("st.global.u32 [%q2], 1;\nbar.sync 0;", 1, 0, {}, two_blocks)), std::vector{K::race});
}

TEST(Races, SomeBlocksOfAGridAreExecutedUnderTheirOwnNumbers) {
  // Block (b, 0, 0) writes word b; the grid has 2^30 blocks, of which the words of the first 32 exist.
  const std::string body =
      "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %q3, %r2, 4;\nadd.u64 %q3, %q1, %q3;\n"
      "add.u32 %r3, %r2, 1;\nst.global.u32 [%q3], %r3;";
  const auto part = [](std::vector<std::uint64_t> blocks) {
    return [blocks](Request& q) {
      q.grid = {1u << 30, 1, 1};
      q.blocks = blocks;
    };
  };
  const Result r = run(body, 1, 0, {}, part({3, 7}));
  EXPECT_TRUE(r.faults.empty());
  EXPECT_EQ(word(r, 0, 3), 4u);
  EXPECT_EQ(word(r, 0, 7), 8u);
  EXPECT_EQ(word(r, 0, 4), 0u);
  const Result stray = run(body, 1, 0, {}, part({3, 32}));
  ASSERT_EQ(kinds(stray), std::vector{K::bounds});
  EXPECT_EQ(stray.find(K::bounds)->thread.block[0], 32u);
  EXPECT_THROW(run(body, 1, 0, {}, part({1u << 30})), UserError);
}

TEST(Races, AtomicsDoNotRaceWithEachOther) {
  const Result r = run("red.global.add.u32 [%q1], 1;", 32);
  EXPECT_TRUE(r.faults.empty());
  EXPECT_EQ(word(r, 0, 0), 32u);
  EXPECT_EQ(
      kinds(run("red.global.add.u32 [%q1], 1;\nld.global.u32 %r2, [%q1];\nst.global.u32 [%q2+4], %r2;", 8)),
      std::vector{K::race});
}

// The last block sums what all blocks wrote: CUDA's threadFenceReduction sample.
TEST(Races, FenceAndCounterOrderBlocks) {
  const auto body = [](const std::string& fence) {
    return "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %q3, %r2, 4;\nadd.s64 %q3, %q1, %q3;\nadd.u32 %r3, %r2, "
           "10;\n"
           "st.global.u32 [%q3+16], %r3;\n" +
           fence + "atom.global.inc.u32 %r4, [%q1], 100;\nsetp.ne.u32 %p1, %r4, 2;\n@%p1 ret;\n" + fence +
           "ld.global.u32 %r5, [%q1+16];\nld.global.u32 %r6, [%q1+20];\nld.global.u32 %r7, [%q1+24];\n"
           "add.u32 %r5, %r5, %r6;\nadd.u32 %r5, %r5, %r7;\nst.global.u32 [%q1+4], %r5;";
  };
  const auto three_blocks = [](Request& q) { q.grid = {3, 1, 1}; };
  const Result good = run(body("membar.gl;\n"), 1, 0, {}, three_blocks);
  EXPECT_TRUE(good.faults.empty()) << faults_text(good);
  EXPECT_EQ(word(good, 0, 1), 33u);
  EXPECT_EQ(kinds(run(body(""), 1, 0, {}, three_blocks)), std::vector{K::race});
  EXPECT_EQ(kinds(run(body("membar.cta;\n"), 1, 0, {}, three_blocks)), std::vector{K::race});
}

TEST(Barriers, InOneArmOfADivergentBranch) {
  const Result r =
      run("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:", 32);
  ASSERT_EQ(kinds(r), std::vector{K::barrier}) << faults_text(r);
  EXPECT_TRUE(r.find(K::barrier)->other_place.has_value());
}

TEST(Barriers, ExitedThreadsCountUnlessStrict) {
  const std::string body = "setp.lt.u32 %p1, %r1, 16;\n@%p1 ret;\nbar.sync 0;";
  EXPECT_TRUE(run(body, 32).faults.empty());
  EXPECT_EQ(kinds(run(body, 32, 0, {}, [](Request& q) { q.strict_barriers = true; })),
            std::vector{K::barrier});
}

TEST(Barriers, InDifferentIterations) {
  // Thread 0 skips the barrier in the first iteration, the others in the second.
  const Result r =
      run("mov.u32 %r2, 0;\nL:\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r2, 0;\nxor.pred %p3, %p1, %p2;\n"
          "@!%p3 bra S;\nbar.sync 0;\nS:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p4, %r2, 2;\n@%p4 bra L;",
          32);
  EXPECT_EQ(kinds(r), std::vector{K::barrier}) << faults_text(r);
}

TEST(Barriers, DeadlockOfTwoBarriers) {
  const Result r =
      run("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 1, 64;\nbra B;\nA:\nbar.sync 2, 64;\nB:", 64);
  EXPECT_EQ(r.end, Result::End::deadlock);
  EXPECT_EQ(kinds(r), std::vector{K::barrier});
}

TEST(Barriers, ProducerAndConsumerByArrival) {
  const std::string body =
      shared +
      "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra P;\nbar.sync 1, 64;\nld.shared.u32 %r4, [s];\n"
      "sub.u32 %r5, %r1, 32;\nmul.wide.u32 %q3, %r5, 4;\nadd.s64 %q3, %q1, %q3;\n"
      "st.global.u32 [%q3], %r4;\nbra E;\nP:\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 st.shared.u32 [s], 9;\n"
      "bar.arrive 1, 64;\nE:";
  const Result r = run(body, 64);
  EXPECT_TRUE(r.faults.empty()) << faults_text(r);
  EXPECT_EQ(word(r, 0, 31), 9u);
}

TEST(Shuffles, ValuesOfEachMode) {
  const auto lane_values = [](const std::string& shuffle) {
    const Result r =
        run("mov.u32 %r2, %laneid;\nadd.u32 %r2, %r2, 100;\n" + shuffle + "\nst.global.u32 [%q2], %r3;", 32);
    EXPECT_TRUE(r.faults.empty()) << faults_text(r);
    std::vector<std::uint32_t> v;
    for (unsigned n = 0; n < 32; ++n) v.push_back(word(r, 0, n) - 100);
    return v;
  };
  const auto down = lane_values("shfl.sync.down.b32 %r3|%p1, %r2, 4, 31, -1;");
  const auto up = lane_values("shfl.sync.up.b32 %r3|%p1, %r2, 4, 0, -1;");
  const auto xors = lane_values("shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;");
  const auto segments = lane_values("shfl.sync.down.b32 %r3, %r2, 1, 0x181f, -1;");  // width 8
  const auto index = lane_values("shfl.sync.idx.b32 %r3, %r2, 3, 0x181f, -1;");
  for (unsigned n = 0; n < 32; ++n) {
    EXPECT_EQ(down[n], n + 4 <= 31 ? n + 4 : n);
    EXPECT_EQ(up[n], n >= 4 ? n - 4 : n);
    EXPECT_EQ(xors[n], n ^ 16);
    EXPECT_EQ(segments[n], n % 8 == 7 ? n : n + 1);
    EXPECT_EQ(index[n], n / 8 * 8 + 3);
  }
}

TEST(Shuffles, MaskMustNameThoseThatAreThere) {
  const std::string shuffle = "shfl.sync.down.b32 %r3, %r1, 1, 31, -1;";
  EXPECT_EQ(kinds(run(shuffle, 48)), std::vector{K::shuffle});  // lanes 16 to 31 of warp 1 do not exist
  EXPECT_EQ(kinds(run("setp.eq.u32 %p1, %r1, 5;\n@%p1 ret;\n" + shuffle, 32)), std::vector{K::shuffle});
  EXPECT_EQ(kinds(run("shfl.sync.down.b32 %r3, %r1, 1, 31, 0xff;", 32)), std::vector{K::shuffle});
  EXPECT_TRUE(run("setp.ge.u32 %p1, %r1, 8;\n@%p1 ret;\nshfl.sync.bfly.b32 %r3, %r1, 4, 31, 0xff;", 32)
                  .faults.empty());
  // Lane 7 reads lane 8, which the mask does not name.
  EXPECT_EQ(kinds(run("setp.ge.u32 %p1, %r1, 8;\n@%p1 ret;\nshfl.sync.down.b32 %r3, %r1, 1, 31, 0xff;", 32)),
            std::vector{K::shuffle});
}

TEST(Shuffles, LanesInDifferentIterations) {
  // Lane 0 leaves the loop one iteration before the others.
  const Result r =
      run("mov.u32 %r2, %r1;\nmin.u32 %r2, %r2, 1;\nL:\nshfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\n"
          "add.u32 %r2, %r2, -1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nst.global.u32 [%q2], %r3;",
          32);
  EXPECT_NE(r.find(K::shuffle), nullptr) << faults_text(r);
}

TEST(Votes, BallotAnyAllMatchReduce) {
  const Result r =
      run("and.b32 %r2, %r1, 3;\nsetp.eq.u32 %p1, %r2, 1;\nvote.sync.ballot.b32 %r3, %p1, -1;\n"
          "vote.sync.any.pred %p2, %p1, -1;\nvote.sync.all.pred %p3, %p1, -1;\nselp.b32 %r4, 1, 0, %p2;\n"
          "selp.b32 %r5, 2, 0, %p3;\nadd.u32 %r4, %r4, %r5;\nmatch.any.sync.b32 %r6, %r2, -1;\n"
          "redux.sync.max.u32 %r7, %r1, -1;\nsetp.ne.u32 %p4, %r1, 2;\n@%p4 ret;\nst.global.u32 [%q1], %r3;\n"
          "st.global.u32 [%q1+4], %r4;\nst.global.u32 [%q1+8], %r6;\nst.global.u32 [%q1+12], %r7;",
          32);
  EXPECT_TRUE(r.faults.empty()) << faults_text(r);
  EXPECT_EQ(word(r, 0, 0), 0x22222222u);
  EXPECT_EQ(word(r, 0, 1), 1u);
  EXPECT_EQ(word(r, 0, 2), 0x44444444u);
  EXPECT_EQ(word(r, 0, 3), 31u);
}

TEST(Launch, StepLimitConcludesNothing) {
  const Result r = run("L:\nld.volatile.global.u32 %r2, [%q1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;", 1, 0,
                       {}, [](Request& q) { q.step_limit = 10000; });
  EXPECT_EQ(r.end, Result::End::step_limit);
  EXPECT_TRUE(r.faults.empty());
}

// Block 0 waits for a flag that block 1 sets: blocks take turns.
TEST(Launch, BlocksMakeProgressTogether) {
  const Result r =
      run("mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p2, %r3, 1;\n@%p2 bra S;\nL:\nld.volatile.global.u32 %r2, "
          "[%q1];\n"
          "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nret;\nS:\nst.volatile.global.u32 [%q1], 1;",
          1, 0, {}, [](Request& q) {
            q.grid = {2, 1, 1};
          });
  EXPECT_EQ(r.end, Result::End::finished);
  EXPECT_TRUE(r.faults.empty()) << faults_text(r);
}

TEST(Launch, TrapAndGenericAddresses) {
  EXPECT_EQ(run("trap;", 1).end, Result::End::trapped);
  const Result r = run(shared +
                           "st.shared.u32 [s+4], 77;\nmov.u64 %q3, s;\ncvta.shared.u64 %q4, %q3;\n"
                           "ld.u32 %r2, [%q4+4];\nst.u32 [%q1], %r2;\ncvta.to.shared.u64 %q5, "
                           "%q4;\nld.shared.u32 %r3, [%q5+4];\n"
                           "st.global.u32 [%q1+4], %r3;",
                       1);
  EXPECT_TRUE(r.faults.empty()) << faults_text(r);
  EXPECT_EQ(word(r, 0, 0), 77u);
  EXPECT_EQ(word(r, 0, 1), 77u);
}

TEST(Launch, RequestThatDoesNotFit) {
  EXPECT_THROW(run("", 1, 0, {}, [](Request& q) { q.arguments.pop_back(); }), UserError);
  EXPECT_THROW(run("", 1025), UserError);
  EXPECT_THROW(run("", 0), UserError);
}

TEST(Launch, SameRequestSameResult) {
  const auto once = [] {
    return run("atom.global.add.u32 %r2, [%q1], 1;\nst.global.u32 [%q2+4], %r2;", 16, 0, {}, [](Request& q) {
      q.schedule = Schedule::random;
      q.seed = 42;
    });
  };
  const Result a = once(), b = once();
  for (unsigned n = 0; n < 16; ++n) EXPECT_EQ(a.buffers[0]->read(4 * n, 4), b.buffers[0]->read(4 * n, 4));
  EXPECT_EQ(a.steps, b.steps);
}

}  // namespace
}  // namespace hallmark::validator::test
