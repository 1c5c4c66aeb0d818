# SPDX-License-Identifier: MIT
# Writes the hash of HEADERS to OUT: cmake -DOUT=FILE -DHEADERS=A;B -P hash_headers.cmake
set(all "")
foreach(header ${HEADERS})
  file(SHA256 ${header} one)
  string(APPEND all ${one})
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUT} "#pragma once\n#define HEDDLE_HEADERS_HASH \"${hash}\"\n")
