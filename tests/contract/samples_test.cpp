// Ranges from NumPy archives, written here byte by byte.
#include "contract/samples.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>

#include "base/files.h"

namespace hallmark::contract {
namespace {

std::string little(std::uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 255);
  return out;
}
std::string array(const std::string& descr, const std::string& data) {
  const std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (3,), }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + little(header.size(), 2) + header + data;
}
std::string floats(const std::vector<float>& values) {
  std::string out;
  for (const float v : values) out += little(std::bit_cast<std::uint32_t>(v), 4);
  return array("<f4", out);
}
std::string deflated(const std::string& bytes) {
  std::string out(bytes.size() + 200, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
std::string archive(const std::vector<std::pair<std::string, std::string>>& members, bool deflate) {
  std::string out, directory;
  for (const auto& [name, bytes] : members) {
    const std::string data = deflate ? deflated(bytes) : bytes, file = name + ".npy";
    const std::string common = little(20, 2) + little(0, 2) + little(deflate ? 8 : 0, 2) + little(0, 8) +
                               little(data.size(), 4) + little(bytes.size(), 4) + little(file.size(), 2) +
                               little(0, 2);
    directory +=
        little(0x02014b50, 4) + little(20, 2) + common + little(0, 10) + little(out.size(), 4) + file;
    out += little(0x04034b50, 4) + common + file + data;
  }
  return out + directory + little(0x06054b50, 4) + little(0, 4) + little(members.size(), 2) +
         little(members.size(), 2) + little(directory.size(), 4) + little(out.size(), 4) + little(0, 2);
}

Samples load(const std::string& bytes, const std::string& name) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/" + name;
  write_file(path, bytes);
  return load_samples(path);
}
std::string code_of(const std::string& bytes) {
  try {
    load(bytes, "x.npz");
  } catch (const UserError& e) {
    return e.code();
  }
  return "";
}

TEST(Samples, RangesOfStoredAndDeflatedArrays) {
  for (const bool deflate : {false, true}) {
    const Samples s =
        load(archive({{"x", floats({-1.5F, 0.25F, 3})},
                      {"n", array("<i2", little(65535, 2) + little(7, 2) + little(0, 2))},
                      {"h", array("<f2", little(0x3c00, 2) + little(0xc000, 2) + little(1, 2))}},
                     deflate),
             "s.npz");
    ASSERT_EQ(s.ranges.size(), 3U);
    EXPECT_EQ(s.ranges.at("x").low, Rational(-3, 2));
    EXPECT_EQ(s.ranges.at("x").high, 3);
    EXPECT_EQ(s.ranges.at("x").count, 3U);
    EXPECT_EQ(s.ranges.at("n").low, -1);
    EXPECT_EQ(s.ranges.at("n").high, 7);
    EXPECT_EQ(s.ranges.at("h").low, -2);
    EXPECT_EQ(s.ranges.at("h").high, 1);
    EXPECT_EQ(s.digest.size(), 8U);
  }
  EXPECT_EQ(load(floats({2, 4, 8}), "x.npy").ranges.at("x").high, 8);
}

TEST(Samples, WhatIsNoArchiveIsRefused) {
  EXPECT_EQ(code_of("nothing of the kind"), "E8015");
  const std::string whole = archive({{"x", floats({1, 2, 3})}}, true);
  EXPECT_EQ(code_of(whole.substr(0, whole.size() - 30)), "E8015");
  EXPECT_EQ(code_of(archive({{"x", array(">f4", little(0, 4))}}, false)), "E8015");
  EXPECT_EQ(code_of(archive({{"x", array("<c8", little(0, 8))}}, false)), "E8015");
  EXPECT_EQ(code_of(archive({{"x", floats({1, NAN, 3})}}, false)), "E8016");
  EXPECT_EQ(code_of(archive({{"x", floats({})}}, false)), "E8016");
}

TEST(Samples, BecomeAssumedBoxes) {
  calculus::Program program;
  program.inputs = {{"x", calculus::Format::f32, {}}};
  const Samples s = load(floats({-1, 0, 2}), "x.npy");
  const Contract c = calibrated({}, s, program);
  EXPECT_EQ(c.inputs.at("x").low, -1);
  EXPECT_EQ(c.inputs.at("x").high, 2);
  EXPECT_TRUE(c.inputs.at("x").assumed);
  EXPECT_THROW(calibrated({}, load(floats({1}), "y.npy"), program), UserError);
}

}  // namespace
}  // namespace hallmark::contract
