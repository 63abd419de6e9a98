// Packs the factors of a contraction into blocks and multiplies them.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "base/error.h"
#include "evaluator/contraction.h"
#include "evaluator/lanes.h"
#include "evaluator/product_kernel.h"

namespace hallmark::evaluator {

using namespace calculus;

namespace {

constexpr std::int64_t block_steps = 256, block_columns = 384;

// The values that an affine form takes over a group of variables, in row-major order of the group.
std::vector<std::int64_t> values_over(const Affine& form, const std::vector<std::size_t>& group,
                                      const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> out{0};
  for (const std::size_t v : group) {
    std::vector<std::int64_t> next;
    next.reserve(out.size() * static_cast<std::size_t>(extents[v]));
    for (const std::int64_t base : out)
      for (std::int64_t i = 0; i < extents[v]; ++i) next.push_back(base + form.coefficients[v] * i);
    out = std::move(next);
  }
  return out;
}

bool uses(const Affine& form, std::size_t v) {
  return form.coefficients[v] != 0;
}

// A sum of a batch, a column and a step part, with the reach of the column part.
struct Parts {
  std::vector<std::int64_t> batch, column, step;
};

// A factor as a matrix of lines (rows or columns) and steps for each batch.
struct Side {
  const Tensor* tensor = nullptr;
  bool splat = false;
  Parts position;
  // Indices that may be outside the tensor, with their extents; guards (columns only).
  std::vector<Parts> open_indices;
  std::vector<std::int64_t> open_extents;
  std::vector<Parts> guards;
};

class Contractor {
 public:
  explicit Contractor(const Contraction& c) : c_(c) {}

  // Chooses batch, rows and columns. False when the guards depend on both rows and columns.
  bool plan() {
    std::vector<std::size_t> groups[2];
    bool guarded[2] = {false, false};
    for (std::size_t v = 0; v < c_.output_variables; ++v) {
      bool in[2] = {false, false};
      for (int f = 0; f < 2; ++f)
        for (const Affine& index : c_.factors[f].indices) in[f] = in[f] || uses(index, v);
      if (in[0] == in[1]) {
        batch_.push_back(v);
        continue;
      }
      const int side = in[0] ? 0 : 1;
      groups[side].push_back(v);
      for (const Affine& guard : c_.guards) guarded[side] = guarded[side] || uses(guard, v);
    }
    if (guarded[0] && guarded[1]) return false;
    const auto size = [&](const std::vector<std::size_t>& group) {
      std::int64_t n = 1;
      for (const std::size_t v : group) n *= c_.extents[v];
      return n;
    };
    column_factor_ = guarded[0] || (!guarded[1] && size(groups[0]) > size(groups[1])) ? 0 : 1;
    rows_ = groups[1 - column_factor_];
    columns_ = groups[column_factor_];
    for (std::size_t v = c_.output_variables; v < c_.extents.size(); ++v) steps_.push_back(v);
    batches = size(batch_);
    rows = size(rows_);
    columns = size(columns_);
    steps = size(steps_);
    if (steps > (std::int64_t{1} << 27) || rows > (std::int64_t{1} << 27) ||
        columns > (std::int64_t{1} << 27))
      return false;
    output_ = parts(c_.output, columns_);
    output_rows_ = values_over(c_.output, rows_, c_.extents);
    left_ = side(1 - column_factor_, rows_);
    right_ = side(column_factor_, columns_);
    for (const Affine& guard : c_.guards) right_.guards.push_back(parts(guard, columns_));
    return find_borders();
  }

  std::int64_t batches = 1, rows = 1, columns = 1, steps = 1;

  std::optional<std::vector<double>> run(std::int64_t output_count, unsigned jobs) {
    std::vector<double> out(static_cast<std::size_t>(output_count));
    const std::int64_t wanted =
        (columns + static_cast<std::int64_t>(jobs) - 1) / static_cast<std::int64_t>(jobs);
    // Whole panels, so that a panel's number does not depend on the number of threads.
    const std::int64_t whole = (wanted + tile_columns - 1) / tile_columns * tile_columns;
    const std::int64_t width = batches >= static_cast<std::int64_t>(jobs)
                                   ? block_columns
                                   : std::clamp<std::int64_t>(whole, tile_columns, block_columns);
    const std::int64_t blocks = (columns + width - 1) / width;
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    const auto work = [&] {
      Buffers buffers;
      for (std::int64_t task = next++; task < batches * blocks && !failed; task = next++) {
        const std::int64_t first = task % blocks * width;
        if (!block(task / blocks, first, std::min(columns, first + width), buffers, out.data()))
          failed = true;
      }
    };
    {
      std::vector<std::jthread> threads;
      for (unsigned j = 1; j < jobs && static_cast<std::int64_t>(j) < batches * blocks; ++j)
        threads.emplace_back(work);
      work();
    }
    if (failed) return std::nullopt;
    return out;
  }

