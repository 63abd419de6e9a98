#include "validator/ir/cfg.h"

#include <gtest/gtest.h>

#include "support.h"

namespace hallmark::validator::ir {
namespace {

const Kernel kernel_of(const std::string& body) {
  const Module m =
      ptx::read_ptx(test::ptx_module(".param .u32 n",
                                     ".reg .pred %p<9>;\n.reg .b32 %r<9>;\nld.param.u32 %r1, [n];\n"
                                     "mov.u32 %r2, %tid.x;\n" +
                                         body),
                    "t.ptx");
  return find_kernel(m, "k");
}

TEST(ControlFlow, NestedLoopsWithTwoExits) {
  const Kernel k = kernel_of(
      "mov.u32 %r3, 0;\nOUTER:\nmov.u32 %r4, 0;\nINNER:\nadd.u32 %r4, %r4, 1;\nsetp.eq.u32 %p1, %r4, %r2;\n"
      "@%p1 bra END;\nsetp.lt.u32 %p2, %r4, %r1;\n@%p2 bra INNER;\nadd.u32 %r3, %r3, 1;\n"
      "setp.lt.u32 %p3, %r3, %r1;\n@%p3 bra OUTER;\nEND:\nret;");
  const ControlFlow flow(k);
  ASSERT_EQ(flow.loops().size(), 2u);
  const Loop& outer = flow.loops()[0];
  const Loop& inner = flow.loops()[1];
  EXPECT_EQ(inner.parent, 0u);
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(outer.exits.size(), 2u);
  EXPECT_EQ(inner.exits.size(), 2u);
  EXPECT_TRUE(outer.contains(inner.header));
  EXPECT_TRUE(flow.is_back_edge(inner.latches.at(0), inner.header));
  const auto end = static_cast<BlockId>(k.blocks.size() - 1);
  EXPECT_EQ(k.blocks[end].terminator.kind, Terminator::Kind::leave);
  EXPECT_TRUE(flow.post_dominates(end, 0));
  EXPECT_TRUE(flow.dominates(outer.header, end));
  EXPECT_EQ(flow.immediate_post_dominator(end), none);
}

TEST(ControlFlow, RefusesALoopWithTwoEntries) {
  const Kernel k = kernel_of(
      "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra B;\nA:\nadd.u32 %r1, %r1, 1;\nB:\nadd.u32 %r1, %r1, 2;\n"
      "setp.lt.u32 %p2, %r1, 99;\n@%p2 bra A;\nret;");
  // The back edge goes to A, the loop is entered at A and at B.
  EXPECT_THROW(ControlFlow{k}, Refusal);
}

TEST(ControlFlow, EndlessLoopHasNoPostDominator) {
  const Kernel k = kernel_of("setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nret;\nL:\nbar.sync 0;\nbra L;");
  const ControlFlow flow(k);
  ASSERT_EQ(flow.loops().size(), 1u);
  const BlockId header = flow.loops()[0].header;
  EXPECT_TRUE(flow.loops()[0].exits.empty());
  EXPECT_EQ(flow.immediate_post_dominator(header), none);
  EXPECT_FALSE(flow.post_dominates(0, header));
}

TEST(Verify, FindsBrokenKernels) {
  const Kernel good =
      kernel_of("mov.u32 %r3, 0;\nL:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;\nret;");
  EXPECT_NO_THROW(verify(good));
  Kernel k = good;
  k.blocks[0].terminator.edges[0].arguments.clear();
  EXPECT_THROW(verify(k), InternalError);
  k = good;
  k.blocks[0].terminator.edges[0].target = 0;
  EXPECT_THROW(verify(k), InternalError);
  k = good;
  std::swap(k.blocks[1].instructions.front(), k.blocks[1].instructions.back());
  EXPECT_THROW(verify(k), InternalError);
  k = good;
  for (Instruction& i : k.blocks[1].instructions)
    if (i.opcode == Opcode::add) i.opcode = Opcode::float_add;
  EXPECT_THROW(verify(k), InternalError);
}

}  // namespace
}  // namespace hallmark::validator::ir
