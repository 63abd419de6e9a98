#include <set>

#include "base/error.h"
#include "lowering/comment.h"
#include "lowering/kernel.h"
#include "lowering/names.h"

namespace hallmark::lowering {

using namespace calculus;

namespace {

void collect_symbols(Term term, std::set<std::string>& out) {
  for_each_node(term, [&](Term node) {
    if (node->kind == Kind::symbol) out.insert(node->name);
  });
}

std::vector<const Function*> functions_of(Term value, const Program& program) {
  std::set<std::string> used;
  const std::function<void(Term)> collect = [&](Term term) {
    for_each_node(term, [&](Term node) {
      if (node->kind != Kind::operation || node->op != Op::custom || !used.insert(node->name).second) return;
      for (const Function& function : program.functions)
        if (function.name == node->name) collect(function.body);
    });
  };
  collect(value);
  std::vector<const Function*> out;
  for (const Function& function : program.functions)
    if (used.count(function.name) != 0) out.push_back(&function);
  ensure(out.size() == used.size(), "a formulation calls a function that it does not define");
  return out;
}

void write_function(const Function& function, std::vector<Line>& lines) {
  Writer writer({}, {});
  writer.set_definition({});
  std::string parameters;
  for (Term parameter : function.parameters) {
    const std::string name = identifier(parameter->name);
    writer.bind_element(parameter, name);
    parameters += (parameters.empty() ? "" : ", ") + ("const " + value_type(parameter->sort)) + " " + name;
  }
  writer.open("__device__ __forceinline__ " + value_type(function.body->sort) + " " + function.name + "(" +
              parameters + ")");
  writer.enter({function.body});
  const std::string result = writer.value(function.body);
  writer.line("return " + result + ";");
  writer.leave();
  writer.close();
  writer.line("");
  for (Line& line : writer.take()) lines.push_back(std::move(line));
}

}  // namespace

Signature::Signature(const KernelRequest& request) : request_(request) {
  const Program& program = *request.formulation;
  const std::string& output = request.definition->declaration.name;
  std::set<std::string> seen;
  std::set<std::string> symbols;
  for_each_node(request.value, [&](Term node) {
    if (node->kind == Kind::load && seen.insert(node->name).second) reads_.push_back(node->name);
  });
  for (const std::string& input : request.inputs)
    if (seen.insert(input).second) reads_.push_back(input);
  NameSet names;
  for (const Function& function : program.functions) names.unique(function.name);
  names.unique(request.kernel);
  const auto declare = [&](const Declaration& declaration) {
    tensors_.emplace(declaration.name, declaration);
    parameters_.emplace(declaration.name, names.unique(identifier(declaration.name)));
    // Only loads of rank two and more need extents, but a symbol in them belongs to the statement either way.
    for (Term extent : declaration.extents) collect_symbols(extent, symbols);
  };
  for (const std::string& read : reads_) declare(*find_declaration(program, read));
  declare(*find_declaration(program, output));
  collect_symbols(request.value, symbols);
  for (const std::string& symbol : symbols) {
    symbols_.push_back(symbol);
    symbol_names_.emplace(symbol, names.unique(identifier(symbol)));
  }
}

Writer Signature::writer() const {
  Writer writer(tensors_, parameters_);
  writer.set_definition(request_.definition->declaration.name);
  for (const auto& [symbol, text] : symbol_names_) {
    Range range{Integer(0), Integer(power_of_two(32) - 1)};
    for (const SymbolRange& known : request_.formulation->symbols) {
      if (known.name != symbol) continue;
      range.low = known.low;
      if (known.high) range.high = known.high;
    }
    writer.bind_index(calculus::symbol(symbol), text, range);
  }
  return writer;
}

std::vector<plan::Argument> Signature::arguments() const {
  std::vector<plan::Argument> out;
  for (const std::string& read : reads_) out.push_back({parameters_.at(read), read, nullptr, Format::u32});
  const std::string& output_name = request_.definition->declaration.name;
  out.push_back({parameters_.at(output_name), output_name, nullptr, Format::u32});
  for (const std::string& symbol : symbols_)
    out.push_back({symbol_names_.at(symbol), {}, calculus::symbol(symbol), Format::u32});
  return out;
}

std::vector<Line> Signature::head(const std::string& schedule) const {
  std::vector<Line> lines;
  const auto add = [&](const std::string& text) { lines.push_back({text, {}}); };
  const Definition& definition = *request_.definition;
  add("// " + harmless(request_.kernel + ": " + definition.declaration.name + ", " + schedule + "."));
  for (const std::string& name : request_.fused)
    for (const std::string& text :
         definition_comment(*request_.formulation, *find_definition(*request_.formulation, name)))
      add(text);
  add("");
  for (const Function* function : functions_of(request_.value, *request_.formulation))
    write_function(*function, lines);
  std::vector<std::string> parameters;
  for (const std::string& read : reads_)
    parameters.push_back("const " + storage_type(tensors_.at(read).format) + "* __restrict__ " +
                         parameters_.at(read));
  parameters.push_back(storage_type(definition.declaration.format) + "* __restrict__ " + output());
  for (const std::string& symbol : symbols_)
    parameters.push_back("const unsigned " + symbol_names_.at(symbol));
  std::string text = "extern \"C\" __global__ void " + request_.kernel + "(";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string part = parameters[i] + (i + 1 < parameters.size() ? "," : ") {");
    if (text.size() + part.size() + 1 > 108) {
      add(text);
      text = "    " + part;
    } else {
      text += (i > 0 ? " " : "") + part;
    }
  }
  add(text);
  return lines;
}

}  // namespace hallmark::lowering
