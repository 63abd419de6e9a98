// Specifications of the sample kernels, built in C++, and one call that checks a kernel against one.
#pragma once
#include <string>
#include <vector>

#include "obligation/obligation.h"
#include "plan/kernel_spec.h"
#include "smt/portfolio.h"
#include "validator/ir/module.h"

namespace hallmark::validator::testing {

using calculus::Format;
using calculus::Term;

inline Term s(const char* name) {
  return calculus::symbol(name);
}
inline Term n(long value) {
  return calculus::integer(value);
}
inline calculus::Sort f32() {
  return calculus::Sort::floating(Format::f32);
}
Term f32_constant(float value);

plan::Parameter input(const std::string& name, std::vector<Term> extents, Format format = Format::f32);
plan::Parameter output(const std::string& name, std::vector<Term> extents, Format format = Format::f32);
plan::Parameter scalar(const std::string& name, Format format);
// A specification with grid and block of one dimension.
plan::KernelSpec spec(const std::string& kernel, std::vector<calculus::SymbolRange> symbols,
                      std::vector<plan::Parameter> parameters, Term grid, Term block);
// The whole tensor `buffer` = value over its axes.
void ensure_whole(plan::KernelSpec& spec, const std::string& buffer, Term value);

// The specification of each kernel in kernels/*.cu, by name.
plan::KernelSpec sample_spec(const std::string& kernel);
std::vector<std::pair<std::string, std::string>> sample_kernels();  // file, kernel

std::string kernel_text(const std::string& file);  // of tests/validator/kernels
ir::Module read_fixture(const std::string& file);  // kernels/FILE.ptx
smt::Portfolio& portfolio();

std::vector<Obligation> check(const plan::KernelSpec& spec, const ir::Kernel& kernel, Level level);
// "id: state (reason) detail", one line for each obligation that is not proved; empty when all are.
std::string not_proved(const std::vector<Obligation>& obligations);
const Obligation& one(const std::vector<Obligation>& obligations, ObligationKind kind);
// The state of a kind: refuted if any is, else unrun if any is, else proved.
State state_of_kind(const std::vector<Obligation>& obligations, ObligationKind kind);

}  // namespace hallmark::validator::testing
