// From a written term to a term: names, sorts and what each operator means.
#pragma once
#include "calculus/text/scope.h"
#include "calculus/text/syntax.h"

namespace hallmark::calculus::text {

enum class Wanted { index, element, boolean, any };

// `+ - * / %` of index terms are those of index terms; of elements, the operation of their sort, rounded to
// nearest. A number is an index beside an index, of the sort of the element that it is compared with,
// otherwise of scope.number_sort. Throws UserError E1102 for an unknown name, E1103 where sorts do not fit,
// E1104 for an index term beyond all bounds.
Term elaborate(const Source& source, const Syntax& syntax, const Scope& scope, Wanted wanted);
const Order* elaborate_order(const Source& source, const OrderSyntax& syntax, const Scope& scope);

}  // namespace hallmark::calculus::text
