list(APPEND VALIDATOR_SOURCES checks/match.cpp checks/obligations.cpp checks/outputs.cpp checks/races.cpp checks/safety.cpp
  checks/specification.cpp)
