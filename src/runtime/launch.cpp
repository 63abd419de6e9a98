// The fixed host runtime: executes a launch plan through the CUDA driver API. Host code is never generated;
// this one program interprets every plan (soundness A3). It loads the PTX files that the plan names, each
// only if its SHA-256 is the one in the plan, so what runs is what was validated.
//
//   hallmark-launch FOLDER [--symbol NAME=VALUE]... [--tensor NAME=FILE]... [--output NAME=FILE]... [--device
//   N] [--calls N]
//
// Launches that prepare run once, after the constants are in place; all others run on each of N calls (1),
// each with the inputs copied again. What the outputs hold is of the last call.
//
// FOLDER holds launch.json and the PTX files. Tensor files are raw elements, row-major, little endian; every
// input and constant of the plan needs one. Exit codes as in design, section 6: 0, 2 usage, 4 bad input, 5 a
// digest that differs, 70 a device error.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/sha256.h"
#include "runtime/resolve.h"

namespace {

using namespace hallmark;

struct DeviceError {
  std::string message;
};
struct DigestError {
  std::string message;
};

void check(CUresult result, const std::string& doing) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  throw DeviceError{doing + ": " + (text != nullptr ? text : "unknown error")};
}

struct Request {
  std::string folder;
  std::map<std::string, Integer> symbols;
  std::map<std::string, std::string> tensors, outputs;
  int device = 0;
  long calls = 1;
};

Request parse(int argc, char** argv) {
  Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      if (!request.folder.empty()) throw UserError("E7305", "one folder was expected, not also " + word);
      request.folder = word;
      continue;
    }
    if (i + 1 >= argc) throw UserError("E7305", word + " needs a value");
    const std::string value = argv[++i];
    const std::size_t equals = value.find('=');
    const std::string name = value.substr(0, equals);
    const std::string rest = equals == std::string::npos ? "" : value.substr(equals + 1);
    Integer number;
    if (word == "--device" && number.set_str(value, 10) == 0 && number >= 0 && number < 1024)
      request.device = static_cast<int>(number.get_si());
    else if (word == "--calls" && number.set_str(value, 10) == 0 && number >= 1 && number <= 1000000)
      request.calls = number.get_si();
    else if (word == "--symbol" && !rest.empty() && number.set_str(rest, 10) == 0)
      request.symbols[name] = number;
    else if (word == "--tensor" && !rest.empty())
      request.tensors[name] = rest;
    else if (word == "--output" && !rest.empty())
      request.outputs[name] = rest;
    else
      throw UserError("E7305", "not understood: " + word + " " + value);
  }
  if (request.folder.empty())
    throw UserError("E7305",
                    "usage: hallmark-launch FOLDER [--symbol NAME=VALUE]... [--tensor NAME=FILE]... "
                    "[--output NAME=FILE]... [--device N] [--calls N]");
  return request;
}

// Everything on the device, released in the end.
class Device {
 public:
  explicit Device(int number) {
    check(cuInit(0), "starting the driver");
    check(cuDeviceGet(&device_, number), "finding the device");
    check(cuDevicePrimaryCtxRetain(&context_, device_), "making a context");
    check(cuCtxSetCurrent(context_), "making a context");
  }
  ~Device() {
    for (const CUdeviceptr pointer : allocations_) cuMemFree(pointer);
    for (const auto& [file, module] : modules_) cuModuleUnload(module);
    cuDevicePrimaryCtxRelease(device_);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // The driver aligns allocations to at least 256 bytes.
  CUdeviceptr allocate(std::size_t bytes) {
    CUdeviceptr pointer = 0;
    check(cuMemAlloc(&pointer, bytes > 0 ? bytes : 256), "allocating " + std::to_string(bytes) + " bytes");
    allocations_.push_back(pointer);
    if (pointer % 256 != 0) throw DeviceError{"an allocation is not aligned to 256 bytes"};
    return pointer;
  }

  CUfunction function(const std::string& folder, const runtime::ResolvedLaunch& launch) {
    auto found = modules_.find(launch.binary);
    if (found == modules_.end()) {
      const std::string text = read_file(folder + "/" + launch.binary);
      if (launch.binary_sha256.empty() || sha256_hex(text) != launch.binary_sha256)
        throw DigestError{launch.binary + " is not the file that the plan names"};
      CUmodule module = nullptr;
      check(cuModuleLoadData(&module, text.c_str()), "loading " + launch.binary);
      found = modules_.emplace(launch.binary, module).first;
    }
    CUfunction entry = nullptr;
    check(cuModuleGetFunction(&entry, found->second, launch.kernel.c_str()), "finding " + launch.kernel);
    return entry;
  }

 private:
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::vector<CUdeviceptr> allocations_;
  std::map<std::string, CUmodule> modules_;
};

// A loaded plan: memory, kernels, and what was computed once.
class Loaded {
 public:
  Loaded(const Request& request, const plan::LaunchPlan& plan)
      : request_(request), plan_(runtime::resolve(plan, request.symbols)), device_(request.device) {
    const CUdeviceptr arena = device_.allocate(plan_.arena_bytes);
    for (const runtime::ResolvedBuffer& buffer : plan_.buffers)
      addresses_.push_back(buffer.role == plan::Role::arena ? arena + buffer.arena_offset
                                                            : device_.allocate(buffer.bytes));
    // Every digest is checked before anything runs.
    for (const runtime::ResolvedLaunch& launch : plan_.launches)
      functions_.push_back(device_.function(request.folder, launch));
    copy_in(plan::Role::constant);
    launch(true);
  }

