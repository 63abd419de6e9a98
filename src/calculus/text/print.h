// Terms as text that reads back to the same term.
#pragma once
#include <set>
#include <string>

#include "calculus/text/scope.h"

namespace hallmark::calculus::text {

// Names for printing: a scope, and a written name for each leaf that does not carry its own.
struct Naming {
  const Scope* scope = nullptr;
  std::map<Term, std::string> leaves;        // axes; variables under another name than their own
  std::set<std::string, std::less<>> taken;  // names that bound variables and lets avoid besides the leaves
};

// The term as it stands after `=`. Subterms that occur more than once, and subterms of very deep terms, are
// defined by `let` first, so the text is about as long as the DAG is large.
std::string printed(Term term, const Naming& naming);

}  // namespace hallmark::calculus::text
