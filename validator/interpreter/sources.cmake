list(APPEND VALIDATOR_SOURCES interpreter/clocks.cpp interpreter/evaluate.cpp interpreter/float_arithmetic.cpp
  interpreter/float_round.cpp interpreter/machine.cpp interpreter/machine_async.cpp interpreter/machine_memory.cpp
  interpreter/machine_warp.cpp interpreter/memory.cpp interpreter/report.cpp)
list(APPEND VALIDATOR_LINKS obligation)
list(APPEND VALIDATOR_EXTERNAL gmpxx gmp)
