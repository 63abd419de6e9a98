// The intern table behind term.h; not for use outside src/calculus.
#pragma once
#include "calculus/term.h"

namespace hallmark::calculus {

// Interns a node: fills the derived fields and returns the one node with this structure. Thread-safe.
Term intern(Node node);
Node leaf(Kind kind, Sort sort);

}  // namespace hallmark::calculus
