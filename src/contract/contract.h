// The numerical contract: for which inputs, and how accurately, a program has to be computed (design,
// sections 1 and 7). A TOML file; every number in it is exact (decimal, hexadecimal float or fraction), never
// a double.
//
//   version = 1
//   casts = "exact"              # or "storage": an authored Cast between float formats is the identity
//   ftz = false                  # true: subnormal operands and results may be flushed to zero
//   fma = true                   # fused multiply-add permitted
//   nan = "forbidden"            # or "allowed": whether inputs may hold it
//   infinity = "forbidden"
//   storage = ["f32"]            # formats permitted for tensors that the compiler introduces
//   accumulation = ["f32"]       # formats permitted for sums
//   orders = ["any"]             # or some of "seq", "strided", "tree", "blocked", "mma"
//   [dimensions]
//   N = 128
//   S = { low = 1, high = 1024 } # also [1, 1024]; without high: any size from low up
//   [tolerance]                  # of every float output that has no table of its own
//   absolute = 1e-5
//   [inputs.x]
//   low = -1
//   high = "0x1.8p+1"
//   format = "f32"               # optional, compared with the program's
//   [outputs.y]
//   relative = "1/1024"
//   ulp = 4
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/integer.h"
#include "calculus/program.h"

namespace hallmark::contract {

struct DimensionRange {
  Integer low = 1;
  std::optional<Integer> high;  // nothing: unbounded
  bool operator==(const DimensionRange&) const = default;
};

// Every element of the input lies in [low, high].
struct InputBox {
  Rational low, high;
  std::optional<calculus::Format> format;
  bool assumed = false;  // a default that nobody stated; an assumption of the receipt (soundness G9)
  bool operator==(const InputBox&) const = default;
};

// |computed - exact| <= absolute + relative * |exact| + ulp * ulp(exact), where ulp(x) is the spacing of the
// output's format at x (of its subnormals near zero). Parts that are absent count as 0; a tolerance without
// any part demands the exact value. Integer and boolean outputs have tolerance 0 always (soundness B3).
struct Tolerance {
  std::optional<Rational> absolute, relative, ulp;
  bool assumed = false;
  bool empty() const { return !absolute && !relative && !ulp; }
  bool operator==(const Tolerance&) const = default;
};

enum class Casts { exact, storage };

struct Contract {
  std::map<std::string, DimensionRange> dimensions;
  std::map<std::string, InputBox> inputs;
  Tolerance tolerance;
  std::map<std::string, Tolerance> outputs;
  bool nan_allowed = false;
  bool infinity_allowed = false;
  bool ftz = false;
  bool fma = true;
  Casts casts = Casts::exact;
  std::vector<calculus::Format> storage{calculus::Format::f32};
  std::vector<calculus::Format> accumulation{calculus::Format::f32};
  std::vector<std::string> orders{"any"};

  // Where each key stands ("inputs.x.low"), and the text itself, for errors of validate(); not compared.
  std::map<std::string, Location> places;
  std::string text;
  bool operator==(const Contract& other) const;
};

// Throws UserError with line, column, the source line and what was expected: E8001 not TOML; E8002 unknown
// key (names the nearest known one); E8003 wrong type; E8004 not an exact finite number; E8005 unknown
// format, order or policy; E8006 missing key; E8007 low above high; E8009 negative tolerance or dimension.
Contract parse(std::string_view text, const std::string& file);
// Reads the file and parses it. Also throws UserError E0001.
Contract load(const std::string& path);
// TOML that parse() reads back to an equal contract; the same bytes for equal contracts.
std::string print(const Contract& contract);

// What holds for this program when nobody says anything: float inputs in [-1, 1], integer inputs that are
// used as indices inside what every use demands, absolute and relative tolerance 1e-4, or 16 unit
// roundoffs for outputs of f16 and bf16; all marked as assumed.
Contract default_contract(const calculus::Program& program);
// The same defaults for the inputs and outputs that the contract does not mention.
Contract complete(Contract contract, const calculus::Program& program);

// Throws UserError: E8010 a tensor or dimension that the program does not have (names the nearest); E8011 a
// format that differs from the program's; E8008 a box without any value of the input's format; E8012 a box
// that leaves the format's finite range; E8013 a tolerance on an integer or boolean output; E8014 a dimension
// range that the program's own range excludes. `numbers`: dimensions of the model that stand as numbers in
// the program, because the contract gives them one size.
void validate(const Contract& contract, const calculus::Program& program,
              const std::vector<std::string>& numbers = {});

// Identifiers of what is assumed rather than stated: "default-box:x", "default-tolerance:y".
std::vector<std::string> assumptions(const Contract& contract);
// The tolerance of an output: its own, or the contract's general one.
const Tolerance& tolerance_of(const Contract& contract, const std::string& output);
// The program's range of a symbol narrowed by the contract.
DimensionRange range_of(const Contract& contract, const calculus::SymbolRange& symbol);

}  // namespace hallmark::contract
