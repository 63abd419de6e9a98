#include "smt/worker.h"

namespace hallmark::smt {

SolverWorker::SolverWorker(SolverProgram program, Budget budget, unsigned seed)
    : solver_(std::make_unique<Solver>(std::move(program), budget, seed)), thread_([this] { run(); }) {}

SolverWorker::~SolverWorker() {
  solver_->interrupt();
  {
    const std::lock_guard lock(guard_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SolverWorker::push(std::function<void(Solver&)> job) {
  {
    const std::lock_guard lock(guard_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void SolverWorker::run() {
  while (true) {
    std::function<void(Solver&)> job;
    {
      std::unique_lock lock(guard_);
      changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (jobs_.empty()) break;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job(*solver_);
  }
  solver_->restart();  // the child ends on the thread that started it
}

}  // namespace hallmark::smt
