#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "base/files.h"
#include "cli/corpus.h"
#include "cli/exit_code.h"
#include "cli/rule_verbs.h"
#include "rules/reference.h"

namespace hallmark::cli {

void add_rules_reference(Registration r, CLI::App& rules) {
  struct Options {
    std::vector<std::string> paths;
    std::string out;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command =
      rules.add_subcommand("reference", "every rule with its statement and source, as Markdown");
  command->add_option("paths", o->paths, "rule files and folders; the shipped ones where none is named");
  command->add_option("-o,--out", o->out, "file to write; default: the standard output");
  command->callback([r, o] {
    r.chosen = [o] {
      const std::string text = rules::reference(rules::load_library(
          o->paths.empty() ? std::vector<std::string>{corpus_folder() + "/rules"} : o->paths));
      if (o->out.empty())
        std::cout << text;
      else
        write_file(o->out, text);
      return met;
    };
  });
}

}  // namespace hallmark::cli
