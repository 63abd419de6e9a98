// Counts how deep a recursion is, down again on every way out.
#pragma once

namespace hallmark::validator {

struct Nested {
  explicit Nested(int& depth) : depth_(depth) { ++depth_; }
  ~Nested() { --depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  int& depth_;
};

}  // namespace hallmark::validator
