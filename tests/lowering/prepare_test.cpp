// Launches that run once, when a plan is loaded: which there are, what they give, and what must not pass as
// one.
#include <gtest/gtest.h>

#include "base/error.h"
#include "check.h"
#include "formulation/formulate.h"
#include "lowering/lower.h"
#include "programs_models.h"
#include "runtime/resolve.h"
#include "smt/portfolio.h"
#include "validator/launch/plan_checks.h"
#include "validator/symbolic/encode.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

constexpr long rows = 32, depth = 24, columns = 40;

Constant constant(const std::string& name, const std::vector<std::int64_t>& extents) {
  auto data = std::make_shared<TensorData>();
  data->format = Format::f32;
  data->extents = extents;
  std::size_t count = 1;
  for (const std::int64_t e : extents) count *= static_cast<std::size_t>(e);
  data->bytes.assign(count * 4, std::byte{0});
  std::vector<Term> terms;
  for (const std::int64_t e : extents) terms.push_back(integer(Integer(static_cast<long>(e))));
  return {f32(name, terms), data};
}

// A product whose weights are scaled first: the scaling depends on constants alone. With `symbolic`, the
// scaled weights come in as many copies as a symbol says, so they are not the same on every call.
Program scaled_product(bool symbolic = false) {
  Program p;
  if (symbolic) p.symbols = {{"N", 1, Integer(8)}};
  p.inputs = {f32("x", {n(rows), n(depth)})};
  p.constants = {constant("w", {depth, columns}), constant("s", {columns})};
  const Term k = fresh_variable("k");
  std::vector<Term> extents{n(depth), n(columns)}, indices{k, i(1)};
  if (symbolic) {
    extents.push_back(symbol("N"));
    indices.push_back(n(0));
  }
  p.definitions = {
      define("v", extents, apply(Op::mul, {real("w", {i(0), i(1)}), real("s", {i(1)})}), "Mul_0 (Mul)"),
      define("h", {n(rows), n(depth)}, apply(Op::max, {real("x", {i(0), i(1)}), real_constant(0)}),
             "Relu_1 (Relu)"),
      define("y", {n(rows), n(columns)},
             sum(k, n(depth), apply(Op::mul, {real("h", {i(0), k}), real("v", indices)})),
             "MatMul_2 (MatMul)")};
  p.outputs = {"y"};
  return p;
}

plan::LaunchPlan planned(const Program& program, bool fuse) {
  lowering::Schedule schedule;
  schedule.fuse = fuse;
  return lowering::lower(formulation::formulate(program).program, schedule).plan;
}

TEST(Prepare, WhatDependsOnConstantsAloneRunsOnce) {
  for (const bool fuse : {false, true}) {
    const plan::LaunchPlan plan = planned(scaled_product(), fuse);
    ASSERT_GE(plan.launches.size(), 2U);
    EXPECT_TRUE(plan.launches[0].prepare);
    EXPECT_EQ(plan.launches[0].computes, std::vector<std::string>{"v"});
    EXPECT_EQ(plan::find_buffer(plan, "v")->role, plan::Role::prepared);
    for (std::size_t l = 1; l < plan.launches.size(); ++l) EXPECT_FALSE(plan.launches[l].prepare);
  }
}

TEST(Prepare, WhatDependsOnASymbolOrIsAnOutputDoesNot) {
  for (const plan::PlannedLaunch& launch : planned(scaled_product(true), false).launches)
    EXPECT_FALSE(launch.prepare) << launch.kernel;
  Program shown = scaled_product();
  shown.outputs.push_back("v");
  for (const plan::PlannedLaunch& launch : planned(shown, false).launches)
    EXPECT_FALSE(launch.prepare) << launch.kernel;
}

TEST(Prepare, TheKernelsComputeTheProgram) {
  for (const bool fuse : {false, true}) {
    lowering::Schedule schedule;
    schedule.fuse = fuse;
    expect_kernels_match(scaled_product(), {}, schedule, {});
  }
}

// --- Faulty plans
// -------------------------------------------------------------------------------------------

struct Fault {
  std::string name;
  std::function<void(plan::LaunchPlan&)> make;
};

