# SPDX-License-Identifier: MIT
# cmake -D IN=A.txt;B.txt -D OUT=profile_tables.cpp -P embed_profiles.cmake: tables of profiles as C++ strings.
set(rows "")
foreach(table IN LISTS IN)
  file(READ "${table}" text)
  get_filename_component(name "${table}" NAME)
  string(APPEND rows "    {\"${name}\", R\"heddle_text(${text})heddle_text\"},\n")
endforeach()
file(WRITE "${OUT}" "#include \"tools/profiles/tables.hpp\"\n\nnamespace {\n"
     "const heddle::tools::ProfileText kTexts[] = {\n${rows}};\n}  // namespace\n"
     "const std::span<const heddle::tools::ProfileText> heddle::tools::kProfileTexts = kTexts;\n")
