#include "validator/ptx/inline.h"

#include <fmt/format.h>

#include <algorithm>

#include "validator/ptx/lexer.h"

namespace hallmark::validator::ptx {

void Context::refuse(const ir::Place& place, const std::string& message, const char* code) const {
  fail_at<Refusal>(code, message, text, file, place.line, place.column, "kernel " + kernel);
}
void Context::reject(const ir::Place& place, const std::string& message, const char* code) const {
  fail_at<UserError>(code, message, text, file, place.line, place.column, "kernel " + kernel);
}

std::string opcode_text(const Statement& s) {
  std::string text = s.name;
  for (const std::string& suffix : s.suffixes) text += "." + suffix;
  return text;
}

namespace {

constexpr std::size_t most_statements = 500'000;

class Inliner {
 public:
  Inliner(const ModuleSyntax& module, const Context& context) : module_(module), context_(context) {}

  Function run(const Function& entry) {
    Function flat;
    flat.name = entry.name;
    flat.is_entry = true;
    flat.parameters = entry.parameters;
    flat.required_block = entry.required_block;
    flat.maximum_block = entry.maximum_block;
    std::vector<std::uint32_t> bound;
    for (std::size_t n = 0; n < entry.parameters.size(); ++n) {
      bound.push_back(static_cast<std::uint32_t>(n));
      flat.param_variables.push_back(entry.param_variables[entry.parameters[n]]);
    }
    copy(flat, entry, bound, {}, true);
    return flat;
  }

 private:
  // `bound`: for the leading .param variables of the callee (results, then parameters, in declaration order)
  // the caller's variables.
  void copy(Function& flat, const Function& f, const std::vector<std::uint32_t>& bound,
            const ir::Place& call_place, bool is_entry) {
    if (std::find(active_.begin(), active_.end(), &f) != active_.end())
      context_.refuse(call_place, fmt::format("the function {} calls itself", f.name), "E3113");
    active_.push_back(&f);
    if (f.refused_directive)
      context_.refuse(is_entry ? place_of(f) : call_place,
                      fmt::format("the directive .{} of {} is not understood", *f.refused_directive, f.name),
                      "E3112");
    const auto registers = static_cast<std::uint32_t>(flat.registers.size());
    const auto scopes = static_cast<std::uint32_t>(flat.scope_parents.size());
    flat.registers.insert(flat.registers.end(), f.registers.begin(), f.registers.end());
    for (std::uint32_t parent : f.scope_parents)
      flat.scope_parents.push_back(parent == ir::none ? ir::none : parent + scopes);
    std::vector<std::uint32_t> params = bound;
    for (std::size_t n = bound.size(); n < f.param_variables.size(); ++n) {
      params.push_back(static_cast<std::uint32_t>(flat.param_variables.size()));
      flat.param_variables.push_back(f.param_variables[n]);
    }
    // Arrays of a function are its own, whatever others are called alike: local ones of each copy, shared
    // ones of all copies together. `names` maps the function's to the flat one.
    std::map<std::string, std::string> names;
    for (const Variable& v : f.variables) {
      Variable renamed = v;
      const bool is_shadow =
          std::any_of(module_.variables.begin(), module_.variables.end(),
                      [&](const Variable& other) { return other.array.name == v.array.name; });
      if (!is_entry && v.array.space == ir::Space::local)
        renamed.array.name += fmt::format("#{}", copies_);
      else if (!v.is_external && (!is_entry || is_shadow))
        renamed.array.name += "#" + f.name;
      names[v.array.name] = renamed.array.name;
      const bool known =
          std::any_of(flat.variables.begin(), flat.variables.end(),
                      [&](const Variable& other) { return other.array.name == renamed.array.name; });
      if (!known) flat.variables.push_back(std::move(renamed));
    }
    ++copies_;
    const auto rename = [&](Operand& o, const auto& self) -> void {
      if (o.kind == Operand::Kind::reg) o.number += registers;
      if (o.kind == Operand::Kind::param) o.number = params[o.number];
      if (o.kind == Operand::Kind::symbol)
        if (const auto found = names.find(o.name); found != names.end()) o.name = found->second;
      for (Operand& e : o.elements) self(e, self);
      for (Operand& e : o.second) self(e, self);
    };
    for (const Statement& original : f.statements) {
      if (flat.statements.size() > most_statements)
        context_.refuse(original.place, "the kernel grows too large by inlining", "E3113");
      Statement s = original;
      s.scope += scopes;
      if (s.guard) *s.guard += registers;
      for (Operand& o : s.operands) rename(o, rename);
      if (s.kind == Statement::Kind::instruction && s.name == "call") {
        call(flat, s, scopes);
      } else if (s.kind == Statement::Kind::instruction && s.name == "ret" && !is_entry) {
        s.name = "bra";
        s.suffixes.clear();
        s.operands = {label_operand(return_label)};
        flat.statements.push_back(std::move(s));
      } else if (s.kind == Statement::Kind::instruction && s.name == "brx") {
        flat.statements.push_back(with_targets(std::move(s), f));
      } else {
        flat.statements.push_back(std::move(s));
      }
    }
    if (!is_entry) flat.statements.push_back(label_statement(return_label, scopes, call_place));
    active_.pop_back();
  }

  static constexpr const char* return_label = "$return";

