// Where the shipped data is: $HALLMARK_CORPUS, else the corpus folder of the source tree that the program was
// built from.
#pragma once
#include <cstdlib>
#include <string>

namespace hallmark::cli {

inline std::string corpus_folder() {
  const char* given = std::getenv("HALLMARK_CORPUS");
  return given != nullptr && *given != '\0' ? given : HALLMARK_CORPUS_FOLDER;
}

}  // namespace hallmark::cli
