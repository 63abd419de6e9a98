// What the PTX reader makes of whole texts: calls, scopes, places, register types, refusals.
#include <chrono>

#include "support.h"
#include "validator/ir/demangle.h"

namespace hallmark::validator::test {
namespace {

using ir::Opcode;

std::vector<const ir::Instruction*> all(const ir::Kernel& k, Opcode op) {
  std::vector<const ir::Instruction*> found;
  for (const ir::Block& b : k.blocks)
    for (const ir::Instruction& i : b.instructions)
      if (i.opcode == op) found.push_back(&i);
  return found;
}

template <class E>
E error_of(const std::string& text) {
  try {
    const ir::Module m = ptx::read_ptx(text, "t.ptx");
    ir::find_kernel(m, "k");
  } catch (const E& e) {
    return e;
  }
  ADD_FAILURE() << "no error for " << text;
  return E("", "");
}

const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";

TEST(PtxReader, CallsAreInlined) {
  const std::string text =
      head +
      ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\n"
      "setp_skip:\nshl.b32 %r2, %r1, 1;\nst.param.b32 [r+0], %r2;\nret;\n}\n"
      ".entry k(.param .u64 out)\n{\n.reg .b32 %r<5>;\n.reg .b64 %q;\nld.param.u64 %q, [out];\n"
      "mov.u32 %r1, 5;\n{\n.param .b32 p0;\nst.param.b32 [p0+0], %r1;\n.param .b32 v0;\n"
      "call.uni (v0), twice, (p0);\nld.param.b32 %r2, [v0+0];\n}\n{\n.param .b32 p0;\n"
      "st.param.b32 [p0+0], %r2;\n.param .b32 v0;\ncall.uni (v0), twice, (p0);\n"
      "ld.param.b32 %r3, [v0+0];\n}\nst.global.u32 [%q], %r3;\nret;\n}\n";
  const ir::Module m = ptx::read_ptx(text, "t.ptx");
  interpreter::Request request;
  request.buffers = {output("out", 1)};
  request.arguments = {interpreter::Argument::pointer(0)};
  EXPECT_EQ(word(interpreter::launch(ir::find_kernel(m, "k"), request), 0, 0), 20u);
  EXPECT_EQ(ir::find_kernel(m, "k").blocks.size(), 1u);
}

TEST(PtxReader, RefusalsNameInstructionAndLine) {
  const auto unknown = error_of<Refusal>(
      ptx_module("", ".reg .b32 %r<9>;\nmov.u32 %r1, 1;\nld.strange.u32 %r1, [%r1];\nret;"));
  EXPECT_EQ(unknown.code(), "E3110");
  EXPECT_EQ(unknown.where().line, 9u);
  EXPECT_NE(unknown.message().find("ld.strange.u32"), std::string::npos);
  EXPECT_EQ(unknown.source_line(), "ld.strange.u32 %r1, [%r1];");
  EXPECT_EQ(error_of<Refusal>(ptx_module("", "call vprintf;\nret;", ".extern .func vprintf;")).code(),
            "E3113");
  EXPECT_EQ(error_of<Refusal>(ptx_module("", "call f;\nret;", ".func f() { call f; ret; }")).code(), "E3113");
}

TEST(PtxReader, FailedAssertEndsTheGrid) {
  const ir::Module m = ptx::read_ptx(
      ptx_module("",
                 ".reg .pred %p;\n.reg .b32 %r;\nmov.u32 %r, %tid.x;\nsetp.lt.u32 %p, %r, 4;\n@%p bra OK;\n"
                 "call.uni __assertfail, ();\nOK:\nret;",
                 ".extern .func __assertfail();"),
      "t.ptx");
  interpreter::Request request;
  request.block = {4, 1, 1};
  EXPECT_EQ(interpreter::launch(ir::find_kernel(m, "k"), request).end, interpreter::Result::End::finished);
  request.block = {5, 1, 1};
  EXPECT_EQ(interpreter::launch(ir::find_kernel(m, "k"), request).end, interpreter::Result::End::trapped);
}

// An instruction that is not understood has results that nobody knows, and may have written anywhere unless
// it is known to touch registers alone.
TEST(PtxReader, UnknownInstructionsLeaveTheRest) {
  const auto read = [](const std::string& body) {
    const ir::Module m = ptx::read_ptx(ptx_module("", body), "t.ptx");
    return ir::find_kernel(m, "k");
  };
  const ir::Kernel anything = read(".reg .b32 %r<9>;\nmov.u32 %r1, 1;\nfrobnicate.u32 %r1, %r1;\nret;");
  EXPECT_EQ(all(anything, Opcode::store).size(), 1u);
  const ir::Kernel registers = read(".reg .b32 %r<9>;\nmov.u32 %r1, 1;\nadd.strange.u32 %r1, %r1, 1;\nret;");
  EXPECT_TRUE(all(registers, Opcode::store).empty());
  // No launch is executed beyond it.
  interpreter::Request request;
  EXPECT_THROW(interpreter::launch(anything, request), Refusal);
}

// What may happen while a copy is under way is for the checks: tests/kernels/adversary/async_*.cu.
TEST(PtxReader, AsynchronousCopiesKeepTheirGroupsAndWaits) {
  const auto read = [](const std::string& body) {
    const ir::Module m = ptx::read_ptx(
        ptx_module("", ".reg .b32 %s, %n;\n.reg .b64 %g;\nmov.u32 %s, 0;\nmov.u64 %g, 0;\n" + body), "t.ptx");
    return ir::print(ir::find_kernel(m, "k"));
  };
  const std::string copy = "cp.async.ca.shared.global [%s], [%g], 16;\n";
  const std::string whole =
      read(copy + "cp.async.commit_group;\ncp.async.wait_group 2;\ncp.async.wait_all;\nret;");
  for (const char* part : {"load.global.v4.align16.async", "store.shared.v4.align16.async", "async_commit",
                           "async_wait.2", "async_wait.all"})
    EXPECT_NE(whole.find(part), std::string::npos) << part << "\n" << whole;
  // Of no bytes: zeros; of a number in a register: all, none, or something that is not modelled.
  const std::string none = read("cp.async.ca.shared.global [%s], [%g], 8, 0;\ncp.async.wait_all;\nret;");
  EXPECT_EQ(none.find("load"), std::string::npos) << none;
  EXPECT_NE(none.find("store.shared.v2.align8.async"), std::string::npos) << none;
  const std::string some =
      read("mov.u32 %n, %tid.x;\ncp.async.ca.shared.global [%s], [%g], 16, %n;\ncp.async.wait_all;\nret;");
  for (const char* part : {"load.global.v4", "store.shared.v4", "not understood: cp.async", "branch"})
    EXPECT_NE(some.find(part), std::string::npos) << part << "\n" << some;
  for (const char* refused : {"cp.async.ca.shared.global [%s], [%g], 16, 12;\n",
                              "cp.async.bulk.commit_group;\n", "cp.async.mbarrier.arrive.shared.b64 [%s];\n"})
    EXPECT_NE(
        error_of<Refusal>(ptx_module("", ".reg .b32 %s;\n.reg .b64 %g;\nmov.u32 %s, 0;\nmov.u64 %g, 0;\n" +
                                             std::string(refused) + "ret;"))
            .message()
            .find("cp.async"),
        std::string::npos)
        << refused;
}

TEST(PtxReader, OneKernelsRefusalDoesNotHideAnother) {
  const ir::Module m =
      ptx::read_ptx(head + ".entry a() { wgmma.fence.sync.aligned; ret; }\n.entry b() { ret; }\n", "t.ptx");
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_TRUE(m.kernels[0].refusal.has_value());
  EXPECT_TRUE(m.kernels[1].kernel.has_value());
  EXPECT_THROW(ir::find_kernel(m, "a"), Refusal);
  EXPECT_THROW(ir::find_kernel(m, "c"), UserError);
}

TEST(PtxReader, SyntaxErrorsHavePlaceAndCaret) {
  const auto e = error_of<UserError>(ptx_module("", ".reg .b32 %r<9>;\nmov.u32 %r1 1;\nret;"));
  EXPECT_EQ(e.code(), "E3101");
  EXPECT_EQ(e.where().line, 8u);
  EXPECT_EQ(e.where().column, 13u);
  EXPECT_EQ(error_of<UserError>(ptx_module("", "mov.u32 %r1, 1;\nret;")).code(), "E3103");
  EXPECT_EQ(error_of<UserError>(ptx_module("", "bra NOWHERE;")).code(), "E3102");
  EXPECT_EQ(error_of<UserError>(ptx_module("", ".reg .b32 %r<2>;\nmov.u32 %r2, 1;\nret;")).code(), "E3103");
  EXPECT_EQ(error_of<UserError>(".version 8.0\n\x01").code(), "E3100");
  EXPECT_EQ(error_of<Refusal>(".version 8.0\n.target sm_90\n.address_size 32\n").code(), "E3112");
}

TEST(PtxReader, RegistersThatHoldFloatsNeedNoBitcast) {
  // As newer nvcc writes it: every 32-bit register is .b32.
  const ir::Kernel k = ir::find_kernel(
      ptx::read_ptx(
          ptx_module(
              ".param .u64 x, .param .u32 n",
              ".reg .pred %p;\n.reg .b32 %r<9>;\n.reg .b64 %q<3>;\nld.param.u64 %q1, [x];\n"
              "ld.param.b32 %r5, [n];\nmov.b32 %r1, 0f00000000;\nmov.b32 %r6, 0;\nL:\n"
              "ld.global.b32 %r2, [%q1];\nadd.rn.f32 %r1, %r1, %r2;\n"
              "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\nadd.rn.f32 %r1, %r1, %r3;\nadd.u32 %r6, %r6, 1;\n"
              "setp.lt.u32 %p, %r6, %r5;\n@%p bra L;\nst.global.b32 [%q1], %r1;\nret;"),
          "t.ptx"),
      "k");
  EXPECT_TRUE(all(k, Opcode::bitcast).empty());
  EXPECT_EQ(k.type_of(all(k, Opcode::load)[0]->results[0]), ir::Type::f32);
  EXPECT_EQ(k.type_of(all(k, Opcode::shuffle)[0]->results[0]), ir::Type::f32);
  EXPECT_EQ(k.type_of(all(k, Opcode::store)[0]->operands[1]), ir::Type::f32);
}

TEST(PtxReader, ScopesHideRegistersAndLabels) {
  const ir::Kernel k = ir::find_kernel(
      ptx::read_ptx(
          ptx_module(
              ".param .u64 x",
              ".reg .b32 %r<3>;\n.reg .b64 %q;\nld.param.u64 %q, [x];\nmov.u32 %r1, 1;\n{\n.reg .b32 t;\n"
              "mov.u32 t, 2;\nbra L;\nL:\nadd.u32 %r1, %r1, t;\n}\n{\n.reg .b32 t;\nmov.u32 t, 4;\nbra "
              "L;\nL:\n"
              "add.u32 %r1, %r1, t;\n}\nst.global.u32 [%q], %r1;\nret;"),
          "t.ptx"),
      "k");
  interpreter::Request request;
  request.buffers = {output("x", 1)};
  request.arguments = {interpreter::Argument::pointer(0)};
  EXPECT_EQ(word(interpreter::launch(k, request), 0, 0), 7u);
}

TEST(PtxReader, PlacesPointToPtxAndCuda) {
  const ir::Module m = ptx::read_ptx(read_file(own_file("ptx/reduce.ptx")), "reduce.ptx");
  const ir::Kernel& k = ir::find_kernel(m, "sum_of_squares");
  EXPECT_EQ(k.name, "_Z14sum_of_squaresPKfPfi");
  for (const ir::Instruction* i : all(k, Opcode::barrier)) {
    EXPECT_EQ(k.source_location(i->place), "reduce.cu:12");
    EXPECT_EQ(k.location(i->place).file, "reduce.ptx");
    EXPECT_NE(i->place.line, 0u);
  }
  // A shuffle stands in a header of the toolkit; it is shown where the kernel calls it.
  for (const ir::Instruction* i : all(k, Opcode::shuffle))
    EXPECT_EQ(k.source_location(i->place), "reduce.cu:10");
}

TEST(PtxReader, BranchTables) {
  const std::string body =
      ".reg .b32 %r<4>;\n.reg .b64 %q;\nld.param.u64 %q, [x];\nld.param.u32 %r1, [n];\nT: .branchtargets A, "
      "B, C;\n"
      "brx.idx %r1, T;\nA:\nmov.u32 %r2, 10;\nbra E;\nB:\nmov.u32 %r2, 20;\nbra E;\nC:\nmov.u32 %r2, "
      "30;\nE:\n"
      "st.global.u32 [%q], %r2;\nret;";
  const ir::Module m = ptx::read_ptx(ptx_module(".param .u64 x, .param .u32 n", body), "t.ptx");
  for (const auto& [index, expected] : {std::pair(0u, 10u), std::pair(1u, 20u), std::pair(2u, 30u)}) {
    interpreter::Request request;
    request.buffers = {output("x", 1)};
    request.arguments = {interpreter::Argument::pointer(0), interpreter::Argument::scalar(index, 4)};
    EXPECT_EQ(word(interpreter::launch(ir::find_kernel(m, "k"), request), 0, 0), expected);
  }
}

TEST(PtxReader, DemanglesNames) {
  EXPECT_EQ(ir::demangled_name("_Z7k01_badPKjPji"), "k01_bad");
  EXPECT_EQ(ir::demangled_name("_Z1kILi4EEvPKfP6float41Pi"), "k<4>");
  EXPECT_EQ(ir::demangled_name("_ZN2ns1kIfEEvPT_"), "ns::k<float>");
  EXPECT_EQ(ir::demangled_name("plain"), "plain");
  EXPECT_EQ(ir::short_name("_ZZ7k01_badPKjPjiE4part"), "part");
  EXPECT_EQ(ir::short_name("_ZN2ns5tableE"), "table");
  EXPECT_EQ(ir::short_name("scratch"), "scratch");
}

TEST(PtxReader, ReadsATypicalFileFast) {
  const std::string text = read_file(own_file("ptx/reduce.ptx"));
  const auto start = std::chrono::steady_clock::now();
  for (int n = 0; n < 10; ++n) ptx::read_ptx(text, "reduce.ptx");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
}

TEST(PtxReader, SameTextSameKernel) {
  const std::string text = read_file(own_file("ptx/mixed.ptx"));
  EXPECT_EQ(ir::print(*ptx::read_ptx(text, "a").kernels[0].kernel),
            ir::print(*ptx::read_ptx(text, "a").kernels[0].kernel));
}

}  // namespace
}  // namespace hallmark::validator::test
