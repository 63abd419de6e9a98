#include "emulator.h"

#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "base/files.h"
#include "base/process.h"

namespace hallmark::testing {

using namespace calculus;

namespace {

long value_of(Term term, const std::map<std::string, long>& symbols) {
  if (term == nullptr) return 1;
  Substitution map;
  for (const auto& [symbol, value] : symbols) map[calculus::symbol(symbol)] = integer(value);
  const Term result = substitute(term, map);
  if (as_integer(result) == nullptr) throw std::runtime_error("a launch extent that is not a number");
  return as_integer(result)->get_si();
}

std::string c_type(Format format) {
  switch (format) {
    case Format::f32:
      return "float";
    case Format::f64:
      return "double";
    case Format::i8:
      return "signed char";
    case Format::i16:
      return "short";
    case Format::i32:
      return "int";
    case Format::i64:
      return "long long";
    case Format::u16:
      return "unsigned short";
    case Format::u32:
      return "unsigned";
    case Format::u64:
      return "unsigned long long";
    default:
      return "unsigned char";
  }
}

using Runner = void (*)(void (*)(void**), void**, const unsigned*, const unsigned*);

}  // namespace

void run_on_cpu(const lowering::Artifact& artifact, const std::map<std::string, long>& symbols,
                Tensors& tensors) {
  const TemporaryFolder folder;
  const plan::LaunchPlan& plan = artifact.plan;
  std::map<std::string, std::vector<unsigned char>> own;
  std::vector<unsigned char> arena(static_cast<std::size_t>(value_of(plan.arena_bytes, symbols)) + 256, 0xAB);
  const auto address = [&](const plan::PlannedBuffer& buffer) {
    if (buffer.role == plan::Role::arena) return arena.data() + value_of(buffer.arena_offset, symbols);
    return own.at(buffer.declaration.name).data();
  };
  const auto element_bytes = [](const plan::PlannedBuffer& buffer) {
    return storage_bits(buffer.declaration.format) / 8;
  };
  for (const plan::PlannedBuffer& buffer : plan.buffers) {
    if (buffer.role == plan::Role::arena) continue;
    const long bytes = value_of(plan::byte_size(buffer.declaration), symbols);
    std::vector<unsigned char>& memory = own[buffer.declaration.name];
    memory.assign(static_cast<std::size_t>(bytes) + 16, 0xAB);
    if (buffer.role == plan::Role::output || buffer.role == plan::Role::prepared) continue;
    const Values& values = tensors.at(buffer.declaration.name);
    for (std::size_t i = 0; i < values.bits.size(); ++i)
      std::memcpy(memory.data() + i * element_bytes(buffer), &values.bits[i], element_bytes(buffer));
  }
  // One C++ file for all kernels, each text in a namespace of its own.
  std::string text = "#include \"" HALLMARK_SOURCE_DIR "/tests/lowering/cuda_on_cpu.h\"\n";
  std::vector<std::vector<void*>> pointers(plan.launches.size());
  std::vector<std::vector<std::uint64_t>> scalars(plan.launches.size());
  std::vector<bool> together;
  for (std::size_t number = 0; number < plan.launches.size(); ++number) {
    const plan::PlannedLaunch& launch = plan.launches[number];
    const lowering::KernelFile* file = nullptr;
    for (const lowering::KernelFile& candidate : artifact.kernels)
      if (candidate.kernel == launch.kernel) file = &candidate;
    together.push_back(file->text.find("_sync(") != std::string::npos ||
                       file->text.find("__syncthreads") != std::string::npos);
    text += "namespace kernel_" + std::to_string(number) + " {\n" + file->text +
            "}\nextern \"C\" void entry_" + std::to_string(number) + "(void** a) {\n  " + "kernel_" +
            std::to_string(number) + "::" + launch.kernel + "(";
    scalars[number].resize(launch.arguments.size());
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const plan::Argument& argument = launch.arguments[i];
      const plan::PlannedBuffer* buffer = plan::find_buffer(plan, argument.buffer);
      const std::string at = "a[" + std::to_string(i) + "]", comma = i > 0 ? ", " : "";
      if (buffer != nullptr) {
        text += comma + "(" + c_type(buffer->declaration.format) + "*)" + at;
        pointers[number].push_back(address(*buffer));
      } else {
        text += comma + "*(" + c_type(argument.scalar_format) + "*)" + at;
        scalars[number][i] = static_cast<std::uint64_t>(value_of(argument.scalar, symbols));
        pointers[number].push_back(&scalars[number][i]);
      }
    }
    text += ");\n}\n";
  }
  const std::string source = folder.path() + "/kernels.cpp", library = source + ".so";
  write_file(source, text);
  const ProcessResult built = run_process({"g++", "-std=c++17", "-O1", "-march=native", "-ffp-contract=off",
                                           "-w", "-shared", "-fPIC", "-o", library, source});
  if (!built.ok()) throw std::runtime_error("the emitted text does not compile as C++:\n" + built.err + text);
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  const std::unique_ptr<void, int (*)(void*)> guard(handle, dlclose);
  for (std::size_t number = 0; number < plan.launches.size(); ++number) {
    const plan::PlannedLaunch& launch = plan.launches[number];
    const auto runner =
        reinterpret_cast<Runner>(dlsym(handle, together[number] ? "run_on_cpu" : "run_plainly"));
    const auto entry =
        reinterpret_cast<void (*)(void**)>(dlsym(handle, ("entry_" + std::to_string(number)).c_str()));
    unsigned grid[3], block[3];
    for (int d = 0; d < 3; ++d) {
      grid[d] = static_cast<unsigned>(value_of(launch.grid[d], symbols));
      block[d] = static_cast<unsigned>(value_of(launch.block[d], symbols));
    }
    runner(entry, pointers[number].data(), grid, block);
    for (const std::string& name : launch.computes) {
      const plan::PlannedBuffer& buffer = *plan::find_buffer(plan, name);
      Values out;
      out.format = buffer.declaration.format;
      long total = 1;
      for (Term extent : buffer.declaration.extents) {
        out.extents.push_back(value_of(extent, symbols));
        total *= out.extents.back();
      }
      for (long i = 0; i < total; ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, address(buffer) + static_cast<std::size_t>(i) * element_bytes(buffer),
                    element_bytes(buffer));
        const unsigned width = storage_bits(out.format);
        if (is_signed(out.format) && width < 64 && (bits >> (width - 1) & 1) != 0)
          bits |= ~((std::uint64_t{1} << width) - 1);
        out.bits.push_back(bits);
      }
      tensors[name] = std::move(out);
    }
  }
}

}  // namespace hallmark::testing
