#include "validator/ptx/parser.h"

#include <fmt/format.h>

#include <limits>

namespace hallmark::validator::ptx {

Parser::Parser(std::string_view text, const std::string& file)
    : text_(text), file_(file), tokens_(tokenize(text, file)) {}

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}
Token Parser::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}
bool Parser::accept(char c) {
  if (!peek().is(c)) return false;
  take();
  return true;
}
void Parser::expect(char c) {
  if (!accept(c)) fail(fmt::format("expected `{}`", c), peek());
}
bool Parser::accept_dotted(std::string_view word) {
  if (!peek().is_dotted(word)) return false;
  take();
  return true;
}
std::string Parser::identifier(const char* what) {
  if (peek().kind != Token::Kind::identifier) fail(fmt::format("expected {}", what), peek());
  return std::string(take().text);
}
std::uint64_t Parser::unsigned_number(const char* what) {
  if (peek().kind != Token::Kind::integer) fail(fmt::format("expected {}", what), peek());
  return take().value;
}
std::uint64_t Parser::signed_number(const char* what) {
  accept('+');
  const bool negative = accept('-');
  const std::uint64_t value = unsigned_number(what);
  return negative ? std::uint64_t{0} - value : value;
}
std::uint32_t Parser::small_number(const char* what) {
  const Token at = peek();
  const std::uint64_t value = unsigned_number(what);
  if (value > std::numeric_limits<std::uint32_t>::max() / 2)
    fail(fmt::format("{} {} is too large", what, value), at);
  return static_cast<std::uint32_t>(value);
}
void Parser::fail(const std::string& message, const Token& at, const char* code) const {
  const std::string seen = at.kind == Token::Kind::end
                               ? std::string("the end of the text")
                               : fmt::format("`{}{}`", at.kind == Token::Kind::dotted ? "." : "", at.text);
  fail_at<UserError>(code, fmt::format("{}, found {}", message, seen), text_, file_, at.line, at.column);
}
void Parser::refuse(const std::string& message, const Token& at) const {
  fail_at<Refusal>("E3112", message, text_, file_, at.line, at.column);
}

ModuleSyntax Parser::run() {
  if (!accept_dotted("version")) fail("expected `.version` first", peek());
  module_.version = take().text;  // the lexer reads 9.0 as one number
  while (peek().kind != Token::Kind::end) module_item();
  return std::move(module_);
}

void Parser::target() {
  do {
    const std::string name = identifier("a target");
    if (!name.starts_with("sm_") && !name.starts_with("compute_") && name != "debug" &&
        !name.starts_with("texmode"))
      fail(fmt::format("unknown target {}", name), peek());
    module_.targets.push_back(name);
  } while (accept(','));
}

void Parser::module_item() {
  const Token first = peek();
  if (accept_dotted("target")) return target();
  if (accept_dotted("address_size")) {
    if (unsigned_number("an address size") != 64) refuse("only 64-bit addresses are read", first);
    return;
  }
  if (accept_dotted("file")) return file_directive();
  if (accept_dotted("section")) return skip_section();
  if (accept_dotted("pragma")) {
    while (!accept(';')) {
      if (peek().kind == Token::Kind::end) fail("expected `;`", peek());
      take();
    }
    return;
  }
  bool external = false;
  for (;;) {
    if (accept_dotted("extern"))
      external = true;
    else if (!accept_dotted("visible") && !accept_dotted("weak") && !accept_dotted("common"))
      break;
  }
  if (accept_dotted("entry")) return function(true);
  if (accept_dotted("func")) return function(false);
  if (accept_dotted("global")) return variables(ir::Space::global, external, module_.variables);
  if (accept_dotted("const")) return variables(ir::Space::constant, external, module_.variables);
  if (accept_dotted("shared")) return variables(ir::Space::shared, external, module_.variables);
  if (accept(';')) return;
  if (peek().kind == Token::Kind::dotted)
    refuse(fmt::format("the directive .{} is not understood", peek().text), peek());
  fail("expected a directive", peek());
}

void Parser::file_directive() {
  const std::uint32_t number = small_number("a file number");
  if (peek().kind != Token::Kind::string) fail("expected a file name", peek());
  module_.files[number] = std::string(take().text);
  if (accept(',')) {  // timestamp and size
    unsigned_number("a timestamp");
    expect(',');
    unsigned_number("a size");
  }
}

