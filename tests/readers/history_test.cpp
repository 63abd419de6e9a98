// Reads that are remembered together are those that were made: every thread, with its time, as often as one
// by one.
#include <random>

#include "gtest/gtest.h"
#include "validator/interpreter/memory.h"

namespace hallmark::validator::interpreter {
namespace {

using Kept = std::map<std::tuple<std::uint32_t, int, bool>, std::uint32_t>;  // thread, mask, kind: its time

Kept kept(const History& history) {
  Kept out;
  for (const Reads& reads : history.reads())
    for (std::uint32_t n = 0; n < reads.count; ++n)
      EXPECT_TRUE(out.emplace(std::tuple(reads.thread(n), int{reads.trace.mask}, reads.trace.strong),
                              reads.trace.clock)
                      .second)
          << "twice: thread " << reads.thread(n);
  return out;
}

Trace read_by(std::uint32_t thread, std::uint32_t clock, std::uint8_t mask = 15, bool strong = false) {
  static const ir::Place place;
  Trace out;
  out.thread = thread;
  out.clock = clock;
  out.mask = mask;
  out.strong = strong;
  out.bytes = 4;
  out.place = &place;
  return out;
}

TEST(History, WhatABlockReadsTogetherIsOneEntry) {
  History history;
  for (std::uint32_t t = 64; t < 128; ++t) history.add_read(read_by(t, 1), 1);
  ASSERT_EQ(history.reads().size(), 1u);
  // The next time, each in its turn: none is there twice, and nobody is lost.
  for (std::uint32_t t = 64; t < 128; ++t) history.add_read(read_by(t, 2), 1);
  EXPECT_EQ(history.reads().size(), 1u);
  EXPECT_EQ(kept(history).size(), 64u);
  // Each fourth, from above.
  for (std::uint32_t t = 128 + 60; t >= 128; t -= 4) history.add_read(read_by(t, 1), 2);
  EXPECT_EQ(history.reads().size(), 2u);
  EXPECT_EQ(kept(history).size(), 80u);
}

TEST(History, InAnyOrderAsOneByOne) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    History history;
    Kept wanted;
    const std::uint32_t threads = 1 + random() % 12, blocks = 1 + random() % 3;
    const bool in_order = random() % 2 == 0;
    std::uint32_t clock = 1;
    for (int step = 0; step < 120; ++step) {
      if (random() % 16 == 0) ++clock;
      const std::uint32_t block = random() % blocks;
      const std::uint32_t thread =
          block * threads + (in_order ? static_cast<std::uint32_t>(step) : random()) % threads;
      const auto mask = static_cast<std::uint8_t>(random() % 5 == 0 ? 3 : 15);
      const bool strong = random() % 7 == 0;
      if (random() % 40 == 0) {
        const std::uint8_t written = random() % 2 == 0 ? 3 : 15;
        history.forget(written);
        Kept left;
        for (const auto& [key, time] : wanted) {
          const int rest = std::get<1>(key) & ~written;
          if (rest != 0) {
            const auto place =
                left.try_emplace(std::tuple(std::get<0>(key), rest, std::get<2>(key)), time).first;
            place->second = std::max(place->second, time);
          }
        }
        // What is left of two kinds may be one kind: only the latest of them matters.
        if (written == 3) {
          const auto now = [&] {
            Kept out;
            for (const Reads& reads : history.reads())
              for (std::uint32_t n = 0; n < reads.count; ++n) {
                auto& time = out[{reads.thread(n), int{reads.trace.mask}, reads.trace.strong}];
                time = std::max(time, reads.trace.clock);
              }
            return out;
          }();
          ASSERT_EQ(now, left);
          break;
        }
        wanted = left;
      }
      history.add_read(read_by(thread, clock, mask, strong), block);
      wanted[{thread, int{mask}, strong}] = clock;
      ASSERT_EQ(kept(history), wanted) << "round " << round << ", step " << step;
    }
  }
}

TEST(History, AWriteLeavesTheBytesThatItDoesNotCover) {
  History history;
  for (std::uint32_t t = 0; t < 32; ++t) history.add_read(read_by(t, 1), 0);
  history.forget(3);
  ASSERT_EQ(history.reads().size(), 1u);
  EXPECT_EQ(history.reads()[0].trace.mask, 12);
  history.forget(12);
  EXPECT_TRUE(history.reads().empty());
}

}  // namespace
}  // namespace hallmark::validator::interpreter
