#include "base/json.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hallmark {
namespace {

TEST(CanonicalJson, SortsKeysAndIndents) {
  const json::value value = parse_json(R"({"b":[1,{"z":null,"a":true}],"a":"x","c":{},"d":[]})", "f");
  EXPECT_EQ(
      canonical_json(value),
      "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    {\n      \"a\": true,\n      \"z\": null\n    }\n  ],\n"
      "  \"c\": {},\n  \"d\": []\n}\n");
}

TEST(CanonicalJson, IsAFixedPoint) {
  const std::string once =
      canonical_json(parse_json(R"({"k":-7,"s":"\u00e9\n\"","n":[18446744073709551615]})", "f"));
  EXPECT_EQ(canonical_json(parse_json(once, "f")), once);
}

TEST(CanonicalJson, RefusesFloatingPoint) {
  EXPECT_THROW(canonical_json(json::value(0.5)), InternalError);
  EXPECT_THROW(canonical_json(json::array{1, 2.0}), InternalError);
}

TEST(ParseJson, RefusesDuplicateKeysAtAnyDepthAndInAnySpelling) {
  EXPECT_THROW(parse_json(R"({"a":1,"a":2})", "f"), UserError);
  EXPECT_THROW(parse_json(R"([{"x":{"a":1,"b":2,"a":3}}])", "f"), UserError);
  EXPECT_THROW(parse_json(R"({"a":1,"\u0061":2})", "f"), UserError);  // equal after unescaping
  EXPECT_NO_THROW(parse_json(R"([{"a":1},{"a":2},"a:\"}{,"])", "f"));
}

TEST(ParseJson, IsStrict) {
  for (const char* text :
       {"", "{", "[1,]", "{\"a\":1,}", "[1] 2", "// c\n1", "{'a':1}", "nul", "\"\\x\"", "[1 2]"})
    EXPECT_THROW(parse_json(text, "f"), UserError) << text;
  EXPECT_THROW(parse_json(std::string(65, '[') + std::string(65, ']'), "f"), UserError);
  EXPECT_NO_THROW(parse_json(std::string(60, '[') + std::string(60, ']'), "f"));
}

TEST(ParseJson, ErrorsCarryThePosition) {
  try {
    parse_json("{\n  \"a\": 1,\n  \"b\": ?\n}\n", "r.json");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), "E0003");
    EXPECT_EQ(error.where().file, "r.json");
    EXPECT_EQ(error.where().line, 3u);
    EXPECT_EQ(error.where().column, 8u);
  }
}

}  // namespace
}  // namespace hallmark
