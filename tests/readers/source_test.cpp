// What the CUDA reader makes of C++ text: assignment and undefined behaviour, places, spaces, refusals, and
// the same values as nvcc's PTX of the same text.
#include <map>

#include "support.h"
#include "validator/llvm/compiler_macros.h"
#include "validator/llvm/source_reader.h"

namespace hallmark::validator::test {
namespace {

using interpreter::Argument;
using interpreter::Buffer;
using interpreter::Request;
using interpreter::Result;
using ir::Opcode;
using K = ObligationKind;

class Source : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!source::clang_is_there({})) GTEST_SKIP() << "clang++-14 is not installed";
  }
  source::SourceModule read(const std::string& text, const std::vector<std::string>& arguments = {}) {
    const std::string path = folder_.path() + "/test.cu";
    write_file(path, text);
    source::ClangOptions options;
    options.arguments = arguments;
    return source::read_cuda(path, options);
  }
  const ir::Kernel& kernel(const std::string& text) {
    module_ = read(text);
    return ir::find_kernel(module_.module, "k");
  }
  // One thread; the buffer `y` of 16 words that are zero, and n.
  Result run(const std::string& text, std::uint32_t n = 0, std::uint32_t threads = 1) {
    Request r;
    r.block = {threads, 1, 1};
    Buffer y = output("y", 16);
    y.fill = 0;
    r.buffers = {y};
    r.arguments = {Argument::pointer(0), Argument::scalar(n, 4)};
    return interpreter::launch(kernel(text), r);
  }
  template <class E>
  E error_of(const std::string& text) {
    try {
      kernel(text);
    } catch (const E& e) {
      return e;
    }
    ADD_FAILURE() << "no error for " << text;
    return E("", "");
  }
  static std::vector<const ir::Instruction*> all(const ir::Kernel& k, Opcode op) {
    std::vector<const ir::Instruction*> found;
    for (const ir::Block& b : k.blocks)
      for (const ir::Instruction& i : b.instructions)
        if (i.opcode == op) found.push_back(&i);
    return found;
  }

  TemporaryFolder folder_;
  source::SourceModule module_;
};

// The example of soundness G1: mem2reg would turn this into an unconditional store of b.
TEST_F(Source, UnassignedReadStaysVisible) {
  const std::string text =
      "__global__ void k(float* y, int n) {\n  float b = 1.0f;\n  float a;\n  if (n > 3) a = b;\n  y[0] = "
      "a;\n}\n";
  const Result assigned = run(text, 4);
  EXPECT_TRUE(assigned.faults.empty()) << faults_text(assigned);
  EXPECT_EQ(word(assigned, 0, 0), words_of({1.0f})[0]);
  const Result r = run(text, 3);
  ASSERT_EQ(kinds(r), std::vector{K::init}) << faults_text(r);
  EXPECT_EQ(r.find(K::init)->place.line, 5u);
  EXPECT_EQ(r.find(K::init)->memory, "a");
  EXPECT_FALSE(r.buffers[0]->defined(0, 4));
  ASSERT_EQ(module_.findings[0].reads.size(), 1u);
  EXPECT_EQ(module_.findings[0].reads[0].variable, "a");
  EXPECT_EQ(module_.findings[0].reads[0].place.line, 5u);
}

TEST_F(Source, AssignmentOnEveryPathIsEnough) {
  kernel(
      "struct P { int x, y; };\n__device__ void set(int& a, int v) { a = v; }\n"
      "__global__ void k(int* y, int n) {\n  int a, b;\n  if (n > 3) a = 1; else a = 2;\n  set(b, a);\n  P "
      "p;\n  p.x = b;\n"
      "  p.y = a;\n  P q = p;\n  for (int i = 0; i < n; ++i) { int t; t = i; q.x += t; }\n  y[0] = q.x + "
      "q.y;\n}\n");
  EXPECT_TRUE(module_.findings[0].reads.empty());
  EXPECT_TRUE(module_.module.kernels[0].kernel->arrays.empty());
}

