// What of a preprocessed CUDA text is the host's.
#include "validator/llvm/host_code.h"

#include <gtest/gtest.h>

namespace hallmark::validator::source {
namespace {

using Kind = TopDeclaration::Kind;

// Execution spaces are spelled as the stub headers spell them.
const std::string device = "__attribute__((device)) ", global = "__attribute__((global)) ";

std::vector<std::pair<std::string, Kind>> kinds(const std::string& text) {
  std::vector<std::pair<std::string, Kind>> out;
  for (const TopDeclaration& d : top_declarations(text, "/stubs")) out.emplace_back(d.name, d.kind);
  return out;
}
using Kinds = std::vector<std::pair<std::string, Kind>>;

TEST(HostCode, FunctionsByTheirExecutionSpace) {
  EXPECT_EQ(kinds(global + "void k(float* x) { x[0] = 1; }\n" + device + "float f(float a) { return a; }\n" +
                  "int main(int argc, char** argv) { k<<<1, 2>>>(0); return 0; }\n" +
                  "constexpr int div_up(int a, int b) { return (a + b - 1) / b; }\n" +
                  "template <typename T> " + global +
                  "void t(T* x) {}\n"
                  "template <typename T> void launch(T* x) { t<T><<<1, 1>>>(x); }\n"),
            (Kinds{{"k", Kind::kernel},
                   {"f", Kind::device},
                   {"main", Kind::host},
                   {"div_up", Kind::shared},
                   {"t", Kind::kernel},
                   {"launch", Kind::host}}));
}

TEST(HostCode, TypesConstantsAndAliasesStay) {
  EXPECT_EQ(kinds("struct P { int n; void f() {} };\nenum E { a, b };\nusing T = float;\ntypedef int I;\n"
                  "const int N = 5;\nconstexpr float c = 1.0f;\nint counter = 0;\nstd::vector<int> v;\n" +
                  device + "float table[4];\n"),
            (Kinds{{"P", Kind::shared},
                   {"E", Kind::shared},
                   {"T", Kind::shared},
                   {"I", Kind::shared},
                   {"N", Kind::shared},
                   {"c", Kind::shared},
                   {"counter", Kind::host},
                   {"v", Kind::host},
                   {"table", Kind::device}}));
}

TEST(HostCode, NamespacesAndLinkageAreOpened) {
  EXPECT_EQ(kinds("namespace a { namespace { " + global +
                  "void k() {} } }\nextern \"C\" { void host(); }\n"
                  "extern \"C\" " +
                  global + "void e() {}\nusing namespace std;\n"),
            (Kinds{{"k", Kind::kernel}, {"host", Kind::host}, {"e", Kind::kernel}}));
}

TEST(HostCode, BracesInStringsAndCharactersDoNotCount) {
  EXPECT_EQ(
      kinds("void f() { puts(\"}\"); char c = '}'; auto r = R\"x(})x\"; }\n" + global + "void k() {}\n"),
      (Kinds{{"f", Kind::host}, {"k", Kind::kernel}}));
}

TEST(HostCode, LineMarkersNameFilesAndStubs) {
  const std::string text =
      "# 1 \"/stubs/a.h\" 1 3\nvoid s();\n# 7 \"own.cu\" 2\n" + global + "void k() {\n}\n";
  const auto found = top_declarations(text, "/stubs");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, Kind::stub);
  EXPECT_EQ(found[1].file, "own.cu");
  EXPECT_EQ(found[1].first_line, 7u);
  EXPECT_EQ(found[1].last_line, 8u);
}

TEST(HostCode, UnbalancedTextEnds) {
  for (const std::string text :
       {"void f() {", "}}}}", "template <", "struct", "namespace", "((((", "# 1 \"", "\""})
    (void)top_declarations(text, "/stubs");
}

TEST(HostCode, LaunchesWithTheirConfiguration) {
  const auto found = launches_in("tile<float, 128> <<<dim3(a, b), 256, 4 * n>>>(x); k<<<g,b>>>(y); a << b;");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kernel, "tile<float, 128>");
  EXPECT_EQ(found[0].configuration, (std::vector<std::string>{"dim3(a, b)", "256", "4 * n"}));
  EXPECT_EQ(found[1].kernel, "k");
}

TEST(HostCode, ExtentsThatTheTextMakesConstant) {
  const std::string text = "const int T = 16; dim3 block(T, T); int n = 5; n += 1; dim3 two(1); dim3 two(2);";
  using Extents = std::optional<std::array<long, 3>>;
  EXPECT_EQ(constant_extents("256", text), (Extents{{256, 1, 1}}));
  EXPECT_EQ(constant_extents("dim3(32, 8)", text), (Extents{{32, 8, 1}}));
  EXPECT_EQ(constant_extents("block", text), (Extents{{16, 16, 1}}));
  EXPECT_EQ(constant_extents("n", text), std::nullopt);  // it is changed
  EXPECT_EQ(constant_extents("two", text), std::nullopt);
  EXPECT_EQ(constant_extents("unknown", text), std::nullopt);
  EXPECT_EQ(constant_extents("0", text), std::nullopt);
}

TEST(HostCode, BlankingKeepsLinesAndMarkers) {
  std::string text = "ab\n# 5 \"f\"\ncd\nef";
  blank(text, 0, 14);
  EXPECT_EQ(text, "  \n# 5 \"f\"\n  \nef");
  std::string pragma = "{\n#pragma unroll\n}";
  blank(pragma, 0, pragma.size());
  EXPECT_EQ(pragma.find_first_not_of(" \n"), std::string::npos);
  EXPECT_TRUE(mentions("f(x)+g", "g"));
  EXPECT_FALSE(mentions("fg(x)", "g"));
}

}  // namespace
}  // namespace hallmark::validator::source
