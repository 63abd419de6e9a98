// The host's part of a preprocessed CUDA text: what runs on the CPU is blanked before Clang compiles kernels,
// because it needs headers and libraries that have no meaning here (streams, containers, cuBLAS). Bytes are
// replaced by blanks, so that lines and columns stay.
//
// Host code is: functions, variables and prototypes at namespace scope that are neither annotated for the
// device nor constexpr nor const. Types, templates of types, aliases, enumerations and constants stay. That
// changes the meaning of no kernel: device code cannot use what is blanked (CUDA C++ Programming Guide,
// "Execution Space Specifiers").
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hallmark::validator::source {

struct TopDeclaration {
  enum class Kind {
    kernel,  // __global__
    device,  // __device__, __constant__, __shared__
    shared,  // types, aliases, constants, constexpr functions: for both sides
    host,
    stub,  // of the stub headers
  };
  Kind kind = Kind::host;
  std::size_t begin = 0, end = 0;  // bytes of the text
  std::string name;                // of the function, variable or type; empty where not found
  std::string file;                // by the line markers
  std::size_t first_line = 0, last_line = 0;
  bool is_template = false;
  bool has_body = false;
};

// A launch in host code: NAME<ARGUMENTS><<<GRID, BLOCK, ...>>>.
struct HostLaunch {
  std::string kernel;                        // "tile" or "tile<float, 128>", as written
  std::vector<std::string> configuration;    // grid, block, shared bytes, stream, as written
  std::optional<std::array<long, 3>> block;  // where the text makes it a constant
};

// Declarations at namespace scope, in order, `namespace` and `extern "C"` blocks opened. `stub_folder` names
// the files that are not the user's. Text that does not fit any declaration is given as `shared`.
std::vector<TopDeclaration> top_declarations(std::string_view text, const std::string& stub_folder);

std::vector<HostLaunch> launches_in(std::string_view text);

// What an extent of a launch is when it is a number, `dim3(16, 16)`, or a name that the text defines once, as
// such a number or dim3. Nothing otherwise.
std::optional<std::array<long, 3>> constant_extents(std::string_view expression, std::string_view text);

// All but line ends replaced by blanks.
void blank(std::string& text, std::size_t begin, std::size_t end);

// Whether the text contains the identifier as a whole word.
bool mentions(std::string_view text, std::string_view identifier);

}  // namespace hallmark::validator::source
