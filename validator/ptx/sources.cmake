list(APPEND VALIDATOR_SOURCES ptx/assembly.cpp ptx/control_flow.cpp ptx/inline.cpp ptx/lexer.cpp ptx/lower.cpp ptx/lower_async.cpp ptx/lower_bits.cpp
  ptx/lower_convert.cpp ptx/lower_float.cpp ptx/lower_integer.cpp ptx/lower_matrix.cpp ptx/lower_memory.cpp ptx/lower_move.cpp
  ptx/lower_thread.cpp ptx/lower_unknown.cpp ptx/lower_wmma.cpp ptx/parser.cpp ptx/parser_data.cpp ptx/parser_statement.cpp ptx/reader.cpp ptx/register_types.cpp
  ptx/types.cpp)
