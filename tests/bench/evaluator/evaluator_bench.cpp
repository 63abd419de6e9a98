// Multiply-adds a second of the reference evaluator on one core, in double over f32 tensors.
#include <benchmark/benchmark.h>

#include <cstring>

#include "calculus/text/text.h"
#include "evaluator/evaluator.h"

namespace {

using namespace hallmark;
using namespace hallmark::evaluator;

Tensor filled(std::vector<std::int64_t> extents, bool splat) {
  auto data = std::make_shared<calculus::TensorData>();
  data->extents = std::move(extents);
  data->splat = splat;
  std::vector<float> values(splat ? 1 : static_cast<std::size_t>(data->element_count()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) / 8 - 1;
  data->bytes.resize(values.size() * sizeof(float));
  std::memcpy(data->bytes.data(), values.data(), data->bytes.size());
  return Tensor(data);
}

void measure(benchmark::State& state, const std::string& definition, std::vector<std::int64_t> a,
             std::vector<std::int64_t> b, double multiply_adds, bool splat) {
  const auto list = [](const std::vector<std::int64_t>& extents) {
    std::string out;
    for (const std::int64_t e : extents) out += (out.empty() ? "" : ", ") + std::to_string(e);
    return out;
  };
  const calculus::Program program = calculus::text::parse_program(
      "hallmark 1 program exact input A : f32[" + list(a) + "] input B : f32[" + list(b) + "]\n" + definition,
      "bench");
  const Tensors tensors{{"A", filled(a, false)}, {"B", filled(b, splat)}};
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(program.definitions[0], {}, {}, tensors));
  state.counters["MAC/s"] = benchmark::Counter(multiply_adds, benchmark::Counter::kIsIterationInvariantRate);
}

std::string text(std::int64_t value) {
  return std::to_string(value);
}

void matmul(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  measure(
      state,
      "define C : f32[i < " + text(n) + ", j < " + text(n) + "] = sum(k < " + text(n) + ") A[i, k] * B[k, j]",
      {n, n}, {n, n}, static_cast<double>(n * n * n), false);
}
BENCHMARK(matmul)->Arg(128)->Arg(512)->Unit(benchmark::kMillisecond);

// The first fully connected layer of vgg19 for one image.
void gemm(benchmark::State& state) {
  measure(state, "define C : f32[i < 1, j < 4096] = B[j, 0] + (sum(k < 25088) A[i, k] * B[j, k])", {1, 25088},
          {4096, 25088}, 25088.0 * 4096, state.range(0) != 0);
}
BENCHMARK(gemm)->ArgName("splat")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// channels in, channels out, size: 3x3 with padding 1.
void convolution(benchmark::State& state) {
  const std::int64_t in = state.range(0), out = state.range(1), size = state.range(2);
  const std::string n = text(size);
  measure(state,
          "define C : f32[n < 1, m < " + text(out) + ", y < " + n + ", x < " + n + "] = fold(c < " +
              text(in) + "; s = 0 -> fold(p < 3 where 0 <= y + p - 1 < " + n +
              "; t = s -> fold(q < 3 where 0 <= x + q - 1 < " + n +
              "; u = t -> u + A[n, c, y + p - 1, x + q - 1] * B[m, c, p, q])))",
          {1, in, size, size}, {out, in, 3, 3}, static_cast<double>(in * out * size * size * 9), false);
}
BENCHMARK(convolution)
    ->Args({3, 64, 224})
    ->Args({64, 64, 112})
    ->Args({256, 256, 28})
    ->Args({512, 512, 7})
    ->Unit(benchmark::kMillisecond);

// One channel a group.
void depthwise(benchmark::State& state) {
  const std::int64_t channels = state.range(0), size = state.range(1);
  const std::string n = text(size);
  measure(state,
          "define C : f32[n < 1, m < " + text(channels) + ", y < " + n + ", x < " + n +
              "] = fold(p < 3 where 0 <= y + p - 1 < " + n + "; t = 0 -> fold(q < 3 where 0 <= x + q - 1 < " +
              n + "; u = t -> u + A[n, m, y + p - 1, x + q - 1] * B[m, 0, p, q]))",
          {1, channels, size, size}, {channels, 1, 3, 3}, static_cast<double>(channels * size * size * 9),
          false);
}
BENCHMARK(depthwise)->Args({32, 112})->Args({512, 14})->Unit(benchmark::kMillisecond);

// No sum of products: elements a second.
void elementwise(benchmark::State& state) {
  measure(state,
          "define C : f32[c < 64, y < 12544] = max((A[c, y] - B[c, 0]) / sqrt(B[c, 1] + 4) * B[c, 2] + B[c, "
          "3], 0)",
          {64, 12544}, {64, 4}, 64.0 * 12544, false);
}
BENCHMARK(elementwise)->Unit(benchmark::kMillisecond);

void max_pool(benchmark::State& state) {
  measure(state, "define C : f32[c < 64, y < 56, x < 56] = max(p < 3) max(q < 3) A[c, 2 * y + p, 2 * x + q]",
          {64, 113, 113}, {1}, 64.0 * 56 * 56 * 9, false);
}
BENCHMARK(max_pool)->Unit(benchmark::kMillisecond);

// A formulation: f32 fused multiply-adds, each rounded.
void rounded_matmul(benchmark::State& state) {
  const calculus::Program program = calculus::text::parse_program(
      "hallmark 1 program rounded input A : f32[128, 256] input B : f32[256, 128]\n"
      "define C : f32[i < 128, j < 128] = fold(k < 256; s = 0 -> fma(A[i, k], B[k, j], s))",
      "bench");
  const Tensors tensors{{"A", filled({128, 256}, false)}, {"B", filled({256, 128}, false)}};
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(program.definitions[0], {}, {}, tensors));
  state.counters["MAC/s"] =
      benchmark::Counter(128.0 * 128 * 256, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(rounded_matmul)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
