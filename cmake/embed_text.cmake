# SPDX-License-Identifier: MIT
# cmake -D IN=docs/batch.md -D OUT=batch_page.cpp -P embed_text.cmake: a text as a C++ string.
file(READ "${IN}" text)
file(WRITE "${OUT}" "#include \"tools/batch/operation_page.hpp\"\n"
     "const char* const heddle::tools::kBatchPage = R\"heddle_text(${text})heddle_text\";\n")
