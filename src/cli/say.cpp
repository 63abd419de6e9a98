#include "cli/say.h"

#include <poll.h>
#include <unistd.h>

namespace hallmark::cli {

bool result_written() {
  std::cout.flush();
  const bool lost = !std::cout.good() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!lost) return true;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace hallmark::cli