 private:
  struct Buffers {
    std::vector<double> left, right, sums;
    std::vector<std::pair<std::int64_t, std::int64_t>> reach;
  };

  Parts parts(const Affine& form, const std::vector<std::size_t>& lines) const {
    Parts out{values_over(form, batch_, c_.extents), values_over(form, lines, c_.extents),
              values_over(form, steps_, c_.extents)};
    for (std::int64_t& base : out.batch) base += form.offset;
    return out;
  }

  Side side(int f, const std::vector<std::size_t>& lines) const {
    const Factor& factor = c_.factors[f];
    Side out;
    out.tensor = factor.tensor;
    out.splat = out.tensor->encoded() != nullptr && (**out.tensor->encoded()).splat;
    Affine position{0, std::vector<std::int64_t>(c_.extents.size(), 0)};
    for (std::size_t d = 0; d < factor.indices.size(); ++d) {
      const std::int64_t extent = out.tensor->extents()[d];
      const Affine& index = factor.indices[d];
      std::int64_t low = index.offset, high = index.offset;
      for (std::size_t v = 0; v < c_.extents.size(); ++v) {
        const std::int64_t reach = index.coefficients[v] * std::max<std::int64_t>(c_.extents[v] - 1, 0);
        (reach < 0 ? low : high) += reach;
        position.coefficients[v] = position.coefficients[v] * extent + index.coefficients[v];
      }
      position.offset = position.offset * extent + index.offset;
      if (low >= 0 && high < extent) continue;
      out.open_indices.push_back(parts(index, lines));
      out.open_extents.push_back(extent);
    }
    if (out.splat) position = {0, std::vector<std::int64_t>(c_.extents.size(), 0)};
    out.position = parts(position, lines);
    return out;
  }

  static double value(const Tensor& tensor, std::int64_t at) {
    if (const auto* doubles = tensor.doubles()) return (**doubles)[static_cast<std::size_t>(at)];
    const TensorData& data = **tensor.encoded();
    double out = 0;
    load_numbers(data.format, &out, data.bytes.data(), at, 0, 0, 1);
    return out;
  }

  // Reads `count` values at base + positions[i]. Two loops for the two formats that matter.
  static void gather(const Tensor& tensor, std::int64_t base, const std::int64_t* positions,
                     std::int64_t count, std::int64_t stride, double* to) {
    if (const auto* doubles = tensor.doubles()) {
      const double* data = (**doubles).data() + base;
      for (std::int64_t i = 0; i < count; ++i) to[i * stride] = data[positions[i]];
    } else if (tensor.format() == Format::f32) {
      const auto* data = reinterpret_cast<const float*>((**tensor.encoded()).bytes.data()) + base;
      for (std::int64_t i = 0; i < count; ++i) to[i * stride] = static_cast<double>(data[positions[i]]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i * stride] = value(tensor, base + positions[i]);
    }
  }

  // One panel of `width` lines: to[k * width + line] for the steps first <= k < last; lines beyond `to_line`
  // are 0.
  bool pack_left(std::int64_t batch, std::int64_t first_row, std::int64_t first, std::int64_t last,
                 double* to) const {
    const std::int64_t lines = std::min<std::int64_t>(tile_rows, rows - first_row);
    const auto b = static_cast<std::size_t>(batch);
    for (std::size_t d = 0; d < left_.open_indices.size(); ++d) {
      const Parts& p = left_.open_indices[d];
      for (std::int64_t k = first; k < last; ++k)
        for (std::int64_t r = first_row; r < first_row + lines; ++r) {
          const std::int64_t index =
              p.batch[b] + p.column[static_cast<std::size_t>(r)] + p.step[static_cast<std::size_t>(k)];
          if (index < 0 || index >= left_.open_extents[d]) return false;
        }
    }
    const std::int64_t count = last - first;
    for (std::int64_t r = 0; r < tile_rows; ++r) {
      if (r < lines) {
        const std::int64_t base =
            left_.position.batch[b] + left_.position.column[static_cast<std::size_t>(first_row + r)];
        gather(*left_.tensor, base, left_.position.step.data() + first, count, tile_rows, to + r);
      } else {
        for (std::int64_t k = 0; k < count; ++k) to[k * tile_rows + r] = 0;
      }
    }
    if (right_.guards.empty()) return true;
    // A skipped step is a product with 0, which is only nothing when the other factor is finite.
    double sum = 0;
    for (std::int64_t i = 0; i < count * tile_rows; ++i) sum += to[i] * 0;
    return sum == 0;
  }

