// A thread that owns one solver and does what it is given, in order. The solver's child processes die with
// this thread.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "smt/solver.h"

namespace hallmark::smt {

class SolverWorker {
 public:
  SolverWorker(SolverProgram program, Budget budget, unsigned seed);
  ~SolverWorker();  // interrupts what is under way

  // Runs `job` on the worker's thread; what it throws comes out of the future.
  template <class Job>
  auto submit(Job job) -> std::future<decltype(job(std::declval<Solver&>()))> {
    using Result = decltype(job(std::declval<Solver&>()));
    auto task = std::make_shared<std::packaged_task<Result(Solver&)>>(std::move(job));
    std::future<Result> result = task->get_future();
    push([task](Solver& solver) { (*task)(solver); });
    return result;
  }
  const std::string& name() const { return solver_->name(); }
  bool installed() const { return solver_->installed(); }
  void interrupt() { solver_->interrupt(); }

 private:
  void push(std::function<void(Solver&)> job);
  void run();

  std::unique_ptr<Solver> solver_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<std::function<void(Solver&)>> jobs_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace hallmark::smt
