#include "pipeline/host_program.h"

#include <fmt/format.h>

#include <functional>

#include "base/error.h"
#include "pipeline/cuda_on_host.h"

namespace hallmark::pipeline {
namespace {

using calculus::Format;

// The same-sized unsigned integer in which bytes are written down.
const char* bits_type(Format format) {
  switch (calculus::storage_bits(format)) {
    case 64:
      return "unsigned long long";
    case 32:
      return "unsigned";
    case 16:
      return "unsigned short";
    default:
      return "unsigned char";
  }
}

std::string comment(const std::string& text) {
  std::string out = "// ";
  for (const char c : text) out += c == '\n' ? std::string("\n// ") : std::string(1, c);
  return out + "\n";
}

// As the inside of a string literal.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '%') out += '%';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string data_of(const HostProgram& program) {
  std::string out;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const HostBuffer& b = program.buffers[i];
    if (b.bits.empty()) continue;
    out += fmt::format("static const {} data{}[] = {{  // {}", bits_type(b.format), i, b.name);
    for (std::size_t k = 0; k < b.bits.size(); ++k)
      out += fmt::format("{}{:#x}{},", k % 8 == 0 ? "\n    " : " ", b.bits[k],
                         calculus::storage_bits(b.format) == 64 ? "ull" : "u");
    out += "\n};\n";
  }
  return out;
}

std::string arguments(const HostLaunch& launch, const char* pointer) {
  std::string out;
  for (const HostArgument& a : launch.arguments)
    out += (out.empty() ? "" : ", ") + (a.buffer >= 0 ? fmt::format("Pointer{{{}{}}}", pointer, a.buffer)
                                                      : fmt::format("Scalar{{{:#x}ull}}", a.value));
  return out;
}

constexpr std::string_view conversions = R"cpp(
  // Whatever the kernel's parameter is: a pointer into a buffer, or the first bytes of a number.
  struct Pointer {
    void* to;
    template <typename T>
    operator T*() const {
      return static_cast<T*>(to);
    }
  };
  struct Scalar {
    unsigned long long bytes;
    template <typename T>
    operator T() const {
      T out;
      memcpy(&out, &bytes, sizeof out);
      return out;
    }
  };
)cpp";

std::string dim3_text(const std::array<unsigned, 3>& d) {
  return fmt::format("dim3({}, {}, {})", d[0], d[1], d[2]);
}

std::string sources_of(const HostProgram& program) {
  std::string out;
  const bool several = program.sources.size() > 1;
  for (std::size_t i = 0; i < program.sources.size(); ++i)
    out += several ? fmt::format("namespace file{0} {{\n#include \"{1}\"\n}}\nusing namespace file{0};\n", i,
                                 program.sources[i])
                   : fmt::format("#include \"{}\"\n", program.sources[i]);
  return out;
}

// Prints and judges the element that the witness names; `at` is an expression for its address.
std::string judgement(const HostProgram& program, const std::string& at) {
  const HostBuffer& b = program.buffers.at(static_cast<std::size_t>(program.shown_buffer));
  const char* type = cpp_type(b.format);
  const bool floating = calculus::is_float(b.format);
  return fmt::format(
      "  {0} found;\n  memcpy(&found, {1}, sizeof found);\n  {2} value;\n  memcpy(&value, &found, sizeof "
      "value);\n"
      "  printf(\"{3}[{4}] = {5} (0x%llx)\\n\", {6}value, (unsigned long long)found);\n"
      "  printf(\"recorded: {7}\\nexpected: {8}\\n\");\n"
      "  const bool shown = found == ({0}){9:#x}ull;\n"
      "  printf(shown ? \"the difference shows\\n\" : \"the difference does not show here\\n\");\n",
      bits_type(b.format), at, type, quoted(b.name), program.shown_element, floating ? "%.17g" : "%lld",
      floating ? "(double)" : "(long long)", quoted(program.actual), quoted(program.expected),
      program.shown_bits);
}

