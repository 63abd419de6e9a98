// Each instruction family, read from text and executed for one thread, against values of the PTX ISA's
// definitions worked out by hand.
#include "support.h"

namespace hallmark::validator::test {
namespace {

struct Case {
  const char* code;  // leaves its result in %x (32 bits) or %y (64 bits)
  std::uint64_t expected;
};

std::uint64_t run(const std::string& code) {
  const bool wide = code.find("%y") != std::string::npos;
  const std::string text = ptx_module(
      ".param .u64 out",
      "  .reg .pred %p<8>;\n  .reg .b16 %h<8>;\n  .reg .b32 %r<16>, %x;\n"
      "  .reg .f32 %f<16>;\n  .reg .b64 %q<8>, %y;\n  .reg .f64 %d<8>;\n"
      "  ld.param.u64 %q7, [out];\n  cvta.to.global.u64 %q7, %q7;\n  " +
          code + "\n  " + (wide ? "st.global.u64 [%q7], %y;" : "st.global.u32 [%q7], %x;") + "\n  ret;");
  interpreter::Request request;
  request.buffers = {output("out", 2)};
  request.arguments = {interpreter::Argument::pointer(0)};
  const ir::Module module = ptx::read_ptx(text, "test.ptx");
  const interpreter::Result r = interpreter::launch(ir::find_kernel(module, "k"), request);
  EXPECT_TRUE(r.faults.empty()) << code << "\n" << faults_text(r);
  EXPECT_TRUE(r.buffers[0]->defined(0, wide ? 8 : 4)) << code;
  return r.buffers[0]->read(0, wide ? 8 : 4);
}

class PtxInstruction : public ::testing::TestWithParam<Case> {};

TEST_P(PtxInstruction, HasItsValue) {
  EXPECT_EQ(run(GetParam().code), GetParam().expected) << GetParam().code;
}

INSTANTIATE_TEST_SUITE_P(
    Integers, PtxInstruction,
    ::testing::Values(
        Case{"add.s32 %x, 2147483647, 1;", 0x80000000}, Case{"sub.u32 %x, 3, 5;", 0xfffffffe},
        Case{"mul.lo.s32 %x, 65537, 65537;", 0x00020001}, Case{"mul.hi.s32 %x, -2, 1000000000;", 0xffffffff},
        Case{"mul.hi.u32 %x, -2, 1000000000;", 999999999},
        Case{"mul.wide.s32 %y, -3, 1000000000;", 0xffffffff4d2fa200},
        Case{"mul.wide.u32 %y, -3, 2;", 0x1fffffffa},
        Case{"mov.b16 %h0, -2;\n mul.wide.s16 %x, %h0, 3;", 0xfffffffa},
        Case{"mad.lo.s32 %x, 7, 6, -50;", 0xfffffff8},
        Case{"mad.wide.u32 %y, 4294967295, 4294967295, 1;", 0xfffffffe00000002},
        Case{"mad.hi.u32 %x, -1, -1, 5;", 3}, Case{"mul24.lo.s32 %x, 8388607, 2;", 16777214},
        Case{"mul24.lo.s32 %x, 8388608, 2;", 0xff000000},
        Case{"mad24.hi.u32 %x, 16777215, 16777215, 1;", 0xfffffe01}, Case{"div.s32 %x, -7, 2;", 0xfffffffd},
        Case{"rem.s32 %x, -7, 2;", 0xffffffff}, Case{"div.u32 %x, -7, 2;", 0x7ffffffc},
        Case{"rem.u64 %y, -1, 10;", 5}, Case{"abs.s32 %x, -5;", 5}, Case{"neg.s32 %x, 5;", 0xfffffffb},
        Case{"abs.s32 %x, -2147483648;", 0x80000000}, Case{"min.s32 %x, -1, 1;", 0xffffffff},
        Case{"min.u32 %x, -1, 1;", 1}, Case{"max.s32 %x, -1, 1;", 1},
        Case{"max.u64 %y, -1, 1;", 0xffffffffffffffff}, Case{"sad.s32 %x, -3, 4, 10;", 17},
        Case{"sad.u32 %x, 3, 4, 10;", 11}, Case{"dp4a.s32.s32 %x, 0xff020304, 0x01010101, 100;", 108},
        Case{"dp4a.u32.u32 %x, 0xff020304, 0x01010101, 100;", 364},
        Case{"dp2a.lo.u32.u32 %x, 0x00030005, 0x0b0a0702, 100;", 131},
        Case{"dp2a.hi.u32.u32 %x, 0x00030005, 0x0b0a0702, 100;", 183},
        Case{"dp2a.lo.s32.s32 %x, 0xffff0005, 0x000002ff, 100;", 93},
        // 0xffffffff_00000001 + 0x1_ffffffff = 1_00000001_00000000: three words with carries.
        Case{"add.cc.u32 %r0, 1, 0xffffffff;\n addc.cc.u32 %r1, 0xffffffff, 1;\n addc.u32 %r2, 0, 0;\n"
             " shl.b32 %r1, %r1, 4;\n add.u32 %x, %r1, %r2;\n add.u32 %x, %x, %r0;",
             0x11},
        // 0x1_00000000 - 1 = 0xffffffff
        Case{"sub.cc.u32 %r0, 0, 1;\n subc.u32 %r1, 1, 0;\n add.u32 %x, %r0, %r1;", 0xffffffff},
        Case{"mad.lo.cc.u32 %r0, -1, -1, -1;\n madc.hi.u32 %x, -1, -1, 0;", 0xffffffff}));

INSTANTIATE_TEST_SUITE_P(
    Bits, PtxInstruction,
    ::testing::Values(
        Case{"and.b32 %x, 0xf0f0, 0xff00;", 0xf000}, Case{"or.b32 %x, 0xf0f0, 0xff00;", 0xfff0},
        Case{"xor.b32 %x, 0xf0f0, 0xff00;", 0x0ff0}, Case{"not.b32 %x, 1;", 0xfffffffe},
        Case{"cnot.b32 %x, 0;", 1}, Case{"cnot.b32 %x, 7;", 0}, Case{"shl.b32 %x, 1, 31;", 0x80000000},
        Case{"shl.b32 %x, 1, 32;", 0}, Case{"shl.b32 %x, 1, 0xffffffff;", 0},
        Case{"shr.u32 %x, 0x80000000, 31;", 1}, Case{"shr.u32 %x, -1, 32;", 0},
        Case{"shr.s32 %x, 0x80000000, 40;", 0xffffffff}, Case{"shr.s32 %x, -8, 1;", 0xfffffffc},
        Case{"shr.b64 %y, 0x8000000000000000, 60;", 8},
        Case{"mov.b16 %h0, 1;\n shl.b16 %h0, %h0, 15;\n cvt.u32.u16 %x, %h0;", 0x8000},
        Case{"lop3.b32 %x, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96;", 0x96969696},
        Case{"lop3.b32 %x, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xca;", 0xcacacaca},
        Case{"lop3.b32 %x, 1, 2, 3, 0;", 0}, Case{"shf.l.wrap.b32 %x, 0x80000000, 0x1, 36;", 0x18},
        Case{"shf.l.clamp.b32 %x, 0x80000000, 0x1, 36;", 0x80000000},
        Case{"shf.r.wrap.b32 %x, 0x80000000, 0x1, 4;", 0x18000000},
        Case{"shf.r.clamp.b32 %x, 0x80000000, 0x1, 99;", 1},
        Case{"prmt.b32 %x, 0x33221100, 0x77665544, 0x0426;", 0x00442266},
        Case{"prmt.b32 %x, 0x80221100, 0x77665544, 0x000b;", 0x000000ff},
        Case{"bfe.u32 %x, 0xabcd, 4, 8;", 0xbc}, Case{"bfe.s32 %x, 0xabcd, 4, 8;", 0xffffffbc},
        Case{"bfe.s32 %x, 0x80000000, 28, 16;", 0xfffffff8}, Case{"bfe.u32 %x, 0xabcd, 40, 8;", 0},
        Case{"bfe.s32 %x, -1, 3, 0;", 0}, Case{"bfi.b32 %x, 0xff, 0, 8, 4;", 0xf00},
        Case{"bfi.b32 %x, 0, -1, 30, 8;", 0x3fffffff}, Case{"bfi.b64 %y, 1, 0, 63, 1;", 0x8000000000000000},
        Case{"popc.b32 %x, 0xff00ff;", 16}, Case{"popc.b64 %x, -1;", 64}, Case{"clz.b32 %x, 1;", 31},
        Case{"clz.b32 %x, 0;", 32}, Case{"clz.b64 %x, 1;", 63}, Case{"bfind.u32 %x, 0x00010000;", 16},
        Case{"bfind.u32 %x, 0;", 0xffffffff}, Case{"bfind.s32 %x, -1;", 0xffffffff},
        Case{"bfind.shiftamt.u32 %x, 0x00010000;", 15}, Case{"bfind.shiftamt.u32 %x, 0;", 0xffffffff},
        Case{"bfind.shiftamt.s32 %x, -5;", 29}, Case{"bfind.shiftamt.u64 %x, 1;", 63},
        Case{"add.u16x2 %x, 0x0001ffff, 0x00010001;", 0x00020000},
        Case{"min.s16x2 %x, 0x0001ffff, 0x00020001;", 0x0001ffff},
        Case{"max.u16x2 %x, 0x0001ffff, 0x00020001;", 0x0002ffff}, Case{"bfind.s32 %x, -5;", 2},
        Case{"brev.b32 %x, 1;", 0x80000000},
        Case{"mov.b32 %r0, 0x12345678;\n mov.b32 {%h0, %h1}, %r0;\n mov.b32 %x, {%h1, %h0};", 0x56781234},
        Case{"mov.b64 %q0, {1, 2};\n mov.b64 {%r0, %r1}, %q0;\n sub.u32 %x, %r1, %r0;", 1},
        Case{"setp.lt.s32 %p0, -1, 0;\n selp.b32 %x, 11, 22, %p0;", 11},
        Case{"setp.lt.u32 %p0, -1, 0;\n selp.b32 %x, 11, 22, %p0;", 22},
        Case{"setp.hi.u32 %p0, -1, 0;\n selp.b32 %x, 11, 22, %p0;", 11},
        Case{"setp.eq.s32 %p1, 1, 1;\n setp.gt.and.s32 %p0|%p2, 5, 3, !%p1;\n selp.b32 %r0, 1, 0, %p0;\n "
             "selp.b32 %r1, 2, 0, %p2;\n add.u32 %x, %r0, %r1;",
             0},
        Case{"setp.eq.s32 %p1, 1, 1;\n setp.lt.xor.s32 %p0|%p2, 5, 3, %p1;\n selp.b32 %r0, 1, 0, %p0;\n "
             "selp.b32 %r1, 2, 0, %p2;\n add.u32 %x, %r0, %r1;",
             1},
        Case{"set.ge.u32.s32 %x, 5, 5;", 0xffffffff},
        Case{"set.ge.f32.s32 %f0, 5, 5;\n mov.b32 %x, %f0;", 0x3f800000},
        Case{"slct.b32.s32 %x, 1, 2, -1;", 2}, Case{"slct.u32.f32 %x, 1, 2, 0f80000000;", 1},
        Case{"slct.u32.f32 %x, 1, 2, 0f7fffffff;", 2},
        Case{"mov.pred %p0, 1;\n not.pred %p1, %p0;\n or.pred %p2, %p0, %p1;\n selp.b32 %x, 3, 4, %p2;", 3},
        Case{"mov.u32 %x, WARP_SZ;", 32},
        // Guards: a select, a branch around an instruction with effects, a division that must not be
        // executed.
        Case{"mov.u32 %x, 1;\n setp.eq.u32 %p0, %x, 2;\n @%p0 mov.u32 %x, 5;\n @!%p0 add.u32 %x, %x, 6;", 7},
        Case{"mov.u32 %x, 8;\n setp.ne.u32 %p0, 0, 0;\n @%p0 div.u32 %x, %x, 0;", 8},
        Case{"mov.u32 %x, 1;\n setp.eq.u32 %p0, 0, 0;\n @%p0 bra DONE;\n mov.u32 %x, 2;\nDONE:", 1}));

INSTANTIATE_TEST_SUITE_P(
    Floats, PtxInstruction,
    ::testing::Values(
        Case{"add.rn.f32 %f0, 0f3f800000, 0f33800000;\n mov.b32 %x, %f0;", 0x3f800000},
        Case{"add.rp.f32 %f0, 0f3f800000, 0f33800000;\n mov.b32 %x, %f0;", 0x3f800001},
        Case{"add.rz.f32 %f0, 0f3f800000, 0f33ffffff;\n mov.b32 %x, %f0;", 0x3f800000},
        Case{"sub.rm.f32 %f0, 0f3f800000, 0f3f800000;\n mov.b32 %x, %f0;", 0x80000000},
        Case{"sub.rn.f32 %f0, 0f3f800000, 0f3f800000;\n mov.b32 %x, %f0;", 0},
        Case{"add.rn.sat.f32 %f0, 0f3f800000, 0f3f800000;\n mov.b32 %x, %f0;", 0x3f800000},
        Case{"add.rn.ftz.f32 %f0, 0f00400000, 0f00000000;\n mov.b32 %x, %f0;", 0},
        Case{"add.rn.f32 %f0, 0f00400000, 0f00000000;\n mov.b32 %x, %f0;", 0x00400000},
        Case{"mul.rn.ftz.f32 %f0, 0f80800000, 0f3f000000;\n mov.b32 %x, %f0;", 0x80000000},
        // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24: lost by mul + add, kept by fma.
        Case{"mul.rn.f32 %f0, 0f3f800800, 0f3f800800;\n sub.rn.f32 %f0, %f0, 0f3f801000;\n mov.b32 %x, %f0;",
             0},
        Case{"fma.rn.f32 %f0, 0f3f800800, 0f3f800800, 0fbf801000;\n mov.b32 %x, %f0;", 0x33800000},
        Case{"div.rn.f32 %f0, 0f3f800000, 0f40400000;\n mov.b32 %x, %f0;", 0x3eaaaaab},
        Case{"div.rz.f32 %f0, 0f3f800000, 0f40400000;\n mov.b32 %x, %f0;", 0x3eaaaaaa},
        Case{"div.rn.f32 %f0, 0fbf800000, 0f00000000;\n mov.b32 %x, %f0;", 0xff800000},
        Case{"rcp.rn.f32 %f0, 0f40400000;\n mov.b32 %x, %f0;", 0x3eaaaaab},
        Case{"sqrt.rn.f32 %f0, 0f40000000;\n mov.b32 %x, %f0;", 0x3fb504f3},
        Case{"sqrt.rp.f32 %f0, 0f40000000;\n mov.b32 %x, %f0;", 0x3fb504f4},
        Case{"sqrt.rn.f32 %f0, 0fbf800000;\n mov.b32 %x, %f0;", 0x7fffffff},
        Case{"div.rn.f64 %d0, 0d3ff0000000000000, 0d4008000000000000;\n mov.b64 %y, %d0;",
             0x3fd5555555555555},
        Case{"fma.rn.f64 %d0, 0d3ff0000000000001, 0d3ff0000000000001, 0dbff0000000000002;\n mov.b64 %y, %d0;",
             0x3970000000000000},
        Case{"max.f32 %f0, 0f7fffffff, 0fbf800000;\n mov.b32 %x, %f0;", 0xbf800000},
        Case{"max.NaN.f32 %f0, 0f7fffffff, 0fbf800000;\n mov.b32 %x, %f0;", 0x7fffffff},
        Case{"max.f32 %f0, 0f80000000, 0f00000000;\n mov.b32 %x, %f0;", 0},
        Case{"min.f32 %f0, 0f00000000, 0f80000000;\n mov.b32 %x, %f0;", 0x80000000},
        Case{"abs.f32 %f0, 0fbf800000;\n mov.b32 %x, %f0;", 0x3f800000},
        Case{"neg.f32 %f0, 0f00000000;\n mov.b32 %x, %f0;", 0x80000000},
        Case{"copysign.f32 %f0, 0fbf800000, 0f40000000;\n mov.b32 %x, %f0;", 0xc0000000},
        Case{"setp.ne.f32 %p0, 0f7fffffff, 0f00000000;\n selp.b32 %x, 1, 0, %p0;", 0},
        Case{"setp.neu.f32 %p0, 0f7fffffff, 0f00000000;\n selp.b32 %x, 1, 0, %p0;", 1},
        Case{"setp.eq.f32 %p0, 0f80000000, 0f00000000;\n selp.b32 %x, 1, 0, %p0;", 1},
        Case{"setp.nan.f32 %p0, 0f7fffffff, 0f00000000;\n selp.b32 %x, 1, 0, %p0;", 1},
        Case{"testp.subnormal.f32 %p0, 0f00000001;\n selp.b32 %x, 1, 0, %p0;", 1},
        Case{"testp.normal.f32 %p0, 0f00000001;\n selp.b32 %x, 1, 0, %p0;", 0},
        Case{"testp.infinite.f32 %p0, 0fff800000;\n selp.b32 %x, 1, 0, %p0;", 1},
        // f16: 1 + 2^-11 ties to even, 1 + 3 * 2^-11 too; packed pairs.
        Case{"mov.b16 %h0, 0x3c00;\n mov.b16 %h1, 0x1000;\n add.rn.f16 %h2, %h0, %h1;\n cvt.u32.u16 %x, %h2;",
             0x3c00},
        Case{"mov.b16 %h0, 0x3c01;\n mov.b16 %h1, 0x1000;\n add.f16 %h2, %h0, %h1;\n cvt.u32.u16 %x, %h2;",
             0x3c02},
        Case{"mov.b32 %r0, 0x3c004000;\n mov.b32 %r1, 0x40003c00;\n add.rn.f16x2 %x, %r0, %r1;", 0x42004200},
        Case{"mov.b32 %r0, 0x3c004000;\n mov.b32 %r1, 0x40003c00;\n fma.rn.f16x2 %x, %r0, %r1, %r1;",
             0x44004200},
        Case{
            "mov.b16 %h0, 0x3f80;\n mov.b16 %h1, 0x3b80;\n add.rn.bf16 %h2, %h0, %h1;\n cvt.u32.u16 %x, %h2;",
            0x3f80},
        Case{"mov.b16 %h0, 0x3f80;\n mov.b16 %h1, 0x3c00;\n fma.rn.bf16 %h2, %h0, %h0, %h1;\n cvt.u32.u16 "
             "%x, %h2;",
             0x3f81}));

INSTANTIATE_TEST_SUITE_P(
    Conversions, PtxInstruction,
    ::testing::Values(
        Case{"mov.b32 %r0, 0xffffff80;\n cvt.s64.s32 %y, %r0;", 0xffffffffffffff80},
        Case{"mov.b32 %r0, 0xffffff80;\n cvt.u64.u32 %y, %r0;", 0xffffff80},
        Case{"mov.b32 %r0, 0x1ff;\n cvt.u32.u8 %x, %r0;", 0xff},
        Case{"mov.b32 %r0, 0x1ff;\n cvt.s32.s8 %x, %r0;", 0xffffffff},
        Case{"mov.b32 %r0, 300;\n cvt.sat.u8.u32 %x, %r0;", 255},
        Case{"mov.b32 %r0, -5;\n cvt.sat.u32.s32 %x, %r0;", 0},
        Case{"mov.b32 %r0, -500;\n cvt.sat.s8.s32 %x, %r0;", 0xffffff80},
        Case{"mov.b32 %r0, -1;\n cvt.sat.s32.u32 %x, %r0;", 0x7fffffff},
        Case{"cvt.rzi.s32.f32 %x, 0fc0200000;", 0xfffffffe}, Case{"cvt.rni.s32.f32 %x, 0f40200000;", 2},
        Case{"cvt.rmi.s32.f32 %x, 0fbf000000;", 0xffffffff}, Case{"cvt.rpi.s32.f32 %x, 0f3f000000;", 1},
        Case{"cvt.rzi.s32.f32 %x, 0f4f800000;", 0x7fffffff}, Case{"cvt.rzi.u32.f32 %x, 0fbf800000;", 0},
        Case{"cvt.rzi.s32.f32 %x, 0f7fffffff;", 0},
        Case{"cvt.rzi.s64.f32 %y, 0f7fffffff;", 0x8000000000000000},
        Case{"cvt.rzi.u16.f32 %h0, 0f47c35000;\n cvt.u32.u16 %x, %h0;", 65535},
        Case{"mov.b32 %r0, 16777217;\n cvt.rn.f32.s32 %f0, %r0;\n mov.b32 %x, %f0;", 0x4b800000},
        Case{"mov.b32 %r0, 16777217;\n cvt.rp.f32.u32 %f0, %r0;\n mov.b32 %x, %f0;", 0x4b800001},
        Case{"mov.b32 %r0, -1;\n cvt.rn.f64.u32 %d0, %r0;\n mov.b64 %y, %d0;", 0x41efffffffe00000},
        Case{"cvt.rn.f32.f64 %f0, 0d3fd5555555555555;\n mov.b32 %x, %f0;", 0x3eaaaaab},
        Case{"cvt.f64.f32 %d0, 0f3eaaaaab;\n mov.b64 %y, %d0;", 0x3fd5555560000000},
        Case{"cvt.rn.f16.f32 %h0, 0f477fe000;\n cvt.u32.u16 %x, %h0;", 0x7bff},
        Case{"cvt.rn.f16.f32 %h0, 0f477ff000;\n cvt.u32.u16 %x, %h0;", 0x7c00},
        Case{"cvt.rz.f16.f32 %h0, 0f477ff000;\n cvt.u32.u16 %x, %h0;", 0x7bff},
        Case{"cvt.rn.f16.f32 %h0, 0f33000001;\n cvt.u32.u16 %x, %h0;", 1},
        Case{"cvt.rn.f16.f32 %h0, 0f33000000;\n cvt.u32.u16 %x, %h0;", 0},
        Case{"mov.b16 %h0, 1;\n cvt.f32.f16 %f0, %h0;\n mov.b32 %x, %f0;", 0x33800000},
        Case{"cvt.rn.bf16.f32 %h0, 0f3f808000;\n cvt.u32.u16 %x, %h0;", 0x3f80},
        Case{"cvt.rn.bf16.f32 %h0, 0f3f818000;\n cvt.u32.u16 %x, %h0;", 0x3f82},
        Case{"mov.b16 %h0, 0x3f81;\n cvt.f32.bf16 %f0, %h0;\n mov.b32 %x, %f0;", 0x3f810000},
        Case{"cvt.rn.f16x2.f32 %x, 0f3f800000, 0f40000000;", 0x3c004000},
        Case{"cvt.sat.f32.f32 %f0, 0f40000000;\n mov.b32 %x, %f0;", 0x3f800000},
        Case{"cvt.rmi.f32.f32 %f0, 0fbf000000;\n mov.b32 %x, %f0;", 0xbf800000},
        Case{"cvt.rni.f32.f32 %f0, 0fbe800000;\n mov.b32 %x, %f0;", 0x80000000}));

TEST(PtxInstruction, BareArithmeticIsMarked) {
  const ir::Module m = ptx::read_ptx(
      ptx_module(".param .u64 out, .param .f32 a",
                 ".reg .f32 %f<4>;\n .reg .b64 %q;\n ld.param.f32 %f0, [a];\n ld.param.u64 %q, [out];\n"
                 "add.f32 %f1, %f0, %f0;\n mul.rn.f32 %f2, %f1, %f0;\n st.global.f32 [%q], %f2;\n ret;"),
      "test.ptx");
  int bare = 0, pinned = 0;
  for (const ir::Instruction& i : m.kernels[0].kernel->blocks[0].instructions) {
    bare += i.opcode == ir::Opcode::float_add && i.contractible && i.rounding == ir::Rounding::nearest_even;
    pinned += i.opcode == ir::Opcode::float_mul && !i.contractible;
  }
  EXPECT_EQ(bare, 1);
  EXPECT_EQ(pinned, 1);
}

}  // namespace
}  // namespace hallmark::validator::test
