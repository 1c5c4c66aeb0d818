# SPDX-License-Identifier: MIT
# The standard library, fmt and, for tests, GoogleTest are parsed once for all files, not once for each.
# heddle_precompiled(TARGET): library sources; heddle_precompiled(TARGET program|test): sources of a program (-fPIE), of a test.
# heddle_thin(TARGET [program]): the same for sources that only pass data on; with HEDDLE_QUICK they are not optimized, which
# halves the time that the compiler takes for them.
option(HEDDLE_QUICK "Do not optimize the layers that only pass data on" OFF)
option(HEDDLE_PCH "Precompile the headers of the standard library" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(HEDDLE_PCH OFF)
endif()

if(HEDDLE_PCH)
  # The pragmas by which the standard library excuses its own use of what it deprecates are lost in a precompiled header.
  add_compile_options(-Wno-deprecated-declarations)
  # The same bytes for the same headers: the compiler cache looks at the file, or at its .sum.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  # As CMake writes it, but in words whose paths the compiler cache takes from the root on.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
endif()

function(heddle_precompiled target)
  if(NOT HEDDLE_PCH)
    return()
  endif()
  set(kind library)
  if(ARGC GREATER 1)
    set(kind ${ARGV1})
  endif()
  set(holder heddle_precompiled_${kind})
  if(NOT TARGET ${holder})
    set(source ${PROJECT_BINARY_DIR}/precompiled/${kind}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() { return 0; }\n")
    if(kind MATCHES "^library")
      add_library(${holder} STATIC ${source})
    else()
      add_executable(${holder} ${source})
    endif()
    target_link_libraries(${holder} PRIVATE heddle_options fmt::fmt)
    set(headers <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <set>
        <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
    if(kind STREQUAL "test")
      list(APPEND headers <random> <gmock/gmock.h> <gtest/gtest.h>)
      target_link_libraries(${holder} PRIVATE GTest::gmock)
      target_compile_options(${holder} PRIVATE ${HEDDLE_TEST_OPTIONS})
    endif()
    if(kind MATCHES "-thin$")
      target_compile_options(${holder} PRIVATE -O0)
    endif()
    target_precompile_headers(${holder} PRIVATE ${headers})
    # What the compiler cache takes instead of the file (pch_external_checksum): it holds for every checkout.
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${holder}.dir/cmake_pch.hxx.pch.sum CONTENT
         "${headers} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} ${HEDDLE_SANITIZE} ${fmt_VERSION} ${GTest_VERSION}\n")
  endif()
  target_precompile_headers(${target} REUSE_FROM ${holder})
endfunction()

function(heddle_thin target)
  set(kind library)
  if(ARGC GREATER 1)
    set(kind ${ARGV1})
  endif()
  if(HEDDLE_QUICK)
    target_compile_options(${target} PRIVATE -O0)
    string(APPEND kind -thin)
  endif()
  heddle_precompiled(${target} ${kind})
endfunction()
