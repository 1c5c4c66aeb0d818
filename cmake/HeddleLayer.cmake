# SPDX-License-Identifier: MIT
# heddle_layer(NAME [THIN] [DEPENDS ...] [LIBS ...] [EXCLUDE REGEX])
# One folder of src/ = one library target heddle_NAME. Every .cpp of the folder and of the folders below it belongs to it.
function(heddle_layer name)
  cmake_parse_arguments(layer "THIN" "EXCLUDE" "DEPENDS;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(layer_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${layer_EXCLUDE}")
  endif()
  add_library(heddle_${name} STATIC ${sources})
  target_link_libraries(heddle_${name} PRIVATE heddle_options)
  target_include_directories(heddle_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  # Installed as an archive that the targets of src/library/ link; its headers are not.
  set_target_properties(heddle_${name} PROPERTIES EXPORT_NAME layer_${name})
  install(TARGETS heddle_${name} EXPORT heddle ARCHIVE DESTINATION ${HEDDLE_MODULE_INSTALL} COMPONENT dev)
  foreach(dependency ${layer_DEPENDS})
    target_link_libraries(heddle_${name} PUBLIC heddle_${dependency})
  endforeach()
  target_link_libraries(heddle_${name} PUBLIC ${layer_LIBS})
  if(layer_THIN)
    heddle_thin(heddle_${name})
  else()
    heddle_precompiled(heddle_${name})
  endif()
endfunction()

# heddle_keep_statics(MODULE): its statics are never destroyed (no_destructors.cpp).
function(heddle_keep_statics module)
  set(source ${PROJECT_SOURCE_DIR}/cmake/no_destructors.cpp)
  target_sources(${module} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# heddle_simd_sources(NAME STEM): vector functions of the target heddle_NAME, built for several instruction sets (STEM.cpp,
# STEM_v3.cpp, STEM_v4.cpp); the machine chooses at run time.
function(heddle_simd_sources name stem)
  set(options -fno-math-errno -Wno-psabi)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND options -Wno-uninitialized)  # g++ 12's own AVX-512 header
  endif()
  if(HEDDLE_SANITIZE)
    list(APPEND options -fno-sanitize=all)  # instrumented, they would take minutes to compile
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(heddle_${name} PRIVATE HEDDLE_SIMD_X86)
    set_source_files_properties(${stem}_v3.cpp PROPERTIES COMPILE_OPTIONS "${options};-march=x86-64-v3")
    set_source_files_properties(${stem}_v4.cpp PROPERTIES
      COMPILE_OPTIONS "${options};-march=x86-64-v4;-mprefer-vector-width=512")
  endif()
  set_source_files_properties(${stem}.cpp PROPERTIES COMPILE_OPTIONS "${options}")
  set_source_files_properties(${stem}.cpp ${stem}_v3.cpp ${stem}_v4.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Tests are compiled often and spend their time in the libraries, which are optimized.
set(HEDDLE_TEST_OPTIONS -O0)

# heddle_test(NAME LIBS ...): every *_test.cpp of tests/NAME is one GoogleTest program and one ctest entry, or, where
# HEDDLE_TEST_PARTS_<target> is a number, as many: NAME/part-1 and so on, each with its share of the tests. HEDDLE_TEST_FILTER_<target>: which ones run. <target>_entries: their names.
function(heddle_test name)
  cmake_parse_arguments(t "" "" "LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  if(NOT sources)
    return()
  endif()
  string(REPLACE "/" "_" target "test_${name}")
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE heddle_options ${t_LIBS} heddle_test_support GTest::gtest GTest::gmock GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  # Relative paths: tests run in the project's folder, and the compiler cache works for every checkout.
  cmake_path(RELATIVE_PATH PROJECT_BINARY_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE build_folder)
  target_compile_definitions(${target} PRIVATE
    HEDDLE_SOURCE_DIR="." HEDDLE_TEST_DIR="tests" HEDDLE_PROGRAM="${build_folder}/src/tools/heddle")
  target_compile_options(${target} PRIVATE ${HEDDLE_TEST_OPTIONS})
  heddle_precompiled(${target} test)
  if(name MATCHES "tools")
    add_dependencies(${target} heddle)
  endif()

  # Most programs of tests run little: interpreted they would say nothing of the code. Entries beside these (pipeline's
  # interpreted one, validation of the driver) run them as users do.
  set(environment HEDDLE_CACHE_DIR=${PROJECT_BINARY_DIR}/kernels HEDDLE_INTERPRET=off)
  if(DEFINED HEDDLE_TEST_FILTER_${target})
    list(APPEND environment GTEST_FILTER=${HEDDLE_TEST_FILTER_${target}})
  endif()
  set(entries "")
  if(DEFINED HEDDLE_TEST_PARTS_${target})
    set(parts ${HEDDLE_TEST_PARTS_${target}})
    foreach(part RANGE 1 ${parts})
      math(EXPR index "${part} - 1")
      add_test(NAME ${name}/part-${part} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(${name}/part-${part} PROPERTIES ENVIRONMENT
        "${environment};GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
      list(APPEND entries ${name}/part-${part})
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
    set(entries ${name})
  endif()
  set(${target}_entries ${entries} PARENT_SCOPE)
endfunction()