void Parser::skip_section() {
  take();  // its name
  expect('{');
  while (!accept('}')) {
    if (peek().kind == Token::Kind::end) fail("expected `}`", peek());
    take();
  }
}

std::uint32_t Parser::parameter(Function& f) {
  ParamVariable p;
  const bool as_register = peek().is_dotted("reg");
  if (!as_register && !peek().is_dotted("param")) fail("expected `.param` or `.reg`", peek());
  take();
  const auto read_alignment = [&] {
    if (peek().is_dotted("align")) p.alignment = alignment();
  };
  read_alignment();
  if (peek().kind != Token::Kind::dotted) fail("expected a type", peek());
  const Token type_token = take();
  const auto type = type_suffix(type_token.text);
  if (!type || type->is_packed())
    refuse(fmt::format("parameters of type .{} are not understood", type_token.text), type_token);
  p.type = *type;
  p.bytes = ir::bytes_of(type->type);
  if (p.alignment == 1) p.alignment = p.bytes;
  if (accept_dotted("ptr")) {
    p.is_pointer = true;
    for (std::string_view space : {"const", "global", "local", "shared"}) accept_dotted(space);
    if (peek().is_dotted("align")) p.pointee_alignment = alignment();
  }
  read_alignment();
  p.name = identifier("a parameter name");
  if (accept('[')) {
    const Token at = peek();
    if (peek().is(']')) refuse("a parameter of unknown size", at);
    const std::uint64_t count = unsigned_number("a size");
    if (count == 0 || count > 1u << 20) fail("a parameter of this size cannot be", at);
    p.bytes *= static_cast<std::uint32_t>(count);
    expect(']');
  }
  if (as_register) {
    p.as_register = static_cast<std::uint32_t>(f.registers.size());
    f.registers.push_back({p.name, p.type});
    scopes_.front().registers[p.name] = p.as_register;
  }
  const auto index = static_cast<std::uint32_t>(f.param_variables.size());
  if (!scopes_.front().params.emplace(p.name, index).second)
    fail(fmt::format("two parameters are named {}", p.name), peek());
  f.param_variables.push_back(std::move(p));
  return index;
}

void Parser::parameter_list(Function& f, std::vector<std::uint32_t>& out) {
  expect('(');
  if (accept(')')) return;
  do out.push_back(parameter(f));
  while (accept(','));
  expect(')');
}

void Parser::directives(Function& f) {
  const auto triple = [&](std::array<std::uint32_t, 3>& out) {
    out = {1, 1, 1};
    for (std::size_t n = 0; n < 3; ++n) {
      out[n] = small_number("a block size");
      if (n == 2 || !accept(',')) return;
    }
  };
  while (peek().kind == Token::Kind::dotted) {
    const Token word = take();
    if (word.text == "reqntid") {
      triple(f.required_block);
    } else if (word.text == "maxntid") {
      triple(f.maximum_block);
    } else if (word.text == "minnctapersm" || word.text == "maxnctapersm" || word.text == "maxnreg" ||
               word.text == "maxclusterrank") {
      small_number("a number");
    } else if (word.text == "noreturn") {
    } else if (word.text == "pragma") {
      while (!accept(';')) {
        if (peek().kind == Token::Kind::end) fail("expected `;`", peek());
        take();
      }
    } else {
      if (!f.refused_directive) f.refused_directive = std::string(word.text);
      while (peek().kind == Token::Kind::integer || peek().is(',')) take();
    }
  }
}

void Parser::function(bool entry) {
  Function f;
  f.is_entry = entry;
  f.line = peek().line;
  f.column = peek().column;
  scopes_.clear();
  push_scope(f);
  if (!entry && peek().is('(')) parameter_list(f, f.results);
  f.name = identifier("a function name");
  if (peek().is('(')) parameter_list(f, f.parameters);
  directives(f);
  if (!accept(';')) {
    f.has_body = true;
    loc_ = ir::Place{};
    main_file_ = 0;
    outermost_.clear();
    body(f);
  }
  // A forward declaration gives way to the definition.
  for (Function& g : module_.functions)
    if (g.name == f.name) {
      if (g.has_body && f.has_body) fail(fmt::format("{} is defined twice", f.name), peek());
      if (f.has_body) g = std::move(f);
      return;
    }
  module_.functions.push_back(std::move(f));
}

ModuleSyntax parse(std::string_view text, const std::string& file) {
  return Parser(text, file).run();
}

}  // namespace hallmark::validator::ptx
