#include "bundle/replay.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "smt/portfolio.h"

namespace hallmark::cli {
namespace {

struct Options {
  std::string folder, id;
};

int replay(const Options& o, const Common& common) {
  const bundle::OpenBundle opened = bundle::open_bundle(o.folder);
  smt::PortfolioOptions wanted;
  smt::Portfolio portfolio(wanted);
  bundle::ReplayOptions options;
  options.solvers = solver_list(common);
  options.ask = [&](const std::string& solver, const std::string& text) {
    return smt::recorded(solver, portfolio.replay(solver, text));
  };
  if (!o.id.empty()) {
    const bundle::ReplayResult result = bundle::replay(opened, o.id, options);
    std::cout << bundle::render_replay(result);
    return result.exit_code();
  }
  if (!opened.receipt) throw UserError("E5402", "the bundle has no readable receipt", {o.folder});
  std::size_t confirmed = 0, contradicted = 0, unreplayable = 0;
  for (const Obligation& obligation : opened.receipt->obligations) {
    if (obligation.outcome.queries.empty() && !obligation.outcome.witness) continue;
    const bundle::ReplayResult result = bundle::replay(opened, obligation.id, options);
    if (result.grade == bundle::Replay::confirmed)
      ++confirmed;
    else if (result.grade == bundle::Replay::contradicted)
      ++contradicted;
    else
      ++unreplayable;
    if (result.grade != bundle::Replay::confirmed) std::cout << bundle::render_replay(result);
  }
  fmt::print("{} confirmed, {} contradicted, {} not replayable\n", confirmed, contradicted, unreplayable);
  return contradicted != 0 ? refuted : unreplayable != 0 || confirmed == 0 ? undecided : met;
}

}  // namespace

void add_replay(Registration r) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      r.app.add_subcommand("replay", "ask the recorded queries of one obligation again, or of all");
  command->add_option("bundle", o->folder, "bundle folder")->required();
  command->add_option("id", o->id, "obligation, for example value/relu/ptx; default: all that have queries");
  command->callback([r, o] { r.chosen = [r, o] { return replay(*o, r.common); }; });
}

}  // namespace hallmark::cli
