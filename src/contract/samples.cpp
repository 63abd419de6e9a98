#include "contract/samples.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/files.h"
#include "base/sha256.h"
#include "contract/nearest.h"

namespace hallmark::contract {
namespace {

[[noreturn]] void fail(const std::string& file, const std::string& message) {
  throw UserError("E8015", message + "; expected a NumPy archive (.npz or .npy)",
                  {.file = file, .line = 0, .column = 0, .node = {}});
}

std::uint64_t little(const std::string& bytes, std::size_t at, std::size_t size, const std::string& file) {
  if (at > bytes.size() || size > bytes.size() - at) fail(file, "the file ends early");
  std::uint64_t out = 0;
  for (std::size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

// One member of a ZIP archive (PKWARE APPNOTE 6.3.9, sections 4.3.7 and 4.3.12), stored or deflated.
std::string member(const std::string& bytes, std::size_t header, std::size_t packed, std::size_t size,
                   std::uint64_t method, const std::string& file) {
  if (little(bytes, header, 4, file) != 0x04034b50) fail(file, "a member without its header");
  const std::size_t start =
      header + 30 + little(bytes, header + 26, 2, file) + little(bytes, header + 28, 2, file);
  if (start > bytes.size() || packed > bytes.size() - start) fail(file, "the file ends early");
  if (method == 0) return bytes.substr(start, packed);
  if (method != 8) fail(file, "a member that is compressed in another way than deflate");
  std::string out(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail(file, "zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + start));
  stream.avail_in = static_cast<uInt>(packed);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(size);
  const int end = inflate(&stream, Z_FINISH);
  const bool whole = end == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  if (!whole) fail(file, "a damaged member");
  return out;
}

struct Element {
  char kind = 0;  // f, i, u, b
  std::size_t size = 0;
};

// "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
Element element_of(const std::string& header, const std::string& file, const std::string& name) {
  const std::size_t key = header.find("'descr'");
  const std::size_t open = key == std::string::npos ? key : header.find('\'', header.find(':', key));
  if (open == std::string::npos || open + 3 >= header.size()) fail(file, name + " has no element type");
  const std::string descr = header.substr(open + 1, header.find('\'', open + 1) - open - 1);
  Element out;
  if (descr.size() == 3 && (descr[0] == '<' || descr[0] == '|')) {
    out.kind = descr[1];
    out.size = static_cast<std::size_t>(descr[2] - '0');
  }
  const bool real = out.kind == 'f' && (out.size == 2 || out.size == 4 || out.size == 8);
  const bool whole = (out.kind == 'i' || out.kind == 'u') &&
                     (out.size == 1 || out.size == 2 || out.size == 4 || out.size == 8);
  if (!real && !whole && !(out.kind == 'b' && out.size == 1))
    fail(file,
         name + " has elements of type '" + descr +
             "', of which no range can be taken (known: little-endian f2, f4, f8, i1 to i8, u1 to u8, b1)");
  return out;
}

double half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023);
  const double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 != 0 ? -size : size;
}

SampleRange range_of_array(const std::string& array, const std::string& file, const std::string& name) {
  if (array.compare(0, 6, "\x93NUMPY") != 0) fail(file, name + " is no array");
  const bool first_version = little(array, 6, 1, file) == 1;
  const std::size_t length = little(array, 8, first_version ? 2 : 4, file);
  const std::size_t start = (first_version ? 10 : 12) + length;
  if (start > array.size()) fail(file, name + " ends early");
  const Element e = element_of(array.substr(first_version ? 10 : 12, length), file, name);
  SampleRange out;
  std::optional<double> low, high;
  std::optional<Integer> least, greatest;
  for (std::size_t at = start; at + e.size <= array.size(); at += e.size, ++out.count) {
    const std::uint64_t bits = little(array, at, e.size, file);
    if (e.kind == 'f') {
      const double v = e.size == 2 ? half(bits)
                       : e.size == 4
                           ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                           : std::bit_cast<double>(bits);
      if (!std::isfinite(v))
        throw UserError("E8016",
                        "the samples of " + name + " hold a NaN or an infinity (element " +
                            std::to_string(out.count) + "); expected finite numbers",
                        {.file = file, .line = 0, .column = 0, .node = {}});
      low = low ? std::min(*low, v) : v;
      high = high ? std::max(*high, v) : v;
      continue;
    }
    Integer v = from_u64(bits);
    if (e.kind == 'i' && (bits >> (8 * e.size - 1) & 1) != 0)
      v -= power_of_two(static_cast<unsigned>(8 * e.size));
    if (!least || v < *least) least = v;
    if (!greatest || v > *greatest) greatest = v;
  }
  if (out.count == 0)
    throw UserError("E8016", "the samples of " + name + " are empty; expected at least one number",
                    {.file = file, .line = 0, .column = 0, .node = {}});
  out.low = low ? exact_rational(*low) : Rational(*least);
  out.high = high ? exact_rational(*high) : Rational(*greatest);
  return out;
}

}  // namespace

Samples load_samples(const std::string& path) {
  const std::string bytes = read_file(path);
  Samples out;
  out.file = path;
  out.digest = sha256_hex(bytes).substr(0, 8);
  if (bytes.compare(0, 6, "\x93NUMPY") == 0) {
    std::string name = path.substr(path.find_last_of('/') + 1);
    name = name.substr(0, name.find('.'));
    out.ranges[name] = range_of_array(bytes, path, name);
    return out;
  }
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (bytes.compare(0, 2, "PK") != 0 || end == std::string::npos) fail(path, "this is no archive");
  const std::uint64_t count = little(bytes, end + 10, 2, path);
  std::size_t at = little(bytes, end + 16, 4, path);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (little(bytes, at, 4, path) != 0x02014b50) fail(path, "a damaged directory");
    const std::uint64_t method = little(bytes, at + 10, 2, path), packed = little(bytes, at + 20, 4, path),
                        size = little(bytes, at + 24, 4, path), header = little(bytes, at + 42, 4, path);
    const std::size_t name_length = little(bytes, at + 28, 2, path);
    if (packed == 0xffffffff || size == 0xffffffff || header == 0xffffffff)
      fail(path, "a member of more than 4 GiB");
    std::string name = bytes.substr(at + 46, name_length);
    at += 46 + name_length + little(bytes, at + 30, 2, path) + little(bytes, at + 32, 2, path);
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".npy") == 0) name.resize(name.size() - 4);
    out.ranges[name] = range_of_array(member(bytes, header, packed, size, method, path), path, name);
  }
  return out;
}

Contract calibrated(Contract contract, const Samples& samples, const calculus::Program& program) {
  std::vector<std::string> known;
  for (const calculus::Declaration& input : program.inputs) known.push_back(input.name);
  for (const auto& [name, range] : samples.ranges) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UserError("E8010", "the program has no input '" + name + "'" + suggestion(name, known),
                      {.file = samples.file, .line = 0, .column = 0, .node = {}});
    InputBox& box = contract.inputs[name];
    box.low = range.low;
    box.high = range.high;
    box.assumed = true;
  }
  return contract;
}

}  // namespace hallmark::contract
