// The verbs of `hallmark rules`, one a file.
#pragma once
#include "cli/command.h"

namespace hallmark::cli {

void add_rules_prove(Registration r, CLI::App& rules);
void add_rules_try(Registration r, CLI::App& rules);
void add_rules_reference(Registration r, CLI::App& rules);

}  // namespace hallmark::cli
