// A stage's result as text: what one stage writes and the next one reads, in the folders of the bundle.
#pragma once
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "calculus/text/text.h"
#include "formulation/formulate.h"
#include "search/explain.h"

namespace hallmark::pipeline {

// Path below the bundle's root -> bytes.
using Files = std::map<std::string, std::string>;

// Where a stage's files are read from: a bundle, or folders that the stage commands wrote.
struct StageReader {
  std::function<std::string(const std::string& path)> read;  // throws UserError when there is no such file
  std::function<bool(const std::string& path)> has;
  // The bytes of a model that the bundle withholds (store.h), where the reader has them.
  std::function<std::string()> withheld{};
};
StageReader reader_of(const Files& files);
// Throws UserError E7403, naming the stage command to run first, when a file is missing.
StageReader folder_reader(const std::string& folder);

// Replaces the stage folders that `files` name in `folder`, and removes those of later stages, which would
// not follow from it any more. Each folder appears whole or not at all. Throws UserError E0002.
void write_stage(const std::string& folder, const Files& files);

json::string text_of(const std::string& s);
std::string string_of(const json::value& v);
// Throws UserError E7401: the parts of a bundle do not fit together.
[[noreturn]] void mismatch(const std::string& what);

// What `read` gives of files that anybody may have written: members that are missing or of another type, of
// which Boost.JSON and the standard library say so in their words, are E7401 as well.
template <typename Read>
auto fitting(const Read& read) {
  try {
    return read();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    mismatch(error.what());
  }
}

json::value steps_json(const std::vector<search::Step>& steps, const calculus::Program& authored);
std::vector<search::Step> read_steps(const json::value& value, const std::string& file);
json::value constants_json(const std::vector<formulation::RoundedConstant>& constants);
std::vector<formulation::RoundedConstant> read_constants(const json::value& value);
// The data of the authored program's constants, for parse_program.
calculus::text::ConstantSource constants_of(const calculus::Program& authored);

}  // namespace hallmark::pipeline
