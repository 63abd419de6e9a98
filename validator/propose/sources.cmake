list(APPEND VALIDATOR_SOURCES propose/eliminate.cpp propose/extents.cpp propose/outputs.cpp propose/signature.cpp)
