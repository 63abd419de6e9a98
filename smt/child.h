// A child process that is kept alive and spoken to line by line: the only place of the program that starts a
// solver. Whatever the child does (crash, hang, flood, close its input early), exchange() returns and says
// what happened; a broken pipe is no signal here.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

namespace hallmark::smt {

class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // argv[0] is a path. The child gets its own process group and at most `memory_bytes` of address space (0 =
  // no bound), and dies with the thread that started it, so that thread must live as long as the object.
  ChildProcess(const std::vector<std::string>& argv, std::size_t memory_bytes);
  ~ChildProcess();  // kills the whole group and reaps it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Event {
    answered,     // the token came, alone on its line (with or without double quotes)
    closed,       // the child closed its output: see end()
    late,         // the deadline passed (see exchange)
    flooded,      // more than maximum_reply bytes without the token
    interrupted,  // `stop` became true
  };
  static constexpr std::size_t maximum_reply = std::size_t{4} << 20;
  static constexpr int most_patience = 20;

  // Sends the input and reads until the token; `reply` is what came before it. After any other event than
  // `answered` the child is of no use any more. A child that is working and got less time on a processor than
  // from here to the deadline is waited for, up to most_patience times as long: a busy machine is no reason
  // to give up. One that sleeps is late at the deadline.
  Event exchange(const std::string& input, const std::string& token, Clock::time_point deadline,
                 const std::atomic<bool>& stop, std::string& reply);

  struct End {
    bool signalled = false;
    int code = 0;  // exit status or signal number
  };
  // Waits briefly for the child to end, then kills it.
  End end();
  // The last bytes of its standard error.
  const std::string& errors() const { return errors_; }
  pid_t pid() const { return pid_; }

 private:
  void read_errors();
  std::chrono::nanoseconds processor_time() const;
  bool starved(std::chrono::nanoseconds used_before, std::chrono::nanoseconds limit) const;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  std::string unread_;  // output after the last token
  std::string errors_;
  bool reaped_ = false;
  End end_;
};

}  // namespace hallmark::smt