  // Least and greatest column part of each guard and of each open index over a panel.
  using Reach = std::vector<std::pair<std::int64_t, std::int64_t>>;
  void measure(std::int64_t first_column, std::int64_t lines, Reach& reach) const {
    reach.clear();
    for (const auto* list : {&right_.guards, &right_.open_indices})
      for (const Parts& part : *list) {
        const auto from = part.column.begin() + first_column;
        const auto [low, high] = std::minmax_element(from, from + lines);
        reach.emplace_back(*low, *high);
      }
  }

  // Which lines of a panel take the step, one bit each; -1: a line that does reads outside its tensor. Most
  // panels lie inside as a whole, which their reach tells.
  int lines_taken(std::size_t batch, std::size_t step, std::int64_t first_column, std::int64_t lines,
                  const Reach& reach) const {
    const int full = (1 << lines) - 1;
    bool all = true;
    for (std::size_t i = 0; i < right_.guards.size(); ++i) {
      const std::int64_t base = right_.guards[i].batch[batch] + right_.guards[i].step[step];
      if (base + reach[i].first > 0) return 0;
      all = all && base + reach[i].second <= 0;
    }
    for (std::size_t d = 0; d < right_.open_indices.size(); ++d) {
      const std::int64_t base = right_.open_indices[d].batch[batch] + right_.open_indices[d].step[step];
      const auto& [low, high] = reach[right_.guards.size() + d];
      all = all && base + low >= 0 && base + high < right_.open_extents[d];
    }
    if (all) return full;
    int mask = 0;
    for (std::int64_t n = 0; n < lines; ++n) {
      const auto column = static_cast<std::size_t>(first_column + n);
      const bool taken = std::all_of(right_.guards.begin(), right_.guards.end(), [&](const Parts& guard) {
        return guard.batch[batch] + guard.step[step] + guard.column[column] <= 0;
      });
      if (!taken) continue;
      for (std::size_t d = 0; d < right_.open_indices.size(); ++d) {
        const Parts& part = right_.open_indices[d];
        const std::int64_t index = part.batch[batch] + part.step[step] + part.column[column];
        if (index < 0 || index >= right_.open_extents[d]) return -1;
      }
      mask |= 1 << n;
    }
    return mask;
  }

  // Many batches with the same borders (one channel a group, say): which lines are taken is found once.
  bool find_borders() {
    const std::int64_t panels = (columns + tile_columns - 1) / tile_columns;
    bool alike = batches >= 4 && steps * panels <= (1 << 22) &&
                 !(right_.guards.empty() && right_.open_indices.empty());
    for (const auto* list : {&right_.guards, &right_.open_indices})
      for (const Parts& part : *list)
        alike = alike && std::all_of(part.batch.begin(), part.batch.end(),
                                     [&](std::int64_t value) { return value == part.batch.front(); });
    if (!alike) return true;
    Reach reach;
    for (std::int64_t p = 0; p < panels; ++p) {
      const std::int64_t lines = std::min<std::int64_t>(tile_columns, columns - p * tile_columns);
      measure(p * tile_columns, lines, reach);
      for (std::int64_t k = 0; k < steps; ++k) {
        const int taken = lines_taken(0, static_cast<std::size_t>(k), p * tile_columns, lines, reach);
        if (taken < 0) return false;
        borders_.push_back(static_cast<std::uint8_t>(taken));
      }
    }
    return true;
  }

