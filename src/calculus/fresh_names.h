// Fresh variables numbered from 0 while an object of this class lives in a thread: what is made of them
// (queries, normal forms) then does not depend on what other threads do or what was done before. Names of an
// inner scope go on from the outer one's. A thread must not hand terms with such variables to another thread
// that makes fresh ones.
#pragma once

namespace hallmark::calculus {

class FreshNames {
 public:
  FreshNames();
  ~FreshNames();
  FreshNames(const FreshNames&) = delete;
  FreshNames& operator=(const FreshNames&) = delete;

 private:
  bool outermost_;
};

}  // namespace hallmark::calculus
