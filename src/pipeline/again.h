// Single obligations of a bundle derived and discharged again.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "bundle/open.h"
#include "pipeline/kernels.h"
#include "pipeline/run.h"

namespace hallmark::pipeline {

struct Evidence;

// Derives the list once, from the bundle's model, contract, plan and artifact. Throws what restore() throws.
class Again {
 public:
  // `model`: the file of a model that the bundle withholds.
  Again(const bundle::OpenBundle& bundle, const Effort& effort, const Say& say,
        const std::string& model = {});
  ~Again();
  Again(const Again&) = delete;
  Again& operator=(const Again&) = delete;

  // Whether the bundle gives this obligation, with this statement.
  bool follows(const Obligation& o) const;
  // The obligation as it is discharged now, with fresh solvers; nothing when the bundle does not give it.
  std::optional<Obligation> discharged(const Obligation& o) const;

 private:
  Effort effort_;
  Say say_;
  std::unique_ptr<Evidence> evidence_;
  std::unique_ptr<ArtifactTexts> texts_;
  std::vector<Obligation> list_;
};

}  // namespace hallmark::pipeline
