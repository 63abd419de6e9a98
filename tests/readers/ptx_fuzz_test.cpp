// Broken PTX gives an error that says where, never a crash: bytes changed, lines dropped, doubled and
// swapped. What still reads satisfies the verifier and can be executed for a few steps.
#include <algorithm>
#include <random>
#include <sstream>

#include "support.h"

namespace hallmark::validator::test {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (const char* name : {"ptx/reduce.ptx", "ptx/mixed.ptx"}) texts.push_back(read_file(own_file(name)));
  return texts;
}

// Internal errors are ours and must not happen.
void read_and_run(const std::string& text) {
  ir::Module module;
  try {
    module = ptx::read_ptx(text, "fuzz.ptx");
  } catch (const UserError&) {
    return;
  } catch (const Refusal&) {
    return;
  }
  for (const ir::KernelReading& reading : module.kernels) {
    if (!reading.kernel) continue;
    interpreter::Request request;
    request.block = {2, 1, 1};
    request.step_limit = 2000;
    request.buffers = {output("b", 64)};
    for (const ir::Parameter& p : reading.kernel->parameters) {
      interpreter::Argument a;
      a.bytes.assign(p.bytes, 1);
      if (p.bytes == 8) a = interpreter::Argument::pointer(0);
      request.arguments.push_back(a);
    }
    try {
      interpreter::launch(*reading.kernel, request);
    } catch (const UserError&) {
    } catch (const Refusal&) {
    }
  }
}

TEST(PtxFuzz, ChangedBytes) {
  std::mt19937 random(11);
  const std::string alphabet = " \n\t.,;:%{}[]()@!+-|<>=0123456789abcdefrpsux_$\"/*";
  for (const std::string& seed : seeds())
    for (int n = 0; n < 1500; ++n) {
      std::string text = seed;
      for (unsigned k = 1 + random() % 4; k > 0; --k) {
        const std::size_t at = random() % text.size();
        switch (random() % 4) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text[at] = alphabet[random() % alphabet.size()];
            break;
          case 2:
            text.erase(at, 1 + random() % 8);
            break;
          default:
            text.insert(at, 1, alphabet[random() % alphabet.size()]);
            break;
        }
        if (text.empty()) text = " ";
      }
      EXPECT_NO_THROW(read_and_run(text)) << text;
    }
}

TEST(PtxFuzz, ChangedLines) {
  std::mt19937 random(12);
  for (const std::string& seed : seeds()) {
    std::vector<std::string> lines;
    std::istringstream in(seed);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    for (int n = 0; n < 1500; ++n) {
      std::vector<std::string> changed = lines;
      for (unsigned k = 1 + random() % 3; k > 0; --k) {
        const std::size_t a = random() % changed.size(), b = random() % changed.size();
        switch (random() % 3) {
          case 0:
            std::swap(changed[a], changed[b]);
            break;
          case 1:
            changed[a] = changed[b];
            break;
          default:
            changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(a));
            break;
        }
      }
      std::string text;
      for (const std::string& line : changed) text += line + "\n";
      EXPECT_NO_THROW(read_and_run(text)) << text;
    }
  }
}

TEST(PtxFuzz, CutOff) {
  for (const std::string& seed : seeds())
    for (std::size_t n = 0; n < seed.size(); n += 7) EXPECT_NO_THROW(read_and_run(seed.substr(0, n)));
}

TEST(PtxFuzz, DeepAndLongTexts) {
  const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n";
  EXPECT_NO_THROW(read_and_run(head + std::string(200000, '{')));
  EXPECT_NO_THROW(read_and_run(head + std::string(50000, '{') + std::string(50000, '}') + " ret; }"));
  EXPECT_NO_THROW(read_and_run(head + "call f, (" + std::string(100000, '(')));
  std::string joins;
  for (int n = 0; n < 20000; ++n)
    joins += "@%p bra L" + std::to_string(n) + ";\n bar.sync 0;\nL" + std::to_string(n) + ":\n";
  EXPECT_NO_THROW(read_and_run(head + ".reg .pred %p;\n setp.eq.u32 %p, 1, 1;\n" + joins + " ret; }"));
  // Functions that double at each level.
  std::string doubling = ".version 8.0\n.target sm_90\n.address_size 64\n.func f0() { ret; }\n";
  for (int n = 1; n < 40; ++n) {
    const std::string inner = "call f" + std::to_string(n - 1) + ";";
    doubling += ".func f" + std::to_string(n) + "() { " + inner + inner + " ret; }\n";
  }
  EXPECT_NO_THROW(read_and_run(doubling + ".entry k() { call f39; ret; }\n"));
}

}  // namespace
}  // namespace hallmark::validator::test
