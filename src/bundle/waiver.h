// Waivers: an obligation that is unrun and accepted all the same, by somebody, for a reason, until a day, in
// writing. A TOML file and beside it FILE.sig, its detached Ed25519 signature in the 64 raw bytes that
// `openssl pkeyutl -sign -rawin -inkey KEY -in FILE -out FILE.sig` writes.
//
//   version = 1
//   [[waive]]
//   obligation = "value/softmax/ptx"   # its id
//   statement = "..."                  # optional: SHA-256 of the statement that was looked at
//   reason = "resource-limit"          # the unrun reason that is accepted; no other is
//   author = "A. Person"
//   why = "checked by hand, see ticket 12"
//   expires = "2026-12-31"             # the first day on which it no longer counts, UTC
//
// Errors: UserError E5330 (not TOML), E5331 (member missing, unknown or of a wrong type, with place), E5332
// (no signature of a trusted key).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/keys.h"
#include "obligation/obligation.h"

namespace hallmark::bundle {

struct Waiver {
  std::string obligation, statement;
  Reason reason{};
  std::string author, why, expires_text;
  std::int64_t expires = 0;  // seconds since 1970
};

std::vector<Waiver> parse_waivers(std::string_view text, const std::string& file);
// Reads the file and checks its signature against `trusted`.
std::vector<Waiver> load_waivers(const std::string& path, const std::vector<PublicKey>& trusted);

}  // namespace hallmark::bundle
