// A target as a data file (corpus/targets): peak figures with the source of each. A price made of them is
// modelled, never measured, and never a proof.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/integer.h"

namespace hallmark::select {

struct Target {
  std::string name;
  std::string compute_capability;  // "9.0"
  Rational fp32_flops;             // per second; a fused multiply-add counts two
  Rational memory_bytes_per_second;
  Integer sm_count, l2_bytes, shared_bytes_per_sm, registers_per_sm, threads_per_sm;
  Rational launch_seconds;  // of one kernel on a stream
  std::map<std::string, std::string> sources;
  std::string text;    // the file as it was read
  std::string sha256;  // of the text
};

// Throws UserError E7301 (not TOML), E7302 (a member is missing or has a wrong type), E7303 (a figure is not
// positive or has no source), with line and column.
Target parse_target(std::string_view text, const std::string& file);
// `name` is a path, or the name of a file in corpus/targets. Throws UserError E7304 with the known names.
Target load_target(const std::string& name, const std::string& corpus_folder);

}  // namespace hallmark::select
