#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>

namespace hallmark {
namespace {

using Clock = std::chrono::steady_clock;

void drain(int fd, std::string& into, bool& open) {
  char buffer[65536];
  const ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got > 0)
    into.append(buffer, static_cast<std::size_t>(got));
  else if (got == 0 || (errno != EINTR && errno != EAGAIN))
    open = false;
}

struct Pipe {
  int end[2] = {-1, -1};
  Pipe() {
    if (::pipe2(end, O_CLOEXEC) != 0) end[0] = end[1] = -1;
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  void close(int which) {
    if (end[which] >= 0) ::close(end[which]);
    end[which] = -1;
  }
};

[[noreturn]] void child(const std::vector<char*>& argv, Pipe& in, Pipe& out, Pipe& err,
                        const ProcessLimits& limits, const std::string& folder) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(in.end[0], 0);
  ::dup2(out.end[1], 1);
  ::dup2(err.end[1], 2);
  ::signal(SIGPIPE, SIG_DFL);
  if (limits.memory_bytes != 0) {
    const rlimit bound{limits.memory_bytes, limits.memory_bytes};
    ::setrlimit(RLIMIT_AS, &bound);
  }
  if (!folder.empty() && ::chdir(folder.c_str()) != 0) ::_exit(127);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& input,
                          const ProcessLimits& limits, const std::string& folder) {
  ProcessResult result;
  if (arguments.empty() || !find_tool(arguments[0])) return result;
  std::vector<char*> argv;
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  Pipe in, out, err;
  const pid_t pid = ::fork();
  if (pid < 0) return result;
  if (pid == 0) child(argv, in, out, err, limits, folder);
  in.close(0);
  out.close(1);
  err.close(1);
  ::fcntl(in.end[1], F_SETFL, O_NONBLOCK);
  const auto deadline = Clock::now() + limits.wall;
  bool out_open = true, err_open = true, late = false;
  std::size_t sent = 0;
  // A tool that closes its input early must not kill us.
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  while (out_open || err_open) {
    if (sent >= input.size()) in.close(1);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      late = true;
      break;
    }
    pollfd watch[3] = {{out_open ? out.end[0] : -1, POLLIN, 0},
                       {err_open ? err.end[0] : -1, POLLIN, 0},
                       {in.end[1], POLLOUT, 0}};
    if (::poll(watch, 3, static_cast<int>(std::min<long long>(left, 1000))) < 0 && errno != EINTR) break;
    if (watch[0].revents != 0) drain(out.end[0], result.out, out_open);
    if (watch[1].revents != 0) drain(err.end[0], result.err, err_open);
    if (watch[2].revents != 0) {
      const ssize_t wrote = ::write(in.end[1], input.data() + sent, input.size() - sent);
      if (wrote > 0)
        sent += static_cast<std::size_t>(wrote);
      else if (errno != EAGAIN && errno != EINTR)
        sent = input.size();
    }
  }
  if (late) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  if (late)
    result.end = ProcessResult::End::timed_out;
  else if (WIFSIGNALED(status))
    result.end = ProcessResult::End::signalled, result.code = WTERMSIG(status);
  else
    result.end = ProcessResult::End::exited, result.code = WEXITSTATUS(status);
  return result;
}

std::optional<std::string> find_tool(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? std::optional<std::string>(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + name;
    if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace hallmark
