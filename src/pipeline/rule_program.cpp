#include "pipeline/rule_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "bundle/writer.h"
#include "pipeline/rule_expression.h"

namespace hallmark::pipeline {
namespace {

namespace fs = std::filesystem;
using namespace calculus;

constexpr std::size_t largest_program = 400'000;

constexpr std::string_view prelude = R"(#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef long double R;
typedef long long I;
// The total model: a division by zero is zero; index division rounds down.
static I floor_div(I a, I b) { if (b == 0) return 0; I q = a / b; return q - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0); }
static I truncated_div(I a, I b) { return b == 0 ? 0 : b == -1 ? (I)(0 - (unsigned long long)a) : a / b; }
static I remainder_of(I a, I b) { return b == 0 || b == -1 ? 0 : a % b; }
static I floored_mod(I a, I b) { return b == 0 || b == -1 ? 0 : ((a % b) + b) % b; }
static R real_div(R a, R b) { return b == 0 ? 0 : a / b; }
static R real_mod(R a, R b) { return b == 0 ? 0 : a - b * std::floor(a / b); }
static R real_rem(R a, R b) { return b == 0 ? 0 : a - b * std::trunc(a / b); }
static R sign_of(R a) { return (a > 0) - (a < 0); }
// Integers modulo 2^bits.
static I wrap(unsigned long long a, int bits, bool is_signed) {
  if (bits == 64) return (I)a;
  a &= (1ull << bits) - 1;
  return is_signed && (a >> (bits - 1)) ? (I)(a - (1ull << bits)) : (I)a;
}
struct Outside { const char* tensor; };
template <typename T> struct Tensor {
  const char* name; std::vector<I> extents; std::vector<T> values;
  I count() const { I n = 1; for (I e : extents) n *= e < 0 ? 0 : e; return n; }
  template <typename... X> T operator()(X... x) const {
    const I at[] = {(I)x..., 0}; I flat = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (at[d] < 0 || at[d] >= extents[d]) throw Outside{name};
      flat = flat * extents[d] + at[d];
    }
    return values[(std::size_t)flat];
  }
};
)";

constexpr std::string_view comparison = R"(
static void print(R v) { std::printf("%.18Lg", v); }
static void print(I v) { std::printf("%lld", v); }
static bool same(R a, R b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= 1e-9L * std::max({(R)1e-6L, std::fabs(a), std::fabs(b)});
}
static bool same(I a, I b) { return a == b; }
int main() {
  bool left_outside = false, right_outside = false;
  decltype(left()) l; decltype(right()) r;
  try { l = left(); } catch (const Outside& o) { left_outside = true; std::printf("the left side reads outside %s\n", o.tensor); }
  try { r = right(); } catch (const Outside& o) { right_outside = true; std::printf("the right side reads outside %s\n", o.tensor); }
  if (left_outside || right_outside) { std::puts("the difference shows"); return 0; }
  if (l.extents != r.extents) { std::puts("the sides have different shapes\nthe difference shows"); return 0; }
  for (I i = 0; i < l.count(); ++i) {
    if (same(l.values[(std::size_t)i], r.values[(std::size_t)i])) continue;
    std::printf("element %lld: left ", i); print(l.values[(std::size_t)i]);
    std::printf(", right "); print(r.values[(std::size_t)i]); std::printf("\nthe difference shows\n");
    return 0;
  }
  std::puts("the sides are equal here: the difference does not show");
  return 1;
}
)";

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::string item;
  for (const char c : text + ",") {
    if (c == ',') {
      if (!item.empty()) out.push_back(item);
      item.clear();
    } else if (c != ' ') {
      item += c;
    }
  }
  return out;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789-/") == std::string::npos;
}

std::string comment(const std::string& text) {
  std::string out;
  std::string line;
  for (const char c : text + "\n") {
    if (c != '\n') {
      // A backslash at the end of a line would make the next one part of the comment.
      line += c == '\\' || static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
      continue;
    }
    out += "// " + line + "\n";
    line.clear();
  }
  return out;
}

double as_double(const std::string& value) {
  return Rational(value).get_d();
}

