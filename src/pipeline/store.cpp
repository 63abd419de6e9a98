#include "pipeline/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/sha256.h"
#include "bundle/layout.h"
#include "calculus/text/text.h"

namespace hallmark::pipeline {
namespace {

using calculus::Program;

constexpr const char* contract_file = "1-model/contract.toml";
constexpr const char* program_file = "1-model/program.hm";
constexpr const char* elected_file = "3-selection/elected.hm";
constexpr const char* formulation_file = "3-selection/formulation.hm";
constexpr const char* constants_file = "3-selection/constants.json";
constexpr const char* steps_file = "3-selection/steps.json";
constexpr const char* rules_file = "3-selection/rules.hm";
constexpr const char* launch_file = "4-artifact/launch.json";
constexpr const char* ptx_file = "4-artifact/kernels.ptx";
constexpr const char* compiler_file = "4-artifact/compiler.json";

json::string text_of(const std::string& s) {
  return json::string(s.data(), s.size());
}
std::string string_of(const json::value& v) {
  return std::string(v.as_string().data(), v.as_string().size());
}

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

json::value steps_json(const Evidence& e) {
  json::array out;
  for (const search::Step& step : e.steps)
    out.push_back(json::object{
        {"rule", text_of(step.rule)},
        {"rule_sha256", text_of(step.rule_digest)},
        {"left", text_of(calculus::text::print_program(side_program(step, step.left, e.authored)))},
        {"right", text_of(calculus::text::print_program(side_program(step, step.right, e.authored)))}});
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

[[noreturn]] void mismatch(const std::string& what) {
  throw UserError("E7401", "the bundle's parts do not fit together: " + what);
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

std::vector<formulation::RoundedConstant> read_constants(const json::value& value) {
  std::vector<formulation::RoundedConstant> out;
  for (const json::value& item : value.as_array()) {
    formulation::RoundedConstant c;
    c.definition = string_of(item.at("definition"));
    if (c.exact.set_str(string_of(item.at("exact")), 10) != 0) mismatch("a constant's exact value");
    c.exact.canonicalize();
    const auto format = calculus::format_of(string_of(item.at("format")));
    if (!format) mismatch("a constant's format");
    c.format = *format;
    c.bits = std::stoull(string_of(item.at("bits")), nullptr, 16);
    out.push_back(std::move(c));
  }
  return out;
}

std::vector<search::Step> read_steps(const json::value& value) {
  std::vector<search::Step> out;
  for (const json::value& item : value.as_array()) {
    search::Step step;
    step.rule = string_of(item.at("rule"));
    step.rule_digest = string_of(item.at("rule_sha256"));
    const Program left = calculus::text::parse_program(string_of(item.at("left")), steps_file);
    const Program right = calculus::text::parse_program(string_of(item.at("right")), steps_file);
    step.tensors = left.inputs;
    step.left = left.definitions;
    step.right = right.definitions;
    out.push_back(std::move(step));
  }
  return out;
}

}  // namespace

Authored import_with_contract(std::string_view bytes, bool is_text, contract::Contract contract) {
  model::Options options;
  for (const auto& [name, range] : contract.dimensions)
    options.dimensions[name] = {name, range.low, range.high};
  Authored out;
  out.model = model::import_bytes(bytes, is_text, options);
  contract::validate(contract, out.model.program);
  out.contract = contract::complete(std::move(contract), out.model.program);
  return out;
}

std::map<std::string, std::string> store(bundle::BundleWriter& writer, const Evidence& e,
                                         const std::string& model_file, std::string_view model_bytes,
                                         const json::value& line_map) {
  const std::string model_path = "1-model/" + model_file;
  writer.add_file(model_path, model_bytes);
  writer.add_file(program_file, calculus::text::print_program(e.authored));
  writer.add_file(contract_file, contract::print(e.contract));
  writer.add_file(elected_file, calculus::text::print_program(e.elected));
  writer.add_file(formulation_file, calculus::text::print_program(e.formulation.program));
  writer.add_file(constants_file, canonical_json(constants_json(e.formulation.constants)));
  writer.add_file(steps_file, canonical_json(steps_json(e)));
  if (!e.rules.empty()) {
    std::string text = "hallmark 1\n";
    for (const rules::RuleFamily& family : e.rules) text += "\n" + family.text;
    writer.add_file(rules_file, text);
  }
  for (const auto& [name, text] : e.cuda) writer.add_file("4-artifact/" + name, text);
  writer.add_file(launch_file, canonical_json(plan::to_json(e.plan)));
  writer.add_file("4-artifact/map.json", canonical_json(line_map));
  if (e.ptx.reason == Reason::none) writer.add_file(ptx_file, e.ptx.text);
  json::array options;
  for (const std::string& option : e.ptx.options) options.push_back(text_of(option));
  writer.add_file(compiler_file,
                  canonical_json(json::object{{"compiler", text_of(e.ptx.compiler)},
                                              {"options", options},
                                              {"reason", text_of(std::string(name(e.ptx.reason)))},
                                              {"detail", text_of(e.ptx.detail)}}));
  return {{"model", model_path},
          {"contract", contract_file},
          {"plan", formulation_file},
          {"launch", launch_file}};
}

Evidence restore(const bundle::OpenBundle& bundle) {
  Evidence e;
  std::string model_path;
  if (bundle.receipt) {
    const auto role = bundle.receipt->identities.roles.find("model");
    if (role != bundle.receipt->identities.roles.end()) model_path = role->second;
  }
  if (model_path.empty()) mismatch("the receipt names no model");
  const bool is_text = model_path.size() > 8 && model_path.rfind(".onnxtxt") == model_path.size() - 8;
  const Authored authored = import_with_contract(bundle.read(model_path), is_text,
                                                 contract::parse(bundle.read(contract_file), contract_file));
  e.authored = authored.model.program;
  e.contract = authored.contract;
  if (calculus::text::print_program(e.authored) != bundle.read(program_file))
    mismatch("the model does not give program.hm");
  const auto constants = constants_of(e.authored);
  e.elected = calculus::text::parse_program(bundle.read(elected_file), elected_file, constants);
  e.formulation.program =
      calculus::text::parse_program(bundle.read(formulation_file), formulation_file, constants);
  e.formulation.constants = read_constants(parse_json(bundle.read(constants_file), constants_file));
  e.steps = read_steps(parse_json(bundle.read(steps_file), steps_file));
  const auto has = [&](const char* path) { return bundle.listing.files.count(path) != 0; };
  if (has(rules_file)) e.rules = rules::parse_rules(bundle.read(rules_file), rules_file);
  e.plan = plan::launch_plan_from_json(parse_json(bundle.read(launch_file), launch_file));
  for (const plan::PlannedLaunch& launch : e.plan.launches) {
    const std::string text = bundle.read("4-artifact/" + launch.source);
    if (sha256_hex(text) != launch.source_sha256)
      mismatch("launch.json names another text of " + launch.source);
    if (std::none_of(e.cuda.begin(), e.cuda.end(), [&](const auto& f) { return f.first == launch.source; }))
      e.cuda.push_back({launch.source, text});
  }
  const json::value compiler = parse_json(bundle.read(compiler_file), compiler_file);
  e.ptx.compiler = string_of(compiler.at("compiler"));
  for (const json::value& option : compiler.at("options").as_array())
    e.ptx.options.push_back(string_of(option));
  const auto reason = reason_of(string_of(compiler.at("reason")));
  if (!reason) mismatch("compiler.json has an unknown reason");
  e.ptx.reason = *reason;
  e.ptx.detail = string_of(compiler.at("detail"));
  if (e.ptx.reason == Reason::none) {
    e.ptx.text = bundle.read(ptx_file);
    for (const plan::PlannedLaunch& launch : e.plan.launches)
      if (launch.binary_sha256 != sha256_hex(e.ptx.text)) mismatch("launch.json names another PTX");
  }
  return e;
}

}  // namespace hallmark::pipeline
