#include "calculus/text/reader.h"

#include <algorithm>

#include "calculus/sizes.h"
#include "calculus/text/literal.h"

namespace hallmark::calculus::text {

Reader::Reader(std::string_view text, const std::string& file) : source_{file, std::string(text)} {
  tokens_ = tokens_of(source_);
  if (!take_word("hallmark"))
    source_.fail("E1105", here(),
                 "the text begins with 'hallmark 1', and this begins with " + described(here()));
  if (here().kind != Token::Kind::number || here().text != "1")
    source_.fail("E1105", here(), "version 1 of the text form was expected, not " + described(here()));
  ++at_;
}

bool Reader::is_word(std::string_view word) const {
  return here().kind == Token::Kind::name && !here().quoted && here().text == word;
}
bool Reader::take_word(std::string_view word) {
  if (!is_word(word)) return false;
  ++at_;
  return true;
}
void Reader::expect_word(const std::string& word) {
  if (!take_word(word)) expected("'" + word + "'");
}
bool Reader::is_mark(std::string_view mark, std::size_t ahead) const {
  return here(ahead).kind == Token::Kind::mark && here(ahead).text == mark;
}
bool Reader::take(std::string_view mark) {
  if (!is_mark(mark)) return false;
  ++at_;
  return true;
}
void Reader::expect(const std::string& mark) {
  if (!take(mark)) expected("'" + mark + "'");
}
void Reader::expected(const std::string& what) const {
  fail(here(), what + " was expected before " + described(here()));
}

Token Reader::name(const std::string& what) {
  if (here().kind != Token::Kind::name || (!here().quoted && is_keyword(here().text))) expected(what);
  return tokens_[at_++];
}

Format Reader::format() {
  const Token word = name("an element format");
  const auto format = format_of(word.text);
  if (!format) fail(word, "an element format was expected: f32, f16, i64, bool, ...");
  return *format;
}

Sort Reader::sort() {
  const Token word = name("a sort");
  const auto sort = sort_named(word.text);
  if (!sort) fail(word, "a sort was expected: index, bool, real, f32, i64, ...");
  return *sort;
}

Integer Reader::integer_number() {
  const Token start = here();
  const Term value = sum({});  // what follows may be a comparison
  const Integer* number = as_integer(value);
  if (number == nullptr) fail(start, "an integer was expected");
  return *number;
}

Term Reader::term(const Scope& scope, Wanted wanted) {
  return elaborate(source_, *read_term(source_, tokens_, at_), scope, wanted);
}

Term Reader::sum(const Scope& scope) {
  return elaborate(source_, *read_sum(source_, tokens_, at_), scope, Wanted::index);
}

void Reader::expect_size(const Token& start, Term extent) const {
  if (!is_over_symbols(extent))
    source_.fail("E1103", start, "the size of a tensor is over symbols and numbers, not what tensors hold");
}

void Reader::add_name(Scope& scope, const Token& name, Term term) const {
  if (!scope.names.emplace(name.text, term).second)
    source_.fail("E1102", name, "'" + name.text + "' has a meaning already");
}

void Reader::add_tensor(Scope& scope, const Token& name, TensorType type) const {
  if (!scope.tensors.emplace(name.text, type).second)
    source_.fail("E1102", name, "the tensor '" + name.text + "' is declared already");
}

Function Reader::function(Scope& scope) {
  const Token word = name("the name of a function");
  Function out{word.text, {}, nullptr};
  Scope inside = scope;
  FunctionType type;
  expect("(");
  while (!take(")")) {
    if (!out.parameters.empty()) expect(",");
    const Token parameter = name("a parameter's name");
    if (parameter.text.find('!') != std::string::npos) fail(parameter, "a parameter's name has no '!'");
    expect(":");
    type.parameters.push_back(sort());
    out.parameters.push_back(variable(parameter.text, type.parameters.back()));
    if (std::count(out.parameters.begin(), out.parameters.end(), out.parameters.back()) > 1)
      fail(parameter, "'" + parameter.text + "' is a parameter already");
    inside.names.insert_or_assign(parameter.text, out.parameters.back());
  }
  expect(":");
  type.result = sort();
  expect("=");
  inside.number_sort = type.result.kind == Sort::Kind::boolean ? Sort::real() : type.result;
  inside.rounded = type.result.kind == Sort::Kind::floating;
  inside.tensors.clear();
  const Token start = here();
  out.body = term(inside, type.result.kind == Sort::Kind::index ? Wanted::index : Wanted::element);
  if (out.body->sort != type.result)
    source_.fail(
        "E1103", start,
        "the function gives a " + to_string(type.result) + ", and this is a " + to_string(out.body->sort));
  if (!scope.functions.emplace(word.text, std::move(type)).second)
    source_.fail("E1102", word, "the function '" + word.text + "' is defined already");
  return out;
}

Declaration Reader::declaration(Scope& scope) {
  const Token word = name("the name of a tensor");
  expect(":");
  Declaration out{word.text, format(), {}};
  expect("[");
  while (!take("]")) {
    if (!out.extents.empty()) expect(",");
    const Token start = here();
    out.extents.push_back(term(scope, Wanted::index));
    expect_size(start, out.extents.back());
  }
  add_tensor(scope, word, {out.format, out.extents.size()});
  return out;
}

}  // namespace hallmark::calculus::text
