// Comparisons, logic and Where.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

void require_two_of_one_format(NodeContext& context) {
  if (context.input_count() != 2) context.invalid("two inputs are expected");
  if (context.format(0) != context.format(1)) context.invalid("its inputs have different element types");
}

Term equal_elements(Term a, Term b) {
  if (a->sort != Sort::boolean()) return compare(Op::eq, a, b);
  return either(both(a, b), both(negation(a), negation(b)));
}

void equal_operator(NodeContext& context) {
  require_two_of_one_format(context);
  define_elementwise(context, Format::boolean, [](const auto& x) { return equal_elements(x[0], x[1]); });
}

template <Op op, bool exchanged>
void ordering(NodeContext& context) {
  require_two_of_one_format(context);
  context.require_number(0);
  define_elementwise(context, Format::boolean,
                     [](const auto& x) { return compare(op, x[exchanged ? 1 : 0], x[exchanged ? 0 : 1]); });
}

void require_booleans(NodeContext& context) {
  for (std::size_t i = 0; i < context.input_count(); ++i)
    if (context.format(i) != Format::boolean) context.invalid("its inputs should be bool");
}

template <Term (*join)(Term, Term)>
void logic(NodeContext& context) {
  require_two_of_one_format(context);
  require_booleans(context);
  define_elementwise(context, Format::boolean, [](const auto& x) { return join(x[0], x[1]); });
}

Term conjoin(Term a, Term b) {
  return both(a, b);
}
Term disjoin(Term a, Term b) {
  return either(a, b);
}
Term differ(Term a, Term b) {
  return negation(equal_elements(a, b));
}

void not_operator(NodeContext& context) {
  require_booleans(context);
  define_elementwise(context, Format::boolean, [](const auto& x) { return negation(x[0]); });
}

void where(NodeContext& context) {
  if (context.input_count() != 3) context.invalid("three inputs are expected");
  if (context.format(0) != Format::boolean) context.invalid("the condition should be bool");
  if (context.format(1) != context.format(2)) context.invalid("its inputs have different element types");
  const Extents extents =
      context.broadcast_extents({context.extents(0), context.extents(1), context.extents(2)});
  const Indices at = axes(extents.size());
  const Term condition = context.broadcast(0, at);
  const auto yes = context.masked_broadcast(1, at), no = context.masked_broadcast(2, at);
  NodeContext::Masked out{select(condition, yes.value, no.value), nullptr};
  if (yes.kept == truth(false)) out.value = no.value;
  if (no.kept == truth(false)) out.value = yes.value;
  if (yes.kept != nullptr || no.kept != nullptr)
    out.kept = select(condition, yes.kept != nullptr ? yes.kept : truth(true),
                      no.kept != nullptr ? no.kept : truth(true));
  context.define(0, context.format(1), extents, out);
}

}  // namespace

void add_comparisons(Table& table) {
  table.push_back({"Equal", "", 7, 17, equal_operator});
  table.push_back({"Less", "", 7, 17, ordering<Op::lt, false>});
  table.push_back({"Greater", "", 7, 17, ordering<Op::lt, true>});
  table.push_back({"LessOrEqual", "", 12, 17, ordering<Op::le, false>});
  table.push_back({"GreaterOrEqual", "", 12, 17, ordering<Op::le, true>});
  table.push_back({"And", "", 7, 17, logic<conjoin>});
  table.push_back({"Or", "", 7, 17, logic<disjoin>});
  table.push_back({"Xor", "", 7, 17, logic<differ>});
  table.push_back({"Not", "", 1, 17, not_operator});
  table.push_back({"Where", "", 9, 17, where});
}

}  // namespace hallmark::operators
