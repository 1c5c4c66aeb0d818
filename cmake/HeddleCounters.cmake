# SPDX-License-Identifier: MIT
# heddle_counter(NAME): the library in C that bench/scaling/NAME.c is, in build/counters/NAME.so. It stands before those of a program,
# or in an emulator, so that it has none of the project's options.
function(heddle_counter name)
  set(folder ${PROJECT_SOURCE_DIR}/bench)
  set(source ${folder}/scaling/${name}.c)
  set(built ${PROJECT_BINARY_DIR}/counters/${name}.so)
  add_custom_command(OUTPUT ${built} DEPENDS ${source} ${folder}/scaling/count_locks.h ${folder}/quick/qemu_mark.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/counters
    COMMAND ${CMAKE_CXX_COMPILER} -x c -std=gnu11 -O2 -shared -fPIC -Wall -Wextra -Werror -Wl,-soname,${name}.so ${source} -o ${built})
  add_custom_target(${name} DEPENDS ${built})
endfunction()
heddle_counter(count_locks)
heddle_counter(qemu_machine)
