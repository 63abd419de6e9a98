#include "pipeline/candidate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "formulation/contract_products.h"
#include "formulation/suggest_orders.h"
#include "plan/derive_spec.h"

namespace hallmark::pipeline {
namespace {

using calculus::Program;

// How many leading axes a block of this launch keeps fixed, where the statement has a reduction over the
// threads of a block; -1 for one thread an element.
int row_axes(const plan::KernelSpec& spec, const plan::Ensure& clause, const select::Sizes& sizes) {
  bool by_block = false;
  calculus::for_each_node(clause.value, [&](calculus::Term n) {
    by_block = by_block || (n->kind == calculus::Kind::fold && n->order->kind != calculus::Order::Kind::seq &&
                            n->order->kind != calculus::Order::Kind::any);
  });
  if (!by_block || spec.launch.grid[0] == nullptr) return -1;
  calculus::Substitution values;
  for (const auto& [name, value] : sizes) values[calculus::symbol(name)] = calculus::integer(value);
  const calculus::Term grid = calculus::substitute(spec.launch.grid[0], values);
  calculus::Term rows = calculus::integer(1L);
  for (std::size_t d = 0; d < clause.domain.size(); ++d) {
    if (rows == grid) return static_cast<int>(d);
    rows = calculus::multiply(rows, calculus::substitute(clause.domain[d], values));
  }
  return rows == grid ? static_cast<int>(clause.domain.size()) : -1;
}

// Of the whole grid: what a kernel that reduces a row with a block has more than elements of its output.
Integer threads_of(const plan::Launch& launch, const select::Sizes& sizes) {
  Integer threads = 1;
  for (const auto* extents : {&launch.grid, &launch.block})
    for (const calculus::Term extent : *extents)
      if (extent != nullptr) threads *= value_at(extent, sizes);
  return threads;
}

struct PlanPrice {
  select::Price call, prepare;  // what runs on each call, and what runs once when the plan is loaded
};

// The price of what is launched: one kernel a launch, its work counted from its statement.
PlanPrice price_plan(std::vector<std::pair<std::string, select::Price>>& launches, const Program& formulation,
                     const plan::LaunchPlan& plan, const select::Sizes& sizes,
                     const select::Pricing& pricing) {
  PlanPrice out;
  const std::vector<plan::KernelSpec> specs = plan::derive_specs(formulation, plan);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const plan::KernelSpec& spec = specs[i];
    std::map<std::string, calculus::Declaration> tensors;
    for (const plan::Parameter& p : spec.parameters)
      if (p.buffer) tensors[p.buffer->declaration.name] = p.buffer->declaration;
    select::Work work;
    for (const plan::Ensure& clause : spec.ensures) {
      const calculus::Declaration declaration{clause.buffer, tensors.at(clause.buffer).format, clause.domain};
      const select::Work one =
          select::work_of(calculus::expand_functions(clause.value, spec.functions), declaration, tensors,
                          sizes, pricing, row_axes(spec, clause, sizes));
      work.operations += one.operations;
      work.bytes += one.bytes;
    }
    work.threads = threads_of(spec.launch, sizes);
    const select::Price price = select::price_of(work, pricing);
    launches.push_back({spec.kernel, price});
    select::Price& total = plan.launches[i].prepare ? out.prepare : out.call;
    total.seconds += price.seconds;
    total.work.operations += work.operations;
    total.work.bytes += work.bytes;
    total.work.threads += work.threads;
  }
  return out;
}

void add_weighted(select::Price& sum, const select::Price& price, const Rational& weight) {
  sum.seconds += weight * price.seconds;
  sum.work.operations += weight * price.work.operations;
  sum.work.bytes += weight * price.work.bytes;
  sum.work.threads = std::max(sum.work.threads, price.work.threads);
}

// What is kept has no symbol in its size.
Integer kept_bytes(const plan::LaunchPlan& plan) {
  Integer out = 0;
  for (const plan::PlannedBuffer& buffer : plan.buffers)
    if (buffer.role == plan::Role::prepared) out += value_at(plan::byte_size(buffer.declaration), {});
  return out;
}

void price(Candidate& c, const Context& context) {
  const select::Pricing pricing = context.pricing();
  Rational total_weight = 0;
  for (const select::WorkloadPoint& point : context.workload.points) total_weight += point.weight;
  for (const select::WorkloadPoint& point : context.workload.points) {
    std::vector<std::pair<std::string, select::Price>> launches;
    const PlanPrice one = price_plan(launches, c.formulation.program, c.artifact.plan, point.sizes, pricing);
    const Rational weight = point.weight / total_weight;
    c.seconds.push_back(one.call.seconds);
    add_weighted(c.price, one.call, weight);
    add_weighted(c.prepare, one.prepare, weight);
    c.launches.resize(launches.size());
    for (std::size_t i = 0; i < launches.size(); ++i) {
      c.launches[i].first = launches[i].first;
      add_weighted(c.launches[i].second, launches[i].second, weight);
    }
  }
}

}  // namespace

Integer value_at(calculus::Term term, const select::Sizes& sizes) {
  calculus::Substitution values;
  for (const auto& [name, value] : sizes) values[calculus::symbol(name)] = calculus::integer(value);
  const Integer* number = calculus::as_integer(calculus::substitute(term, values));
  ensure(number != nullptr, "a size of the plan that the workload does not determine");
  return *number;
}

std::string_view name(Variant::Contraction contraction) {
  switch (contraction) {
    case Variant::Contraction::none:
      return "no fma";
    case Variant::Contraction::sums:
      return "fma in sums";
    case Variant::Contraction::everywhere:
      return "fma everywhere";
  }
  throw InternalError("a contraction without a name");
}

std::string text(const Variant& v) {
  return fmt::format("{}, sums {}, {}", v.fused ? "fused" : "separate", v.rows ? "by rows" : "in sequence",
                     name(v.fma));
}

std::vector<Variant> permitted_variants(const contract::Contract& contract) {
  const auto has = [&](const char* word) {
    return std::find(contract.orders.begin(), contract.orders.end(), word) != contract.orders.end();
  };
  const bool any_order = has("any") || (has("strided") && has("blocked") && has("tree"));
  std::vector<Variant> out;
  for (const bool fused : {false, true})
    for (const bool rows : {false, true})
      for (const auto fma :
           {Variant::Contraction::none, Variant::Contraction::sums, Variant::Contraction::everywhere})
        if ((any_order || !rows) && (contract.fma || fma == Variant::Contraction::none))
          out.push_back({fused, rows, fma});
  return out;
}

formulation::Formulation formulate(const Program& exact, const Variant& variant) {
  formulation::Options options;
  options.fused_multiply_add = variant.fma != Variant::Contraction::none;
  if (variant.rows) options.orders = formulation::suggest_orders(exact);
  formulation::Formulation out = formulation::formulate(exact, options);
  return variant.fma == Variant::Contraction::everywhere ? formulation::contract_products(std::move(out))
                                                         : out;
}

lowering::Schedule schedule_of(bool fused) {
  lowering::Schedule out;
  out.fuse = fused;
  return out;
}

Candidate make_candidate(const Route& route, const Variant& variant, const Context& context) {
  Candidate c;
  c.route = &route;
  c.variant = variant;
  c.formulation = formulate(route.exact, variant);
  c.artifact = lowering::lower(c.formulation.program, schedule_of(variant.fused));
  price(c, context);
  c.kept_bytes = kept_bytes(c.artifact.plan);
  return c;
}

}  // namespace hallmark::pipeline
