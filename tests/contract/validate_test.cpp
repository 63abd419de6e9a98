#include <gtest/gtest.h>

#include "contract/contract.h"

namespace hallmark::contract {
namespace {

using namespace calculus;

// y[i] = table[ids[i]] with N rows; positive = ids[i] > 0 as a boolean output.
Program program() {
  Program p;
  p.symbols = {{"N", 4, Integer(100)}};
  p.inputs = {{"table", Format::f32, {symbol("N")}}, {"ids", Format::i64, {integer(3)}}};
  const Term id = load("ids", {axis(0)}, Sort::integer(Format::i64));
  const Term index = to_index(id);
  const Term wrapped = index_select(less(index, integer(0)), add(index, symbol("N")), index);
  p.definitions = {{{"y", Format::f32, {integer(3)}}, {}, load("table", {wrapped}, Sort::real()), ""},
                   {{"positive", Format::boolean, {integer(3)}},
                    {},
                    compare(Op::lt, int_constant(Format::i64, 0), id),
                    ""}};
  p.outputs = {"y", "positive"};
  check_program(p);
  return p;
}

std::string error_of(const std::string& text) {
  try {
    validate(parse(text, "c.toml"), program());
  } catch (const UserError& e) {
    return e.render();
  }
  return "no error";
}

TEST(ContractValidate, NamesWhatDoesNotFitTheProgram) {
  EXPECT_EQ(error_of("version = 1\n[inputs.tabel]\nlow = 0\nhigh = 1\n"),
            "c.toml:2:9: error: the program has no input 'tabel'; did you mean 'table'? [E8010]\n"
            "[inputs.tabel]\n"
            "        ^\n");
  EXPECT_NE(error_of("version = 1\n[outputs.z]\nulp = 1\n").find("[E8010]"), std::string::npos);
  EXPECT_NE(error_of("version = 1\n[dimensions]\nM = 3\n").find("[E8010]"), std::string::npos);
  EXPECT_NE(error_of("version = 1\n[dimensions]\nN = 3\n").find("[E8014]"), std::string::npos);
  EXPECT_NE(error_of("version = 1\n[inputs.table]\nlow=0\nhigh=1\nformat=\"f16\"\n").find("[E8011]"),
            std::string::npos);
  EXPECT_NE(error_of("version = 1\n[inputs.table]\nlow=0\nhigh=1e39\n").find("[E8012]"), std::string::npos);
  EXPECT_NE(error_of("version = 1\n[outputs.positive]\nabsolute=1\n").find("[E8013]"), std::string::npos);
  EXPECT_EQ(error_of("version = 1\n[inputs.table]\nlow=0\nhigh=1\n[dimensions]\nN=8\n[outputs.y]\nulp=1\n"),
            "no error");
}

// A dimension of one size is a number in the program; a name that the model does not have is still an error.
TEST(ContractValidate, ADimensionOfOneSizeIsNoSymbol) {
  const Contract c = parse("version = 1\n[dimensions]\nM = 256\n", "c.toml");
  EXPECT_NO_THROW(validate(c, program(), {"M"}));
  EXPECT_THROW(validate(c, program(), {"K"}), UserError);
}

TEST(ContractValidate, ABoxWithoutAValueOfTheFormatIsVacuous) {
  EXPECT_EQ(error_of("version = 1\n[inputs.table]\nlow = 0.1\nhigh = 0.1\n"),
            "c.toml:3:1: error: the box 0.1 to 0.1 of 'table' contains no value of f32 [E8008]\n"
            "low = 0.1\n"
            "^\n");
  EXPECT_NE(error_of("version = 1\n[inputs.ids]\nlow = 0.25\nhigh = 0.75\n").find("[E8008]"),
            std::string::npos);
}

TEST(ContractDefault, IntegersGetOnlyWhatTheOperatorDemandsAndAllIsNamedAsAssumed) {
  const Contract c = default_contract(program());
  EXPECT_EQ(c.inputs.at("table").low, -1);
  EXPECT_EQ(c.inputs.at("ids").low, -4);
  EXPECT_EQ(c.inputs.at("ids").high, 3);
  EXPECT_EQ(assumptions(c),
            (std::vector<std::string>{"default-box:ids", "default-box:table", "default-tolerance"}));
  EXPECT_EQ(parse(print(c), "c.toml"), c);
  validate(c, program());
}

TEST(ContractDefault, AnIntegerThatIsNoIndexHasNoDefault) {
  Program p = program();
  p.definitions.erase(p.definitions.begin());
  p.outputs = {"positive"};
  EXPECT_EQ(default_contract(p).inputs.count("ids"), 0U);
}

TEST(ContractDefault, ShortFormatsHaveATolerantDefault) {
  Program p = program();
  for (Definition& definition : p.definitions)
    if (is_float(definition.declaration.format)) definition.declaration.format = Format::f16;
  const Contract c = default_contract(p);
  ASSERT_EQ(c.outputs.size(), 1U);
  EXPECT_EQ(c.outputs.begin()->second.absolute, Rational(1, 128));
  EXPECT_TRUE(c.outputs.begin()->second.assumed);
  EXPECT_TRUE(c.tolerance.empty());
  EXPECT_EQ(parse(print(c), "c.toml"), c);
  // What is stated for all outputs is not overruled.
  EXPECT_TRUE(complete(parse("version = 1\n[tolerance]\nulp = 2\n", "c.toml"), p).outputs.empty());
}

TEST(ContractDefault, WhatIsStatedStays) {
  const Contract stated =
      parse("version = 1\n[inputs.table]\nlow = 0\nhigh = 1\n[tolerance]\nulp = 2\n", "c.toml");
  const Contract c = complete(stated, program());
  EXPECT_EQ(c.inputs.at("table"), stated.inputs.at("table"));
  EXPECT_EQ(c.tolerance, stated.tolerance);
  EXPECT_EQ(assumptions(c), (std::vector<std::string>{"default-box:ids"}));
}

}  // namespace
}  // namespace hallmark::contract
