// Runs one fuzz target without libFuzzer: first the seed files as they are, then `--runs` changed ones.
//   fuzz_NAME [--runs N] [--seed N] [--slowest SECONDS] FILE|FOLDER...
// At least one seed file has to be accepted. A finding (an exception that is no answer, a signal, an input
// that takes more processor time than the limit: a clock on the wall would find busy machines) is written to
// finding-NAME-N.bin in the working folder and ends the process with status 1; `fuzz_NAME --runs 0 FILE`
// replays it.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_input = std::size_t{1} << 16;

// What the signal handler may touch: no allocation there.
const std::string* current = nullptr;
std::string finding_file;

void write_finding() {
  const int file = open(finding_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || current == nullptr) return;
  for (std::size_t done = 0; done < current->size();) {
    const ssize_t n = write(file, current->data() + done, current->size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  close(file);
}

extern "C" void on_signal(int signal) {
  write_finding();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> seeds_of(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& file : files) out.push_back(contents(file));
  return out;
}

unsigned long accepted = 0;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// True when the input is no finding.
bool holds(const std::string& input, double slowest) {
  current = &input;
  const double begun = processor_seconds();
  std::string finding;
  try {
    accepted += hallmark::fuzz::run(input) ? 1 : 0;
  } catch (const std::exception& e) {
    finding = e.what();
  }
  const double spent = processor_seconds() - begun;
  if (finding.empty() && spent > slowest) finding = "took " + std::to_string(spent) + " s";
  if (finding.empty()) return true;
  write_finding();
  std::cerr << finding << "\nthe input is in " << finding_file << '\n';
  return false;
}

// Terms are interned for the life of a process, so a million inputs take gigabytes in one: each batch has a
// process of its own. False when one of its inputs is a finding.
constexpr unsigned long batch = 50'000;
bool batch_holds(const std::vector<std::string>& seeds, std::uint64_t seed, unsigned long runs,
                 double slowest) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    std::mt19937_64 engine(seed);
    bool all = true;
    accepted = 0;  // what the parent counted is the parent's
    for (unsigned long i = 0; i < runs && all; ++i)
      all = holds(hallmark::fuzz::mutated(seeds, engine, longest_input), slowest);
    const bool told = write(ends[1], &accepted, sizeof accepted) == sizeof accepted;
    _exit(all && told ? 0 : 1);
  }
  close(ends[1]);
  unsigned long by_child = 0;
  const bool told = read(ends[0], &by_child, sizeof by_child) == sizeof by_child;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    std::cerr << "ended by signal " << WTERMSIG(status) << "\nthe input is in " << finding_file << '\n';
  accepted += by_child;
  return told && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned long runs = 1000, seed = 1;
  double slowest = 5;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool option = word == "--runs" || word == "--seed" || word == "--slowest";
    if (option && i + 1 == argc) {
      std::cerr << word << " needs a value\n";
      return 2;
    }
    if (word == "--runs") {
      runs = std::strtoul(argv[++i], nullptr, 10);
    } else if (word == "--seed") {
      seed = std::strtoul(argv[++i], nullptr, 10);
    } else if (word == "--slowest") {
      slowest = std::strtod(argv[++i], nullptr);
    } else {
      paths.push_back(word);
    }
  }
  const std::vector<std::string> seeds = seeds_of(paths);
  if (seeds.empty()) {
    std::cerr << "no seed file was found\n";
    return 2;
  }
  finding_file = "finding-" + fs::path(argv[0]).filename().string() + "-" + std::to_string(seed) + ".bin";
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, on_signal);
  // What is accepted reaches furthest: every other input is made of such a seed.
  std::vector<std::string> good, weighted = seeds;
  for (const std::string& input : seeds) {
    const unsigned long before = accepted;
    if (!holds(input, slowest)) return 1;
    if (accepted > before) good.push_back(input);
  }
  for (std::size_t i = 0; !good.empty() && i + 2 * good.size() < seeds.size(); ++i)
    weighted.push_back(good[i % good.size()]);
  const unsigned long accepted_seeds = accepted;
  if (accepted_seeds == 0 && runs > 0) {
    std::cerr << "no seed file is accepted: changed ones would test the first check only\n";
    return 1;
  }
  accepted = 0;
  for (unsigned long done = 0; done < runs; done += batch)
    if (!batch_holds(weighted, seed + done / batch * 0x9e3779b97f4a7c15, std::min(batch, runs - done),
                     slowest))
      return 1;
  accepted += accepted_seeds;
  std::cout << accepted_seeds << " of " << seeds.size() << " seed files and " << accepted - accepted_seeds
            << " of " << runs << " changed ones were accepted: no finding\n";
  return 0;
}