  static ir::Place place_of(const Function& f) {
    ir::Place place;
    place.line = f.line;
    place.column = f.column;
    return place;
  }
  static Operand label_operand(const std::string& name) {
    Operand o;
    o.kind = Operand::Kind::symbol;
    o.name = name;
    return o;
  }
  static Statement label_statement(const std::string& name, std::uint32_t scope, const ir::Place& place) {
    Statement s;
    s.kind = Statement::Kind::label;
    s.name = name;
    s.scope = scope;
    s.place = place;
    return s;
  }

  Statement with_targets(Statement s, const Function& f) const {
    if (s.operands.size() == 2 && s.operands[1].kind == Operand::Kind::symbol) {
      const auto found = f.branch_targets.find(s.operands[1].name);
      if (found == f.branch_targets.end())
        context_.reject(s.place, fmt::format("{} is no list of branch targets", s.operands[1].name), "E3102");
      Operand list;
      list.kind = Operand::Kind::vector;
      for (const std::string& target : found->second) list.elements.push_back(label_operand(target));
      s.operands[1] = std::move(list);
    }
    return s;
  }

  void call(Function& flat, Statement& s, std::uint32_t root_scope) {
    for (const std::string& suffix : s.suffixes)
      if (suffix != "uni")
        context_.refuse(s.place, fmt::format("{} is not understood", opcode_text(s)), "E3113");
    std::size_t at = 0;
    std::vector<Operand> actual_results, actual_parameters;
    if (at < s.operands.size() && s.operands[at].kind == Operand::Kind::group)
      actual_results = s.operands[at++].elements;
    if (at == s.operands.size()) context_.reject(s.place, "a call without a function");
    const Operand target = s.operands[at++];
    if (target.kind != Operand::Kind::symbol)
      context_.refuse(s.place, "indirect calls are not understood", "E3113");
    if (at < s.operands.size() && s.operands[at].kind == Operand::Kind::group)
      actual_parameters = s.operands[at++].elements;
    if (at != s.operands.size()) context_.refuse(s.place, "indirect calls are not understood", "E3113");
    if (target.name ==
        "__assertfail") {  // a failed assert() ends the grid (CUDA C++ Programming Guide, 10.22)
      s.name = "trap";
      s.suffixes.clear();
      s.operands.clear();
      flat.statements.push_back(s);
      return;
    }
    const auto callee = std::find_if(module_.functions.begin(), module_.functions.end(),
                                     [&](const Function& f) { return f.name == target.name && !f.is_entry; });
    if (callee == module_.functions.end())
      context_.reject(s.place, fmt::format("the function {} is not declared", target.name), "E3102");
    if (!callee->has_body)
      context_.refuse(s.place, fmt::format("the function {} has no body here", target.name), "E3113");
    const Function& f = *callee;
    if (actual_results.size() != f.results.size() || actual_parameters.size() != f.parameters.size())
      context_.reject(s.place, fmt::format("a wrong number of arguments for {}", f.name));
    std::vector<std::uint32_t> bound(f.results.size() + f.parameters.size(), ir::none);
    const auto bind = [&](std::uint32_t formal, const Operand& actual) {
      const ParamVariable& p = f.param_variables[formal];
      if (p.as_register != ir::none || actual.kind != Operand::Kind::param || actual.value != 0)
        context_.refuse(s.place, "arguments in registers are not understood", "E3113");
      if (p.bytes != flat.param_variables[actual.number].bytes)
        context_.reject(s.place, fmt::format("an argument of {} has a wrong size", f.name));
      bound.at(formal) = actual.number;
    };
    // Arguments are values: nothing of the call may be seen in a variable that it reads from.
    for (const Operand& result : actual_results)
      for (const Operand& argument : actual_parameters)
        if (result.kind == Operand::Kind::param && argument.kind == Operand::Kind::param &&
            result.number == argument.number)
          context_.refuse(s.place, "a variable that is an argument and a result of one call", "E3113");
    for (const Statement& inside : f.statements)
      if (inside.name == "st" && !inside.operands.empty() &&
          inside.operands[0].kind == Operand::Kind::address &&
          inside.operands[0].elements[0].kind == Operand::Kind::param)
        for (const std::uint32_t parameter : f.parameters)
          if (inside.operands[0].elements[0].number == parameter)
            context_.reject(inside.place, fmt::format("{} stores to its own parameter", f.name));
    for (std::size_t n = 0; n < f.results.size(); ++n) bind(f.results[n], actual_results[n]);
    for (std::size_t n = 0; n < f.parameters.size(); ++n) bind(f.parameters[n], actual_parameters[n]);

    std::string skip;
    if (s.guard) {
      skip = fmt::format("$skip{}", copies_);
      Statement jump;
      jump.name = "bra";
      jump.guard = s.guard;
      jump.guard_negated = !s.guard_negated;
      jump.operands = {label_operand(skip)};
      jump.scope = root_scope;
      jump.place = s.place;
      flat.statements.push_back(std::move(jump));
    }
    // A function that returns without a result gives none: what the variable held before is not it.
    for (const Operand& result : actual_results) {
      Statement undefine;
      undefine.name = "$undefined";
      undefine.operands = {result};
      undefine.scope = root_scope;
      undefine.place = s.place;
      flat.statements.push_back(std::move(undefine));
    }
    copy(flat, f, bound, s.place, false);
    if (s.guard) flat.statements.push_back(label_statement(skip, root_scope, s.place));
  }

  const ModuleSyntax& module_;
  const Context& context_;
  std::vector<const Function*> active_;
  unsigned copies_ = 0;
};

}  // namespace

Function flatten(const ModuleSyntax& module, const Function& entry, const Context& context) {
  return Inliner(module, context).run(entry);
}

}  // namespace hallmark::validator::ptx
