#include <gtest/gtest.h>

#include "contract/contract.h"

namespace hallmark::contract {
namespace {

constexpr const char* full_text = R"(version = 1
casts = "storage"
ftz = true
fma = false
nan = "allowed"
infinity = "forbidden"
storage = ["f16", "f32"]
accumulation = ["f32"]
orders = ["tree", "seq"]
[dimensions]
N = 128
S = [1, 1024]
B = { low = 2 }
[tolerance]
absolute = 1e-5
[inputs.x]
low = -0.1      # exactly one tenth
high = "0x1.8p+1"
format = "f32"
[inputs."a b"]
low = "-1/3"
high = 1_000.5
[outputs.y]
relative = 0.001
ulp = 4
)";

std::string error_of(const std::string& text) {
  try {
    parse(text, "c.toml");
  } catch (const UserError& e) {
    return e.render();
  }
  return "no error";
}

TEST(ContractParse, ReadsEveryKeyExactly) {
  const Contract c = parse(full_text, "c.toml");
  EXPECT_EQ(c.casts, Casts::storage);
  EXPECT_TRUE(c.ftz);
  EXPECT_FALSE(c.fma);
  EXPECT_TRUE(c.nan_allowed);
  EXPECT_FALSE(c.infinity_allowed);
  EXPECT_EQ(c.orders, (std::vector<std::string>{"seq", "tree"}));
  EXPECT_EQ(c.dimensions.at("N").high, Integer(128));
  EXPECT_EQ(c.dimensions.at("S").low, 1);
  EXPECT_FALSE(c.dimensions.at("B").high.has_value());
  EXPECT_EQ(c.inputs.at("x").low, Rational(-1, 10));
  EXPECT_EQ(c.inputs.at("x").high, 3);
  EXPECT_EQ(c.inputs.at("a b").high, Rational(2001, 2));
  EXPECT_EQ(c.tolerance.absolute, Rational(1, 100000));
  EXPECT_EQ(c.outputs.at("y").ulp, 4);
  EXPECT_EQ(tolerance_of(c, "y").relative, Rational(1, 1000));
  EXPECT_EQ(tolerance_of(c, "z").absolute, Rational(1, 100000));
}

TEST(ContractParse, PrintsWhatItReadsBack) {
  const Contract c = parse(full_text, "c.toml");
  const std::string printed = print(c);
  EXPECT_EQ(parse(printed, "printed.toml"), c) << printed;
  EXPECT_EQ(print(parse(printed, "printed.toml")), printed);
}

TEST(ContractParse, ErrorsShowLineColumnAndCaret) {
  EXPECT_EQ(error_of("version = 1\n[inputs.x]\nlow = -1\nhihg = 1\n"),
            "c.toml:4:1: error: unknown key 'hihg'; did you mean 'high'? [E8002]\n"
            "hihg = 1\n"
            "^\n");
  EXPECT_EQ(error_of("version = 1\n[inputs.x]\nlow = 2\nhigh = 1\n"),
            "c.toml:3:7: error: the box of 'x' is empty: low 2 is above high 1 [E8007]\n"
            "low = 2\n"
            "      ^\n");
  EXPECT_EQ(error_of("version = 1\n[tolerance]\n  relative = -1e-3\n"),
            "c.toml:3:14: error: a tolerance cannot be negative [E8009]\n"
            "  relative = -1e-3\n"
            "             ^\n");
  EXPECT_EQ(
      error_of("version = 1\n[tolerance]\nabsolute = nan\n"),
      "c.toml:3:12: error: 'nan' is not an exact finite number; expected 0.1, 1e-5, \"0x1.8p-3\" or \"1/3\" "
      "[E8004]\n"
      "absolute = nan\n"
      "           ^\n");
  EXPECT_EQ(error_of("version = 1\nstorage = [\"f32\", \"f17\"]\n"),
            "c.toml:2:19: error: unknown format 'f17'; did you mean 'f16'? [E8005]\n"
            "storage = [\"f32\", \"f17\"]\n"
            "                  ^\n");
  EXPECT_EQ(error_of("version = 1\ncasts = \"loose\"\n"),
            "c.toml:2:9: error: 'loose' is not known here; expected \"exact\" or \"storage\" [E8005]\n"
            "casts = \"loose\"\n"
            "        ^\n");
  EXPECT_EQ(error_of("version = 1\n[dimensions]\nN = [8, 4]\n"),
            "c.toml:3:1: error: the dimension 'N' has no size: low 8 is above high 4 [E8007]\n"
            "N = [8, 4]\n"
            "^\n");
  EXPECT_EQ(error_of("version = 1\nftz = \"no\"\n"),
            "c.toml:2:7: error: expected true or false [E8003]\n"
            "ftz = \"no\"\n"
            "      ^\n");
  EXPECT_EQ(error_of("version = 1\n[inputs.x]\nlow = 0\n"),
            "c.toml:2:9: error: the input 'x' has no 'high' [E8006]\n"
            "[inputs.x]\n"
            "        ^\n");
  EXPECT_EQ(error_of("ftz = true\n"),
            "c.toml:1:1: error: the key 'version' is missing; expected 'version = 1' [E8006]\n"
            "ftz = true\n"
            "^\n");
}

TEST(ContractParse, TheExampleInTheCorpusIsRead) {
  const Contract c = load(std::string(HALLMARK_SOURCE_DIR) + "/corpus/contracts/example.toml");
  EXPECT_EQ(c.inputs.at("x").high, Rational(10, 3));
  EXPECT_EQ(parse(print(c), "printed"), c);
}

TEST(ContractParse, SyntaxErrorsAndHostileTextAreErrorsOfTheUser) {
  for (const char* text : {"version = ", "version = 1\n[inputs", "\xff\xfe", "version = 1\nversion = 1",
                           "[[inputs]]", "version = 1\n[inputs.x]\nlow = inf\nhigh = inf\n"}) {
    EXPECT_THROW(parse(text, "c.toml"), UserError) << text;
  }
  EXPECT_NE(error_of("version = \n").find("[E8001]"), std::string::npos);
}

TEST(ContractParse, TheColumnCountsBytesAfterOtherLetters) {
  const std::string text = error_of("version = 1\n[inputs.\"\xc3\xbc\"]\nlow = 1\nhigh = 0 # \xc3\xbc\n");
  EXPECT_NE(text.find("c.toml:3:7:"), std::string::npos) << text;
}

// A quoted part of a key may hold any letter; behind the point of a value, or in an array, there is no key.
TEST(ContractParse, LettersBeyondAsciiStandInStringsAlone) {
  for (const char* text :
       {"version = 1\nx = 1.\"\xce\xba\"\n", "version = 1\nx = [\n y.\"\xce\xba\"\n]\n",
        "version = 1\nx = [ \"\"\"]\"\"\",\n y.\"\xce\xba\"\n]\n", "version = 1\n\xce\xba = 1\n"})
    EXPECT_NE(error_of(text).find("beyond ASCII"), std::string::npos) << text;
}

}  // namespace
}  // namespace hallmark::contract
