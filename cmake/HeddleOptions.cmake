# SPDX-License-Identifier: MIT
# Compiler settings that every target shares, as one interface target.
add_library(heddle_options INTERFACE)
set_target_properties(heddle_options PROPERTIES EXPORT_NAME options)
target_compile_options(heddle_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough
  # NUM-1: no fused multiply-add and no re-association that the rules do not have.
  -ffp-contract=off -fno-fast-math)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(heddle_options INTERFACE -fsigned-char)  # as on x86-64
endif()
if(HEDDLE_WERROR)
  target_compile_options(heddle_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these wrongly for std::string and std::optional in optimized code.
  target_compile_options(heddle_options INTERFACE
    -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread
    -Wno-missing-field-initializers)
else()
  target_compile_options(heddle_options INTERFACE -Wno-missing-field-initializers)
endif()
if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
endif()
if(HEDDLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What one checkout has compiled is found by all: paths count from the root, precompiled headers by their .sum.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=true
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${HEDDLE_CCACHE})
endif()
# Debuggers and messages name sources from the root on, wherever the checkout lies.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
find_program(HEDDLE_MOLD mold)
if(HEDDLE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
