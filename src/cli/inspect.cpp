// Verbs that only read bundles: diff, explain, report; and the key generator.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "bundle/diff.h"
#include "bundle/explain.h"
#include "bundle/fields.h"
#include "bundle/html.h"
#include "bundle/keys.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/say.h"

namespace hallmark::cli {
namespace {

struct Options {
  std::string first, second, output;
};

int diff(const Options& o, const Common& common) {
  const bundle::Diff result = bundle::diff(bundle::open_bundle(o.first), bundle::open_bundle(o.second));
  if (common.format != "text" && common.format != "json")
    throw UserError("E9106", "diff writes text or json, not " + common.format);
  std::cout << (common.format == "json" ? canonical_json(bundle::diff_json(result))
                                        : bundle::for_terminal(bundle::diff_text(result)));
  return result.exit_code;
}

int report(const Options& o) {
  const bundle::OpenBundle opened = bundle::open_bundle(o.first);
  write_file(o.output, bundle::render_html(opened));
  show("{}\n", o.output);
  return opened.findings.empty() && opened.receipt ? met : integrity;
}

}  // namespace

void add_inspect(Registration r) {
  {
    auto o = std::make_shared<Options>();
    CLI::App* command = r.app.add_subcommand(
        "diff", "what is newly proved, refuted or open between two bundles, and what changed around it");
    command->add_option("before", o->first, "bundle folder")->required();
    command->add_option("after", o->second, "bundle folder")->required();
    command->callback([r, o] { r.chosen = [r, o] { return diff(*o, r.common); }; });
  }
  {
    auto o = std::make_shared<Options>();
    CLI::App* command =
        r.app.add_subcommand("explain", "one obligation: claim, state, place in CUDA, PTX and plan, witness");
    command->add_option("bundle", o->first, "bundle folder")->required();
    command->add_option("id", o->second, "obligation, for example value/relu/ptx")->required();
    command->callback([r, o] {
      r.chosen = [o] {
        std::cout << bundle::for_terminal(bundle::explain(bundle::open_bundle(o->first), o->second));
        return met;
      };
    });
  }
  {
    auto o = std::make_shared<Options>();
    CLI::App* command = r.app.add_subcommand("report", "a bundle as one HTML file that needs no network");
    command->add_option("bundle", o->first, "bundle folder")->required();
    command->add_option("-o,--output", o->output, "HTML file to write")->required();
    command->callback([r, o] { r.chosen = [o] { return report(*o); }; });
  }
  {
    auto o = std::make_shared<Options>();
    CLI::App* command = r.app.add_subcommand(
        "keygen",
        "an Ed25519 key pair, PREFIX.key and PREFIX.pub; `openssl genpkey -algorithm ed25519` does as well");
    command->add_option("prefix", o->first, "where to write the two files")->required();
    command->callback([r, o] {
      r.chosen = [o] {
        show("{}\n", bundle::generate_key_files(o->first));
        return met;
      };
    });
  }
}

}  // namespace hallmark::cli