TEST_F(Source, OneMemberOfAStructureUnassigned) {
  const Result r =
      run("struct P { int x, y; };\n__global__ void k(int* y, int n) {\n  P p;\n  p.x = 1;\n  y[0] = p.x;\n  "
          "y[1] = p.y;\n}\n");
  ASSERT_EQ(kinds(r), std::vector{K::init});
  EXPECT_EQ(r.find(K::init)->place.line, 6u);
  EXPECT_EQ(module_.findings[0].reads.size(), 1u);
  EXPECT_TRUE(r.buffers[0]->defined(0, 4));
}

// A class without members has one byte that nobody ever writes, and structures have holes: returning,
// assigning and passing them by value reads neither. A member that is used is another matter, however often
// it was copied before.
TEST_F(Source, CopiesOfPaddingReadNothing) {
  const std::string classes =
      "struct Tag { __device__ int two() const { return 2; } };\n"
      "struct P { char c; int v; Tag tag; int w; };\n"
      "__device__ Tag make() { return {}; }\n"
      "template <class T> __device__ int use(T t, int n) { T u = t; return u.two() + n; }\n"
      "__device__ P pass(P p) { P q = p; return q; }\n"
      "__device__ int add(P p) { return p.c + p.v; }\n";
  const Result r =
      run(classes +
              "__global__ void k(int* y, int n) {\n  Tag t = make(), s;\n  s = t;\n  P p;\n  p.c = 1;\n"
              "  p.v = n;\n  p = pass(p);\n  y[0] = use(s, n) + add(p);\n}\n",
          5);
  EXPECT_TRUE(r.faults.empty()) << faults_text(r);
  EXPECT_TRUE(module_.findings[0].reads.empty());
  EXPECT_EQ(word(r, 0, 0), 13u);
  EXPECT_TRUE(module_.module.kernels[0].kernel->arrays.empty());
  // The member v is never assigned, and is used after three copies.
  const Result bad = run(classes +
                         "__global__ void k(int* y, int n) {\n  P p;\n  p.c = 1;\n  p.w = n;\n  p = "
                         "pass(p);\n  y[0] = add(p);\n}\n");
  EXPECT_EQ(kinds(bad), std::vector{K::init}) << faults_text(bad);
  EXPECT_FALSE(module_.findings[0].reads.empty());
  // Nor where something else in the kernel takes several rounds to become values: a closure, an array.
  for (const char* beside : {"int m = n; const auto f = [&](int i) { return m + i; }; y[1] = f(2);",
                             "int t[3]; for (int i = 0; i < 3; ++i) t[i] = n; y[1] = t[0] + t[2];"}) {
    run(classes + "__global__ void k(int* y, int n) {\n  " + beside +
        "\n  P p;\n  p.c = 1;\n  p.w = n;\n  p = pass(p);\n  y[0] = add(p);\n}\n");
    EXPECT_FALSE(module_.findings[0].reads.empty()) << beside;
  }
}

TEST_F(Source, UnassignedInOneIteration) {
  const std::string text =
      "__global__ void k(int* y, int n) {\n  for (int i = 0; i < 3; ++i) {\n    int t;\n    if (i == n) t = "
      "5;\n    y[i] = t;\n  }\n}\n";
  EXPECT_EQ(kinds(run(text, 9)), std::vector{K::init});
  EXPECT_EQ(module_.findings[0].reads.size(), 1u);
}