// Looks for an element without a finite value; `at` makes an expression for a buffer's bytes on the host.
std::string finiteness(const HostProgram& program, const std::function<std::string(int)>& at) {
  std::string out = "  bool shown = false;\n";
  for (const int i : program.finite_buffers) {
    const HostBuffer& b = program.buffers.at(static_cast<std::size_t>(i));
    out += fmt::format(
        "  for (unsigned long long k = 0; k < {0}ull && !shown; ++k) {{\n    {1} value;\n"
        "    memcpy(&value, {2} + k * sizeof value, sizeof value);\n    shown = !isfinite((double)value);\n"
        "    if (shown) printf(\"{3}, element %llu (flat) = %g\\n\", k, (double)value);\n  }}\n",
        b.elements, cpp_type(b.format), at(i), quoted(b.name));
  }
  return out + "  printf(\"recorded: " + quoted(program.actual) + "\\nexpected: " + quoted(program.expected) +
         "\\n\");\n"
         "  printf(shown ? \"the difference shows\\n\" : \"the difference does not show here\\n\");\n"
         "  return shown ? 0 : 1;\n}\n";
}

std::uint64_t bytes_of(const HostBuffer& b) {
  return b.elements * calculus::storage_bits(b.format) / 8;
}

}  // namespace

const char* cpp_type(Format format) {
  switch (format) {
    case Format::f64:
      return "double";
    case Format::f32:
    case Format::tf32:
      return "float";
    case Format::i8:
      return "signed char";
    case Format::i16:
      return "short";
    case Format::i32:
      return "int";
    case Format::i64:
      return "long long";
    case Format::u8:
    case Format::boolean:
      return "unsigned char";
    case Format::u16:
      return "unsigned short";
    case Format::u32:
      return "unsigned";
    case Format::u64:
      return "unsigned long long";
    default:
      return nullptr;
  }
}

std::string_view cuda_on_host_text() {
  return cuda_on_host_bytes;
}

std::string cpp_program(const HostProgram& program) {
  std::string out = comment(program.about) +
                    "// g++ -std=c++17 -O0 -g -ffp-contract=off -fsanitize=address reproduce.cpp -o "
                    "reproduce && ./reproduce "
                    "[forward|reverse|warps]\n#include \"cuda_on_host.h\"\n" +
                    sources_of(program) + std::string(conversions) + "\n" + data_of(program);
  // One run under one schedule: the buffers that it leaves.
  out +=
      "\nstatic std::vector<std::vector<unsigned char>> run(const char* schedule) {\n  on_host::schedule = "
      "schedule;\n";
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const HostBuffer& b = program.buffers[i];
    out += fmt::format("  unsigned char* b{0} = static_cast<unsigned char*>(malloc({1}));  // {2}\n", i,
                       bytes_of(b), b.name);
    out += b.bits.empty() ? fmt::format("  memset(b{}, 0xff, {});\n", i, bytes_of(b))
                          : fmt::format("  memcpy(b{0}, data{0}, {1});\n", i, bytes_of(b));
  }
  for (const HostLaunch& l : program.launches)
    out += fmt::format("  on_host::launch({}, {}, {}, [&] {{ {}({}); }});\n", dim3_text(l.grid),
                       dim3_text(l.block), l.dynamic_shared_bytes, l.kernel, arguments(l, "b"));
  out += "  std::vector<std::vector<unsigned char>> out;\n";
  for (std::size_t i = 0; i < program.buffers.size(); ++i)
    out += fmt::format("  out.emplace_back(b{0}, b{0} + {1});\n  free(b{0});\n", i,
                       bytes_of(program.buffers[i]));
  out += "  return out;\n}\n\nint main(int argc, char** argv) {\n";
  if (program.shown_buffer >= 0) {
    out += "  const auto result = run(argc > 1 ? argv[1] : \"forward\");\n" +
           judgement(
               program,
               fmt::format("result[{}].data() + {}", program.shown_buffer,
                           program.shown_element *
                               calculus::storage_bits(
                                   program.buffers[static_cast<std::size_t>(program.shown_buffer)].format) /
                               8)) +
           "  return shown ? 0 : 1;\n}\n";
  } else if (!program.finite_buffers.empty()) {
    out += "  using std::isfinite;\n  const auto result = run(argc > 1 ? argv[1] : \"forward\");\n" +
           finiteness(program, [](int i) { return fmt::format("result[{}].data()", i); });
  } else {
    out +=
        "  bool differ = false;\n  const auto first = run(argc > 1 ? argv[1] : \"forward\");\n"
        "  for (const char* schedule : {\"reverse\", \"warps\"}) {\n    const auto other = run(schedule);\n";
    for (std::size_t i = 0; i < program.buffers.size(); ++i)
      out += fmt::format(
          "    if (other[{0}] != first[{0}]) {{\n      differ = true;\n"
          "      printf(\"{1} depends on the order of threads: forward and %s differ\\n\", schedule);\n    "
          "}}\n",
          i, quoted(program.buffers[i].name));
    out += "  }\n  printf(\"recorded: " + quoted(program.actual) +
           "\\nexpected: " + quoted(program.expected) + "\\n\");\n  return differ ? 0 : 1;\n}\n";
  }
  return out;
}