  // A panel of columns; first_column is a multiple of tile_columns.
  bool pack_right(std::int64_t batch, std::int64_t first_column, std::int64_t columns_here,
                  std::int64_t first, std::int64_t last, double* to, Reach& reach) const {
    const auto b = static_cast<std::size_t>(batch);
    const std::int64_t lines = std::min<std::int64_t>(tile_columns, columns_here);
    const int full = (1 << lines) - 1;
    const std::uint8_t* known =
        borders_.empty() ? nullptr : borders_.data() + first_column / tile_columns * steps;
    if (known == nullptr) measure(first_column, lines, reach);
    const std::int64_t* positions = right_.position.column.data() + first_column;
    bool consecutive = lines == tile_columns;
    for (std::int64_t n = 1; n < lines; ++n) consecutive = consecutive && positions[n] == positions[0] + n;
    for (std::int64_t k = first; k < last; ++k, to += tile_columns) {
      const auto step = static_cast<std::size_t>(k);
      const int taken = known != nullptr ? known[k] : lines_taken(b, step, first_column, lines, reach);
      if (taken < 0) return false;
      const std::int64_t base = right_.position.batch[b] + right_.position.step[step];
      if (taken == full && consecutive) {
        copy(*right_.tensor, base + positions[0], to);
        continue;
      }
      std::fill(to, to + tile_columns, 0.0);
      if (taken == full) {
        gather(*right_.tensor, base, positions, lines, 1, to);
      } else if (taken != 0) {
        for (std::int64_t n = 0; n < lines; ++n)
          if ((taken >> n & 1) != 0) gather(*right_.tensor, base, positions + n, 1, 1, to + n);
      }
    }
    return true;
  }

  // tile_columns values that lie side by side.
  static void copy(const Tensor& tensor, std::int64_t from, double* to) {
    if (const auto* doubles = tensor.doubles()) {
      std::copy_n((**doubles).data() + from, tile_columns, to);
    } else if (tensor.format() == Format::f32) {
      const auto* data = reinterpret_cast<const float*>((**tensor.encoded()).bytes.data()) + from;
      for (int i = 0; i < tile_columns; ++i) to[i] = static_cast<double>(data[i]);
    } else {
      for (int i = 0; i < tile_columns; ++i) to[i] = value(tensor, from + i);
    }
  }

  // The columns first <= column < last of one batch.
  bool block(std::int64_t batch, std::int64_t first, std::int64_t last, Buffers& buffers, double* out) const {
    static const TileKernel kernel = tile_kernel();
    const std::int64_t panels = (last - first + tile_columns - 1) / tile_columns;
    const std::int64_t stride = panels * tile_columns, tiles = (rows + tile_rows - 1) / tile_rows;
    buffers.sums.assign(static_cast<std::size_t>(tiles * tile_rows * stride), c_.init);
    buffers.right.resize(static_cast<std::size_t>(panels * block_steps * tile_columns));
    buffers.left.resize(static_cast<std::size_t>(block_steps * tile_rows));
    for (std::int64_t k = 0; k < steps; k += block_steps) {
      const std::int64_t end = std::min(steps, k + block_steps), count = end - k;
      for (std::int64_t p = 0; p < panels; ++p)
        if (!pack_right(batch, first + p * tile_columns, last - first - p * tile_columns, k, end,
                        buffers.right.data() + p * count * tile_columns, buffers.reach))
          return false;
      for (std::int64_t t = 0; t < tiles; ++t) {
        if (!pack_left(batch, t * tile_rows, k, end, buffers.left.data())) return false;
        for (std::int64_t p = 0; p < panels; ++p)
          kernel(buffers.left.data(), buffers.right.data() + p * count * tile_columns, count,
                 buffers.sums.data() + t * tile_rows * stride + p * tile_columns, stride);
      }
    }
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t n = first; n < last; ++n)
        out[output_.batch[static_cast<std::size_t>(batch)] + output_rows_[static_cast<std::size_t>(r)] +
            output_.column[static_cast<std::size_t>(n)]] =
            buffers.sums[static_cast<std::size_t>(r * stride + n - first)];
    return true;
  }

  const Contraction& c_;
  std::vector<std::size_t> batch_, rows_, columns_, steps_;
  int column_factor_ = 1;
  Parts output_;
  std::vector<std::int64_t> output_rows_;
  Side left_, right_;
  std::vector<std::uint8_t> borders_;  // by panel and step; empty: not found beforehand
};

}  // namespace

std::optional<std::vector<double>> contract(const Contraction& contraction, std::int64_t output_count,
                                            unsigned jobs) {
  Contractor contractor(contraction);
  if (!contractor.plan()) return std::nullopt;
  return contractor.run(output_count, std::max(jobs, 1U));
}

}  // namespace hallmark::evaluator
