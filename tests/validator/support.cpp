#include "support.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"
#include "base/files.h"
#include "validator/checks/discharge.h"
#include "validator/ptx/reader.h"

namespace hallmark::validator::testing {

using calculus::Op;

Term f32_constant(float value) {
  return calculus::float_constant(Format::f32, std::bit_cast<std::uint32_t>(value));
}

plan::Parameter input(const std::string& name, std::vector<Term> extents, Format format) {
  plan::Parameter p;
  p.buffer = plan::Buffer{{name, format, std::move(extents)}, plan::Access::in, nullptr, nullptr};
  return p;
}

plan::Parameter output(const std::string& name, std::vector<Term> extents, Format format) {
  plan::Parameter p;
  p.buffer = plan::Buffer{{name, format, std::move(extents)}, plan::Access::out, nullptr, nullptr};
  return p;
}

plan::Parameter scalar(const std::string& name, Format format) {
  plan::Parameter p;
  p.scalar = plan::Scalar{name, format};
  return p;
}

plan::KernelSpec spec(const std::string& kernel, std::vector<calculus::SymbolRange> symbols,
                      std::vector<plan::Parameter> parameters, Term grid, Term block) {
  plan::KernelSpec out;
  out.kernel = kernel;
  out.symbols = std::move(symbols);
  out.parameters = std::move(parameters);
  out.launch.grid[0] = grid;
  out.launch.block[0] = block;
  return out;
}

void ensure_whole(plan::KernelSpec& spec, const std::string& buffer, Term value) {
  plan::Ensure e;
  e.buffer = buffer;
  for (const plan::Parameter& p : spec.parameters)
    if (p.buffer && p.buffer->declaration.name == buffer) e.domain = p.buffer->declaration.extents;
  for (std::size_t d = 0; d < e.domain.size(); ++d) {
    e.axis_names.push_back(fmt::format("i{}", d));
    e.target.push_back(calculus::axis(static_cast<int>(d)));
  }
  e.value = value;
  spec.ensures.push_back(e);
  plan::check_spec(spec);
}

namespace {

Term load(const char* name, std::vector<Term> indices) {
  return calculus::load(name, indices, f32());
}
Term a(int d) {
  return calculus::axis(d);
}
calculus::SymbolRange range(const char* name, long low, long high) {
  return {name, Integer(low), Integer(high)};
}

// fold(k < extent where guard; s = init; step(k, s))
template <typename Step>
Term fold(Term extent, Term init, Step step, Term (*guard)(Term) = nullptr,
          const calculus::Order* order = nullptr) {
  calculus::FoldParts parts;
  parts.variable = calculus::fresh_variable("k");
  parts.extent = extent;
  parts.states = {calculus::fresh_variable("s", init->sort)};
  parts.init = {init};
  parts.step = {step(parts.variable, parts.states[0])};
  if (guard != nullptr) parts.guard = guard(parts.variable);
  parts.order = order != nullptr ? order : calculus::seq_order();
  return calculus::fold(parts);
}

Term fma(Term x, Term y, Term z) {
  return calculus::apply(Op::fma, {x, y, z});
}

// strided(256, blocked(32, tree(32), tree(8)))
const calculus::Order* block_order() {
  using K = calculus::Order::Kind;
  const calculus::Order* lanes = calculus::make_order({K::tree, n(32), nullptr, nullptr, {}});
  const calculus::Order* warps = calculus::make_order({K::tree, n(8), nullptr, nullptr, {}});
  const calculus::Order* block = calculus::make_order({K::blocked, n(32), lanes, warps, {}});
  return calculus::make_order({K::strided, n(256), block, nullptr, {}});
}

Term row_sum_value() {
  return fold(
      s("cols"), f32_constant(0),
      [](Term c, Term acc) {
        return calculus::apply(Op::add, {acc, load("x", {a(0), c})});
      },
      nullptr, block_order());
}

plan::KernelSpec matmul(const char* name, Term grid, Term block) {
  plan::KernelSpec out =
      spec(name, {range("m", 1, 32768), range("n", 1, 32768), range("k", 0, 1 << 30)},
           {input("a", {s("m"), s("k")}), input("b", {s("k"), s("n")}), output("c", {s("m"), s("n")}),
            scalar("m", Format::u32), scalar("n", Format::u32), scalar("k", Format::u32)},
           grid, block);
  ensure_whole(out, "c", fold(s("k"), f32_constant(0), [](Term k, Term acc) {
                 return fma(load("a", {a(0), k}), load("b", {k, a(1)}), acc);
               }));
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> sample_kernels() {
  return {{"elementwise", "relu"},
          {"elementwise", "bias_add"},
          {"elementwise", "stride_scale"},
          {"elementwise", "conv3x3"},
          {"elementwise", "matmul_fma"},
          {"elementwise", "matmul_mul_add"},
          {"elementwise", "transpose"},
          {"elementwise", "max_pool"},
          {"tiled", "matmul_tiled"},
          {"tiled", "matmul_guarded"},
          {"tiled", "transpose_tiled"},
          {"rows", "row_sum"},
          {"rows", "center"}};
}

plan::KernelSpec sample_spec(const std::string& kernel) {
  const Term rows = s("rows"), cols = s("cols");
  if (kernel == "relu") {
    plan::KernelSpec out = spec("relu", {range("n", 1, 1 << 30)},
                                {input("x", {s("n")}), output("y", {s("n")}), scalar("n", Format::u32)},
                                calculus::ceil_div(s("n"), n(256)), n(256));
    ensure_whole(out, "y", calculus::apply(Op::maxnum, {load("x", {a(0)}), f32_constant(0)}));
    return out;
  }
  if (kernel == "bias_add") {
    plan::KernelSpec out = spec("bias_add", {range("rows", 1, 32768), range("cols", 1, 32768)},
                                {input("x", {rows, cols}), input("b", {cols}), output("y", {rows, cols}),
                                 scalar("rows", Format::u32), scalar("cols", Format::u32)},
                                calculus::ceil_div(calculus::multiply(rows, cols), n(256)), n(256));
    ensure_whole(out, "y", calculus::apply(Op::add, {load("x", {a(0), a(1)}), load("b", {a(1)})}));
    return out;
  }
  if (kernel == "stride_scale") {
    plan::KernelSpec out = spec("stride_scale", {range("n", 0, 1L << 40), range("blocks", 1, 65535)},
                                {input("x", {s("n")}), output("y", {s("n")}), scalar("n", Format::u64),
                                 scalar("blocks", Format::u32)},
                                s("blocks"), n(256));
    ensure_whole(out, "y", calculus::apply(Op::mul, {load("x", {a(0)}), f32_constant(0.5f)}));
    return out;
  }
  if (kernel == "conv3x3") {
    plan::KernelSpec out = spec("conv3x3", {},
                                {input("x", {n(16), n(28), n(30)}), input("w", {n(24), n(16), n(3), n(3)}),
                                 output("y", {n(24), n(28), n(30)})},
                                n(79), n(256));
    ensure_whole(out, "y", fold(n(16), f32_constant(0), [](Term c, Term outer) {
                   return fold(n(3), outer, [&](Term r, Term middle) {
                     return fold(n(3), middle, [&](Term t, Term acc) {
                       const Term h = calculus::add(calculus::add(a(1), r), n(-1)),
                                  w = calculus::add(calculus::add(a(2), t), n(-1));
                       const Term inside =
                           calculus::both(calculus::in_range(h, n(28)), calculus::in_range(w, n(30)));
                       return calculus::select(
                           inside, fma(load("x", {c, h, w}), load("w", {a(0), c, r, t}), acc), acc);
                     });
                   });
                 }));
    return out;
  }
  if (kernel == "matmul_fma")
    return matmul("matmul_fma", calculus::ceil_div(calculus::multiply(s("m"), s("n")), n(256)), n(256));
  if (kernel == "matmul_mul_add") {
    plan::KernelSpec out =
        spec("matmul_mul_add", {},
             {input("a", {n(80), n(100)}), input("b", {n(100), n(48)}), output("c", {n(80), n(48)})}, n(15),
             n(256));
    ensure_whole(out, "c", fold(n(100), f32_constant(0), [](Term k, Term acc) {
                   return calculus::apply(
                       Op::add,
                       {acc, calculus::apply(Op::mul, {load("a", {a(0), k}), load("b", {k, a(1)})})});
                 }));
    return out;
  }
  if (kernel == "transpose") {
    plan::KernelSpec out =
        spec("transpose", {}, {input("x", {n(32), n(24), n(18)}), output("y", {n(24), n(18), n(32)})}, n(54),
             n(256));
    ensure_whole(out, "y", load("x", {a(2), a(0), a(1)}));
    return out;
  }
  if (kernel == "max_pool") {
    plan::KernelSpec out =
        spec("max_pool", {}, {input("x", {n(16), n(28), n(28)}), output("y", {n(16), n(14), n(14)})}, n(13),
             n(256));
    ensure_whole(
        out, "y", fold(n(3), calculus::float_constant(Format::f32, 0xff800000u), [](Term r, Term outer) {
          return fold(n(3), outer, [&](Term t, Term acc) {
            const Term h = calculus::add(calculus::add(calculus::scale(2, a(1)), r), n(-1));
            const Term w = calculus::add(calculus::add(calculus::scale(2, a(2)), t), n(-1));
            const Term inside = calculus::both(calculus::in_range(h, n(28)), calculus::in_range(w, n(28)));
            return calculus::select(inside, calculus::apply(Op::maxnum, {acc, load("x", {a(0), h, w})}), acc);
          });
        }));
    return out;
  }
  if (kernel == "matmul_tiled" || kernel == "matmul_guarded") {
    plan::KernelSpec out = matmul(kernel.c_str(), calculus::ceil_div(s("n"), n(16)), n(16));
    out.launch.grid[1] = calculus::ceil_div(s("m"), n(16));
    out.launch.block[1] = n(16);
    if (kernel == "matmul_tiled") {
      for (const char* name : {"m", "n", "k"})
        out.requirements.push_back(calculus::equal(calculus::mod(s(name), n(16)), n(0)));
    } else {
      // The sum runs over whole tiles; what lies beyond k counts as 0 * 0, with its rounding.
      out.ensures.clear();
      ensure_whole(
          out, "c",
          fold(calculus::scale(16, calculus::ceil_div(s("k"), n(16))), f32_constant(0), [](Term k, Term acc) {
            const Term inside = calculus::less(k, s("k"));
            return fma(calculus::select(inside, load("a", {a(0), k}), f32_constant(0)),
                       calculus::select(inside, load("b", {k, a(1)}), f32_constant(0)), acc);
          }));
    }
    return out;
  }
  if (kernel == "transpose_tiled") {
    plan::KernelSpec out = spec("transpose_tiled", {range("rows", 1, 1 << 20), range("cols", 1, 1 << 20)},
                                {input("x", {rows, cols}), output("y", {cols, rows}),
                                 scalar("rows", Format::u32), scalar("cols", Format::u32)},
                                calculus::ceil_div(cols, n(32)), n(32));
    out.launch.grid[1] = calculus::ceil_div(rows, n(32));
    out.launch.block[1] = n(8);
    ensure_whole(out, "y", load("x", {a(1), a(0)}));
    return out;
  }
  if (kernel == "row_sum") {
    plan::KernelSpec out =
        spec("row_sum", {range("rows", 1, 65535), range("cols", 1, 1 << 24)},
             {input("x", {rows, cols}), output("y", {rows}), scalar("cols", Format::u32)}, rows, n(256));
    ensure_whole(out, "y", row_sum_value());
    return out;
  }
  if (kernel == "center") {
    plan::KernelSpec out = spec(
        "center", {range("rows", 1, 65535), range("cols", 1, 1 << 24)},
        {input("x", {rows, cols}), output("y", {rows, cols}), scalar("cols", Format::u32)}, rows, n(256));
    ensure_whole(out, "y", calculus::apply(Op::sub, {load("x", {a(0), a(1)}), row_sum_value()}));
    return out;
  }
  throw InternalError("no sample specification for " + kernel);
}

std::string kernel_text(const std::string& file) {
  return read_file(std::string(HALLMARK_SOURCE_DIR) + "/tests/validator/kernels/" + file);
}

ir::Module read_fixture(const std::string& file) {
  return ptx::read_ptx(kernel_text(file + ".ptx"), file + ".ptx");
}

smt::Portfolio& portfolio() {
  static smt::Portfolio one;
  return one;
}

std::vector<Obligation> check(const plan::KernelSpec& spec, const ir::Kernel& kernel, Level level) {
  std::vector<Obligation> out = list_obligations(spec, kernel, level);
  discharge(out, spec, kernel, level, portfolio());
  return out;
}

std::string not_proved(const std::vector<Obligation>& obligations) {
  std::string out;
  for (const Obligation& o : obligations) {
    if (o.outcome.state == State::proved) continue;
    out += fmt::format("{}: {} ({}) {}{}\n", o.id, name(o.outcome.state), name(o.outcome.reason),
                       o.outcome.detail, o.outcome.witness ? "; witness: " + o.outcome.witness->summary : "");
  }
  return out;
}

const Obligation& one(const std::vector<Obligation>& obligations, ObligationKind kind) {
  for (const Obligation& o : obligations)
    if (o.kind == kind) return o;
  throw InternalError("no obligation of that kind");
}

State state_of_kind(const std::vector<Obligation>& obligations, ObligationKind kind) {
  State out = State::proved;
  for (const Obligation& o : obligations) {
    if (o.kind != kind || o.outcome.state == State::proved) continue;
    if (o.outcome.state == State::refuted) return State::refuted;
    out = State::unrun;
  }
  return out;
}

}  // namespace hallmark::validator::testing
