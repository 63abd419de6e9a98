// corpus/functions holds the elementary functions as text, for people and for other readers: one file a
// function, the same terms as the ones that are emitted. HALLMARK_UPDATE=1 writes the files anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "calculus/text/text.h"
#include "formulation/functions.h"

namespace hallmark::formulation {
namespace {

using namespace calculus;

std::string path_of(const std::string& name) {
  return std::string(HALLMARK_SOURCE_DIR) + "/corpus/functions/" + name + ".hm";
}

Program only(const Function& function) {
  Program p;
  p.functions = {function};
  return p;
}

TEST(FunctionTexts, AreTheEmittedFunctions) {
  for (const ElementaryFunction& known : elementary_functions()) {
    const std::string text = text::print_program(only(known.function)), path = path_of(known.function.name);
    if (std::getenv("HALLMARK_UPDATE") != nullptr) write_file(path, text);
    EXPECT_EQ(read_file(path), text) << path;
    const Program back = text::parse_program(text, path);
    ASSERT_EQ(back.functions.size(), 1U);
    EXPECT_EQ(back.functions[0].name, known.function.name);
    // Parameters are free variables: the same body over the same arguments.
    const Sort sort = known.function.parameters[0]->sort;
    std::vector<Term> arguments;
    for (Term parameter : known.function.parameters) arguments.push_back(load(parameter->name, {}, sort));
    const Term call = custom_operation(known.function.name, arguments, sort);
    EXPECT_EQ(expand_functions(call, back.functions), expand_functions(call, {known.function}));
  }
}

TEST(FunctionTexts, NoOtherFiles) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HALLMARK_SOURCE_DIR) + "/corpus/functions"))
    EXPECT_NE(find_elementary_function(entry.path().stem().string()), nullptr) << entry.path();
}

}  // namespace
}  // namespace hallmark::formulation