TEST_F(Source, OverflowShiftsAndDivisionAreUndefined) {
  EXPECT_EQ(kinds(run("__global__ void k(int* y, int n) { y[0] = n + 1; }", 0x7fffffff)),
            std::vector{K::overflow});
  EXPECT_TRUE(run("__global__ void k(unsigned* y, unsigned n) { y[0] = n + 1; }", 0xffffffff).faults.empty());
  EXPECT_EQ(kinds(run("__global__ void k(int* y, int n) { y[0] = 1 << n; }", 32)), std::vector{K::ub});
  EXPECT_EQ(kinds(run("__global__ void k(int* y, int n) { y[0] = 7 / n; }", 0)), std::vector{K::ub});
  EXPECT_EQ(kinds(run("__global__ void k(int* y, int n) { y[0] = (-2147483647 - 1) / n; }", 0xffffffff)),
            std::vector{K::overflow});
  EXPECT_EQ(kinds(run("__global__ void k(int* y, int n) { y[0] = (int)(3e9f * n); }", 1)),
            std::vector{K::ub});
  EXPECT_TRUE(run("__global__ void k(int* y, int n) { y[0] = __float2int_rz(3e9f * n); }", 1).faults.empty());
  EXPECT_EQ(kinds(run("__device__ int f(int n) { if (n > 0) return 1; }\n__global__ void k(int* y, int n) { "
                      "y[0] = f(n); }",
                      0)),
            std::vector{K::ub});
}

TEST_F(Source, UndefinedBehaviourThatClangSees) {
  EXPECT_EQ(read("__global__ void k(int* y, int i) { y[0] = i++ + i++; }").findings[0].undefined.size(), 1u);
  EXPECT_EQ(read("__global__ void k(int* y, int i) { y[0] = 2147483647 + 1; }").findings[0].undefined.size(),
            1u);
  EXPECT_TRUE(read("__global__ void k(int* y, int i) { y[i] = i; ++i; }").findings[0].undefined.empty());
}

// Soundness A4 and G2.
TEST_F(Source, TextsThatAskForTheirCompilerAreRefused) {
  const std::string guarded =
      "#ifdef __clang__\n#define GUARD(i, n) if ((i) < (n))\n#else\n#define GUARD(i, n)\n#endif\n"
      "__global__ void k(int* y, int n) { GUARD(threadIdx.x, n) y[threadIdx.x] = 1; }\n";
  const auto e = error_of<Refusal>(guarded);
  EXPECT_EQ(e.code(), "E3205");
  EXPECT_EQ(e.where().line, 1u);
  EXPECT_EQ(error_of<Refusal>("#if __GNUC__ > 4\n#endif\n__global__ void k() {}\n").code(), "E3205");
  // A comment and a string do not ask.
  EXPECT_NO_THROW(kernel(
      "// __clang__\n__global__ void k(int* y, int n) { const char* s = \"__GNUC__\"; y[0] = s[0]; }\n"));
}

TEST_F(Source, ArchitectureIsNvccs) {
  const Result r =
      run("#if __CUDA_ARCH__ < 900\n#define V 1\n#elif !defined(__CUDACC__) || !defined(__NVCC__) || "
          "__CUDACC_VER_MAJOR__ < 13\n"
          "#define V 2\n#else\n#define V 3\n#endif\n__global__ void k(int* y, int n) { y[0] = V; }\n");
  EXPECT_EQ(word(r, 0, 0), 3u);
}

TEST(CompilerMacros, AreFoundOutsideCommentsAndStrings) {
  EXPECT_FALSE(source::find_compiler_macro(
      "/* __clang__ */ // __clang__\nint a = 1'000; const char* s = \"__clang__\";"));
  const auto found = source::find_compiler_macro("int a;\n  foo(__clang_major__);");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 2u);
  EXPECT_EQ(found->column, 7u);
  EXPECT_TRUE(source::find_compiler_macro("int a = 1'0; b(__clang__); c = '0';"));
  EXPECT_TRUE(source::find_compiler_macro("f(R\"x(\")x\", __clang__);"));
  EXPECT_TRUE(source::find_compiler_macro("#if __has_builtin(__builtin_expect)\n#endif"));
  EXPECT_FALSE(source::find_compiler_macro("#if __CUDA_ARCH__ >= 900\n#endif\n__syncthreads();"));
  // What CUDA's headers define and the stubs do not, or the other way round.
  EXPECT_TRUE(source::find_compiler_macro("#if \\\n  CUDART_VERSION >= 12000\n#endif"));
  EXPECT_TRUE(source::find_compiler_macro("#ifdef INFINITY\n#endif"));
  EXPECT_TRUE(source::find_compiler_macro("# ifndef __FLT_MAX__\n#endif"));
  EXPECT_FALSE(source::find_compiler_macro("#ifdef DEBUG\nfloat a = INFINITY;\n#endif"));
  EXPECT_FALSE(source::find_compiler_macro("#ifndef __PART_H\n#define __PART_H\n#endif",
                                           source::defined_names("#define __PART_H")));
}

