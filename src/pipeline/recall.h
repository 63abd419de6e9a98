// What is already known of a run's obligations: verdicts that it reached itself, and those that a run of the
// same context reached before it was killed (bundle/spool.h). A verdict that is known is not asked again.
//
// Once a solver was convicted of a false answer nothing is kept and what was kept is removed: what rested on
// that solver must be withdrawn in every later run too.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "bundle/observations.h"
#include "bundle/spool.h"
#include "smt/portfolio.h"

namespace hallmark::pipeline {

class Recall {
 public:
  // `folder` is the bundle's; the context is everything that an outcome depends on beside its statement.
  Recall(const std::string& folder, const std::string& context_sha256, smt::Portfolio& portfolio);

  // From here on verdicts are about this artifact too: a kernel's statement does not hold its text.
  void narrow(const std::string& artifact_sha256);
  // Fills outcome, strength and scope when they are known.
  bool find(Obligation& o);
  // All of them, or none: a group is solved together.
  bool find_all(std::vector<Obligation>& group);
  // Throws UserError E0002 when the disk is full.
  void keep(const Obligation& o, double seconds);
  // Texts of all queries that this run recorded or took over.
  bundle::QueryTexts texts() const;
  const std::map<std::string, bundle::ObservedObligation>& observed() const { return observed_; }
  std::size_t resumed() const { return resumed_; }
  // After the bundle was published. With something left undecided by a clock the spool stays for the next
  // run.
  void finish(bool complete);

 private:
  std::string folder_, context_;
  bundle::Spool spool_;
  smt::Portfolio& portfolio_;
  std::map<std::string, Obligation> known_;  // by statement leaf
  bundle::QueryTexts texts_;
  std::map<std::string, bundle::ObservedObligation> observed_;
  std::size_t resumed_ = 0;
};

}  // namespace hallmark::pipeline
