#include <fmt/format.h>

#include <bit>

#include "validator/ptx/parser.h"

namespace hallmark::validator::ptx {

namespace {
constexpr std::uint64_t largest_initialised_variable = std::uint64_t{1} << 26;
}

std::uint32_t Parser::alignment() {
  take();  // .align
  const Token at = peek();
  const std::uint64_t value = unsigned_number("an alignment");
  if (!std::has_single_bit(value) || value > 1u << 20) fail("an alignment is a power of two", at);
  return static_cast<std::uint32_t>(value);
}

void Parser::variables(ir::Space space, bool is_external, std::vector<Variable>& out) {
  std::uint32_t align = 0;
  unsigned vector = 1;
  std::optional<TypeSuffix> type;
  while (!type) {
    if (peek().is_dotted("align")) {
      align = alignment();
    } else if (peek().is_dotted("attribute")) {
      take();
      expect('(');
      while (!accept(')')) {
        if (peek().kind == Token::Kind::end) fail("expected `)`", peek());
        take();
      }
    } else if (accept_dotted("v2")) {
      vector = 2;
    } else if (accept_dotted("v4")) {
      vector = 4;
    } else if (peek().kind == Token::Kind::dotted) {
      const Token word = take();
      type = type_suffix(word.text);
      if (!type || type->is_packed())
        refuse(fmt::format("variables of type .{} are not understood", word.text), word);
    } else {
      fail("expected a type", peek());
    }
  }
  if (peek().is_dotted("align")) align = alignment();
  do {
    Variable v;
    v.is_external = is_external;
    v.array.space = space;
    v.array.alignment = align != 0 ? align : ir::bytes_of(type->type) * vector;
    v.array.name = identifier("a variable name");
    v.array.bytes = std::uint64_t{ir::bytes_of(type->type)} * vector;
    bool open_size = false;
    while (accept('[')) {
      if (accept(']')) {
        open_size = true;
        continue;
      }
      const Token at = peek();
      const std::uint64_t count = unsigned_number("an array size");
      if (count == 0 || count > (std::uint64_t{1} << 40) / v.array.bytes)
        fail("an array of this size cannot be", at);
      v.array.bytes *= count;
      expect(']');
    }
    if (accept('=')) {
      if (space != ir::Space::global && space != ir::Space::constant)
        fail("only .global and .const variables have initial values", peek());
      initialiser(v, *type, open_size);
    } else if (open_size) {
      if (space != ir::Space::shared || !is_external) refuse("an array of unknown size", peek());
      v.array.dynamic = true;
      v.array.bytes = 0;
    }
    for (const Variable& other : out)
      if (other.array.name == v.array.name) {
        if (&out == &module_.variables && (is_external || other.is_external)) continue;
        refuse(fmt::format("two variables are named {}", v.array.name), peek());
      }
    out.push_back(std::move(v));
  } while (accept(','));
  expect(';');
}

void Parser::initialiser(Variable& v, const TypeSuffix& type, bool open_size) {
  std::vector<std::uint8_t> bytes;
  const unsigned width = ir::bytes_of(type.type);
  const auto element = [&] {
    const Token at = peek();
    std::uint64_t value = 0;
    if (peek().kind == Token::Kind::float_bits || peek().kind == Token::Kind::double_bits) {
      if (ir::bits_of(type.type) != (peek().kind == Token::Kind::float_bits ? 32u : 64u))
        fail("an initial value of another width", at);
      value = take().value;
    } else if (peek().kind == Token::Kind::integer || peek().is('-')) {
      value = signed_number("an initial value");
      if (peek().is('(')) {  // 0xFF(symbol)
        v.refers_to_symbols = true;
        while (!accept(')')) {
          if (peek().kind == Token::Kind::end) fail("expected `)`", peek());
          take();
        }
      }
    } else if (peek().kind == Token::Kind::identifier) {
      v.refers_to_symbols = true;
      while (!peek().is(',') && !peek().is('}') && !peek().is(';')) {
        if (peek().kind == Token::Kind::end) fail("expected `}`", peek());
        take();
      }
    } else if (peek().is('{')) {
      refuse("nested initial values are not understood", at);
    } else {
      fail("expected an initial value", at);
    }
    for (unsigned n = 0; n < width; ++n) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * n)));
  };
  const Token at = peek();
  if (accept('{')) {
    if (!accept('}')) {
      do element();
      while (accept(','));
      expect('}');
    }
  } else {
    element();
  }
  if (open_size) v.array.bytes = bytes.size();
  if (bytes.size() > v.array.bytes) fail("more initial values than elements", at);
  if (v.array.bytes > largest_initialised_variable) refuse("an initialised variable above 64 MiB", at);
  bytes.resize(v.array.bytes, 0);
  v.array.initial = std::move(bytes);
}

}  // namespace hallmark::validator::ptx
