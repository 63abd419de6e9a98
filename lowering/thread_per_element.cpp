#include "base/error.h"
#include "lowering/kernel.h"
#include "lowering/shape.h"

namespace hallmark::lowering {

using namespace calculus;

Kernel thread_per_element(const KernelRequest& request) {
  const Signature signature(request);
  const Declaration& output = request.definition->declaration;
  const std::size_t rank = output.extents.size();
  const Term total = plan::element_count(output), threads = integer(static_cast<long>(request.threads));
  const std::string block = std::to_string(request.threads) + "u";
  Writer writer = signature.writer();
  const Range total_range = range_of(total, writer.ranges());
  // The last block of a grid may count beyond the total by less than its size.
  const bool wide = !total_range.high || *total_range.high > power_of_two(32) - request.threads;

  // The body first: it tells which coordinates it needs.
  std::vector<Term> strides(rank);
  Term stride = integer(1L), flat = integer(0L);
  for (std::size_t d = rank; d-- > 0;) {
    strides[d] = stride;
    stride = multiply(stride, output.extents[d]);
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const Term coordinate = axis(static_cast<int>(d));
    flat = add(multiply(flat, output.extents[d]), is_unit(output.extents[d]) ? integer(0L) : coordinate);
    const Range extent = range_of(output.extents[d], writer.ranges());
    Range range{Integer(0), {}};
    if (extent.high) range.high = Integer(*extent.high - 1);
    writer.bind_index(coordinate, "i" + std::to_string(d), range, !extent.fits_32());
  }
  writer.bind_flat(flat, total, "g");
  writer.indent(2);
  writer.enter({request.value});
  const std::string value = writer.stored(request.value);
  writer.line(signature.output() + "[g] = " + value + ";");
  writer.leave();
  writer.indent(-2);
  std::vector<Line> body = writer.take();

  writer.indent(1);
  writer.line(std::string("const ") + (wide ? "size_t" : "unsigned") + " g = " + (wide ? "(size_t)" : "") +
              "blockIdx.x * " + block + " + threadIdx.x;");
  writer.open("if (g < " + writer.index(total) + ")");
  for (std::size_t d = 0; d < rank; ++d) {
    if (is_unit(output.extents[d])) continue;
    if (!writer.used(axis(static_cast<int>(d)))) continue;
    const bool unit = as_integer(strides[d]) != nullptr && *as_integer(strides[d]) == 1;
    const auto factor = [&](Term term) {
      const std::string text = writer.index(term);
      return text.find(' ') == std::string::npos ? text : "(" + text + ")";
    };
    // Nobody computes an element of nothing; to divide by its extent of 0 would be undefined all the same.
    const bool nothing = as_integer(total) != nullptr && *as_integer(total) == 0;
    std::string text = nothing ? "0u" : unit ? "g" : "g / " + factor(strides[d]);
    // Of the outermost coordinate too, although it is below its extent: solvers decide sooner what says so.
    if (d > 0 && !nothing) text += " % " + factor(output.extents[d]);
    const bool wide_coordinate = !range_of(output.extents[d], writer.ranges()).fits_32();
    const std::string name = "i" + std::to_string(d);
    if (wide_coordinate)
      writer.line("const size_t " + name + " = " + text + ";");
    else
      writer.line("const unsigned " + name + " = " + (wide ? "(unsigned)(" + text + ")" : text) + ";");
  }
  std::vector<Line> top = writer.take();
  writer.close();
  writer.indent(-1);
  writer.line("}");
  std::vector<Line> bottom = writer.take();

  Kernel kernel;
  kernel.lines = signature.head("one thread an element");
  for (auto* part : {&top, &body, &bottom})
    kernel.lines.insert(kernel.lines.end(), part->begin(), part->end());
  kernel.launch.kernel = request.kernel;
  kernel.launch.grid[0] = ceil_div(total, threads);
  kernel.launch.block[0] = threads;
  kernel.launch.arguments = signature.arguments();
  kernel.launch.computes = {output.name};
  const Term largest_grid = integer(Integer(power_of_two(31) - 1));
  if (total_range.high && ceil_div(integer(*total_range.high), threads) != nullptr &&
      floor_div(*total_range.high + request.threads - 1, request.threads) < power_of_two(31))
    return kernel;
  if (as_integer(total) != nullptr)
    throw Refusal("E7204", output.name + " has more elements than one grid can have threads",
                  {.node = output.name});
  kernel.requirements.push_back(subtract(largest_grid, kernel.launch.grid[0]));
  return kernel;
}

}  // namespace hallmark::lowering
