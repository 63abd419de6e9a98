// Exit codes of the command line (design, section 6). 5 beats 1 beats 3.
#pragma once

namespace hallmark::cli {

enum ExitCode : int {
  met = 0,
  refuted = 1,  // or the solvers disagree
  usage = 2,
  undecided = 3,  // beyond policy, or nothing to prove
  invalid = 4,    // input invalid or unsupported
  integrity = 5,
  internal = 70,
  interrupted = 130,  // by a signal, or since nobody reads the output any more
};

}  // namespace hallmark::cli