  void call() {
    copy_in(plan::Role::input);
    launch(false);
  }

  void copy_out() const {
    for (const auto& [name, file] : request_.outputs) {
      std::size_t number = 0;
      while (number < plan_.buffers.size() && plan_.buffers[number].name != name) ++number;
      if (number == plan_.buffers.size()) throw UserError("E7306", "the plan has no tensor '" + name + "'");
      std::string bytes(plan_.buffers[number].bytes, '\0');
      if (!bytes.empty())
        check(cuMemcpyDtoH(bytes.data(), addresses_[number], bytes.size()), "copying " + name);
      write_file(file, bytes);
    }
  }

 private:
  void copy_in(plan::Role role) const {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const runtime::ResolvedBuffer& buffer = plan_.buffers[i];
      if (buffer.role != role) continue;
      const auto file = request_.tensors.find(buffer.name);
      if (file == request_.tensors.end())
        throw UserError("E7306", "the tensor '" + buffer.name + "' needs a file");
      const std::string bytes = read_file(file->second);
      if (bytes.size() != buffer.bytes)
        throw UserError("E7306", file->second + " has " + std::to_string(bytes.size()) + " bytes, '" +
                                     buffer.name + "' has " + std::to_string(buffer.bytes));
      if (!bytes.empty())
        check(cuMemcpyHtoD(addresses_[i], bytes.data(), bytes.size()), "copying " + buffer.name);
    }
  }

  // One stream: launches run in the plan's order, each after the one before it.
  void launch(bool prepare) const {
    for (std::size_t number = 0; number < plan_.launches.size(); ++number) {
      const runtime::ResolvedLaunch& launch = plan_.launches[number];
      if (launch.skipped || launch.prepare != prepare) continue;
      std::vector<std::uint64_t> values;
      for (const runtime::ResolvedArgument& argument : launch.arguments)
        values.push_back(argument.is_buffer ? addresses_[argument.buffer] : argument.value);
      std::vector<void*> pointers;
      for (std::uint64_t& value : values) pointers.push_back(&value);
      check(cuLaunchKernel(functions_[number], launch.grid[0], launch.grid[1], launch.grid[2],
                           launch.block[0], launch.block[1], launch.block[2], launch.dynamic_shared_bytes,
                           nullptr, pointers.data(), nullptr),
            "launching " + launch.kernel);
    }
    check(cuCtxSynchronize(), "running the kernels");
  }

  const Request& request_;
  const runtime::ResolvedPlan plan_;
  Device device_;
  std::vector<CUdeviceptr> addresses_;
  std::vector<CUfunction> functions_;
};

void run(const Request& request) {
  const std::string path = request.folder + "/launch.json";
  const plan::LaunchPlan plan = plan::launch_plan_from_json(parse_json(read_file(path), path));
  Loaded loaded(request, plan);
  for (long i = 0; i < request.calls; ++i) loaded.call();
  loaded.copy_out();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const DigestError& error) {
    std::fprintf(stderr, "hallmark-launch: %s\n", error.message.c_str());
    return 5;
  } catch (const DeviceError& error) {
    std::fprintf(stderr, "hallmark-launch: %s\n", error.message.c_str());
    return 70;
  } catch (const UserError& error) {
    std::fprintf(stderr, "%s\n", error.render().c_str());
    return error.code() == "E7305" ? 2 : 4;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hallmark-launch: %s\n", error.what());
    return 70;
  }
}
