// The launch plan as data and the runtime's checks on it; no device is touched.
#include <gtest/gtest.h>

#include "base/error.h"
#include "formulation/formulate.h"
#include "lowering/lower.h"
#include "lowering/memory.h"
#include "programs_models.h"
#include "runtime/resolve.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

plan::LaunchPlan symbolic_plan() {
  Program p = softmax(symbol("R"), symbol("C"));
  p.symbols = {{"C", 1, std::nullopt}, {"R", 1, Integer(1) << 20}};
  return lowering::lower(formulation::formulate(p).program).plan;
}

std::string failure(const plan::LaunchPlan& plan, const std::map<std::string, Integer>& symbols) {
  try {
    runtime::resolve(plan, symbols);
  } catch (const UserError& error) {
    return error.code();
  }
  return "none";
}

TEST(Runtime, ResolvesSymbols) {
  const runtime::ResolvedPlan resolved = runtime::resolve(symbolic_plan(), {{"R", 3}, {"C", 1000}});
  ASSERT_FALSE(resolved.buffers.empty());
  EXPECT_EQ(resolved.buffers[0].name, "X");
  EXPECT_EQ(resolved.buffers[0].bytes, 12000U);
  const runtime::ResolvedLaunch& last = resolved.launches.back();
  EXPECT_EQ(last.grid[0], 12U);
  EXPECT_EQ(last.block[0], 256U);
  EXPECT_EQ(last.arguments.back().value, 3U);
}

TEST(Runtime, RefusesWhatTheKernelsWereNotProvedFor) {
  const plan::LaunchPlan plan = symbolic_plan();
  EXPECT_EQ(failure(plan, {{"R", 3}, {"C", 5}}), "none");
  EXPECT_EQ(failure(plan, {{"R", 3}}), "E7301");
  EXPECT_EQ(failure(plan, {{"R", 0}, {"C", 5}}), "E7301");
  EXPECT_EQ(failure(plan, {{"R", (Integer(1) << 20) + 1}, {"C", 5}}), "E7301");
  EXPECT_EQ(failure(plan, {{"R", 3}, {"C", 5}, {"Z", 1}}), "E7301");
  // An extent that the kernels take as unsigned: the plan requires that it fits.
  EXPECT_EQ(failure(plan, {{"R", 1}, {"C", Integer(1) << 33}}), "E7302");
  EXPECT_EQ(failure(plan, {{"R", 1 << 20}, {"C", (Integer(1) << 32) - 1}}), "E7302");
}

TEST(Runtime, RefusesAWrongArena) {
  formulation::Options options;
  plan::LaunchPlan plan = lowering::lower(formulation::formulate(attention(24, 2, 16)).program).plan;
  plan::LaunchPlan other = plan;
  std::vector<plan::PlannedBuffer*> arena;
  for (plan::PlannedBuffer& buffer : other.buffers)
    if (buffer.role == plan::Role::arena) arena.push_back(&buffer);
  ASSERT_GE(arena.size(), 2U);
  EXPECT_EQ(failure(other, {}), "none");
  other.arena_bytes = n(256);
  EXPECT_EQ(failure(other, {}), "E7304");
  other = plan;
  for (plan::PlannedBuffer& buffer : other.buffers)
    if (buffer.role == plan::Role::arena) buffer.arena_offset = n(0);
  EXPECT_EQ(failure(other, {}), "E7304");
  other = plan;
  for (plan::PlannedBuffer& buffer : other.buffers)
    if (buffer.role == plan::Role::arena) buffer.arena_offset = add(buffer.arena_offset, n(4));
  EXPECT_EQ(failure(other, {}), "E7304");
}

TEST(LaunchPlan, ReadsBackAndRefusesOtherShapes) {
  const plan::LaunchPlan plan = symbolic_plan();
  const json::value text = plan::to_json(plan);
  EXPECT_EQ(canonical_json(plan::to_json(plan::launch_plan_from_json(text))), canonical_json(text));
  for (const char* key :
       {"format", "symbols", "requirements", "buffers", "arena_bytes", "launches", "edges"}) {
    json::value broken = text;
    broken.get_object().erase(key);
    EXPECT_THROW(plan::launch_plan_from_json(broken), UserError) << key;
    broken = text;
    broken.get_object()[key] = json::object{};
    EXPECT_THROW(plan::launch_plan_from_json(broken), UserError) << key;
  }
  json::value unknown = text;
  unknown.get_object()["arena_bytes"] = "Z + 1";
  EXPECT_THROW(plan::launch_plan_from_json(unknown), UserError);
}

// Buffers that are alive together never share a byte; others may.
TEST(Memory, LivesDoNotOverlap) {
  plan::LaunchPlan plan;
  const auto buffer = [&](const std::string& name, long floats, plan::Role role) {
    plan.buffers.push_back({f32(name, {n(floats)}), role, nullptr});
  };
  buffer("in", 10, plan::Role::input);
  for (int k = 0; k < 6; ++k) buffer("t" + std::to_string(k), 100 * (k % 3 + 1), plan::Role::arena);
  buffer("out", 10, plan::Role::output);
  const std::vector<std::string> chain{"in", "t0", "t1", "t2", "t3", "t4", "t5", "out"};
  for (std::size_t k = 1; k < chain.size(); ++k) {
    plan::PlannedLaunch launch;
    launch.kernel = "k" + std::to_string(k);
    launch.grid[0] = launch.block[0] = n(1);
    launch.arguments = {{"a", chain[k - 1], nullptr, Format::u32}, {"b", chain[k], nullptr, Format::u32}};
    // t0 lives to the end.
    if (k == chain.size() - 1) launch.arguments.push_back({"c", "t0", nullptr, Format::u32});
    launch.computes = {chain[k]};
    plan.launches.push_back(launch);
  }
  lowering::plan_memory(plan);
  EXPECT_EQ(failure(plan, {}), "none");
  const auto span = [&](const std::string& name) {
    const plan::PlannedBuffer& b = *plan::find_buffer(plan, name);
    const long at = as_integer(b.arena_offset)->get_si();
    return std::pair(at, at + as_integer(plan::byte_size(b.declaration))->get_si());
  };
  for (int k = 1; k < 6; ++k) {
    const auto first = span("t0"), other = span("t" + std::to_string(k));
    EXPECT_TRUE(first.second <= other.first || other.second <= first.first) << k;
  }
  // 6 buffers of 512 to 1280 bytes in less than their sum of 5120.
  EXPECT_LT(*as_integer(plan.arena_bytes), 5120);
}

}  // namespace
}  // namespace hallmark::testing
