# SPDX-License-Identifier: MIT
# cmake -D SCRIPT=page.js -D STYLE=page.css -D OUT=page.cpp -P embed_page.cmake: the explorer's page as C++ strings, with
# the hashes that its content security policy names. Without SCRIPT all are empty.
set(source "#include \"explore/pages/report.hpp\"\n\n")
# The page is longer than the literals that every compiler must take; these take it.
string(APPEND source "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\nnamespace heddle::explore {\n")
foreach(part Script Style)
  string(TOUPPER ${part} variable)
  set(text "")
  set(hash "")
  if(${variable})
    file(READ "${${variable}}" text)
    string(SHA256 hash "${text}")
  endif()
  string(APPEND source "const std::string_view kPage${part} = R\"heddle(${text})heddle\";\n"
                       "const std::string_view kPage${part}Hash = \"${hash}\";\n")
endforeach()
file(WRITE "${OUT}" "${source}}  // namespace heddle::explore\n")
