# Language, warnings, sanitizers, compiler cache: everything that holds for all targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# No -march: kernels choose their instruction set at run time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(HOLONOMY_CCACHE ccache)
if(HOLONOMY_CCACHE)
  # Objects are shared between checkouts of the same sources, wherever they lie.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_MAXSIZE=10G ${HOLONOMY_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
endif()

add_library(holo_flags INTERFACE)
target_include_directories(holo_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(holo_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wno-missing-field-initializers -ffp-contract=off -fpch-preprocess>)
if(HOLONOMY_WERROR)
  target_compile_options(holo_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(HOLONOMY_ASAN)
  target_compile_options(holo_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined -fno-omit-frame-pointer>)
  target_link_options(holo_flags INTERFACE -fsanitize=address,undefined)
endif()

# Revision of the sources, for `version` and run records; never fails outside a git checkout. An archive of the sources gives it.
if(NOT DEFINED CACHE{HOLONOMY_REVISION})
  execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE HOLONOMY_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT HOLONOMY_REVISION)
  set(HOLONOMY_REVISION unknown)
endif()