TEST_F(Source, ErrorsAndRefusalsNameTheLine) {
  const auto e = error_of<UserError>("__global__ void k(int* y) {\n  y[0] = z;\n}\n");
  EXPECT_EQ(e.code(), "E3201");
  EXPECT_EQ(e.where().line, 2u);
  EXPECT_EQ(e.where().column, 10u);
  EXPECT_EQ(e.source_line(), "  y[0] = z;");
  const auto refusal = error_of<Refusal>(
      "extern \"C\" __device__ int scribble(const char*);\n__global__ void k(int* y) {\n  "
      "scribble(\"x\");\n}\n");
  EXPECT_EQ(refusal.code(), "E3210");
  EXPECT_EQ(refusal.where().line, 3u);
  EXPECT_NE(refusal.message().find("scribble"), std::string::npos);
  EXPECT_EQ(error_of<Refusal>("__device__ int f(int n) { return n < 1 ? 0 : 1 + f(n - 1); }\n__global__ void "
                              "k(int* y, int n) { y[0] = f(n); }\n")
                .code(),
            "E3210");
  // Another kernel of the file is read all the same.
  const auto both = read(
      "extern \"C\" __device__ void mystery();\n__global__ void a() { mystery(); }\n__global__ void b(int* "
      "y) { y[0] = 1; }\n");
  EXPECT_TRUE(both.module.kernels[0].refusal.has_value());
  EXPECT_TRUE(both.module.kernels[1].kernel.has_value());
}

TEST_F(Source, SpacesFollowPointers) {
  const ir::Kernel& k = kernel(
      "__global__ void k(const float* __restrict__ x, float* y, int n) {\n  __shared__ float s[4];\n  float "
      "local[4];\n"
      "  s[threadIdx.x] = x[0];\n  local[n & 3] = s[1];\n  const float* p = n > 1 ? s : x;\n  y[0] = *p + "
      "local[0] + __ldg(x + 1);\n}\n");
  std::map<std::string, int> loads;
  for (const ir::Instruction* i : all(k, Opcode::load))
    ++loads[std::string(name(i->space)) + (i->non_coherent ? ".nc" : "")];
  EXPECT_EQ(loads, (std::map<std::string, int>{
                       {"generic", 1}, {"global", 1}, {"global.nc", 1}, {"local", 1}, {"shared", 1}}));
  EXPECT_TRUE(k.parameters[0].is_restrict);
  EXPECT_TRUE(k.parameters[0].is_read_only);
  EXPECT_FALSE(k.parameters[1].is_read_only);
  EXPECT_EQ(k.parameters[0].name, "x");
  EXPECT_EQ(k.parameters[0].kind, ir::Parameter::Kind::pointer);
  EXPECT_EQ(k.parameters[0].pointee, ir::Type::f32);
  EXPECT_EQ(k.parameters[2].type, ir::Type::i32);
}

TEST_F(Source, GenericPointersReadTheRightMemory) {
  for (const std::uint32_t n : {0u, 1u}) {
    const Result r =
        run("__global__ void k(int* y, int n) {\n  __shared__ int s[2];\n  s[0] = 7;\n  y[1] = 9;\n  int "
            "l[2] = {3, 4};\n"
            "  int* p = n ? s : y + 1;\n  *p += l[n];\n  y[0] = *p;\n}\n",
            n);
    EXPECT_TRUE(r.faults.empty()) << faults_text(r);
    EXPECT_EQ(word(r, 0, 0), n ? 11u : 12u);
  }
}

