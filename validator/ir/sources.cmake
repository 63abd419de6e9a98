list(APPEND VALIDATOR_SOURCES ir/builder.cpp ir/cfg.cpp ir/contraction.cpp ir/demangle.cpp ir/divergence.cpp ir/kernel.cpp ir/fragment_use.cpp ir/matrix_fragments.cpp ir/matrix_tiles.cpp
  ir/module.cpp ir/names.cpp ir/print.cpp ir/repack.cpp ir/splice.cpp ir/split_halves.cpp ir/split_parameters.cpp ir/ssa.cpp ir/verify.cpp)
