# SPDX-License-Identifier: MIT
# cmake -D PROGRAM=heddle -D FOLDER=DIR -D EMULATOR=... -P write_pages.cmake: DIR/man1/*.1 and the completions of three
# shells. EMULATOR: what runs programs of another machine, or nothing.
function(write file)
  execute_process(COMMAND ${EMULATOR} ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${FOLDER}/${file} "${text}")
endfunction()

execute_process(COMMAND ${EMULATOR} ${PROGRAM} help --man OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
# Each command is named there as ".BR heddle\\-NAME (1)".
string(REGEX MATCHALL "BR heddle[\\]-[a-z]+" names "${page}")
foreach(name ${names})
  string(REGEX REPLACE ".*-" "" name ${name})
  write(man1/heddle-${name}.1 help ${name} --man)
endforeach()
write(heddle.bash completion bash)
write(_heddle completion zsh)
write(heddle.fish completion fish)
write(man1/heddle.1 help --man)  # last: it is what the build waits for
