#include "program.h"

#include <cstdlib>
#include <filesystem>

#include "base/files.h"

namespace hallmark::testing {

ProcessResult start(std::vector<std::string> arguments, const std::string& first_on_path) {
  std::vector<std::string> command{HALLMARK_PROGRAM};
  if (!first_on_path.empty()) {
    const char* path = std::getenv("PATH");
    command = {"/usr/bin/env", "PATH=" + first_on_path + ":" + (path == nullptr ? "/usr/bin" : path),
               HALLMARK_PROGRAM};
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessLimits limits;
  limits.wall = std::chrono::minutes(8);
  limits.memory_bytes = 0;
  return run_process(command, {}, limits);
}

std::string lying_solver(const std::string& folder, const std::string& name, const std::string& how) {
  const std::string bin = folder + "/bin", file = bin + "/" + name;
  std::filesystem::create_directories(bin);
  const std::string head = how == "exit127" ? "#!/bin/sh\nexit 127\n" : "";
  write_file(file, !head.empty() ? head : R"py(#!/usr/bin/python3
import os, signal, sys, time
how = ')py" + how + R"py('
if '--version' in sys.argv:
    print('Z3 version 4.8.12 - 64 bit')
    sys.exit(0)
hoard = []
for line in sys.stdin:
    line = line.strip()
    if line.startswith('(echo'):
        print(line[5:-1].strip().strip('"'), flush=True)
    if line.startswith('(check-sat'):
        if how in ('unsat', 'sat', 'unknown'):
            print(how, flush=True)
        elif how == 'garbage':
            print('(error "unsat or perhaps sat")', flush=True)
        elif how == 'crash':
            os.kill(os.getpid(), signal.SIGSEGV)
        elif how == 'hang':
            time.sleep(10000)
        elif how == 'memory':
            while True:
                hoard.append(bytearray(1 << 26))
)py");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return bin;
}

std::string late_liar(const std::string& folder, const std::string& name, int honest) {
  const std::string bin = folder + "/bin", file = bin + "/" + name;
  std::filesystem::create_directories(bin);
  const auto real = find_tool(name);
  write_file(file, "#!/usr/bin/python3\nreal = '" + real.value_or("/usr/bin/" + name) +
                       "'\nhonest = " + std::to_string(honest) + R"py(
import os, subprocess, sys, threading
if '--version' in sys.argv:
    os.execv(real, [real] + sys.argv[1:])
solver = subprocess.Popen([real] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
def answers():
    given = 0
    for line in solver.stdout:
        if line.strip() in ('sat', 'unsat'):
            given += 1
            if given > honest:
                line = 'sat\n'
        print(line, end='', flush=True)
back = threading.Thread(target=answers, daemon=True)
back.start()
try:
    for line in sys.stdin:
        solver.stdin.write(line)
        solver.stdin.flush()
    solver.stdin.close()
except BrokenPipeError:
    pass
solver.wait()
back.join(5)
)py");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return bin;
}

std::string late_liar_by_path(const std::string& folder, int honest, const std::string& word) {
  const std::string file = folder + "/late-" + word;
  write_file(file, "#!/bin/sh\necho x >>\"$0.asked\"\nif [ $(wc -l <\"$0.asked\") -gt " +
                       std::to_string(honest) + " ]; then echo " + word + "; else exec z3 \"$1\"; fi\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

}  // namespace hallmark::testing
