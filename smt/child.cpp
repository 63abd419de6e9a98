#include "smt/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <thread>

namespace hallmark::smt {
namespace {

constexpr std::size_t kept_error_bytes = 4096;

void close_end(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Only calls that are safe between fork and exec of a program with threads.
[[noreturn]] void become(char* const* argv, int in, int out, int err, std::size_t memory_bytes) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::signal(SIGPIPE, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (memory_bytes != 0) {
    const rlimit bound{memory_bytes, memory_bytes};
    ::setrlimit(RLIMIT_AS, &bound);
  }
  ::execv(argv[0], argv);
  ::_exit(127);
}

// The token stands on a line of its own; cvc5 echoes it with quotes.
std::size_t find_token_line(const std::string& text, const std::string& token, std::size_t from,
                            std::size_t& after) {
  for (std::size_t at = text.find(token, from); at != std::string::npos; at = text.find(token, at + 1)) {
    const std::size_t stop = at + token.size();
    const bool quoted = at > 0 && text[at - 1] == '"' && stop < text.size() && text[stop] == '"';
    const std::size_t first = quoted ? at - 1 : at, last = quoted ? stop + 1 : stop;
    const bool starts_line = first == 0 || text[first - 1] == '\n';
    if (starts_line && last < text.size() && text[last] == '\n') {
      after = last + 1;
      return first;
    }
  }
  return std::string::npos;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, std::size_t memory_bytes) {
  std::vector<char*> argv;
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  // A socket, because send() can be told not to raise SIGPIPE; a pipe cannot.
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0 && ::pipe2(out, O_CLOEXEC) == 0 &&
      ::pipe2(err, O_CLOEXEC) == 0) {
    pid_ = ::fork();
    if (pid_ == 0) become(argv.data(), in[1], out[1], err[1], memory_bytes);
  }
  close_end(in[1]);
  close_end(out[1]);
  close_end(err[1]);
  in_ = in[0], out_ = out[0], err_ = err[0];
  if (pid_ < 0) return;
  for (const int fd : {in_, out_, err_}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  close_end(in_);
  if (pid_ > 0 && !reaped_) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // the group may not exist yet
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close_end(out_);
  close_end(err_);
}

void ChildProcess::read_errors() {
  char buffer[4096];
  const ssize_t got = ::read(err_, buffer, sizeof buffer);
  if (got > 0)
    errors_.append(buffer, static_cast<std::size_t>(got));
  else if (got == 0 || (errno != EAGAIN && errno != EINTR))
    close_end(err_);
  if (errors_.size() > kept_error_bytes) errors_.erase(0, errors_.size() - kept_error_bytes);
}

// Of the whole process; 0 when it is gone.
std::chrono::nanoseconds ChildProcess::processor_time() const {
  clockid_t clock{};
  timespec time{};
  if (pid_ < 0 || reaped_ || ::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return std::chrono::nanoseconds{0};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Running or ready to run (proc(5): the state stands after the name, which may hold anything and ends with
// the last parenthesis), and short of the time that it was to have.
bool ChildProcess::starved(std::chrono::nanoseconds used_before, std::chrono::nanoseconds limit) const {
  std::ifstream file(fmt::format("/proc/{}/stat", pid_));
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.compare(name_end, 3, ") R") == 0 &&
         processor_time() - used_before < limit;
}

ChildProcess::Event ChildProcess::exchange(const std::string& input, const std::string& token,
                                           Clock::time_point deadline, const std::atomic<bool>& stop,
                                           std::string& reply) {
  if (pid_ < 0 || reaped_) return Event::closed;
  const Clock::duration limit = deadline - Clock::now();
  const Clock::time_point last = deadline + (most_patience - 1) * limit;
  const std::chrono::nanoseconds used = processor_time();
  std::size_t sent = 0, searched = 0;
  std::string text = std::move(unread_);
  unread_.clear();
  while (true) {
    std::size_t after = 0;
    const std::size_t found = find_token_line(text, token, searched, after);
    if (found != std::string::npos && sent == input.size()) {
      reply = text.substr(0, found);
      unread_ = text.substr(after);
      return Event::answered;
    }
    // A token may straddle two reads; its own length and the quotes are looked at again.
    if (sent == input.size()) searched = text.size() > token.size() + 4 ? text.size() - token.size() - 4 : 0;
    reply = text;
    if (text.size() > maximum_reply) return Event::flooded;
    if (stop) return Event::interrupted;
    const auto now = Clock::now();
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now).count();
    if (left <= 0) {
      if (now >= last || !starved(used, limit)) return Event::late;
      left = 50;
    }
    pollfd watch[3] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {sent < input.size() ? in_ : -1, POLLOUT, 0}};
    if (::poll(watch, 3, static_cast<int>(std::min<long long>(left, 50))) < 0 && errno != EINTR)
      return Event::closed;
    if (watch[1].revents != 0) read_errors();
    if (watch[2].revents != 0) {
      const ssize_t wrote = ::send(in_, input.data() + sent, input.size() - sent, MSG_NOSIGNAL);
      if (wrote > 0) sent += static_cast<std::size_t>(wrote);
      // A child that no longer reads can still have answered; its output decides.
      if (wrote < 0 && errno != EAGAIN && errno != EINTR) sent = input.size();
    }
    if (watch[0].revents != 0) {
      char buffer[65536];
      const ssize_t got = ::read(out_, buffer, sizeof buffer);
      if (got > 0)
        text.append(buffer, static_cast<std::size_t>(got));
      else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        return Event::closed;
    }
  }
}

ChildProcess::End ChildProcess::end() {
  if (reaped_ || pid_ < 0) return end_;
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 50 && ended == 0; ++i) {
    ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(4));
  }
  if (ended == 0) {
    ::kill(-pid_, SIGKILL);
    ended = ::waitpid(pid_, &status, 0);
  }
  while (err_ >= 0) {
    const std::size_t before = errors_.size();
    read_errors();
    if (errors_.size() == before) break;
  }
  reaped_ = true;
  // Grandchildren must not outlive it either.
  ::kill(-pid_, SIGKILL);
  end_ = WIFSIGNALED(status) ? End{true, WTERMSIG(status)} : End{false, WEXITSTATUS(status)};
  return end_;
}

}  // namespace hallmark::smt
