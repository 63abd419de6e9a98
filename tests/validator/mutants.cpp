#include "mutants.h"

#include <regex>
#include <sstream>

namespace hallmark::validator::testing {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

struct Rule {
  const char* name;
  const char* pattern;
  const char* replacement;
};

// Each is applied to every line that it fits, one line a mutant.
constexpr Rule rules[] = {
    {"drop barrier", R"(^\s*bar\.sync.*)", ""},
    {"drop guard", R"(^(\s*)@%p\d+ bra(\.uni)?\s+\$L__\w+;)", ""},
    {"invert guard", R"(^(\s*)@(%p\d+ bra.*))", "$1@!$2"},
    {"bound off by one", R"(^(\s*setp\.\w+\.u32\s+%p\d+, %r\d+, )(\d*)(\d);)", "$1$029;"},
    {"ge to gt", R"(setp\.ge\.)", "setp.gt."},
    {"lt to le", R"(setp\.lt\.)", "setp.le."},
    {"gt to ge", R"(setp\.gt\.)", "setp.ge."},
    {"fma to other order", R"(^(\s*fma\.rn\.f32\s+%f\d+, )(%f\d+), (%f\d+), (%f\d+);)", "$1$4, $3, $2;"},
    {"max to min", R"(max\.f32)", "min.f32"},
    {"add to sub", R"(add\.rn\.f32)", "sub.rn.f32"},
    {"other rounding", R"((add|fma|mul)\.rn\.f32)", "$1.rz.f32"},
    {"ftz", R"((add|fma|mul)\.rn\.f32)", "$1.rn.ftz.f32"},
    {"or to and", R"(or\.pred)", "and.pred"},
    {"offset of load", R"(^(\s*ld\.\S+\s+%f\d+, \[%r?d?\d+)(\+\d+)?\];)", "$1+4];"},
    {"offset of store", R"(^(\s*st\.\S+\s+\[%r?d?\d+)(\+\d+)?\],)", "$1+4],"},
    {"shuffle distance", R"((shfl\.sync\.bfly\.b32\s+\S+\s+%r\d+, )\d+,)", "$1 3,"},
    {"tid.y for tid.x", R"(%tid\.x)", "%tid.y"},
    {"block for thread", R"(%tid\.x)", "%ntid.x"},
    {"stride", R"(^(\s*mul\.wide\.u32\s+%rd\d+, %r\d+, )4;)", "$018;"},
    {"step of counter", R"(^(\s*add\.s(?:32|64)\s+%r?d?\d+, %r?d?\d+, )(\d+);)", "$1$020;"},
    {"shift", R"(^(\s*shl\.b32\s+%r\d+, %r\d+, )(\d);)", "$011;"},
    {"mask", R"(^(\s*and\.b32\s+%r\d+, %r\d+, )(\d+);)", "$0115;"},
    {"drop store to shared", R"(^\s*st\.shared.*)", ""},
    {"signed for unsigned", R"(cvt\.u64\.u32)", "cvt.s64.s32"},
};

}  // namespace

std::vector<Mutant> ptx_mutants(const std::string& text, const std::string& kernel) {
  std::vector<Mutant> out;
  const std::vector<std::string> lines = lines_of(text);
  std::size_t begin = 0;
  while (begin < lines.size() && lines[begin].find(".entry " + kernel + "(") == std::string::npos) ++begin;
  std::size_t end = begin;
  while (end < lines.size() && lines[end] != "}") ++end;
  for (const Rule& rule : rules) {
    const std::regex pattern(rule.pattern);
    std::size_t used = 0;
    for (std::size_t i = begin; i < end && used < 3; ++i) {
      if (!std::regex_search(lines[i], pattern)) continue;
      std::vector<std::string> changed = lines;
      changed[i] = std::regex_replace(lines[i], pattern, rule.replacement);
      if (changed[i] == lines[i]) continue;
      ++used;
      out.push_back(
          {std::string(rule.name) + " at line " + std::to_string(i + 1) + " of " + kernel, joined(changed)});
    }
  }
  return out;
}

}  // namespace hallmark::validator::testing
