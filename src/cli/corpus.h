// Where the shipped data is: $HALLMARK_CORPUS, else the corpus folder of the source tree that the program was
// built from.
#pragma once
#include <string>

namespace hallmark::cli {

std::string corpus_folder();

}  // namespace hallmark::cli
