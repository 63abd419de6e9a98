list(APPEND VALIDATOR_SOURCES checks/accumulate.cpp checks/async_copies.cpp checks/comparisons.cpp checks/coverage.cpp checks/defined.cpp checks/definitions.cpp checks/departures.cpp
  checks/discharge.cpp checks/experiment.cpp checks/fold_steps.cpp checks/identities.cpp checks/large_launch.cpp checks/launch_limits.cpp checks/inside.cpp checks/intervals.cpp checks/library_functions.cpp checks/literals.cpp checks/match.cpp checks/match_folds.cpp checks/match_index.cpp checks/match_shared.cpp
  checks/obligations.cpp checks/operand_order.cpp checks/outputs.cpp checks/outside.cpp checks/overwritten.cpp
  checks/portfolio_probe.cpp checks/races.cpp checks/reference.cpp checks/reference_real.cpp checks/safety.cpp checks/separation.cpp checks/side_by_side.cpp
  checks/specification.cpp checks/sums.cpp checks/sums_flatten.cpp checks/sums_merge.cpp checks/sums_rescale.cpp checks/sums_running.cpp
  checks/sums_terms.cpp
  checks/unwrap.cpp checks/unwritten.cpp)

set(inlined_file ${PROJECT_SOURCE_DIR}/corpus/accuracy/inlined.ptx)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inlined_file})
file(READ ${inlined_file} inlined_ptx)
configure_file(${CMAKE_CURRENT_LIST_DIR}/inlined_data.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/inlined_data.cpp @ONLY)
list(APPEND VALIDATOR_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/inlined_data.cpp)
