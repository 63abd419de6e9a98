list(APPEND VALIDATOR_SOURCES checks/accumulate.cpp checks/comparisons.cpp checks/definitions.cpp checks/departures.cpp
  checks/discharge.cpp checks/experiment.cpp checks/fold_steps.cpp checks/identities.cpp checks/large_launch.cpp checks/inside.cpp checks/literals.cpp checks/match.cpp checks/match_folds.cpp checks/match_index.cpp
  checks/obligations.cpp checks/outputs.cpp checks/outside.cpp
  checks/portfolio_probe.cpp checks/races.cpp checks/reference.cpp checks/safety.cpp checks/separation.cpp
  checks/specification.cpp checks/sums.cpp checks/sums_flatten.cpp checks/sums_merge.cpp checks/sums_rescale.cpp
  checks/sums_terms.cpp
  checks/unwrap.cpp checks/unwritten.cpp)
