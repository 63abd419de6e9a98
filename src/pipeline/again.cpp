#include "pipeline/again.h"

#include <algorithm>

#include "base/error.h"
#include "pipeline/package.h"

namespace hallmark::pipeline {

Again::Again(const bundle::OpenBundle& bundle, const Effort& effort, const Say& say, const std::string& model)
    : effort_(effort), say_(say), evidence_(std::make_unique<Evidence>(restore(reader_of(bundle, model)))) {
  texts_ = std::make_unique<ArtifactTexts>(evidence_->cuda, evidence_->ptx);
  list_ = list_obligations(*evidence_, *texts_);
}

Again::~Again() = default;

bool Again::follows(const Obligation& o) const {
  return std::any_of(list_.begin(), list_.end(), [&](const Obligation& mine) {
    return mine.id == o.id && mine.statement == o.statement;
  });
}

std::optional<Obligation> Again::discharged(const Obligation& o) const {
  if (!follows(o)) return std::nullopt;
  smt::Portfolio portfolio(portfolio_options(effort_));
  DischargeOptions options;
  options.jobs = effort_.jobs;
  options.only = {o.id};
  std::vector<Obligation> list = list_;
  discharge(
      list, *evidence_, *texts_, portfolio,
      [&](const std::string& stage, std::size_t, std::size_t) { say_("again: " + stage); }, options);
  for (Obligation& mine : list)
    if (mine.id == o.id) return std::move(mine);
  return std::nullopt;
}

}  // namespace hallmark::pipeline
