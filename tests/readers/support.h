// What the tests of readers and interpreter share: PTX texts of one kernel, launches, files outside the
// project.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "validator/interpreter/launch.h"
#include "validator/ir/module.h"
#include "validator/ptx/reader.h"

namespace hallmark::validator::test {

inline std::string shared_folder() {
  const char* variable = std::getenv("HALLMARK_SHARED");
  return variable != nullptr ? variable : std::string(HALLMARK_SOURCE_DIR) + "/../shared";
}

inline std::string own_file(const std::string& name) {
  return std::string(HALLMARK_SOURCE_DIR) + "/tests/readers/" + name;
}

// nvcc on PATH or at its usual place.
inline std::optional<std::string> find_nvcc() {
  if (auto tool = find_tool("nvcc")) return tool;
  const std::string usual = "/usr/local/cuda/bin/nvcc";
  if (std::filesystem::exists(usual)) return usual;
  return std::nullopt;
}

inline std::string compile_to_ptx(const std::string& nvcc, const std::string& file) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out.ptx";
  const ProcessResult r =
      run_process({nvcc, "-ptx", "-arch=sm_90", "--fmad=false", "-lineinfo", file, "-o", out}, {},
                  ProcessLimits{std::chrono::minutes(2), 0});
  EXPECT_TRUE(r.ok()) << r.err;
  return read_file(out);
}

// A module with one entry `k` with the given parameters (".param .u64 p0, ...") and body.
inline std::string ptx_module(const std::string& parameters, const std::string& body,
                              const std::string& globals = {}) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + globals + "\n.visible .entry k(" + parameters +
         ")\n{\n" + body + "\n}\n";
}

inline std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t w : words)
    for (int n = 0; n < 4; ++n) bytes.push_back(static_cast<std::uint8_t>(w >> (8 * n)));
  return bytes;
}

inline std::vector<std::uint32_t> words_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> words;
  for (float v : values) words.push_back(std::bit_cast<std::uint32_t>(v));
  return words;
}

inline interpreter::Buffer input(std::string name, const std::vector<std::uint32_t>& words) {
  interpreter::Buffer b;
  b.name = std::move(name);
  b.bytes = words.size() * 4;
  b.contents[0] = bytes_of(words);
  b.writable = false;
  return b;
}

// Undefined at first.
inline interpreter::Buffer output(std::string name, std::uint64_t words) {
  interpreter::Buffer b;
  b.name = std::move(name);
  b.bytes = words * 4;
  return b;
}

inline std::uint32_t word(const interpreter::Result& r, std::size_t buffer, std::uint64_t index) {
  EXPECT_TRUE(r.buffers.at(buffer)->defined(4 * index, 4)) << "word " << index << " of buffer " << buffer;
  return static_cast<std::uint32_t>(r.buffers.at(buffer)->read(4 * index, 4));
}

inline std::string faults_text(const interpreter::Result& r) {
  std::string text;
  for (const auto& f : r.faults) text += std::string(name(f.kind)) + ": " + f.summary + "\n";
  return text;
}

// The kinds of the faults, each once, in the order of the kinds.
inline std::vector<ObligationKind> kinds(const interpreter::Result& r) {
  std::vector<ObligationKind> result;
  for (ObligationKind kind : all_obligation_kinds())
    if (r.find(kind) != nullptr) result.push_back(kind);
  return result;
}

}  // namespace hallmark::validator::test
