list(APPEND VALIDATOR_SOURCES launch/plan_checks.cpp)
