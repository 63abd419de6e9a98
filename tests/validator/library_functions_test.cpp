// Sequences that stand for library functions: each of corpus/accuracy/inlined.ptx is read as its function,
// and with any constant changed, or an instruction left out, it is not.
#include "validator/checks/library_functions.h"

#include <gtest/gtest.h>

#include <regex>

#include "support.h"
#include "validator/checks/inlined_data.h"
#include "validator/ptx/reader.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator::testing {
namespace {

using calculus::Kind;
using calculus::Term;

struct Entry {
  std::string name, text;
  bool wide = false;  // double precision
  std::size_t arguments = 1;
};

std::vector<Entry> entries() {
  const std::string all = inlined_ptx();
  std::vector<Entry> out;
  for (std::size_t at = all.find(".entry "); at != std::string::npos;) {
    const std::size_t next = all.find(".entry ", at + 1);
    const std::string text = all.substr(at, next == std::string::npos ? next : next - at);
    out.push_back({text.substr(7, text.find('(') - 7), text, text.find("st.global.f64") != std::string::npos,
                   text.find("_param_2") != std::string::npos ? 2u : 1u});
    at = next;
  }
  return out;
}

// What the kernel stores, its sequences named; nullptr where the text is no kernel.
Term stored(const Entry& entry, const std::string& text) {
  const Format format = entry.wide ? Format::f64 : Format::f32;
  std::vector<plan::Parameter> parameters{input("x", {n(1)}, format)};
  if (entry.arguments == 2) parameters.push_back(input("z", {n(1)}, format));
  parameters.push_back(output("y", {n(1)}, format));
  plan::KernelSpec spec = testing::spec(entry.name, {}, parameters, n(1), n(1));
  spec.equality = plan::Equality::safety;
  const ir::Module module =
      ptx::read_ptx(".version 8.0\n.target sm_90\n.address_size 64\n" + text, "sequence.ptx");
  Prover prover([](const std::vector<Term>&, Term) { return false; });
  LibraryFunctions functions(prover);
  for (const Event& event : Executor(spec, ir::find_kernel(module, entry.name), prover).run().events)
    if (event.kind == Event::Kind::store && event.value.kind == Value::Kind::element) {
      const auto named = functions.without_sequences(event.value.term);
      return named ? *named : event.value.term;
    }
  return nullptr;
}

// Whether it is made of nothing but functions, numbers and what was loaded: no bits, no approximation.
bool plain(Term value) {
  bool ok = value != nullptr;
  if (ok)
    calculus::for_each_node(value, [&](Term node) {
      ok = ok && node->kind != Kind::select && node->name.find("bits") == std::string::npos &&
           node->name.find("float_") == std::string::npos;
    });
  return ok;
}

TEST(LibraryFunctions, AreReadFromTheirSequences) {
  std::size_t count = 0;
  for (const Entry& entry : entries()) {
    EXPECT_TRUE(plain(stored(entry, entry.text))) << entry.name;
    ++count;
  }
  EXPECT_GE(count, 28u);
}

TEST(LibraryFunctions, AreNotReadFromSequencesWithAnotherConstant) {
  static const std::regex constant("0f[0-9A-F]{8}|0d[0-9A-F]{16}");
  std::size_t mutants = 0;
  for (const Entry& entry : entries()) {
    const Term right = stored(entry, entry.text);
    for (std::sregex_iterator i(entry.text.begin(), entry.text.end(), constant), end; i != end; ++i) {
      std::string text = entry.text;
      char& digit = text[static_cast<std::size_t>(i->position() + i->length()) - 1];
      digit = digit == 'F' ? '0' : digit == '9' ? 'A' : static_cast<char>(digit + 1);
      EXPECT_NE(stored(entry, text), right) << entry.name << ": " << i->str();
      ++mutants;
    }
  }
  EXPECT_GE(mutants, 300u);
}

TEST(LibraryFunctions, AreNotReadFromSequencesWithAnInstructionChanged) {
  static const std::pair<const char*, const char*> changes[] = {
      {"fma.rn", "fma.rz"},   {"fma.rm", "fma.rn"},   {"abs.", "neg."},      {"setp.lt", "setp.le"},
      {"setp.eq", "setp.ne"}, {"shl.b32", "shr.u32"}, {"and.b32", "or.b32"}, {"sub.s32", "add.s32"},
      {".sat.", "."},         {"ex2.", "lg2."}};
  std::size_t mutants = 0;
  for (const Entry& entry : entries()) {
    const Term right = stored(entry, entry.text);
    for (const auto& [from, to] : changes)
      for (std::size_t at = entry.text.find(from); at != std::string::npos;
           at = entry.text.find(from, at + 1)) {
        std::string text = entry.text;
        text.replace(at, std::string(from).size(), to);
        EXPECT_NE(stored(entry, text), right) << entry.name << " at " << at << ": " << to;
        ++mutants;
      }
  }
  EXPECT_GE(mutants, 300u);
}

}  // namespace
}  // namespace hallmark::validator::testing
