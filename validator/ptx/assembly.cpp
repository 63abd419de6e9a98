#include "validator/ptx/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "validator/ptx/inline.h"
#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

namespace {

const std::string file = "inline assembly";

[[noreturn]] void refuse(const std::string& why) {
  throw Refusal("E3110", why, Location{file, 0, 0, {}});
}

const char* declared_type(char constraint) {
  switch (constraint) {
    case 'h':
      return "b16";
    case 'r':
      return "b32";
    case 'l':
      return "b64";
    case 'f':
      return "f32";
    case 'd':
      return "f64";
    default:
      refuse(fmt::format("the constraint \"{}\" is not understood", constraint));
  }
}

// What names of operands' registers start with: nothing in the statement does.
std::string register_prefix(const Assembly& assembly) {
  std::string prefix = "%operand_";
  while (assembly.text.find(prefix) != std::string::npos) prefix += '_';
  return prefix;
}

std::string register_name(const std::string& prefix, std::size_t operand) {
  return prefix + std::to_string(operand);
}

// "$0" and "${0}" become what stands for the operand.
std::string with_operands(const Assembly& assembly, const std::string& prefix) {
  std::string out;
  const std::string& text = assembly.text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$') {
      out += text[at];
      continue;
    }
    if (++at == text.size()) refuse("a `$` at its end");
    if (text[at] == '$') {
      out += '$';
      continue;
    }
    const bool braces = text[at] == '{';
    if (braces) ++at;
    std::size_t number = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (read.ec != std::errc()) refuse("an operand of a form that is not understood");
    at = static_cast<std::size_t>(read.ptr - text.data());
    if (braces) {
      if (at == text.size() || text[at] != '}') refuse("an operand with a modifier");
      ++at;
    }
    if (number >= assembly.operands.size()) refuse(fmt::format("there is no operand {}", number));
    const AssemblyOperand& o = assembly.operands[number];
    out += o.constraint == 'n' ? std::to_string(o.immediate)
                               : register_name(prefix, o.output.value_or(static_cast<std::uint32_t>(number)));
    --at;
  }
  return out;
}

std::string module_text(const Assembly& assembly, const std::string& prefix) {
  std::string out = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry assembly()\n{\n";
  for (std::size_t n = 0; n < assembly.operands.size(); ++n)
    if (const AssemblyOperand& o = assembly.operands[n]; o.constraint != 'n' && !o.output)
      out += fmt::format(".reg .{} {};\n", declared_type(o.constraint), register_name(prefix, n));
  return out + "{\n" + with_operands(assembly, prefix) + "\n}\nret;\n}\n";
}

// Compilers keep the place of an instruction that computes registers from registers by what it needs and
// gives; of one that touches memory, or at which threads wait, they do so only where the statement says it.
bool needs_order(const std::string& name) {
  static const std::set<std::string, std::less<>> names{"ld",       "ldu",           "st",
                                                        "atom",     "red",           "membar",
                                                        "fence",    "bar",           "cp",
                                                        "barrier",  "ldmatrix",      "stmatrix",
                                                        "cta",      "mapa",          "wgmma",
                                                        "mbarrier", "suld",          "sust",
                                                        "tex",      "tld4",          "trap",
                                                        "brkpt",    "exit",          "griddepcontrol",
                                                        "discard",  "applypriority", "clusterlaunchcontrol",
                                                        "tcgen05",  "multimem",      "setmaxnreg"};
  return names.contains(name);
}

}  // namespace

AssemblyReading read_assembly(const Assembly& assembly, const std::string& opaque_fragments) {
  const std::string prefix = register_prefix(assembly), text = module_text(assembly, prefix);
  const ModuleSyntax syntax = parse(text, file);
  if (syntax.functions.size() != 1 || !syntax.variables.empty()) refuse("it ends the kernel's text");
  const Function& function = syntax.functions[0];
  if (!function.variables.empty()) refuse("a variable in it");
  if (function.statements.empty()) refuse("it ends the kernel's text");
  bool rests_on_volatile = false;
  for (std::size_t n = 0; n + 1 < function.statements.size(); ++n) {
    const Statement& s = function.statements[n];
    if (s.name == "ret" || s.name == "exit") refuse(fmt::format("`{}` in it", s.name));
    const bool access =
        s.name == "wmma" && std::find(s.suffixes.begin(), s.suffixes.end(), "mma") == s.suffixes.end();
    if (assembly.says_memory || !(access || needs_order(s.name))) continue;
    rests_on_volatile = true;
    if (!assembly.is_volatile)
      refuse(
          fmt::format("{} in a statement that is not `asm volatile` and does not say \"memory\": the "
                      "compiler may move it or leave it out",
                      opcode_text(s)));
  }
  const Context context{text, file, "assembly"};
  const Function flat = flatten(syntax, function, context);
  const auto register_of = [&](std::size_t operand) {
    const std::string name = register_name(prefix, operand);
    const auto found = std::find_if(flat.registers.begin(), flat.registers.end(),
                                    [&](const Register& r) { return r.name == name; });
    ensure(found != flat.registers.end(), "an operand of inline assembly has no register");
    return static_cast<std::uint32_t>(found - flat.registers.begin());
  };
  AssemblyReading reading;
  reading.rests_on_volatile = rests_on_volatile;
  reading.kernel.name = reading.kernel.source_name = "assembly";
  reading.kernel.text_file = file;
  std::vector<Bound> inputs;
  std::vector<Result> outputs;
  for (std::uint32_t n = 0; n < assembly.operands.size(); ++n) {
    const AssemblyOperand& o = assembly.operands[n];
    if (o.is_output)
      outputs.push_back({register_of(n), o.early_clobber});
    else if (o.constraint != 'n')
      inputs.push_back({register_of(o.output.value_or(n)), n});
  }
  Lowering(syntax, flat, context, reading.kernel, opaque_fragments).run_assembly(inputs, outputs, reading);
  return reading;
}

}  // namespace hallmark::validator::ptx
