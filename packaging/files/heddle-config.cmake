# SPDX-License-Identifier: MIT
# The library of the archive: one shared library that needs nothing but the C library. Paths are relative to this file.
get_filename_component(heddle_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
foreach(component IN LISTS heddle_FIND_COMPONENTS)
  if(NOT component MATCHES "^(result|image|program|shader|run)$")
    set(heddle_FOUND FALSE)
    string(APPEND heddle_NOT_FOUND_MESSAGE "there is no component '${component}'; there are: result image program shader run. ")
  endif()
endforeach()
if(NOT TARGET heddle::heddle)
  add_library(heddle::heddle SHARED IMPORTED)
  set_target_properties(heddle::heddle PROPERTIES
    IMPORTED_LOCATION "${heddle_prefix}/lib/libheddle.so" IMPORTED_SONAME libheddle.so
    INTERFACE_INCLUDE_DIRECTORIES "${heddle_prefix}/include" INTERFACE_COMPILE_FEATURES cxx_std_20)
  foreach(component result image program shader run)
    add_library(heddle::${component} INTERFACE IMPORTED)
    set_target_properties(heddle::${component} PROPERTIES INTERFACE_LINK_LIBRARIES heddle::heddle)
    set(heddle_${component}_FOUND TRUE)
  endforeach()
endif()
