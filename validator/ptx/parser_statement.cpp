#include <fmt/format.h>

#include <limits>

#include "validator/ptx/parser.h"

namespace hallmark::validator::ptx {

void Parser::push_scope(Function& f) {
  Scope scope;
  scope.number = static_cast<std::uint32_t>(f.scope_parents.size());
  f.scope_parents.push_back(scopes_.empty() ? ir::none : scopes_.back().number);
  scopes_.push_back(std::move(scope));
}

void Parser::body(Function& f) {
  expect('{');
  const std::size_t outer = scopes_.size();
  // Blocks nest by an explicit stack: hostile text must not exhaust ours.
  while (true) {
    if (peek().kind == Token::Kind::end) fail("expected `}`", peek());
    if (accept('{')) {
      push_scope(f);
    } else if (accept('}')) {
      if (scopes_.size() == outer) return;
      scopes_.pop_back();
    } else {
      body_item(f);
    }
  }
}

void Parser::body_item(Function& f) {
  const Token first = peek();
  if (first.kind != Token::Kind::dotted) return statement(f);
  take();
  if (first.text == "reg") return register_declaration(f);
  if (first.text == "param") return param_declaration(f);
  if (first.text == "local") return variables(ir::Space::local, false, f.variables);
  if (first.text == "shared") return variables(ir::Space::shared, false, f.variables);
  if (first.text == "loc") return location_directive();
  if (first.text == "pragma") {
    while (!accept(';')) {
      if (peek().kind == Token::Kind::end) fail("expected `;`", peek());
      take();
    }
    return;
  }
  if (first.text == "file") return file_directive();
  refuse(fmt::format("the directive .{} is not understood here", first.text), first);
}

void Parser::register_declaration(Function& f) {
  if (peek().kind != Token::Kind::dotted) fail("expected a type", peek());
  const Token word = take();
  const auto type = type_suffix(word.text);
  if (!type) refuse(fmt::format("registers of type .{} are not understood", word.text), word);
  do {
    const Token at = peek();
    std::string name = identifier("a register name");
    if (accept('<')) {
      const std::uint64_t count = unsigned_number("a number of registers");
      expect('>');
      scopes_.back().ranges.push_back({std::move(name), count, *type});
    } else {
      if (!scopes_.back().registers.emplace(name, static_cast<std::uint32_t>(f.registers.size())).second)
        fail(fmt::format("the register {} is declared twice", name), at);
      f.registers.push_back({std::move(name), *type});
    }
  } while (accept(','));
  expect(';');
}

std::optional<std::uint32_t> Parser::find_register(Function& f, std::string_view name) {
  for (std::size_t s = scopes_.size(); s-- > 0;) {
    if (const auto found = scopes_[s].registers.find(name); found != scopes_[s].registers.end())
      return found->second;
    for (const RegisterRange& range : scopes_[s].ranges) {
      if (!name.starts_with(range.prefix)) continue;
      const std::string_view digits = name.substr(range.prefix.size());
      if (digits.empty() || digits.size() > 9 ||
          digits.find_first_not_of("0123456789") != std::string_view::npos)
        continue;
      if (digits.size() > 1 && digits[0] == '0') continue;
      if (std::stoull(std::string(digits)) >= range.count) continue;
      const auto index = static_cast<std::uint32_t>(f.registers.size());
      f.registers.push_back({std::string(name), range.type});
      scopes_[s].registers.emplace(std::string(name), index);
      return index;
    }
  }
  return std::nullopt;
}

void Parser::param_declaration(Function& f) {
  ParamVariable p;
  if (peek().is_dotted("align")) p.alignment = alignment();
  if (peek().kind != Token::Kind::dotted) fail("expected a type", peek());
  const Token word = take();
  const auto type = type_suffix(word.text);
  if (!type || type->is_packed())
    refuse(fmt::format("parameters of type .{} are not understood", word.text), word);
  p.type = *type;
  p.bytes = ir::bytes_of(type->type);
  const Token at = peek();
  p.name = identifier("a parameter name");
  if (accept('[')) {
    const std::uint64_t count = unsigned_number("a size");
    if (count == 0 || count > 1u << 20) fail("a parameter of this size cannot be", at);
    p.bytes *= static_cast<std::uint32_t>(count);
    expect(']');
  }
  expect(';');
  scopes_.back().params[p.name] = static_cast<std::uint32_t>(f.param_variables.size());
  f.param_variables.push_back(std::move(p));
}

void Parser::location_directive() {
  const auto point = [&] {
    Point p{};
    p.file = small_number("a file number");
    p.line = small_number("a line");
    p.column = small_number("a column");
    return p;
  };
  const Point here = point();
  Point shown = here;
  bool inlined = false;
  while (accept(',')) {
    const std::string word = identifier("function_name or inlined_at");
    if (word == "function_name") {
      identifier("a label");
      if (accept('+')) unsigned_number("an offset");
    } else if (word == "inlined_at") {
      const Point caller = point();
      const auto found = outermost_.find(caller);
      shown = found == outermost_.end() ? caller : found->second;
      inlined = true;
    } else {
      fail("expected function_name or inlined_at", peek());
    }
  }
  if (main_file_ == 0) main_file_ = here.file;
  if (inlined) outermost_.emplace(here, shown);
  // Inside the kernel's own file the inner line says more; code of the toolkit's headers is shown at its
  // call.
  if (here.file == main_file_) shown = here;
  loc_.source_file = shown.file;
  loc_.source_line = shown.line;
}

void Parser::statement(Function& f) {
  Statement s;
  s.scope = scopes_.back().number;
  s.place = loc_;
  s.place.line = peek().line;
  s.place.column = peek().column;
  if (accept(';')) return;
  if (accept('@')) {
    s.guard_negated = accept('!');
    const Token at = peek();
    const std::string name = identifier("a predicate register");
    s.guard = find_register(f, name);
    if (!s.guard) fail(fmt::format("the register {} is not declared", name), at, "E3102");
    if (f.registers[*s.guard].type.kind != TypeSuffix::Kind::predicate)
      fail(fmt::format("{} is no predicate", name), at);
  }
  const Token word = peek();
  s.name = identifier("an instruction");
  if (peek().is(':') && !s.guard) {
    take();
    if (accept_dotted("branchtargets")) {
      std::vector<std::string>& targets = f.branch_targets[s.name];
      do targets.push_back(identifier("a label"));
      while (accept(','));
      expect(';');
      return;
    }
    if (accept_dotted("callprototype") || accept_dotted("calltargets")) {
      while (!accept(';')) {
        if (peek().kind == Token::Kind::end) fail("expected `;`", peek());
        take();
      }
      return;
    }
    s.kind = Statement::Kind::label;
    f.statements.push_back(std::move(s));
    return;
  }
  if (word.text[0] == '%' || word.text[0] == '$') fail("expected an instruction", word);
  while (peek().kind == Token::Kind::dotted && !peek().after_space) s.suffixes.emplace_back(take().text);
  if (s.name == "call") {
    call_operands(f, s);
  } else if (!peek().is(';')) {
    do s.operands.push_back(operand(f));
    while (accept(','));
  }
  expect(';');
  f.statements.push_back(std::move(s));
}

void Parser::call_operands(Function& f, Statement& s) {
  do {
    if (accept('(')) {
      Operand group;
      group.kind = Operand::Kind::group;
      if (!accept(')')) {
        do group.elements.push_back(simple_operand(f));
        while (accept(','));
        expect(')');
      }
      s.operands.push_back(std::move(group));
    } else {
      s.operands.push_back(simple_operand(f));
    }
  } while (accept(','));
}

Operand Parser::operand(Function& f) {
  if (accept('!')) {
    Operand o = simple_operand(f);
    if (o.kind != Operand::Kind::reg) fail("expected a predicate register after `!`", peek());
    o.negated = true;
    return o;
  }
  Operand o = simple_operand(f);
  if (accept('|')) o.second.push_back(simple_operand(f));
  return o;
}

Operand Parser::simple_operand(Function& f) {
  Operand o;
  const Token at = peek();
  if (accept('{')) {
    o.kind = Operand::Kind::vector;
    do {
      if (peek().is('{') || peek().is('[')) fail("expected an element", peek());
      o.elements.push_back(simple_operand(f));
    } while (accept(','));
    expect('}');
    return o;
  }
  if (accept('[')) return address_operand(f);
  switch (at.kind) {
    case Token::Kind::float_bits:
      o.kind = Operand::Kind::f32_bits;
      o.value = take().value;
      return o;
    case Token::Kind::double_bits:
      o.kind = Operand::Kind::f64_bits;
      o.value = take().value;
      return o;
    case Token::Kind::identifier:
      return name_operand(f, take());
    default:
      break;
  }
  if (at.kind == Token::Kind::integer || at.is('-') || at.is('+')) {
    if (at.is('-') && peek(1).kind == Token::Kind::double_bits) {
      take();
      o.kind = Operand::Kind::f64_bits;
      o.value = take().value ^ (std::uint64_t{1} << 63);
      return o;
    }
    o.kind = Operand::Kind::integer;
    o.value = signed_number("a number");
    return o;
  }
  fail("expected an operand", at);
}

Operand Parser::name_operand(Function& f, const Token& token) {
  Operand o;
  if (token.text == "_") return o;
  if (const auto reg = find_register(f, token.text)) {
    o.kind = Operand::Kind::reg;
    o.number = *reg;
    if (peek().kind == Token::Kind::dotted && !peek().after_space)
      refuse("vector registers are not understood", peek());
    return o;
  }
  if (token.text[0] == '%') {
    o.kind = Operand::Kind::special;
    o.name = std::string(token.text);
    if (peek().kind == Token::Kind::dotted && !peek().after_space) o.name += fmt::format(".{}", take().text);
    return o;
  }
  for (std::size_t s = scopes_.size(); s-- > 0;)
    if (const auto found = scopes_[s].params.find(token.text); found != scopes_[s].params.end()) {
      o.kind = Operand::Kind::param;
      o.number = found->second;
      break;
    }
  if (o.kind != Operand::Kind::param) {
    o.kind = Operand::Kind::symbol;
    o.name = std::string(token.text);
  }
  if (peek().is('+') || (peek().is('-') && peek(1).kind == Token::Kind::integer))
    o.value = signed_number("an offset");
  return o;
}

Operand Parser::address_operand(Function& f) {
  Operand o;
  o.kind = Operand::Kind::address;
  if (peek().kind == Token::Kind::identifier) {
    const Token name = take();
    o.elements.push_back(name_operand(f, name));
    Operand& base = o.elements.back();
    if (base.kind == Operand::Kind::special || base.kind == Operand::Kind::sink)
      fail(fmt::format("{} is not declared", name.text), name, "E3102");
    if (base.kind == Operand::Kind::reg && (peek().is('+') || peek().is('-')))
      o.value = signed_number("an offset");
    if (base.kind != Operand::Kind::reg) std::swap(o.value, base.value);
    if (peek().is('+')) o.value += signed_number("an offset");
  } else {
    Operand base;
    base.kind = Operand::Kind::integer;
    base.value = signed_number("an address");
    o.elements.push_back(base);
  }
  if (peek().is(',')) refuse("this form of address is not understood", peek());
  expect(']');
  return o;
}

}  // namespace hallmark::validator::ptx
