#include "pipeline/again.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "bundle/layout.h"
#include "bundle/report.h"
#include "bundle/writer.h"
#include "pipeline/package.h"

namespace hallmark::pipeline {
namespace {

namespace fs = std::filesystem;

// NumPy's format 1.0, little-endian doubles, row-major.
std::string npy(const std::vector<double>& values, const std::string& shape) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", shape);
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 255);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  for (const double value : values) {
    char bytes[8];
    std::memcpy(bytes, &value, 8);
    out.append(bytes, 8);
  }
  return out;
}

// "0.5, 0x1p-3, -1": the numbers, or nothing when the text is anything else (or was shortened).
std::optional<std::vector<double>> numbers(const std::string& text) {
  std::vector<double> out;
  const char* at = text.c_str();
  while (true) {
    char* end = nullptr;
    out.push_back(std::strtod(at, &end));
    if (end == at) return std::nullopt;
    if (*end == '\0') return out;
    if (end[0] != ',' || end[1] != ' ') return std::nullopt;
    at = end + 2;
  }
}

std::optional<std::string> tensor_of(const std::string& value) {
  constexpr std::string_view head = "shape [", middle = "], contents [";
  if (value.starts_with(head) && value.ends_with("]")) {
    const std::size_t cut = value.find(middle);
    if (cut == std::string::npos) return std::nullopt;
    const std::string shape = value.substr(head.size(), cut - head.size());
    const std::string list = value.substr(cut + middle.size(), value.size() - 1 - cut - middle.size());
    const auto values = list.empty() ? std::vector<double>{} : numbers(list);
    if (!values) return std::nullopt;
    return npy(*values, shape.empty() ? "" : shape + ",");
  }
  const auto values = numbers(value);
  // One number is a size, not a tensor.
  if (!values || values->size() < 2) return std::nullopt;
  return npy(*values, fmt::format("{},", values->size()));
}

std::string script(const bundle::OpenBundle& bundle, const Obligation& o) {
  std::string out =
      "#!/bin/sh\n# " + o.id +
      "\n# Expected of each goal query: sat (a counterexample exists).\ncd \"$(dirname \"$0\")\"\n";
  for (const QueryRecord& query : o.outcome.queries) {
    out += fmt::format("echo '{} {}'\n", query.purpose, query.sha256);
    for (const char* solver : {"z3", "cvc5"})
      out +=
          fmt::format("if command -v {0} >/dev/null; then {0} queries/{1}.smt2; fi\n", solver, query.sha256);
  }
  out += "# With hallmark, which derives the obligation again and executes its witness:\n# " +
         bundle::replay_command(bundle.folder, o) + "\n";
  return out;
}

}  // namespace

std::optional<bool> refutes_again(const bundle::OpenBundle& bundle, const Obligation& o, const Effort& effort,
                                  const Say& say) {
  const Evidence evidence = restore(reader_of(bundle));
  const ArtifactTexts texts(evidence.cuda, evidence.ptx);
  std::vector<Obligation> list = list_obligations(evidence, texts);
  const bool listed = std::any_of(list.begin(), list.end(), [&](const Obligation& mine) {
    return mine.id == o.id && mine.statement == o.statement;
  });
  if (!listed) return std::nullopt;
  smt::Portfolio portfolio(portfolio_options(effort));
  DischargeOptions options;
  options.jobs = effort.jobs;
  options.only = {o.id};
  discharge(
      list, evidence, texts, portfolio,
      [&](const std::string& stage, std::size_t, std::size_t) { say("again: " + stage); }, options);
  for (const Obligation& mine : list)
    if (mine.id == o.id) return mine.outcome.state == State::refuted;
  return std::nullopt;
}

void write_reproducer(const bundle::OpenBundle& bundle, const Obligation& o, const std::string& folder) {
  std::error_code ignored;
  if (fs::exists(folder) && !fs::is_empty(folder, ignored))
    throw UserError("E7405", "the folder of the reproducer is not empty", {folder});
  const auto put = [&](const std::string& path, const std::string& bytes) {
    fs::create_directories((fs::path(folder) / path).parent_path(), ignored);
    write_file(folder + "/" + path, bytes);
  };
  put("statement.txt", o.id + "\n\n" + o.statement + "\n");
  if (o.outcome.witness) {
    put("witness.json", bundle::witness_text(o));
    for (const auto& [name, value] : o.outcome.witness->bindings)
      if (const auto tensor = tensor_of(value)) {
        std::string file;
        for (const char c : name) file += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
        put("tensors/" + file + ".npy", *tensor);
      }
  }
  for (const QueryRecord& query : o.outcome.queries)
    put("queries/" + query.sha256 + ".smt2", bundle.read(bundle::query_file(query.sha256)));
  for (const auto& [path, file] : bundle.listing.files)
    if (path.starts_with(bundle::stage_artifact) || path.starts_with(bundle::stage_model))
      put(path, bundle.read(path));
  put("replay.sh", script(bundle, o));
  fs::permissions(folder + "/replay.sh", fs::perms::owner_exec, fs::perm_options::add, ignored);
}

}  // namespace hallmark::pipeline
