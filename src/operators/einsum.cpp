// Einsum and CumSum.
#include <algorithm>
#include <map>

#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

// Labels of one operand or of the result: letters, and '.' for the ellipsis.
std::vector<std::string> split_equation(NodeContext& context, std::string& output, bool& explicit_output) {
  std::string text = context.string("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  for (std::size_t at = text.find("..."); at != std::string::npos; at = text.find("...", at + 1))
    text.replace(at, 3, ".");
  const std::size_t arrow = text.find("->");
  explicit_output = arrow != std::string::npos;
  if (explicit_output) output = text.substr(arrow + 2);
  std::vector<std::string> operands(1);
  for (const char c : text.substr(0, arrow))
    if (c == ',')
      operands.emplace_back();
    else
      operands.back() += c;
  operands.push_back(output);
  for (const std::string& labels : operands)
    for (const char c : labels)
      if (!std::isalpha(static_cast<unsigned char>(c)) && c != '.')
        context.invalid("the equation holds the character '" + std::string(1, c) + "'");
  for (const std::string& labels : operands)
    if (std::count(labels.begin(), labels.end(), '.') > 1) context.invalid("two ellipses in one operand");
  operands.pop_back();
  return operands;
}

void einsum(NodeContext& context) {
  context.require_number(0);
  std::string output;
  bool explicit_output = false;
  const std::vector<std::string> operands = split_equation(context, output, explicit_output);
  if (operands.size() != context.input_count())
    context.invalid("the equation has another number of operands");

  std::map<char, Term> extent_of;
  std::map<char, int> uses;
  std::vector<Extents> between;  // what each ellipsis stands for
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (context.format(i) != context.format(0)) context.invalid("its inputs have different element types");
    const Extents& extents = context.extents(i);
    const std::string& labels = operands[i];
    const bool has_ellipsis = labels.find('.') != std::string::npos;
    const std::size_t named = labels.size() - (has_ellipsis ? 1 : 0);
    if (named > extents.size() || (!has_ellipsis && named != extents.size()))
      context.invalid("the operand '" + labels + "' has another rank than its input");
    std::size_t d = 0;
    for (const char c : labels) {
      if (c == '.') {
        const std::size_t length = extents.size() - named;
        between.emplace_back(extents.begin() + static_cast<std::ptrdiff_t>(d),
                             extents.begin() + static_cast<std::ptrdiff_t>(d + length));
        d += length;
        continue;
      }
      ++uses[c];
      const auto known = extent_of.emplace(c, extents[d]);
      if (!known.second)
        context.require_equal(known.first->second, extents[d],
                              std::string("the extents of '") + c + "' differ");
      ++d;
    }
  }
  const Extents ellipsis = context.broadcast_extents(between);
  if (!explicit_output) {
    if (!between.empty()) output = ".";
    for (const auto& [c, n] : uses)
      if (n == 1) output += c;
  }

  // Where each label runs: an axis of the result, or a summed range.
  std::map<char, Term> index_of;
  Extents to;
  std::vector<Term> ellipsis_index;
  for (const char c : output) {
    if (c == '.') {
      for (Term e : ellipsis) {
        ellipsis_index.push_back(axis(static_cast<int>(to.size())));
        to.push_back(e);
      }
      continue;
    }
    if (extent_of.count(c) == 0 || index_of.count(c) != 0)
      context.invalid(std::string("the result's label '") + c + "' is unknown or named twice");
    index_of[c] = axis(static_cast<int>(to.size()));
    to.push_back(extent_of.at(c));
  }
  std::vector<Range> ranges;
  for (const auto& [c, extent] : extent_of)
    if (index_of.count(c) == 0) {
      ranges.push_back(range("k", extent));
      index_of[c] = ranges.back().variable;
    }
  if (!ellipsis.empty() && ellipsis_index.empty()) {
    for (Term e : ellipsis) {
      ranges.push_back(range("k", e));
      ellipsis_index.push_back(ranges.back().variable);
    }
  }

  Term body = nullptr;
  std::size_t next_between = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Indices at;
    for (const char c : operands[i]) {
      if (c != '.') {
        at.push_back(index_of.at(c));
        continue;
      }
      const Extents& own = between[next_between++];
      const std::size_t skipped = ellipsis.size() - own.size();
      for (std::size_t d = 0; d < own.size(); ++d)
        at.push_back(own[d] == calculus::integer(1) ? calculus::integer(0) : ellipsis_index[skipped + d]);
    }
    const Term x = context.element(i, at);
    body = body == nullptr ? x : times(body, x);
  }
  context.define(0, context.format(0), to, ranges.empty() ? body : sum_over(ranges, body));
}

void cum_sum(NodeContext& context) {
  context.require_number(0);
  const std::vector<std::int64_t> given = context.known_integers(1);
  if (given.size() != 1) context.invalid("one axis is expected");
  const Extents& extents = context.extents(0);
  const std::size_t axis = context.axis_of(given[0], extents.size());
  const bool exclusive = context.flag("exclusive", false), reverse = context.flag("reverse", false);
  Indices at = axes(extents.size());
  Range k = range("k", extents[axis]);
  Term first = reverse ? at[axis] : k.variable, second = reverse ? k.variable : at[axis];
  k.guard = exclusive ? less(first, second) : at_most(first, second);
  at[axis] = k.variable;
  context.define(0, context.format(0), extents, sum_over({k}, context.element(0, at)));
}

}  // namespace

void add_einsum(Table& table) {
  table.push_back({"Einsum", "", 12, 17, einsum});
  table.push_back({"CumSum", "", 11, 17, cum_sum});
}

}  // namespace hallmark::operators