TEST_F(Source, FloatFourIsOneAlignedAccess) {
  const std::string text =
      "__global__ void k(float* y, int n) {\n  float4 v = *(float4*)(y + n);\n  v.x += 1.0f;\n  *(float4*)(y "
      "+ n) = v;\n}\n";
  EXPECT_TRUE(run(text, 4).faults.empty());
  EXPECT_EQ(kinds(run(text, 1)), std::vector{K::alignment});
  const ir::Kernel& k = *module_.module.kernels[0].kernel;
  ASSERT_EQ(all(k, Opcode::load).size(), 1u);
  EXPECT_EQ(all(k, Opcode::load)[0]->results.size(), 4u);
  EXPECT_EQ(all(k, Opcode::load)[0]->alignment, 16u);
}

TEST_F(Source, TemplatesLambdasAndIncludes) {
  write_file(folder_.path() + "/part.cuh",
             "#pragma once\n__device__ inline int third(const int* p) {\n  return p[3];\n}\n");
  const Result r =
      run("#include \"part.cuh\"\n#include <cstdint>\ntemplate <int N> __device__ int times(int a) { return "
          "a * N; }\n"
          "__global__ void k(int32_t* y, int n) {\n  auto add = [&](int b) { return n + b; };\n  y[0] = "
          "times<3>(add(2));\n"
          "  y[1] = third(y + 16);\n}\n",
          5);
  EXPECT_EQ(word(r, 0, 0), 21u);
  ASSERT_EQ(kinds(r), std::vector{K::bounds}) << faults_text(r);
  const ir::Kernel& k = *module_.module.kernels[0].kernel;
  const Location where = k.location(r.find(K::bounds)->place);
  EXPECT_EQ(where.file, folder_.path() + "/part.cuh");
  EXPECT_EQ(where.line, 3u);
  EXPECT_EQ(module_.sources.size(), 2u);
}

TEST_F(Source, TemplateKernelsHaveTheirNames) {
  const auto m = read(
      "template <typename T, int N> __global__ void k(T* y) { y[N] = T(1); }\n"
      "template __global__ void k<float, 4>(float*);\ntemplate __global__ void k<int, 2>(int*);\n");
  EXPECT_NO_THROW(ir::find_kernel(m.module, "k<float, 4>"));
  EXPECT_NO_THROW(ir::find_kernel(m.module, "k<int, 2>"));
  EXPECT_THROW(ir::find_kernel(m.module, "k"), UserError);
}

TEST_F(Source, RoundingIntrinsicsAndOperators) {
  const ir::Kernel& k = kernel(
      "__global__ void k(float* y, int n) {\n  y[0] = __fadd_rz(y[1], y[2]);\n  y[3] = __fmaf_rd(y[1], y[2], "
      "y[4]);\n"
      "  y[5] = y[1] * y[2] + y[4];\n  y[6] = expf(y[1]);\n  y[7] = sqrtf(y[2]) / y[3];\n}\n");
  ASSERT_EQ(all(k, Opcode::float_add).size(), 2u);
  EXPECT_EQ(all(k, Opcode::float_add)[0]->rounding, ir::Rounding::toward_zero);
  EXPECT_EQ(all(k, Opcode::float_fma).size(), 1u);  // no contraction
  EXPECT_EQ(all(k, Opcode::float_fma)[0]->rounding, ir::Rounding::down);
  EXPECT_EQ(all(k, Opcode::library_call)[0]->text, "expf");
  EXPECT_EQ(all(k, Opcode::float_sqrt)[0]->rounding, ir::Rounding::nearest_even);
}

TEST_F(Source, LaunchBoundsAndUserArguments) {
  const auto m = read("__global__ void __launch_bounds__(SIZE) k(int* y) { y[0] = SIZE; }\n", {"-DSIZE=96"});
  EXPECT_EQ(m.module.kernels[0].kernel->maximum_block, (std::array<std::uint32_t, 3>{96, 1, 1}));
}

