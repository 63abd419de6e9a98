list(APPEND VALIDATOR_SOURCES checks/discharge.cpp checks/experiment.cpp checks/match.cpp checks/obligations.cpp checks/outputs.cpp checks/outside.cpp checks/races.cpp checks/reference.cpp checks/safety.cpp
  checks/specification.cpp checks/sums.cpp)