plan::PlannedBuffer& buffer(plan::LaunchPlan& plan, const std::string& name) {
  for (plan::PlannedBuffer& b : plan.buffers)
    if (b.declaration.name == name) return b;
  throw std::out_of_range(name);
}

// Launches of the base plan: 0 writes v once, 1 writes h, 2 reads h and v and writes y.
std::vector<Fault> faults() {
  return {
      {"an input is read once",
       [](plan::LaunchPlan& p) {
         p.launches[1].prepare = true;
         buffer(p, "h").role = plan::Role::prepared;
         buffer(p, "h").arena_offset = nullptr;
       }},
      {"a launch of each call stands before one that runs once",
       [](plan::LaunchPlan& p) { std::swap(p.launches[0], p.launches[1]); }},
      {"what is written once lies in the arena",
       [](plan::LaunchPlan& p) {
         buffer(p, "v").role = plan::Role::arena;
         buffer(p, "v").arena_offset = p.arena_bytes;
         p.arena_bytes = add(p.arena_bytes, n(4096));
       }},
      {"what is kept is written on each call", [](plan::LaunchPlan& p) { p.launches[0].prepare = false; }},
      {"a launch that runs once depends on a symbol",
       [](plan::LaunchPlan& p) {
         p.symbols = {{"N", 1, Integer(8)}};
         p.launches[0].grid[0] = add(p.launches[0].grid[0], symbol("N"));
       }},
  };
}

// Subjects of kinds `order` and `memory` that are not shown.
std::set<std::string> failures(const Program& program, const plan::LaunchPlan& plan) {
  const Program formulation = formulation::formulate(program).program;
  smt::Portfolio portfolio;
  const validator::Prover::Probe probe = [&](const std::vector<Term>& facts, Term goal) {
    smt::Arena arena;
    validator::Encoder encoder(arena);
    smt::Query query;
    for (Term fact : facts) query.hypotheses.push_back({"", encoder.encode(fact)});
    query.goal = encoder.encode(goal);
    for (smt::Term definition : encoder.definitions()) query.hypotheses.push_back({"definition", definition});
    return portfolio.seems_to_hold(query);
  };
  const auto list = validator::list_plan_obligations(formulation, plan);
  const auto found = validator::examine_plan(formulation, plan, probe);
  std::set<std::string> out;
  for (std::size_t o = 0; o < list.size(); ++o)
    if (!found[o].holds) out.insert(std::string(name(list[o].kind)) + " " + list[o].subject);
  return out;
}

TEST(Prepare, TheObligationsHoldOfThePlanAndOfNoFaultyOne) {
  const Program program = scaled_product();
  const plan::LaunchPlan base = planned(program, false);
  ASSERT_EQ(base.launches.size(), 3U);
  EXPECT_EQ(failures(program, base), std::set<std::string>{});
  const auto list = validator::list_plan_obligations(formulation::formulate(program).program, base);
  for (const char* id : {"order/prepare:0/plan", "memory/v/plan"})
    EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const Obligation& o) { return o.id == id; })) << id;
  for (const Fault& fault : faults()) {
    plan::LaunchPlan broken = base;
    fault.make(broken);
    const std::set<std::string> found = failures(program, broken);
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const std::string& f) {
      return f.rfind("order prepare:", 0) == 0 || f == "memory v";
    })) << fault.name;
  }
}

TEST(Prepare, TheRuntimeRefusesFaultyPlansToo) {
  const plan::LaunchPlan base = planned(scaled_product(), false);
  const auto code = [](const plan::LaunchPlan& plan) -> std::string {
    try {
      runtime::resolve(plan, plan.symbols.empty() ? std::map<std::string, Integer>{}
                                                  : std::map<std::string, Integer>{{"N", 2}});
    } catch (const UserError& error) {
      return error.code();
    }
    return "none";
  };
  EXPECT_EQ(code(base), "none");
  const std::vector<Fault> all = faults();
  // The last fault does no harm to this runtime, whose symbols are fixed while a plan is loaded.
  for (std::size_t f = 0; f + 1 < all.size(); ++f) {
    plan::LaunchPlan broken = base;
    all[f].make(broken);
    EXPECT_EQ(code(broken), "E7307") << all[f].name;
  }
}

}  // namespace
}  // namespace hallmark::testing
