#include "cases.h"

#include <cstdlib>
#include <filesystem>

namespace hallmark::validator::testing {

using calculus::Op;
using Kind = ObligationKind;

namespace {

Term a(int d) {
  return calculus::axis(d);
}
Term word(const char* name, std::vector<Term> indices) {
  return calculus::load(name, indices, calculus::Sort::integer(Format::u32));
}
Term real(const char* name, std::vector<Term> indices) {
  return calculus::load(name, indices, f32());
}
calculus::SymbolRange range(const char* name, long low, long high) {
  return {name, Integer(low), Integer(high)};
}

Term sum_of_x(Term extent) {
  const Term k = calculus::fresh_variable("k");
  return calculus::sum(k, extent, word("x", {k}));
}

plan::KernelSpec sum_spec(std::vector<calculus::SymbolRange> symbols, Term extent, Term block, bool with_n) {
  std::vector<plan::Parameter> parameters{input("x", {extent}, Format::u32),
                                          output("y", {n(1)}, Format::u32)};
  if (with_n) parameters.push_back(scalar("n", Format::i32));
  plan::KernelSpec out = spec("", std::move(symbols), std::move(parameters), n(1), block);
  ensure_whole(out, "y", sum_of_x(extent));
  return out;
}

}  // namespace

std::string shared_folder() {
  if (const char* given = std::getenv("HALLMARK_SHARED")) return given;
  const std::string beside = std::string(HALLMARK_SOURCE_DIR) + "/../shared";
  return std::filesystem::exists(beside) ? beside : "";
}

std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> out;
  out.push_back({"K-01-init-race.cu",
                 "k01",
                 sum_spec({range("n", 0, 1 << 30)}, s("n"), n(64), true),
                 {Kind::race},
                 {Kind::bounds, Kind::barrier, Kind::init},
                 false});
  out.push_back({"K-03-partial-warp-dropped.cu",
                 "k03",
                 sum_spec({range("b", 1, 1024)}, s("b"), s("b"), false),
                 {Kind::value},
                 {Kind::bounds, Kind::race, Kind::barrier, Kind::init},
                 false});
  {
    const Term cols = s("cols"), rows = s("rows"), nb = s("nb");
    plan::Parameter idx = input("idx", {nb}, Format::i32);
    idx.buffer->element_low = n(0);
    idx.buffer->element_high = rows;
    plan::KernelSpec k =
        spec("", {range("rows", 1, (1L << 31) - 1), range("cols", 1, 1 << 30), range("nb", 1, 65535)},
             {input("table", {rows, cols}), idx, output("out", {nb, cols}), scalar("cols", Format::i32)},
             calculus::ceil_div(cols, n(256)), n(256));
    k.launch.grid[1] = nb;
    const Term index =
        calculus::to_index(calculus::load("idx", {a(0)}, calculus::Sort::integer(Format::i32)));
    ensure_whole(k, "out", real("table", {index, a(1)}));
    out.push_back({"K-05-int32-row-offset.cu",
                   "k05",
                   k,
                   {Kind::overflow, Kind::bounds, Kind::value},
                   {Kind::race},
                   true});
  }
  {
    plan::KernelSpec k = spec("", {range("n", 1, 1 << 30)},
                              {input("x", {s("n")}), output("y", {s("n")}), scalar("n", Format::i32)},
                              calculus::ceil_div(s("n"), n(128)), n(128));
    const Term x = real("x", {a(0)}), zero = f32_constant(0);
    ensure_whole(k, "y", calculus::select(calculus::compare(Op::lt, zero, x), x, zero));
    out.push_back({"K-08-unmasked-tail-load.cu",
                   "k08",
                   k,
                   {Kind::bounds},
                   {Kind::coverage, Kind::race, Kind::value},
                   true});
  }
  {
    out.push_back({"K-11-uninitialised-slots.cu",
                   "k11",
                   sum_spec({}, n(64), n(64), false),
                   {Kind::init, Kind::value},
                   {Kind::bounds, Kind::race, Kind::barrier},
                   false});
  }
  {
    const Term ld = s("ld"), count = s("n");
    plan::Parameter dst =
        output("dst", {calculus::add(calculus::multiply(calculus::add(count, n(-1)), ld), n(1))});
    dst.buffer->access = plan::Access::inout;
    plan::KernelSpec k =
        spec("", {range("n", 1, 1 << 30), range("ld", 1, (1L << 31) - 1)},
             {input("src", {count}), dst, scalar("n", Format::i32), scalar("ld", Format::i32)},
             calculus::ceil_div(count, n(128)), n(128));
    k.requirements.push_back(
        calculus::less(calculus::multiply(count, ld), calculus::integer(power_of_two(31))));
    plan::Ensure e;
    e.buffer = "dst";
    e.axis_names = {"i"};
    e.domain = {count};
    e.target = {calculus::multiply(a(0), ld)};
    e.value = real("src", {a(0)});
    k.ensures = {e};
    out.push_back({"K-13-strided-destination.cu",
                   "k13",
                   k,
                   {Kind::frame, Kind::coverage, Kind::value},
                   {Kind::bounds},
                   true});
  }
  {
    const Term rows = s("rows"), cols = s("cols");
    plan::KernelSpec k = spec("", {range("rows", 1, 1 << 30), range("cols", 1, 1 << 30)},
                              {input("x", {rows, cols}), output("y", {rows, cols}),
                               scalar("rows", Format::i32), scalar("cols", Format::i32)},
                              calculus::ceil_div(rows, n(2)), n(32));
    k.launch.block[1] = n(2);
    k.requirements.push_back(calculus::at_most(calculus::multiply(rows, cols), n(1 << 30)));
    ensure_whole(k, "y", calculus::apply(Op::add, {real("x", {a(0), a(1)}), f32_constant(1)}));
    out.push_back(
        {"K-14-wrong-builtin.cu", "k14", k, {Kind::coverage, Kind::value, Kind::race}, {Kind::bounds}, true});
  }
  return out;
}

}  // namespace hallmark::validator::testing
