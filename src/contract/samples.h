// Ranges of inputs from samples: the arrays of a NumPy archive (.npz, or one .npy).
//
// A range that was seen is no promise: a box made of it is an assumption of every proof that uses it, named
// by the archive's digest.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "contract/contract.h"

namespace hallmark::contract {

struct SampleRange {
  Rational low, high;
  std::uint64_t count = 0;
};
struct Samples {
  std::string file, digest;  // the first eight hexadecimal digits of the SHA-256
  std::map<std::string, SampleRange> ranges;
};

// Arrays of floats (f2, f4, f8) and integers (i1 to i8, u1 to u8, booleans) in little-endian order, stored or
// deflated. Throws UserError E0001 (no such file), E8015 (not such an archive, or an array of another kind)
// and E8016 (an array that is empty or holds a NaN or an infinity).
Samples load_samples(const std::string& path);

// The boxes of the inputs for which there are samples, in place of those of the contract, marked as assumed.
// An array whose name is no input of the program is an error (E8010, with the nearest name).
Contract calibrated(Contract contract, const Samples& samples, const calculus::Program& program);

}  // namespace hallmark::contract
