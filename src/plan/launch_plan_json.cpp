#include "base/error.h"
#include "plan/index_text.h"
#include "plan/launch_plan.h"

namespace hallmark::plan {
namespace {

using calculus::Format;
using calculus::Term;

constexpr std::string_view format_name = "hallmark-launch-plan-2";

json::value term_json(Term term) {
  return term != nullptr ? json::value(index_text(term)) : json::value(nullptr);
}

json::array terms_json(const std::vector<Term>& terms) {
  json::array out;
  for (Term term : terms) out.push_back(term_json(term));
  return out;
}

json::array strings_json(const std::vector<std::string>& strings) {
  json::array out;
  for (const std::string& s : strings) out.push_back(json::value(s));
  return out;
}

json::object buffer_json(const PlannedBuffer& buffer) {
  return {{"name", buffer.declaration.name},
          {"format", std::string(calculus::name(buffer.declaration.format))},
          {"extents", terms_json(buffer.declaration.extents)},
          {"role", std::string(name(buffer.role))},
          {"arena_offset", term_json(buffer.arena_offset)}};
}

json::object launch_json(const PlannedLaunch& launch) {
  json::array arguments;
  for (const Argument& argument : launch.arguments) {
    json::object one{{"parameter", argument.parameter}};
    if (argument.scalar != nullptr) {
      one["scalar"] = index_text(argument.scalar);
      one["format"] = std::string(calculus::name(argument.scalar_format));
    } else {
      one["buffer"] = argument.buffer;
    }
    arguments.push_back(std::move(one));
  }
  return {{"kernel", launch.kernel},
          {"source", launch.source},
          {"source_sha256", launch.source_sha256},
          {"binary", launch.binary},
          {"binary_sha256", launch.binary_sha256},
          {"grid", terms_json({launch.grid[0], launch.grid[1], launch.grid[2]})},
          {"block", terms_json({launch.block[0], launch.block[1], launch.block[2]})},
          {"dynamic_shared_bytes", term_json(launch.dynamic_shared_bytes)},
          {"arguments", std::move(arguments)},
          {"computes", strings_json(launch.computes)},
          {"prepare", launch.prepare}};
}

// Typed access; every mismatch is the same error with the key's name.
[[noreturn]] void wrong(std::string_view key, std::string_view expected) {
  throw UserError("E7102", "launch plan: '" + std::string(key) + "' should be " + std::string(expected));
}

const json::object& object_of(const json::value& value, std::string_view what) {
  if (!value.is_object()) wrong(what, "an object");
  return value.get_object();
}

const json::value& member(const json::object& object, std::string_view key) {
  const auto* found = object.if_contains(key);
  if (found == nullptr) wrong(key, "present");
  return *found;
}

std::string string_of(const json::object& object, std::string_view key) {
  const json::value& value = member(object, key);
  if (!value.is_string()) wrong(key, "a string");
  return std::string(value.get_string());
}

const json::array& array_of(const json::object& object, std::string_view key) {
  const json::value& value = member(object, key);
  if (!value.is_array()) wrong(key, "an array");
  return value.get_array();
}

using Symbols = std::vector<calculus::SymbolRange>;

Term term_of(const json::value& value, std::string_view key, const Symbols& symbols) {
  if (value.is_null()) return nullptr;
  if (!value.is_string()) wrong(key, "an index term or null");
  return parse_index(std::string_view(value.get_string()), symbols);
}

std::vector<Term> terms_of(const json::object& object, std::string_view key, const Symbols& symbols) {
  std::vector<Term> out;
  for (const json::value& value : array_of(object, key)) {
    out.push_back(term_of(value, key, symbols));
    if (out.back() == nullptr) wrong(key, "an array of index terms");
  }
  return out;
}

void triple_of(const json::object& object, std::string_view key, const Symbols& symbols, Term (&out)[3]) {
  const json::array& values = array_of(object, key);
  if (values.size() != 3) wrong(key, "three index terms or nulls");
  for (std::size_t i = 0; i < 3; ++i) out[i] = term_of(values[i], key, symbols);
}

Format format_of_member(const json::object& object, std::string_view key) {
  const auto format = calculus::format_of(string_of(object, key));
  if (!format) wrong(key, "an element format");
  return *format;
}

PlannedBuffer buffer_of(const json::value& value, const Symbols& symbols) {
  const json::object& object = object_of(value, "buffers");
  PlannedBuffer buffer;
  buffer.declaration = {string_of(object, "name"), format_of_member(object, "format"),
                        terms_of(object, "extents", symbols)};
  const std::string role = string_of(object, "role");
  bool known = false;
  for (const Role candidate : {Role::input, Role::constant, Role::output, Role::arena, Role::prepared})
    if (role == name(candidate)) {
      buffer.role = candidate;
      known = true;
    }
  if (!known) wrong("role", "input, constant, output, arena or prepared");
  buffer.arena_offset = term_of(member(object, "arena_offset"), "arena_offset", symbols);
  return buffer;
}

PlannedLaunch launch_of(const json::value& value, const Symbols& symbols) {
  const json::object& object = object_of(value, "launches");
  PlannedLaunch launch;
  launch.kernel = string_of(object, "kernel");
  launch.source = string_of(object, "source");
  launch.source_sha256 = string_of(object, "source_sha256");
  launch.binary = string_of(object, "binary");
  launch.binary_sha256 = string_of(object, "binary_sha256");
  triple_of(object, "grid", symbols, launch.grid);
  triple_of(object, "block", symbols, launch.block);
  launch.dynamic_shared_bytes =
      term_of(member(object, "dynamic_shared_bytes"), "dynamic_shared_bytes", symbols);
  for (const json::value& item : array_of(object, "arguments")) {
    const json::object& source = object_of(item, "arguments");
    Argument argument;
    argument.parameter = string_of(source, "parameter");
    if (source.if_contains("scalar") != nullptr) {
      argument.scalar = parse_index(string_of(source, "scalar"), symbols);
      argument.scalar_format = format_of_member(source, "format");
    } else {
      argument.buffer = string_of(source, "buffer");
    }
    launch.arguments.push_back(std::move(argument));
  }
  for (const json::value& item : array_of(object, "computes")) {
    if (!item.is_string()) wrong("computes", "an array of strings");
    launch.computes.emplace_back(item.get_string());
  }
  const json::value& prepare = member(object, "prepare");
  if (!prepare.is_bool()) wrong("prepare", "true or false");
  launch.prepare = prepare.get_bool();
  return launch;
}

}  // namespace

json::value to_json(const LaunchPlan& plan) {
  json::array symbols, buffers, launches, edges;
  for (const calculus::SymbolRange& range : plan.symbols)
    symbols.push_back(
        json::object{{"name", range.name},
                     {"low", range.low.get_str()},
                     {"high", range.high ? json::value(range.high->get_str()) : json::value(nullptr)}});
  for (const PlannedBuffer& buffer : plan.buffers) buffers.push_back(buffer_json(buffer));
  for (const PlannedLaunch& launch : plan.launches) launches.push_back(launch_json(launch));
  for (const auto& [earlier, later] : plan.edges) edges.push_back(json::array{earlier, later});
  return json::object{{"format", std::string(format_name)},
                      {"symbols", std::move(symbols)},
                      {"requirements", terms_json(plan.requirements)},
                      {"buffers", std::move(buffers)},
                      {"arena_bytes", term_json(plan.arena_bytes)},
                      {"launches", std::move(launches)},
                      {"edges", std::move(edges)}};
}

LaunchPlan launch_plan_from_json(const json::value& value) {
  const json::object& object = object_of(value, "launch plan");
  if (string_of(object, "format") != format_name) wrong("format", std::string(format_name));
  LaunchPlan plan;
  const auto integer_of = [](const std::string& text, std::string_view key) {
    Integer result;
    if (result.set_str(text, 10) != 0) wrong(key, "an integer in a string");
    return result;
  };
  for (const json::value& item : array_of(object, "symbols")) {
    const json::object& source = object_of(item, "symbols");
    calculus::SymbolRange range{string_of(source, "name"), integer_of(string_of(source, "low"), "low"), {}};
    if (!member(source, "high").is_null()) range.high = integer_of(string_of(source, "high"), "high");
    plan.symbols.push_back(std::move(range));
  }
  plan.requirements = terms_of(object, "requirements", plan.symbols);
  for (const json::value& item : array_of(object, "buffers"))
    plan.buffers.push_back(buffer_of(item, plan.symbols));
  plan.arena_bytes = term_of(member(object, "arena_bytes"), "arena_bytes", plan.symbols);
  for (const json::value& item : array_of(object, "launches"))
    plan.launches.push_back(launch_of(item, plan.symbols));
  for (const json::value& item : array_of(object, "edges")) {
    const auto index = [&](const json::value& v) -> std::size_t {
      if (v.is_uint64()) return v.get_uint64();
      if (v.is_int64() && v.get_int64() >= 0) return static_cast<std::size_t>(v.get_int64());
      wrong("edges", "pairs of launch numbers");
    };
    if (!item.is_array() || item.get_array().size() != 2) wrong("edges", "pairs of launch numbers");
    plan.edges.emplace_back(index(item.get_array()[0]), index(item.get_array()[1]));
  }
  if (const std::string why = malformed(plan); !why.empty()) throw UserError("E7102", "launch plan: " + why);
  return plan;
}

}  // namespace hallmark::plan
