// libFuzzer entry: the first byte says whether the rest is text. Any exception but Error is a finding.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "model/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    hallmark::model::import_bytes(bytes, (data[0] & 1) != 0);
  } catch (const hallmark::InternalError&) {
    throw;
  } catch (const hallmark::Error&) {
  }
  return 0;
}
