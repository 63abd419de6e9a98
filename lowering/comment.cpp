#include "lowering/comment.h"

#include "calculus/text/text.h"

namespace hallmark::lowering {

using namespace calculus;

namespace {

constexpr std::size_t width = 108;

// Breaks text at spaces; every line but the first is indented a little more.
std::vector<std::string> wrapped(const std::string& text) {
  std::vector<std::string> lines;
  std::string line = "// ";
  std::size_t at = 0;
  bool empty = true;
  while (at < text.size()) {
    std::size_t end = text.find_first_of(" \n", at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    if (!word.empty()) {
      if (!empty && line.size() + 1 + word.size() > width) {
        lines.push_back(line);
        line = "//     ";
        empty = true;
      }
      line += (empty ? "" : " ") + word;
      empty = false;
    }
    at = end + 1;
  }
  if (!empty) lines.push_back(line);
  return lines;
}

}  // namespace

std::string harmless(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool fine = (c >= ' ' && c <= '~' && c != '\\') || c == '\n';
    out += fine ? c : '?';
  }
  return out;
}

std::vector<std::string> definition_comment(const Program& formulation, const Definition& definition) {
  text::Scope scope;
  scope.rounded = true;
  scope.number_sort =
      definition.body->sort.kind == Sort::Kind::boolean ? Sort::floating(Format::f32) : definition.body->sort;
  for (const SymbolRange& range : formulation.symbols) scope.names.emplace(range.name, symbol(range.name));
  for (const Function& function : formulation.functions) {
    text::FunctionType type{{}, function.body->sort};
    for (Term parameter : function.parameters) type.parameters.push_back(parameter->sort);
    scope.functions.emplace(function.name, type);
  }
  const auto declare = [&](const Declaration& d) {
    scope.tensors.emplace(d.name, text::TensorType{d.format, d.extents.size()});
  };
  for (const Declaration& input : formulation.inputs) declare(input);
  for (const Constant& constant : formulation.constants) declare(constant.declaration);
  for (const Definition& d : formulation.definitions) declare(d.declaration);
  std::vector<std::string> axes;
  std::string head = definition.declaration.name + "[";
  for (std::size_t d = 0; d < definition.declaration.extents.size(); ++d) {
    axes.push_back("i" + std::to_string(d));
    head += (d > 0 ? ", " : "") + axes.back() + " < " +
            text::print_term(definition.declaration.extents[d], scope);
  }
  head += "]";
  if (!definition.origin.empty()) head += " of " + definition.origin;
  return wrapped(harmless(head + " = " + text::print_term(definition.body, scope, axes)));
}

}  // namespace hallmark::lowering
