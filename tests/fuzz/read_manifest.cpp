// No text says of an empty folder that it is intact, save the manifest of an empty folder.
#include "bundle/manifest.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  const bool intact = bundle::compare_manifest(bytes, {}).empty();
  check(!intact || bytes == bundle::manifest_text({}), "only its own manifest fits a folder");
}

}  // namespace hallmark::fuzz