class Writer {
 public:
  Writer(const rules::Rule& rule, const Witness& witness, const std::vector<RuleTensor>& tensors)
      : rule_(rule), stand_ins_(rules::stand_ins(rule.operators)) {
    for (const auto& [name, value] : witness.bindings)
      for (const SymbolRange& s : rule.symbols)
        if (s.name == name) symbols_[name] = value;
    for (const RuleTensor& t : tensors) inputs_ += tensor(t);
  }

  std::string text() {
    const std::string sides = side("left", rule_.left) + side("right", rule_.right);
    std::string sizes;
    for (const auto& [name, value] : symbols_)
      sizes += fmt::format("static const I {} = {};\n", cpp_name("s", name), value);
    return std::string(prelude) + sizes + inputs_ + sides + std::string(comparison);
  }

 private:
  static std::string number(const std::string& value, bool real) {
    if (!real) return "(I)" + value + "LL";
    const Rational q(value);
    return fmt::format("(R){}.0L / (R){}.0L", q.get_num().get_str(), q.get_den().get_str());
  }

  static std::string tensor(const RuleTensor& t) {
    const bool real = is_float(t.format);
    std::string values;
    for (const std::string& v : t.values) values += (values.empty() ? "" : ", ") + number(v, real);
    return fmt::format("static const Tensor<{}> {}{{\"{}\", {{{}}}, {{{}}}}};\n", real ? "R" : "I",
                       cpp_name("t", t.name), cpp_name("", t.name), fmt::join(t.extents, ", "), values);
  }

  std::string side(const char* name, const std::vector<Definition>& definitions) {
    std::string out;
    const Declaration& result = definitions.back().declaration;
    out += fmt::format("static Tensor<{}> {}() {{\n", is_float(result.format) ? "R" : "I", name);
    for (const Definition& d : definitions) {
      const char* type = is_float(d.declaration.format) ? "R" : "I";
      RuleExpression expression;
      std::vector<std::string> extents;
      for (Term e : d.declaration.extents) extents.push_back(expression.index(e));
      const std::string variable = cpp_name("t", d.declaration.name);
      std::string label = cpp_name("", d.declaration.name);
      out += fmt::format("  Tensor<{}> {}{{\"{}\", {{{}}}, {{}}}};\n", type, variable, label,
                         fmt::join(extents, ", "));
      std::string indent = "  ";
      for (std::size_t i = 0; i < extents.size(); ++i) {
        out += fmt::format("{0}for (I i{1} = 0; i{1} < {2}.extents[{1}]; ++i{1})\n", indent, i, variable);
        indent += "  ";
      }
      std::vector<Function> functions;
      for (const rules::StandIn& one : stand_ins_) functions.push_back(one.function);
      out += fmt::format("{}{}.values.push_back({});\n", indent, variable,
                         expression.element(expand_functions(d.body, functions)));
      if (out.size() > largest_program) throw Refusal("E7406", "the program would be too long to be read");
    }
    return out + fmt::format("  return {};\n}}\n", cpp_name("t", result.name));
  }

  const rules::Rule& rule_;
  std::vector<rules::StandIn> stand_ins_;
  std::map<std::string, std::string> symbols_;
  std::string inputs_;
};

std::uint64_t bits_of(const RuleTensor& t, const std::string& value) {
  if (is_float(t.format)) return std::bit_cast<std::uint64_t>(as_double(value));
  return static_cast<std::uint64_t>(std::stoll(value));
}

}  // namespace

std::optional<std::vector<RuleTensor>> rule_tensors(const rules::Rule& rule, const Witness& witness) {
  const std::map<std::string, std::string> bound(witness.bindings.begin(), witness.bindings.end());
  for (const SymbolRange& s : rule.symbols)
    if (const auto value = bound.find(s.name); value == bound.end() || !is_number(value->second))
      return std::nullopt;
  std::vector<RuleTensor> out;
  for (const Declaration& t : rule.tensors) {
    const auto value = bound.find(t.name);
    constexpr std::string_view shape = "shape [", contents = "], contents [";
    if (value == bound.end() || !value->second.starts_with(shape)) return std::nullopt;
    const std::size_t middle = value->second.find(contents);
    if (middle == std::string::npos || !value->second.ends_with(']')) return std::nullopt;
    RuleTensor tensor{t.name, t.format, {}, {}};
    std::size_t count = 1;
    for (const std::string& extent : split(value->second.substr(shape.size(), middle - shape.size()))) {
      if (!is_number(extent)) return std::nullopt;
      tensor.extents.push_back(std::stol(extent));
      count *= static_cast<std::size_t>(std::max<long>(tensor.extents.back(), 0));
    }
    const std::size_t from = middle + contents.size();
    tensor.values = split(value->second.substr(from, value->second.size() - 1 - from));
    for (const std::string& v : tensor.values)
      if (!is_number(v)) return std::nullopt;
    if (tensor.extents.size() != t.extents.size() || tensor.values.size() != count) return std::nullopt;
    out.push_back(std::move(tensor));
  }
  return out;
}

