#include "pipeline/kernel_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/files.h"

namespace hallmark::pipeline {
namespace {

namespace fs = std::filesystem;

// "(2, 1, 1)"
std::optional<std::array<unsigned, 3>> triple(const std::string& text) {
  std::array<unsigned, 3> out{};
  int end = 0;
  if (std::sscanf(text.c_str(), "(%u, %u, %u)%n", &out[0], &out[1], &out[2], &end) != 3 ||
      static_cast<std::size_t>(end) != text.size())
    return std::nullopt;
  return out;
}

// The last hexadecimal number of "1.5 (0x3fc00000)" or "0x7".
std::optional<std::uint64_t> bits_in(const std::string& text) {
  const std::size_t at = text.rfind("0x");
  if (at == std::string::npos) return std::nullopt;
  std::size_t end = at + 2;
  while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  if (end == at + 2 || end > at + 18) return std::nullopt;
  return std::stoull(text.substr(at + 2, end - at - 2), nullptr, 16);
}

}  // namespace

std::optional<std::vector<std::uint64_t>> encodings(const std::string& text) {
  std::vector<std::uint64_t> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find("), ", at), text.size() - 1), open = text.rfind("(0x", end);
    if (open == std::string::npos || open < at || text[end] != ')') return std::nullopt;
    const std::string digits = text.substr(open + 3, end - open - 3);
    if (digits.empty() || digits.size() > 16 ||
        digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      return std::nullopt;
    out.push_back(std::stoull(digits, nullptr, 16));
    at = end + 3;
  }
  return out;
}

std::optional<HostProgram> kernel_program(const plan::KernelSpec& spec, const std::string& source,
                                          const Obligation& o, std::string& why_not) {
  const auto missing = [&](const std::string& why) {
    why_not = why;
    return std::nullopt;
  };
  if (!o.outcome.witness) return missing("there is no witness");
  const Witness& witness = *o.outcome.witness;
  const std::map<std::string, std::string> bound(witness.bindings.begin(), witness.bindings.end());
  const auto text = [&](const std::string& name) {
    const auto found = bound.find(name);
    return found == bound.end() ? std::string() : found->second;
  };
  HostProgram out;
  out.about = o.id + "\n" + witness.summary + "\nThe schedule of the witness: " + text("schedule");
  out.sources = {source};
  out.expected = witness.expected.empty() ? "no such fault" : witness.expected;
  out.actual = witness.actual.empty() ? witness.summary : witness.actual;
  HostLaunch launch;
  launch.kernel = spec.kernel;
  const auto grid = triple(text("grid")), block = triple(text("block"));
  if (!grid || !block) return missing("the witness does not say how the kernel was launched");
  launch.grid = *grid;
  launch.block = *block;
  if (!text("dynamic shared bytes").empty())
    launch.dynamic_shared_bytes = static_cast<unsigned>(std::stoul(text("dynamic shared bytes")));
  for (const plan::Parameter& p : spec.parameters) {
    if (p.scalar) {
      const auto bits = encodings(text("argument " + p.scalar->name));
      if (!bits || bits->size() != 1) return missing("the witness has no value for " + p.scalar->name);
      launch.arguments.push_back({-1, bits->front()});
      continue;
    }
    const plan::Buffer& b = *p.buffer;
    if (cpp_type(b.declaration.format) == nullptr)
      return missing("C++ has no type for " + std::string(calculus::name(b.declaration.format)));
    HostBuffer buffer{b.declaration.name, b.declaration.format, 0, {}};
    const std::string size = text("elements of " + buffer.name);
    if (size.empty() || size.size() > 12)
      return missing("the witness does not say how large " + buffer.name + " is");
    buffer.elements = std::stoull(size);
    if (b.access != plan::Access::out) {
      const auto bits = encodings(text(buffer.name));
      if (!bits || bits->size() != buffer.elements)
        return missing("the witness does not hold every element of " + buffer.name);
      buffer.bits = *bits;
    }
    // "y[5]: expected ..., found ...": the place is flat.
    const std::string head = buffer.name + "[";
    if (witness.summary.starts_with(head) && !witness.actual.empty()) {
      std::size_t end = head.size();
      while (end < witness.summary.size() &&
             std::isdigit(static_cast<unsigned char>(witness.summary[end])) != 0)
        ++end;
      const std::string digits = witness.summary.substr(head.size(), end - head.size());
      const unsigned width = calculus::storage_bits(buffer.format);
      // Bytes that nobody wrote keep what the program put there: all ones.
      const auto shown = o.kind == ObligationKind::coverage
                             ? std::optional<std::uint64_t>(width == 64 ? ~std::uint64_t{0}
                                                                        : (std::uint64_t{1} << width) - 1)
                             : bits_in(witness.actual);
      if (!digits.empty() && digits.size() < 12 && shown && std::stoull(digits) < buffer.elements &&
          (o.kind == ObligationKind::value || (o.kind == ObligationKind::coverage && buffer.bits.empty()))) {
        out.shown_buffer = static_cast<int>(out.buffers.size());
        out.shown_element = std::stoull(digits);
        out.shown_bits = *shown;
      }
    }
    launch.arguments.push_back({static_cast<int>(out.buffers.size()), 0});
    out.buffers.push_back(std::move(buffer));
  }
  out.launches.push_back(std::move(launch));
  return out;
}

void write_kernel_reproducer(const plan::KernelSpec& spec, const std::string& file, const Obligation& o,
                             const std::string& folder) {
  std::error_code ignored;
  if (fs::exists(folder) && !fs::is_empty(folder, ignored))
    throw UserError("E7405", "the folder of the reproducer is not empty", {folder});
  fs::create_directories(folder, ignored);
  const std::string name = fs::path(file).filename().string();
  write_file(folder + "/" + name, read_file(file));
  write_file(folder + "/statement.txt", o.id + "\n\n" + o.statement + "\n");
  std::string why, notes = o.id + "\n";
  if (o.outcome.witness) notes += o.outcome.witness->summary + "\n";
  if (const std::optional<HostProgram> program = kernel_program(spec, name, o, why)) {
    write_file(folder + "/reproduce.cpp", cpp_program(*program));
    write_file(folder + "/reproduce.cu", cuda_program(*program));
    write_file(folder + "/cuda_on_host.h", cuda_on_host_text());
    notes +=
        "reproduce.cpp   the launch on a processor, thread by thread in a stated order; the address "
        "sanitizer stops it where "
        "it leaves a buffer\nreproduce.cu    the same on a GPU\n";
  } else {
    notes += "no program: " + why + "\n";
  }
  write_file(folder + "/README.txt", notes);
}

}  // namespace hallmark::pipeline
