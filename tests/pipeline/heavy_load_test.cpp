// Verdicts do not depend on how busy the machine is: budgets are counted in the solvers' own resource units,
// and the wall clock is a backstop that a run of this size never meets.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/files.h"
#include "bundle/open.h"
#include "cases.h"

namespace hallmark {
namespace {

// Keeps every core busy several times over while it lives.
class Load {
 public:
  Load() {
    const unsigned threads = 3 * std::max(1u, std::thread::hardware_concurrency());
    for (unsigned t = 0; t < threads; ++t)
      threads_.emplace_back([this] {
        while (!stop_) {
        }
      });
  }
  ~Load() {
    stop_ = true;
    for (std::thread& t : threads_) t.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST(HeavyLoad, TenRunsBesideOthersGiveTheReceiptOfAQuietOne) {
  const TemporaryFolder top;
  const auto core = [&](const std::string& name) {
    const std::string out = top.path() + "/" + name;
    testing::run_model("mlp", out);
    return read_file(out + "/5-evidence/receipt.json");
  };
  const std::string quiet = core("quiet");
  std::size_t proved = 0;
  const bundle::OpenBundle opened = bundle::open_bundle(top.path() + "/quiet");
  for (const Obligation& o : opened.receipt->obligations) proved += o.outcome.state == State::proved ? 1 : 0;
  ASSERT_GT(proved, 50u);
  const Load load;
  for (int run = 0; run < 10; ++run) EXPECT_EQ(core(std::to_string(run)), quiet) << "run " << run;
}

}  // namespace
}  // namespace hallmark
