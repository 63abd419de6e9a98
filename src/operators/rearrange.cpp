// Operators that move or repeat elements by a fixed pattern: Transpose, Expand, Tile, DepthToSpace,
// SpaceToDepth, Trilu, ReverseSequence.
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

void transpose(NodeContext& context) {
  const Extents& from = context.extents(0);
  std::vector<std::int64_t> permutation = context.integers("perm");
  if (!context.has("perm"))
    for (std::size_t d = from.size(); d-- > 0;) permutation.push_back(static_cast<std::int64_t>(d));
  for (const std::int64_t p : permutation)
    if (p < 0) context.invalid("perm holds a negative axis");
  const std::vector<std::size_t> sources = context.axes_of(permutation, from.size());
  if (sources.size() != from.size()) context.invalid("perm is not a permutation of the axes");
  Extents to;
  Indices indices(from.size());
  for (std::size_t d = 0; d < sources.size(); ++d) {
    to.push_back(from[sources[d]]);
    indices[sources[d]] = axis(static_cast<int>(d));
  }
  context.define(0, context.format(0), to, context.masked_element(0, indices));
}

void expand(NodeContext& context) {
  if (context.rank(1) != 1) context.invalid("the shape should be a vector");
  const Extents shape = context.known_indices(1);
  if (shape.size() > 32) context.refuse("a rank above 32");
  for (Term e : shape) context.require_at_most(integer(0), e, "a negative extent");
  const Extents to = context.broadcast_extents({context.extents(0), shape});
  context.define(0, context.format(0), to, context.masked_broadcast(0, axes(to.size())));
}

void tile(NodeContext& context) {
  const Extents& from = context.extents(0);
  const Extents repeats = context.known_indices(1);
  if (context.rank(1) != 1 || repeats.size() != from.size())
    context.invalid("repeats should have one number per axis");
  Extents to;
  Indices indices;
  for (std::size_t d = 0; d < from.size(); ++d) {
    context.require_at_most(integer(0), repeats[d], "a negative number of repeats");
    to.push_back(multiply(from[d], repeats[d]));
    const Term at = axis(static_cast<int>(d));
    indices.push_back(repeats[d] == integer(1) ? at : mod(at, from[d]));
  }
  context.define(0, context.format(0), to, context.element(0, indices));
}

Term block_size(NodeContext& context) {
  const std::int64_t block = context.integer("blocksize");
  if (block <= 0) context.invalid("blocksize should be positive");
  if (context.rank(0) != 4) context.invalid("its input should have rank 4");
  return integer(from_i64(block));
}

// [N, C, H, W] to [N, C / b^2, H b, W b]. DCR: the channel is (row in block, column in block, channel); CRD:
// (channel, row, column).
void depth_to_space(NodeContext& context) {
  const Term b = block_size(context), square = multiply(b, b);
  const std::string mode = context.string("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") context.invalid("mode should be DCR or CRD");
  const Extents& from = context.extents(0);
  const Term channels = floor_div(from[1], square);
  context.require_equal(multiply(channels, square), from[1], "the channels are no multiple of blocksize^2");
  const Term row = mod(axis(2), b), column = mod(axis(3), b), in_block = add(multiply(row, b), column);
  const Term channel =
      mode == "DCR" ? add(multiply(in_block, channels), axis(1)) : add(multiply(axis(1), square), in_block);
  context.define(0, context.format(0), {from[0], channels, multiply(from[2], b), multiply(from[3], b)},
                 context.element(0, {axis(0), channel, floor_div(axis(2), b), floor_div(axis(3), b)}));
}

// [N, C, H, W] to [N, C b^2, H / b, W / b]; the new channel is (row in block, column in block, channel).
void space_to_depth(NodeContext& context) {
  const Term b = block_size(context);
  const Extents& from = context.extents(0);
  const Term height = floor_div(from[2], b), width = floor_div(from[3], b);
  context.require_equal(multiply(height, b), from[2], "the height is no multiple of blocksize");
  context.require_equal(multiply(width, b), from[3], "the width is no multiple of blocksize");
  const Term in_block = floor_div(axis(1), from[1]);
  const Term row = floor_div(in_block, b), column = mod(in_block, b);
  context.define(0, context.format(0), {from[0], multiply(from[1], multiply(b, b)), height, width},
                 context.element(0, {axis(0), mod(axis(1), from[1]), add(multiply(axis(2), b), row),
                                     add(multiply(axis(3), b), column)}));
}

// The upper or lower triangle of the last two axes, zero elsewhere.
void trilu(NodeContext& context) {
  const Extents& extents = context.extents(0);
  const std::size_t rank = extents.size();
  if (rank < 2) context.invalid("its input should have at least two axes");
  const bool upper = context.flag("upper", true);
  Term diagonal = integer(0);
  if (context.has_input(1)) {
    if (context.format(1) != Format::i64) context.invalid("k should be int64");
    diagonal = to_index(context.scalar(1));
  }
  const Term row = axis(static_cast<int>(rank) - 2), column = axis(static_cast<int>(rank) - 1);
  const Term edge = add(row, diagonal);
  const Term kept = upper ? at_most(edge, column) : at_most(column, edge);
  const Term x = context.element(0, axes(rank));
  context.define(0, context.format(0), extents, select(kept, x, zero_of(x->sort)));
}

void reverse_sequence(NodeContext& context) {
  const Extents& extents = context.extents(0);
  if (extents.size() < 2) context.invalid("its input should have at least two axes");
  const std::int64_t time = context.integer("time_axis", 0), batch = context.integer("batch_axis", 1);
  if (time + batch != 1 || time * batch != 0) context.invalid("time_axis and batch_axis should be 0 and 1");
  if (context.rank(1) != 1 || context.format(1) != Format::i64)
    context.invalid("sequence_lens should be a vector of int64");
  context.require_equal(context.extent(1, 0), extents[static_cast<std::size_t>(batch)],
                        "one length per batch is expected");
  Indices at = axes(extents.size());
  const Term step = at[static_cast<std::size_t>(time)];
  const Term length = to_index(context.element(1, {at[static_cast<std::size_t>(batch)]}));
  at[static_cast<std::size_t>(time)] =
      index_select(less(step, length), subtract(subtract(length, step), integer(1)), step);
  context.define(0, context.format(0), extents, context.element(0, at));
}

}  // namespace

void add_rearrangements(Table& table) {
  table.push_back({"Transpose", "", 1, 17, transpose});
  table.push_back({"Expand", "", 8, 17, expand});
  table.push_back({"Tile", "", 6, 17, tile});
  table.push_back({"DepthToSpace", "", 1, 17, depth_to_space});
  table.push_back({"SpaceToDepth", "", 1, 17, space_to_depth});
  table.push_back({"Trilu", "", 14, 17, trilu});
  table.push_back({"ReverseSequence", "", 10, 17, reverse_sequence});
}

}  // namespace hallmark::operators
