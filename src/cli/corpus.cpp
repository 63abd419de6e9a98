#include "cli/corpus.h"

#include <cstdlib>

namespace hallmark::cli {

std::string corpus_folder() {
  const char* given = std::getenv("HALLMARK_CORPUS");
  return given != nullptr && *given != '\0' ? given : HALLMARK_CORPUS_FOLDER;
}

}  // namespace hallmark::cli
