# libLLVM is linked here and nowhere else; its headers are system headers. The stub headers are part of the
# program: their text is compiled in.
find_package(LLVM 14 REQUIRED CONFIG PATHS /usr/lib/llvm-14/lib/cmake/llvm)
set(HALLMARK_STUB_ENTRIES "")
foreach(stub hallmark_cuda.h integer_intrinsics.h cuda_fp16.h cuda_bf16.h cooperative_groups.h mma.h standard.h assertion.h traits.h)
  set(stub_path ${CMAKE_CURRENT_LIST_DIR}/stubs/${stub})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${stub_path})
  file(READ ${stub_path} stub_text)
  string(APPEND HALLMARK_STUB_ENTRIES "    {\"${stub}\", R\"hallmark_stub(${stub_text})hallmark_stub\"},\n")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/stub_headers.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/llvm/stub_headers.cpp @ONLY)
list(APPEND VALIDATOR_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/llvm/stub_headers.cpp llvm/assignment.cpp llvm/clang.cpp
  llvm/compiler_macros.cpp llvm/copies.cpp llvm/device_text.cpp llvm/expand_memory.cpp llvm/hidden_faults.cpp llvm/host_code.cpp llvm/lower.cpp llvm/lower_assembly.cpp llvm/lower_calls.cpp llvm/lower_memory.cpp
  llvm/lower_values.cpp llvm/peel.cpp llvm/prepare.cpp llvm/source_reader.cpp llvm/spaces.cpp)
list(APPEND VALIDATOR_EXTERNAL LLVM)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS})
