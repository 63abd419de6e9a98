#include "base/error.h"

#include <gtest/gtest.h>

namespace hallmark {
namespace {

TEST(Error, RendersPlaceMessageCodeLineAndCaret) {
  const UserError error("E0107", "expected a number", {"contract.toml", 12, 8}, "shape = x");
  EXPECT_EQ(error.render(), "contract.toml:12:8: error: expected a number [E0107]\nshape = x\n       ^\n");
  EXPECT_STREQ(error.what(), "expected a number");
}

TEST(Error, CaretStaysBelowItsCharacterAfterTabs) {
  const UserError error("E0107", "m", {"f", 1, 4}, "\ta\tb");
  EXPECT_EQ(error.render(), "f:1:4: error: m [E0107]\n\ta\tb\n\t \t^\n");
}

TEST(Error, NamesANodeWhereThereIsNoText) {
  EXPECT_EQ(Refusal("E0200", "m", {"model.onnx", 0, 0, "MatMul_7"}).render(),
            "model.onnx:node 'MatMul_7': error: m [E0200]\n");
  EXPECT_EQ(Refusal("E0200", "m").render(), "error: m [E0200]\n");
}

TEST(Error, KindsAreDistinct) {
  EXPECT_THROW(ensure(false, "broken"), InternalError);
  EXPECT_NO_THROW(ensure(true, "fine"));
  try {
    ensure(false, "broken");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "E9000");
    EXPECT_EQ(error.message(), "broken");
  }
}

TEST(LineOf, CutsLinesWithoutTheirEnd) {
  const std::string text = "one\r\ntwo\n\nfour";
  EXPECT_EQ(line_of(text, 1), "one");
  EXPECT_EQ(line_of(text, 2), "two");
  EXPECT_EQ(line_of(text, 3), "");
  EXPECT_EQ(line_of(text, 4), "four");
  EXPECT_EQ(line_of(text, 5), "");
}

}  // namespace
}  // namespace hallmark
