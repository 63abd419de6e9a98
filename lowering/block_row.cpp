// Schedule (b): one block for each row. Every thread folds its strided share, warps combine by shuffles,
// warps' results go through shared memory, and every thread combines those. The formulation states exactly
// this order: strided(L, blocked(32, tree(32), tree(L / 32))).
#include "base/error.h"
#include "lowering/kernel.h"
#include "lowering/shape.h"

namespace hallmark::lowering {

using namespace calculus;

namespace {

// tree(n) over the given values: the first half combined with the last half.
std::string tree(const std::vector<std::string>& leaves,
                 const std::function<std::string(const std::string&, const std::string&)>& combine) {
  if (leaves.size() == 1) return leaves[0];
  const auto middle = leaves.begin() + static_cast<long>(leaves.size() / 2);
  return combine(tree({leaves.begin(), middle}, combine), tree({middle, leaves.end()}, combine));
}

// Operations below `term` that `moving` does not tell apart are computed once, before the loop that moves
// those. Arms of selects and insides of folds are left alone: what they read may exist only there.
void write_fixed(Writer& writer, Term term, const Substitution& moving) {
  if (term->kind == Kind::fold || term->kind == Kind::select || writer.has_text(term)) return;
  if (term->kind == Kind::operation && term->sort.kind == Sort::Kind::floating) {
    if (substitute(term, moving) == term) {
      const std::string text = writer.value(term);
      const std::string name = writer.fresh("row");
      writer.line("const " + value_type(term->sort) + " " + name + " = " + text + ";");
      writer.bind_element(term, name);
      return;
    }
  }
  for (Term child : term->children) write_fixed(writer, child, moving);
}

// One cooperative fold; its result is bound to a name that every thread of the block has.
void write_row_fold(Writer& writer, Term fold, long lanes) {
  const FoldParts parts = calculus::open(fold);
  const std::string type = value_type(fold->sort);
  if (type != "float") throw Refusal("E7203", "a block reduces floats only, not " + to_string(fold->sort));
  const std::string accumulator = writer.fresh("acc"), variable = writer.fresh("k"),
                    slots = writer.fresh("part");
  write_fixed(writer, parts.step[0], {{parts.variable, integer(0L)}, {parts.states[0], parts.init[0]}});
  writer.line("__shared__ " + type + " " + slots + "[" + std::to_string(lanes / 32) + "];");
  writer.line(type + " " + accumulator + " = " + writer.element(parts.init[0]) + ";");
  Range extent = range_of(parts.extent, writer.ranges());
  // The variable passes the extent by less than the stride before the loop ends.
  const bool wide = !extent.high || *extent.high > power_of_two(32) - lanes;
  Range last{Integer(0), extent.high ? std::optional<Integer>(*extent.high + lanes) : std::nullopt};
  writer.bind_index(parts.variable, variable, last, wide);
  const std::string test = writer.condition(less(parts.variable, parts.extent));
  writer.bind_index(parts.variable, variable,
                    {Integer(0), extent.high ? std::optional<Integer>(*extent.high - 1) : std::nullopt},
                    wide);
  const std::string stride = std::to_string(lanes) + "u";
  writer.line("#pragma unroll 1");
  writer.open("for (" + std::string(wide ? "size_t " : "unsigned ") + variable + " = t; " + test + "; " +
              variable + " += " + stride + ")");
  writer.enter(parts.step);
  writer.bind_element(parts.states[0], accumulator);
  const std::string guard = writer.condition(parts.guard);
  if (guard != "true") writer.open("if (" + guard + ")");
  const std::string step = writer.value(parts.step[0]);
  writer.line(accumulator + " = " + step + ";");
  if (guard != "true") writer.close();
  writer.leave();
  writer.close();
  const auto combine = [&](const std::string& left, const std::string& right) {
    writer.enter({});
    writer.bind_element(parts.states[0], left);
    writer.bind_element(parts.right_states[0], right);
    const std::string text = writer.element(parts.combine[0]);
    writer.leave();
    return text;
  };
  // After the step with distance d, lane l (a multiple of 2d) has the tree over lanes l .. l + 2d - 1.
  for (const int distance : {1, 2, 4, 8, 16}) {
    const std::string shuffled =
        "__shfl_xor_sync(0xffffffffu, " + accumulator + ", " + std::to_string(distance) + ")";
    writer.line(accumulator + " = " + combine(accumulator, shuffled) + ";");
  }
  writer.open("if (t % 32u == 0u)");
  writer.line(slots + "[t / 32u] = " + accumulator + ";");
  writer.close();
  writer.line("__syncthreads();");
  std::vector<std::string> leaves;
  for (long warp = 0; warp < lanes / 32; ++warp) leaves.push_back(slots + "[" + std::to_string(warp) + "]");
  const std::string total = writer.fresh("row");
  // Level by level, so that no line grows long.
  while (leaves.size() > 2) {
    std::vector<std::string> next;
    for (std::size_t pair = 0; pair < leaves.size(); pair += 2) {
      const std::string name = writer.fresh("v");
      writer.line("const " + type + " " + name + " = " + combine(leaves[pair], leaves[pair + 1]) + ";");
      next.push_back(name);
    }
    leaves = next;
  }
  writer.line("const " + type + " " + total + " = " + tree(leaves, combine) + ";");
  writer.bind_element(fold, total);
}

}  // namespace

Kernel block_per_row(const KernelRequest& request) {
  const Declaration& output = request.definition->declaration;
  auto shape = row_shape(request.value, output.extents.size());
  ensure(shape.has_value(), request.kernel + " has no rows");
  for (auto* axes : {&shape->rows, &shape->columns})
    std::erase_if(*axes, [&](int d) { return is_unit(output.extents[static_cast<std::size_t>(d)]); });
  const Signature signature(request);
  Writer writer = signature.writer();
  const auto extent_of = [&](int d) { return output.extents[static_cast<std::size_t>(d)]; };
  const auto count = [&](const std::vector<int>& axes) {
    Term product = integer(1L);
    for (const int d : axes) product = multiply(product, extent_of(d));
    return product;
  };
  const Term rows = count(shape->rows), columns = count(shape->columns);
  for (const auto* axes : {&shape->rows, &shape->columns})
    for (const int d : *axes) {
      const Range extent = range_of(extent_of(d), writer.ranges());
      if (!extent.fits_32())
        throw Refusal("E7204", output.name + " has an extent that may need more than 32 bits",
                      {.node = output.name});
      writer.bind_index(axis(d), "i" + std::to_string(d), {Integer(0), Integer(*extent.high - 1)});
    }
  const auto write_coordinates = [&](const std::vector<int>& axes, const std::string& source, bool wide) {
    for (std::size_t at = 0; at < axes.size(); ++at) {
      Term stride = integer(1L);
      for (std::size_t later = at + 1; later < axes.size(); ++later)
        stride = multiply(stride, extent_of(axes[later]));
      const auto factor = [&](Term term) {
        const std::string text = writer.index(term);
        return text.find(' ') == std::string::npos ? text : "(" + text + ")";
      };
      const Integer* unit = as_integer(stride);
      std::string text = unit != nullptr && *unit == 1 ? source : source + " / " + factor(stride);
      if (at > 0) text += " % " + factor(extent_of(axes[at]));
      if (wide) text = "(unsigned)(" + text + ")";
      writer.line("const unsigned i" + std::to_string(axes[at]) + " = " + text + ";");
    }
  };
  const Integer* row_count = as_integer(rows);
  Kernel kernel;
  if (row_count != nullptr && *row_count >= power_of_two(31))
    throw Refusal("E7204", output.name + " has more rows than one grid can have blocks",
                  {.node = output.name});
  if (row_count == nullptr)
    kernel.requirements.push_back(subtract(integer(Integer(power_of_two(31) - 1)), rows));

  writer.indent(1);
  writer.line("const unsigned t = threadIdx.x;");
  write_coordinates(shape->rows, "blockIdx.x", false);
  writer.enter({request.value});
  for (Term fold : shape->folds) write_row_fold(writer, fold, shape->lanes);
  const std::string lanes = std::to_string(shape->lanes) + "u";
  const auto write_element = [&] {
    const std::string value = writer.stored(request.value);
    writer.line(writer.access(output.name, request.target) + " = " + value + ";");
  };
  if (shape->columns.empty()) {
    writer.open("if (t == 0u)");
    write_element();
    writer.close();
  } else {
    const Range range = range_of(columns, writer.ranges());
    const bool wide = !range.high || *range.high > power_of_two(32) - shape->lanes;
    const bool single = shape->columns.size() == 1;
    const std::string variable = single && !wide ? "i" + std::to_string(shape->columns[0]) : "column";
    Substitution moving;
    for (const int d : shape->columns) moving[axis(d)] = integer(0L);
    write_fixed(writer, request.value, moving);
    const Term column = fresh_variable("column");
    writer.bind_index(
        column, variable,
        {Integer(0), range.high ? std::optional<Integer>(*range.high + shape->lanes) : std::nullopt}, wide);
    const std::string test = writer.condition(less(column, columns));
    writer.line("#pragma unroll 1");
    writer.open("for (" + std::string(wide ? "size_t " : "unsigned ") + variable + " = t; " + test + "; " +
                variable + " += " + lanes + ")");
    if (!(single && !wide)) write_coordinates(shape->columns, variable, wide);
    writer.enter({request.value});
    write_element();
    writer.leave();
    writer.close();
  }
  writer.leave();
  writer.indent(-1);
  writer.line("}");
  kernel.lines = signature.head("one block of " + std::to_string(shape->lanes) + " threads a row");
  for (Line& line : writer.take()) kernel.lines.push_back(std::move(line));
  kernel.launch.kernel = request.kernel;
  kernel.launch.grid[0] = rows;
  kernel.launch.block[0] = integer(shape->lanes);
  kernel.launch.arguments = signature.arguments();
  kernel.launch.computes = {output.name};
  return kernel;
}

}  // namespace hallmark::lowering