std::string cuda_program(const HostProgram& program) {
  std::string out = comment(program.about) +
                    "// nvcc -fmad=false reproduce.cu -o reproduce && ./reproduce      (compute-sanitizer "
                    "./reproduce names stray "
                    "accesses and races)\n#include <math.h>\n#include <stdio.h>\n#include "
                    "<stdlib.h>\n#include <string.h>\n" +
                    sources_of(program) + std::string(conversions) + "\n" + data_of(program) +
                    "\nint main() {\n";
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const HostBuffer& b = program.buffers[i];
    out += fmt::format(
        "  void* b{0} = nullptr;  // {2}\n  if (cudaMalloc(&b{0}, {1}) != cudaSuccess) return 2;\n", i,
        std::max<std::uint64_t>(bytes_of(b), 1), b.name);
    out += b.bits.empty()
               ? fmt::format("  cudaMemset(b{}, 0xff, {});\n", i, bytes_of(b))
               : fmt::format("  cudaMemcpy(b{0}, data{0}, {1}, cudaMemcpyHostToDevice);\n", i, bytes_of(b));
  }
  for (const HostLaunch& l : program.launches)
    out += fmt::format("  {}<<<{}, {}, {}>>>({});\n", l.kernel, dim3_text(l.grid), dim3_text(l.block),
                       l.dynamic_shared_bytes, arguments(l, "b"));
  out +=
      "  const cudaError_t error = cudaDeviceSynchronize();\n  printf(\"%s\\n\", "
      "cudaGetErrorString(error));\n"
      "  if (error != cudaSuccess) return 0;  // the fault stopped the kernel\n";
  if (program.shown_buffer >= 0) {
    const HostBuffer& b = program.buffers[static_cast<std::size_t>(program.shown_buffer)];
    out += fmt::format(
        "  {} copy;\n  cudaMemcpy(&copy, static_cast<char*>(b{}) + {}, sizeof copy, "
        "cudaMemcpyDeviceToHost);\n",
        bits_type(b.format), program.shown_buffer,
        program.shown_element * calculus::storage_bits(b.format) / 8);
    out += judgement(program, "&copy") + "  return shown ? 0 : 1;\n}\n";
  } else if (!program.finite_buffers.empty()) {
    for (const int i : program.finite_buffers)
      out += fmt::format(
          "  char* h{0} = static_cast<char*>(malloc({1}));\n  cudaMemcpy(h{0}, b{0}, {1}, "
          "cudaMemcpyDeviceToHost);\n",
          i, bytes_of(program.buffers[static_cast<std::size_t>(i)]));
    out += finiteness(program, [](int i) { return fmt::format("h{}", i); });
  } else {
    out += "  printf(\"recorded: " + quoted(program.actual) + "\\nexpected: " + quoted(program.expected) +
           "\\n\");\n  return 1;\n}\n";
  }
  return out;
}

}  // namespace hallmark::pipeline