TEST_F(Source, HalvesAndBfloats) {
  Request request;
  Buffer y = output("y", 4);
  y.contents[0] = bytes_of({0x10003c01, 0x3c003f80});  // f16 1+2^-10, 2^-11; bf16 1, 2^-7
  request.buffers = {y};
  request.arguments = {Argument::pointer(0)};
  const auto m = read(
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__global__ void k(__half* y) {\n"
      "  y[4] = __hadd_rn(y[0], y[1]);\n  __nv_bfloat16* b = (__nv_bfloat16*)(y + 2);\n"
      "  ((__nv_bfloat16*)y)[5] = __hfma(b[0], b[0], b[1]);\n"
      "  ((float*)y)[3] = __half2float(y[0]);\n}\n");
  const Result r = interpreter::launch(ir::find_kernel(m.module, "k"), request);
  EXPECT_TRUE(r.faults.empty()) << faults_text(r);
  EXPECT_EQ(word(r, 0, 2), 0x3f813c02u);
  EXPECT_EQ(word(r, 0, 3), words_of({1.0f + 1.0f / 1024})[0]);
}

TEST_F(Source, SameTextSameKernel) {
  const std::string text = read_file(own_file("cuda/mixed.cu"));
  const auto once = [&] { return ir::print(ir::find_kernel(read(text).module, "mixed")); };
  EXPECT_EQ(once(), once());
}

// The two readings of one text compute the same, bit for bit.
TEST_F(Source, AgreesWithThePtxOfTheSameText) {
  const auto compare = [&](const std::string& file, const std::string& name, Request request) {
    const source::SourceModule source = source::read_cuda(own_file("cuda/" + file + ".cu"));
    const ir::Module ptx = ptx::read_ptx(read_file(own_file("ptx/" + file + ".ptx")), file + ".ptx");
    for (interpreter::Schedule s : {interpreter::Schedule::forward, interpreter::Schedule::random}) {
      request.schedule = s;
      const Result a = interpreter::launch(ir::find_kernel(source.module, name), request);
      const Result b = interpreter::launch(ir::find_kernel(ptx, name), request);
      EXPECT_TRUE(a.faults.empty()) << faults_text(a);
      EXPECT_TRUE(b.faults.empty()) << faults_text(b);
      for (std::size_t n = 0; n < request.buffers.size(); ++n)
        for (std::uint64_t at = 0; at < request.buffers[n].bytes; at += 4) {
          EXPECT_EQ(a.buffers[n]->defined(at, 4), b.buffers[n]->defined(at, 4)) << name << n << " " << at;
          EXPECT_EQ(a.buffers[n]->read(at, 4), b.buffers[n]->read(at, 4)) << name << n << " " << at;
        }
    }
  };
  std::vector<float> x;
  for (int n = 0; n < 400; ++n) x.push_back(0.37f * static_cast<float>(n % 17) - 2.1f);
  Request sum;
  sum.grid = {2, 1, 1};
  sum.block = {64, 1, 1};
  sum.buffers = {input("x", words_of(x)), output("y", 2)};
  sum.arguments = {Argument::pointer(0), Argument::pointer(1), Argument::scalar(400, 4)};
  compare("reduce", "sum_of_squares", sum);

  Request mixed;
  mixed.grid = {2, 1, 1};
  mixed.block = {64, 1, 1};
  Buffer counter = output("counter", 2);
  counter.fill = 0;
  Buffer halves = output("h", 50);
  halves.fill = 0x3c;
  mixed.buffers = {input("x", words_of(x)), output("y", 400), halves, counter};
  Argument shape;
  for (const std::uint32_t w : {words_of({1.5f})[0], 3u, 0u, 0x3ff80000u})
    for (int n = 0; n < 4; ++n) shape.bytes.push_back(static_cast<std::uint8_t>(w >> (8 * n)));
  mixed.arguments = {Argument::pointer(0), Argument::pointer(1), shape,
                     Argument::pointer(2), Argument::pointer(3), Argument::scalar(100, 4)};
  mixed.dynamic_shared_bytes = 256;
  compare("mixed", "mixed", mixed);
}

}  // namespace
}  // namespace hallmark::validator::test
