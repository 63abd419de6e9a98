list(APPEND VALIDATOR_SOURCES symbolic/arithmetic.cpp symbolic/clamped.cpp symbolic/context.cpp symbolic/element_ranges.cpp symbolic/encode.cpp symbolic/evaluate.cpp symbolic/example.cpp
  symbolic/executor.cpp symbolic/digits.cpp symbolic/exact_quotient.cpp symbolic/flat_index.cpp symbolic/initialised.cpp symbolic/interval.cpp symbolic/invert.cpp symbolic/lane_moves.cpp symbolic/lanes.cpp symbolic/loops.cpp symbolic/memory.cpp symbolic/own_write.cpp symbolic/paths_back.cpp symbolic/probe.cpp symbolic/shapes.cpp symbolic/shifted_sizes.cpp symbolic/prover.cpp
  symbolic/values.cpp symbolic/words.cpp symbolic/writers.cpp)
list(APPEND VALIDATOR_LINKS base calculus obligation plan smt)