std::optional<std::string> rule_program(const std::vector<rules::Rule>& instances, const Obligation& o,
                                        std::string& why_not) {
  why_not = "there is no witness";
  if (!o.outcome.witness) return std::nullopt;
  why_not = "the witness does not hold every size and element of one instance";
  for (const rules::Rule& rule : instances) {
    const auto tensors = rule_tensors(rule, *o.outcome.witness);
    if (!tensors) continue;
    try {
      return comment(o.id + "\n" + o.outcome.witness->summary + ": left " + o.outcome.witness->expected +
                     ", right " + o.outcome.witness->actual +
                     "\ng++ -std=c++17 reproduce.cpp -o reproduce && ./reproduce\n" + rule.text) +
             Writer(rule, *o.outcome.witness, *tensors).text();
    } catch (const Refusal& refusal) {
      why_not = refusal.message();
    }
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> rule_reproducer_files(
    const std::vector<rules::Rule>& instances, const Obligation& o) {
  std::vector<std::pair<std::string, std::string>> out;
  const std::string text = instances.empty() ? "" : instances.front().text;
  out.emplace_back("statement.txt", o.id + "\n\n" + o.statement + "\n" + (text.empty() ? "" : "\n" + text));
  std::string why, readme = "statement.txt   what is claimed\n";
  if (o.outcome.witness) {
    out.emplace_back("witness.json", bundle::witness_text(o));
    readme += "witness.json    where it is false\n";
  }
  if (const std::optional<std::string> program = rule_program(instances, o, why)) {
    out.emplace_back("reproduce.cpp", *program);
    for (const rules::Rule& rule : instances)
      if (const auto tensors = rule_tensors(rule, *o.outcome.witness)) {
        for (const RuleTensor& t : *tensors) {
          std::vector<std::uint64_t> bits;
          for (const std::string& v : t.values) bits.push_back(bits_of(t, v));
          std::string shape;
          for (const long e : t.extents) shape += std::to_string(e) + ",";
          out.emplace_back("tensors/" + cpp_name("", t.name) + ".npy",
                           npy_file(is_float(t.format) ? Format::f64 : t.format, shape, bits));
        }
        break;
      }
    readme +=
        "reproduce.cpp   both sides on these tensors; exit 0 when the difference shows:\n"
        "                g++ -std=c++17 reproduce.cpp -o reproduce && ./reproduce\n"
        "tensors/        what both sides read (NumPy; reals as f64)\n";
  } else {
    readme += "no program: " + why + "\n";
  }
  out.emplace_back("README.txt", readme);
  return out;
}

void write_rule_reproducer(const std::vector<rules::Rule>& instances, const Obligation& o,
                           const std::string& folder) {
  std::error_code ignored;
  if (fs::exists(folder) && !fs::is_empty(folder, ignored))
    throw UserError("E7405", "the folder of the reproducer is not empty", {folder});
  for (const auto& [path, bytes] : rule_reproducer_files(instances, o)) {
    fs::create_directories((fs::path(folder) / path).parent_path(), ignored);
    write_file(folder + "/" + path, bytes);
  }
}

std::string npy_file(Format format, const std::string& shape, const std::vector<std::uint64_t>& bits) {
  const unsigned bytes = storage_bits(format) / 8;
  const char kind = is_float(format) ? 'f' : format == Format::boolean ? 'b' : is_signed(format) ? 'i' : 'u';
  std::string header = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   bytes == 1 ? '|' : '<', kind, bytes, shape);
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 255);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  for (const std::uint64_t element : bits)
    for (unsigned k = 0; k < bytes; ++k) out += static_cast<char>(element >> (8 * k));
  return out;
}

}  // namespace hallmark::pipeline
