#include "base/error.h"

#include <gtest/gtest.h>

#include <random>

#include "base/files.h"
#include "calculus/text/text.h"
#include "plan/spec_text.h"
#include "tests/text/random_term.h"

namespace hallmark::calculus::text {
namespace {

struct Case {
  const char* text;
  const char* code;
  std::size_t line, column;
  const char* part;  // of the message
};

class Faulty : public testing::TestWithParam<Case> {};

TEST_P(Faulty, IsNamedWithItsPlace) {
  const Case& c = GetParam();
  try {
    parse_program(c.text, "faulty.hm");
    FAIL() << "nothing was thrown for\n" << c.text;
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), c.code) << error.render();
    EXPECT_EQ(error.where().file, "faulty.hm");
    EXPECT_EQ(error.where().line, c.line) << error.render();
    EXPECT_EQ(error.where().column, c.column) << error.render();
    EXPECT_NE(error.message().find(c.part), std::string::npos) << error.render();
    if (*c.text != '\0') {
      EXPECT_NE(error.render().find('^'), std::string::npos);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Faulty,
    testing::Values(
        Case{"", "E1105", 1, 1, "hallmark 1"}, Case{"hallmark 2\n", "E1105", 1, 10, "version 1"},
        Case{"hallmark 1\nprogram exact\nsymbl N : 1 ..", "E1101", 3, 1, "symbol, function"},
        Case{"hallmark 1\nprogram exact\nsymbol N : 1 ..\nsymbol N : 1 ..", "E1102", 4, 8,
             "a meaning already"},
        Case{"hallmark 1\nprogram exact\ndefine Y : f32[i < 3] = X[i]", "E1102", 3, 25, "'X' is not known"},
        Case{"hallmark 1\nprogram exact\ninput X : f32[3]\ndefine Y : f32[i < 3] = X[i, 0]", "E1103", 4, 25,
             "1 axes"},
        Case{"hallmark 1\nprogram exact\ninput X : f32[3]\ndefine Y : f32[i < 3] = X[i] + i", "E1103", 4, 30,
             "index and an element"},
        Case{"hallmark 1\nprogram exact\ninput X : f32[3]\ndefine Y : f32[i < 3] = X[i] +", "E1101", 4, 31,
             "the end of the text"},
        Case{"hallmark 1\nprogram exact\ninput X : f32[3]\ndefine Y : f32[i < 3] = X", "E1102", 4, 25,
             "in brackets"},
        Case{"hallmark 1\nprogram rounded\ninput X : f32[3]\ndefine Y : f32[i < 3] = X[i] * 0.1", "E1103", 4,
             32, "the nearest is 0x1.99999ap-4"},
        Case{"hallmark 1\nprogram rounded\ninput X : f32[3]\ndefine Y : f32[i < 3] = add.rq(X[i], X[i])",
             "E1102", 4, 25, "add.rq"},
        Case{"hallmark 1\nprogram exact\ninput n : i64[]\ndefine Y : f32[i < 3, j < max(0, index(n[]))] = 1",
             "E1103", 4, 27, "over symbols and numbers"},
        Case{"hallmark 1\nprogram exact\ninput n : i64[]\ninput Y : f32[min(4, index(n[]))]", "E1103", 4, 15,
             "over symbols and numbers"},
        Case{"hallmark 1\nprogram exact\ninput n : i64[]\ndefine Y : f32[i < (if n[] < 2 then 1 else 3)] = 1",
             "E1103", 4, 20, "over symbols and numbers"},
        Case{"hallmark 1\nprogram exact\ninput X : f32[3]\ndefine Y : f32[i < 3] = max(X[i])", "E1103", 4, 25,
             "2 operands"},
        Case{"hallmark 1\nprogram exact\ninput X : f32[3]\ndefine Y : i64[i < 3] = X[i]", "E1103", 4, 25,
             "sort i64"},
        Case{"hallmark 1\nprogram exact\ndefine Y : f32[i < 3] = 1 $ 2", "E1101", 3, 27, "no meaning"},
        Case{"hallmark 1\nprogram exact\ndefine \"Y : f32[]", "E1101", 3, 8, "does not end"},
        Case{"hallmark 1\nprogram exact\nconstant c : f32[2] = data 0x0", "E1106", 3, 10, "2 elements"},
        Case{"hallmark 1\nprogram exact\nconstant c : f32[2] = sha256 \"00\"", "E1106", 3, 30, "digest"},
        Case{"hallmark 1\nprogram exact\nsymbol N : 1 ..\ndefine Y : f32[i < (N + 1)^4096] = 1", "E1104", 4,
             28, "multiplies out"},
        Case{"hallmark 1\nprogram exact\ndefine Y : f32[] = fold(k < 3; s = 0, t = 1 -> t)", "E1101", 3, 37,
             "'->'"},
        Case{"hallmark 1\nprogram exact\ndefine Y : f32[] = fold(k < 3; s = 0 -> 1@f32)", "E1103", 3, 41,
             "starts as a real"}));

TEST(Faulty, DeepNestingIsRefusedAndDoesNotCrash) {
  const auto nested = [](const std::string& open, const std::string& close, int depth) {
    std::string text = "hallmark 1\nprogram exact\nsymbol N : 1 ..\ndefine Y : f32[] = ";
    for (int i = 0; i < depth; ++i) text += open;
    text += "1.5";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  for (const char* open : {"(", "-", "exp(", "if true then ", "sum(k < N) ", "let a = "})
    EXPECT_THROW(parse_program(nested(open, "", 200000), "deep"), UserError) << open;
  EXPECT_THROW(parse_program(nested("exp(", ")", 100000), "deep"), UserError);
  EXPECT_NO_THROW(parse_program(nested("exp(", ")", 50), "deep"));
}

// Doubling by let: the term has 2^200 leaves as a tree and 200 nodes as a DAG.
// A function that nobody interprets must not be read as what an instruction of that name computes.
TEST(Faulty, NamesOfInstructionsAreNoFunctionsOfASpecification) {
  for (const char* name : {"mma.k", "cvt.rna.tf32", "float_exp2"}) try {
      plan::parse_spec(
          "hallmark 1\nkernel k\nparam x : f32[8] in\nparam y : f32[8] out\n"
          "launch grid (1) block (8)\nequality reals\nensures y[i < 8] = " +
              std::string(name) + "(x[i], x[i], x[i])@real\n",
          "faulty.hm");
      FAIL() << name;
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), "E1121") << error.render();
      EXPECT_EQ(error.where().line, 7u);
      EXPECT_NE(error.message().find(name), std::string::npos) << error.render();
    }
}

TEST(Faulty, DoublingByLetIsCheap) {
  std::string text = "hallmark 1\nprogram exact\ninput X : f32[]\ndefine Y : f32[] = let a0 = X[] + 1;";
  for (int i = 1; i <= 200; ++i)
    text +=
        " let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " * a" + std::to_string(i - 1) + ";";
  const Program program = parse_program(text + " a200\noutput Y", "doubling");
  EXPECT_EQ(parse_program(print_program(program), "again").definitions[0].body, program.definitions[0].body);
  std::string squares =
      "hallmark 1\nprogram exact\nsymbol N : 1 ..\ninput X : f32[N]\ndefine Y : f32[] = let a0 = N + 1;";
  for (int i = 1; i <= 200; ++i)
    squares +=
        " let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " * a" + std::to_string(i - 1) + ";";
  EXPECT_THROW(parse_program(squares + " X[a200]", "squares"), UserError);
}

std::vector<std::string> seeds() {
  std::vector<std::string> out;
  for (const char* name : {"matmul", "softmax", "convolution", "rounded_matmul", "block_sum", "argmax",
                           "gather", "rounding_modes", "reshape", "online_softmax", "axpby.spec"})
    out.push_back(read_file(std::string(HALLMARK_SOURCE_DIR) + "/tests/text/examples/" + name + ".hm"));
  return out;
}

// Whatever is done to a text, it is read or it is a UserError; and what is read is written and read again.
TEST(Fuzz, MutatedTextsAreReadOrRefused) {
  const std::vector<std::string> texts = seeds();
  const std::vector<std::string> words{"(",
                                       ")",
                                       "[",
                                       "]",
                                       "sum(k < N) ",
                                       "fold(",
                                       "-",
                                       "^",
                                       "@f32",
                                       "@index",
                                       " if ",
                                       " then ",
                                       " else ",
                                       "let ",
                                       ";",
                                       "0x1p-149",
                                       "9999999999999999999999",
                                       "and",
                                       "not ",
                                       "/",
                                       "%",
                                       "\"",
                                       "max(",
                                       "order ",
                                       "1e4999",
                                       "ratio(1, 3)",
                                       "index(",
                                       "true",
                                       "nan",
                                       "where ",
                                       "<",
                                       "="};
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t accepted = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string text = texts[below(texts.size())];
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = 11 + below(text.size() - 11);
      switch (below(5)) {
        case 0:
          text.erase(at, 1 + below(6));
          break;
        case 1:
          text.insert(at, words[below(words.size())]);
          break;
        case 2:
          text[at] = static_cast<char>(below(256));
          break;
        case 3: {
          const std::size_t from = below(text.size());
          text.insert(at, text.substr(from, 1 + below(40)));
          break;
        }
        default:
          text.resize(at);
          break;
      }
      if (text.size() < 20) text = texts[0];
    }
    try {
      if (text.find("kernel") != std::string::npos) {
        const plan::KernelSpec spec = plan::parse_spec(text, "fuzzed");
        EXPECT_NO_THROW(plan::parse_spec(plan::print_spec(spec), "again")) << text;
      } else {
        const Program program = parse_program(text, "fuzzed");
        const Program again = parse_program(print_program(program), "again");
        ASSERT_EQ(again.definitions.size(), program.definitions.size());
        for (std::size_t i = 0; i < program.definitions.size(); ++i)
          EXPECT_EQ(again.definitions[i].body, program.definitions[i].body) << text;
      }
      ++accepted;
    } catch (const UserError& error) {
      EXPECT_GT(error.where().line, 0U);
    }
  }
  // Enough of the mutants are still texts for the second half of the property to mean something.
  EXPECT_GT(accepted, 200U);
}

}  // namespace
}  // namespace hallmark::calculus::text
