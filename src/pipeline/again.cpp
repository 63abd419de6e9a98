#include "pipeline/again.h"

#include <algorithm>

#include "base/error.h"
#include "pipeline/package.h"

namespace hallmark::pipeline {

std::optional<bool> refutes_again(const bundle::OpenBundle& bundle, const Obligation& o, const Effort& effort,
                                  const Say& say) {
  const Evidence evidence = restore(reader_of(bundle));
  const ArtifactTexts texts(evidence.cuda, evidence.ptx);
  std::vector<Obligation> list = list_obligations(evidence, texts);
  const bool listed = std::any_of(list.begin(), list.end(), [&](const Obligation& mine) {
    return mine.id == o.id && mine.statement == o.statement;
  });
  if (!listed) return std::nullopt;
  smt::Portfolio portfolio(portfolio_options(effort));
  DischargeOptions options;
  options.jobs = effort.jobs;
  options.only = {o.id};
  discharge(
      list, evidence, texts, portfolio,
      [&](const std::string& stage, std::size_t, std::size_t) { say("again: " + stage); }, options);
  for (const Obligation& mine : list)
    if (mine.id == o.id) return mine.outcome.state == State::refuted;
  return std::nullopt;
}

}  // namespace hallmark::pipeline
