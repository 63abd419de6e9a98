#include "validator/symbolic/words.h"

namespace hallmark::validator {

using calculus::Format;
using calculus::Kind;
using calculus::Term;

namespace {

Integer modulus(Format format) {
  return power_of_two(calculus::storage_bits(format));
}
Integer least(Format format) {
  return calculus::is_signed(format) ? Integer(-modulus(format) / 2) : Integer(0);
}

}  // namespace

Term number_in_word(Term term) {
  if (term->kind != Kind::to_index || term->children[0]->kind != Kind::from_index ||
      term->children[0]->sort.kind != calculus::Sort::Kind::integer)
    return nullptr;
  return term->children[0]->children[0];
}

Integer in_word(const Integer& number, Format format) {
  return floor_mod(number - least(format), modulus(format)) + least(format);
}

Term in_word(Term number, Format format) {
  const Term low = calculus::integer(least(format));
  return calculus::add(calculus::mod(calculus::subtract(number, low), calculus::integer(modulus(format))),
                       low);
}

}  // namespace hallmark::validator
