# Warnings are errors for both compilers; sanitizers and coverage come from the presets alone,
# so that every build of one version of the product behaves alike.
add_compile_options(-Wall -Wextra -Werror)
# g++ 12 at -O2 and above sees overlapping copies in `"text" + std::string(...)` where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# Parsing the standard library is half of a cold build. Off by default: a build without them shows a missing include.
option(HALLMARK_PRECOMPILED_HEADERS "precompile the standard headers that most files include (scripts/build asks for it)" OFF)
# g++ forgets in a precompiled header which code is the system's, and then reports its false findings there (GCC bug 105651 and its like).
# Other builds keep these warnings.
if(HALLMARK_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread>)
endif()
option(HALLMARK_SANITIZE "address and undefined-behaviour sanitizers" OFF)
option(HALLMARK_COVERAGE "gcov instrumentation" OFF)
option(HALLMARK_FUZZ "libFuzzer targets (clang only)" OFF)
if(HALLMARK_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(HALLMARK_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(HALLMARK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  if(HALLMARK_PRECOMPILED_HEADERS)
    # Without these two ccache refuses every translation unit that is given a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  endif()
endif()
