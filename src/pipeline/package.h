// Stage 5: obligations listed, discharged and written with everything that they are about.
#pragma once
#include <chrono>
#include <memory>

#include "bundle/writer.h"
#include "pipeline/origins.h"
#include "pipeline/recall.h"
#include "pipeline/run.h"
#include "pipeline/store.h"

namespace hallmark::pipeline {

smt::PortfolioOptions portfolio_options(const Effort& effort);
// The solvers as receipts name them; one that is missing or not selected has the version "missing".
std::vector<bundle::SolverIdentity> recorded_solvers(smt::Portfolio& portfolio,
                                                     const std::vector<std::string>& selected);
// What the scanner counts in the texts and finds the subject of no obligation; one line each.
std::vector<std::string> coverage_holes(const Evidence& evidence, const std::vector<Obligation>& list);

// What the receipt says of the program and its stages, without tool, policy and solvers.
bundle::Identities identities_of(const Authored& authored, const Evidence& evidence,
                                 const json::value& record_of_space, const std::vector<Origin>& origins);

class Packager {
 public:
  Packager(const PackageRequest& request, const Say& say);
  smt::Portfolio& portfolio() { return portfolio_; }
  Recall& recall() { return *recall_; }
  // `files` are those of the stages 1 to 4.
  RunResult publish(const Authored& authored, const Evidence& evidence, const Files& files,
                    const std::vector<Origin>& origins);

 private:
  bundle::Identities identities(const Authored& authored, const Evidence& evidence, const Files& files,
                                const std::vector<Origin>& origins);
  RunResult judged(const bundle::Receipt& receipt, const bundle::Identities& who) const;

  const PackageRequest& request_;
  const Say& say_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bundle::Observations observations_;
  smt::Portfolio portfolio_;
  std::unique_ptr<Recall> recall_;
};

}  // namespace hallmark::pipeline
