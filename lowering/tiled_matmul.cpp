// Schedule (c): a matrix product through shared memory. A block of 16 x 16 threads computes a 16 x 16 tile of
// the output; for every 16 steps of the sum it loads one tile of each factor. The order over k is the
// formulation's, seq: a depth that is no multiple of 16 ends in a shorter tile, never in added zeros (adding
// +0 turns -0 into +0).
#include "base/error.h"
#include "lowering/kernel.h"
#include "lowering/shape.h"
#include "lowering/simplify.h"

namespace hallmark::lowering {

using namespace calculus;

namespace {

constexpr long side = 16;

// Whether neighbouring values of `k` are neighbours in memory for the loads of the operand.
bool runs_along(Term operand, Term k, const Program& program) {
  bool along = false;
  for_each_node(operand, [&](Term node) {
    if (node->kind != Kind::load) return;
    const Declaration& declaration = *find_declaration(program, node->name);
    Term flat = integer(0L);
    for (std::size_t d = 0; d < node->children.size(); ++d)
      flat = add(multiply(flat, declaration.extents[d]), node->children[d]);
    Term coefficient = nullptr, rest = nullptr;
    if (affine_in(flat, k, coefficient, rest) && as_integer(coefficient) != nullptr &&
        *as_integer(coefficient) == 1)
      along = true;
  });
  return along;
}

}  // namespace

Kernel tiled_matmul(const KernelRequest& request) {
  const Declaration& output = request.definition->declaration;
  const auto shape = matmul_shape(request.value, request.domain);
  ensure(shape.has_value(), request.kernel + " is no matrix product");
  const Signature signature(request);
  Writer writer = signature.writer();
  const std::size_t rank = request.domain.size();
  const Term k = shape->parts.variable;
  const Term row = axis(shape->row), column = axis(shape->column);
  const Term rows = request.domain[static_cast<std::size_t>(shape->row)];
  const Term columns = request.domain[static_cast<std::size_t>(shape->column)];
  const Integer depth = *as_integer(shape->parts.extent);
  const Integer full_tiles = floor_div(depth, Integer(side)), rest = floor_mod(depth, Integer(side));
  const auto bounded = [](const Integer& high) { return Range{Integer(0), high}; };
  const auto round_up = [](Term extent) {
    return Integer(floor_div(*as_integer(extent) + side - 1, Integer(side)) * side - 1);
  };

  // Coordinates of the batch: the axes that are neither row nor column, from blockIdx.z.
  std::vector<int> batch;
  Term batches = integer(1L);
  for (int d = 0; d < static_cast<int>(rank); ++d)
    if (d != shape->row && d != shape->column && !is_unit(request.domain[static_cast<std::size_t>(d)])) {
      batch.push_back(d);
      batches = multiply(batches, request.domain[static_cast<std::size_t>(d)]);
    }
  writer.indent(1);
  writer.line("__shared__ float left[16][16];");
  writer.line("__shared__ float right[16][17];");
  // The shorter tile has slots of its own: no slot is written from two places of the text.
  if (rest > 0) writer.line("__shared__ float last_left[16][16];");
  if (rest > 0) writer.line("__shared__ float last_right[16][17];");
  writer.line("const unsigned tx = threadIdx.x;");
  writer.line("const unsigned ty = threadIdx.y;");
  const std::string row_name = "i" + std::to_string(shape->row),
                    column_name = "i" + std::to_string(shape->column);
  writer.line("const unsigned " + row_name + " = blockIdx.y * 16u + ty;");
  writer.line("const unsigned " + column_name + " = blockIdx.x * 16u + tx;");
  for (std::size_t at = 0; at < batch.size(); ++at) {
    Term stride = integer(1L);
    for (std::size_t later = at + 1; later < batch.size(); ++later)
      stride = multiply(stride, request.domain[static_cast<std::size_t>(batch[later])]);
    const Term extent = request.domain[static_cast<std::size_t>(batch[at])];
    const Range range = range_of(extent, writer.ranges());
    if (!range.fits_32())
      throw Refusal("E7204", output.name + " has an extent that may need more than 32 bits",
                    {.node = output.name});
    const auto factor = [&](Term term) {
      const std::string text = writer.index(term);
      return text.find(' ') == std::string::npos ? text : "(" + text + ")";
    };
    const Integer* unit = as_integer(stride);
    std::string text = "blockIdx.z";
    if (unit == nullptr || *unit != 1) text += " / " + factor(stride);
    if (at > 0) text += " % " + factor(extent);
    const std::string name = "i" + std::to_string(batch[at]);
    writer.line("const unsigned " + name + " = " + text + ";");
    writer.bind_index(axis(batch[at]), name, bounded(*range.high - 1));
  }
  // A right factor that runs along k is read along k and turned round on its way into shared memory.
  const bool turned = runs_along(shape->right, k, *request.formulation) &&
                      !runs_along(shape->right, column, *request.formulation);
  const std::string far_column = "far";
  if (turned) writer.line("const unsigned far = blockIdx.x * 16u + ty;");
  writer.bind_index(row, row_name, bounded(round_up(rows)));
  writer.bind_index(column, column_name, bounded(round_up(columns)));
  writer.enter({request.value});
  const std::string accumulator = writer.fresh("acc");
  writer.line("float " + accumulator + " = " + writer.element(shape->parts.init[0]) + ";");

  // One tile: loads, barrier, `length` steps, barrier. `tile` is the index term of the tile's number.
  const auto write_tile = [&](Term tile, long length, bool last) {
    const std::string left = last ? "last_left" : "left", right = last ? "last_right" : "right";
    const auto load = [&](const std::string& target, Term operand, Term moving, Term extent,
                          const std::string& moving_name, const std::string& step_name) {
      // The step of this load is tile * 16 + (tx or ty); the moving coordinate is the row or the column.
      const Term step = fresh_variable("step");
      writer.bind_index(step, step_name, bounded(side - 1));
      const Term at = add(scale(side, tile), step);
      const Term coordinate = fresh_variable("moving");
      writer.bind_index(coordinate, moving_name, bounded(round_up(extent)));
      // Where there is nothing to load the slot gets a zero that no step reads.
      const Term inside = both(less(coordinate, extent), less(step, integer(length)));
      const Term value = calculus::select(simplify_indices(inside, writer.ranges()),
                                          substitute(operand, {{k, at}, {moving, coordinate}}),
                                          float_constant(Format::f32, 0));
      writer.enter({value});
      const std::string text = writer.value(value);
      writer.line(target + " = " + text + ";");
      writer.leave();
    };
    load(left + "[ty][tx]", shape->left, row, rows, row_name, "tx");
    if (turned)
      load(right + "[tx][ty]", shape->right, column, columns, far_column, "tx");
    else
      load(right + "[ty][tx]", shape->right, column, columns, column_name, "ty");
    writer.line("__syncthreads();");
    const std::string step = writer.fresh("k");
    writer.line("#pragma unroll");
    writer.open("for (unsigned " + step + " = 0u; " + step + " < " + std::to_string(length) + "u; ++" + step +
                ")");
    const std::string a = left + "[ty][" + step + "]", b = right + "[" + step + "][tx]";
    if (shape->fused)
      writer.line(accumulator + " = __fmaf_rn(" + a + ", " + b + ", " + accumulator + ");");
    else
      writer.line(accumulator + " = __fadd_rn(" + accumulator + ", __fmul_rn(" + a + ", " + b + "));");
    writer.close();
    if (!last) writer.line("__syncthreads();");
  };
  if (full_tiles > 0) {
    const Term tile = fresh_variable("tile");
    writer.bind_index(tile, "tile", bounded(full_tiles - 1));
    writer.line("#pragma unroll 1");
    writer.open("for (unsigned tile = 0u; tile < " + full_tiles.get_str() + "u; ++tile)");
    write_tile(tile, side, false);
    writer.close();
  }
  if (rest > 0) write_tile(integer(full_tiles), rest.get_si(), true);

  // What follows the sum, for the threads that have an element.
  std::vector<std::string> tests;
  for (const auto& [coordinate, extent] : {std::pair(row, rows), std::pair(column, columns)})
    if (floor_mod(*as_integer(extent), Integer(side)) != 0)
      tests.push_back(writer.condition(less(coordinate, extent)));
  writer.bind_index(row, row_name, bounded(*as_integer(rows) - 1));
  writer.bind_index(column, column_name, bounded(*as_integer(columns) - 1));
  writer.bind_element(shape->fold, accumulator);
  std::string test;
  for (const std::string& t : tests) test += (test.empty() ? "" : " && ") + t;
  if (!test.empty()) writer.open("if (" + test + ")");
  const std::string value = writer.stored(request.value);
  writer.line(writer.access(output.name, request.target) + " = " + value + ";");
  if (!test.empty()) writer.close();
  writer.leave();
  writer.indent(-1);
  writer.line("}");

  Kernel kernel;
  kernel.lines = signature.head("tiles of 16 by 16 through shared memory");
  for (Line& line : writer.take()) kernel.lines.push_back(std::move(line));
  kernel.launch.kernel = request.kernel;
  kernel.launch.grid[0] = ceil_div(columns, integer(side));
  kernel.launch.grid[1] = ceil_div(rows, integer(side));
  kernel.launch.grid[2] = batches;
  kernel.launch.block[0] = integer(side);
  kernel.launch.block[1] = integer(side);
  kernel.launch.arguments = signature.arguments();
  kernel.launch.computes = {output.name};
  if (as_integer(batches) == nullptr) kernel.requirements.push_back(subtract(integer(65535L), batches));
  return kernel;
}

}  // namespace hallmark::lowering
