#include "pipeline/stage_files.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"

namespace hallmark::pipeline {
namespace {

namespace fs = std::filesystem;
using calculus::Program;

constexpr std::array<const char*, 5> stages{"1-model", "2-candidates", "3-selection", "4-artifact",
                                            "5-evidence"};
constexpr std::array<const char*, 5> verbs{"import", "search", "select", "lower", "package"};

// One side of a step with its inputs, as a program.
Program side_program(const search::Step& step, const std::vector<calculus::Definition>& side,
                     const Program& authored) {
  Program p;
  p.symbols = authored.symbols;
  p.inputs = step.tensors;
  p.definitions = side;
  p.outputs = {side.back().declaration.name};
  return p;
}

}  // namespace

StageReader reader_of(const Files& files) {
  return {[&files](const std::string& path) {
            const auto found = files.find(path);
            if (found == files.end()) throw UserError("E7403", "the file is missing", {path});
            return found->second;
          },
          [&files](const std::string& path) { return files.contains(path); }};
}

StageReader folder_reader(const std::string& folder) {
  return {[folder](const std::string& path) {
            if (!fs::is_regular_file(folder + "/" + path)) {
              std::string hint;
              for (std::size_t i = 0; i < stages.size(); ++i)
                if (path.starts_with(stages[i])) hint = fmt::format("; `hallmark {}` writes it", verbs[i]);
              throw UserError("E7403", "the file is missing" + hint, {folder + "/" + path});
            }
            return read_file(folder + "/" + path);
          },
          [folder](const std::string& path) { return fs::is_regular_file(folder + "/" + path); }};
}

void write_stage(const std::string& folder, const Files& files) {
  std::set<std::string> here;
  for (const auto& [path, bytes] : files) here.insert(path.substr(0, path.find('/')));
  try {
    for (const std::string& stage : here) {
      const fs::path part = fs::path(folder) / (stage + ".part");
      fs::remove_all(part);
      for (const auto& [path, bytes] : files) {
        if (!path.starts_with(stage + "/")) continue;
        const fs::path to = part / path.substr(stage.size() + 1);
        fs::create_directories(to.parent_path());
        write_file(to.string(), bytes);
      }
      bool later = false;
      for (const char* name : stages) {
        if (later) fs::remove_all(fs::path(folder) / name);
        later = later || stage == name;
      }
      fs::remove_all(fs::path(folder) / stage);
      fs::rename(part, fs::path(folder) / stage);
    }
  } catch (const fs::filesystem_error& error) {
    throw UserError("E0002", std::string("cannot write the stage: ") + error.what(), {folder});
  }
}

json::string text_of(const std::string& s) {
  return json::string(s.data(), s.size());
}
std::string string_of(const json::value& v) {
  if (!v.is_string()) mismatch("a member that should be a text");
  return std::string(v.as_string().data(), v.as_string().size());
}

void mismatch(const std::string& what) {
  throw UserError("E7401", "the bundle's parts do not fit together: " + what);
}

json::value steps_json(const std::vector<search::Step>& steps, const Program& authored) {
  json::array out;
  for (const search::Step& step : steps) {
    json::object one{
        {"rule", text_of(step.rule)},
        {"rule_sha256", text_of(step.rule_digest)},
        {"left", text_of(calculus::text::print_program(side_program(step, step.left, authored)))},
        {"right", text_of(calculus::text::print_program(side_program(step, step.right, authored)))}};
    if (step.unbounded) {
      json::object ranges;
      for (const auto& [tensor, range] : step.ranges)
        ranges[tensor] = json::array{text_of(range.low.get_str()), text_of(range.high.get_str())};
      one["ranges"] = std::move(ranges);
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<search::Step> read_steps(const json::value& value, const std::string& file) {
  std::vector<search::Step> out;
  if (!value.is_array()) mismatch(file + " holds no list");
  for (const json::value& item : value.as_array()) {
    search::Step step;
    step.rule = string_of(item.at("rule"));
    step.rule_digest = string_of(item.at("rule_sha256"));
    const Program left = calculus::text::parse_program(string_of(item.at("left")), file);
    const Program right = calculus::text::parse_program(string_of(item.at("right")), file);
    step.tensors = left.inputs;
    step.left = left.definitions;
    step.right = right.definitions;
    if (item.as_object().contains("ranges")) {
      step.unbounded = true;
      if (!item.at("ranges").is_object()) mismatch("the ranges of a step");
      for (const auto& [tensor, ends] : item.at("ranges").as_object()) {
        rules::WholeRange range;
        if (!ends.is_array() || ends.as_array().size() != 2 ||
            range.low.set_str(string_of(ends.as_array()[0]), 10) != 0 ||
            range.high.set_str(string_of(ends.as_array()[1]), 10) != 0)
          mismatch("the ranges of a step");
        step.ranges[std::string(tensor)] = range;
      }
    }
    out.push_back(std::move(step));
  }
  return out;
}

json::value constants_json(const std::vector<formulation::RoundedConstant>& constants) {
  json::array out;
  for (const formulation::RoundedConstant& c : constants)
    out.push_back(json::object{{"definition", text_of(c.definition)},
                               {"exact", text_of(c.exact.get_str())},
                               {"format", text_of(std::string(name(c.format)))},
                               {"bits", text_of(fmt::format("0x{:x}", c.bits))}});
  return out;
}

std::vector<formulation::RoundedConstant> read_constants(const json::value& value) {
  std::vector<formulation::RoundedConstant> out;
  for (const json::value& item : value.as_array()) {
    formulation::RoundedConstant c;
    c.definition = string_of(item.at("definition"));
    if (c.exact.set_str(string_of(item.at("exact")), 10) != 0 || c.exact.get_den() == 0)
      mismatch("a constant's exact value");
    c.exact.canonicalize();
    const auto format = calculus::format_of(string_of(item.at("format")));
    if (!format) mismatch("a constant's format");
    c.format = *format;
    c.bits = std::stoull(string_of(item.at("bits")), nullptr, 16);
    out.push_back(std::move(c));
  }
  return out;
}

calculus::text::ConstantSource constants_of(const Program& authored) {
  return [&authored](const calculus::Declaration&,
                     const std::string& sha256) -> std::shared_ptr<const calculus::TensorData> {
    for (const calculus::Constant& c : authored.constants)
      if (sha256_hex({reinterpret_cast<const char*>(c.data->bytes.data()), c.data->bytes.size()}) == sha256)
        return c.data;
    return nullptr;
  };
}

}  // namespace hallmark::pipeline
