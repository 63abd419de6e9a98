// DSSE envelopes (secure-systems-lab/dsse, protocol 1.0.2) with Ed25519, checkable with `openssl pkeyutl
// -rawin`. The envelope is canonical JSON: payload, payloadType, signatures [{keyid, sig}].
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/keys.h"

namespace hallmark::bundle {

inline constexpr std::string_view in_toto_payload_type = "application/vnd.in-toto+json";

// "DSSEv1 LEN(type) type LEN(payload) payload": the bytes that are signed.
std::string pre_authentication_encoding(std::string_view payload_type, std::string_view payload);

std::string base64(std::string_view bytes);
// Standard alphabet, padded, no white space; throws UserError E5111 for anything else.
std::string from_base64(std::string_view text, const std::string& file);

// One signature a key, in the order given. Ed25519 is deterministic, so the envelope is too.
std::string sign_envelope(std::string_view payload, const std::vector<PrivateKey>& keys);

struct EnvelopeCheck {
  std::string payload;
  std::vector<std::string>
      signed_by;                 // ids of the distinct trusted keys under which a signature verified, sorted
  std::vector<std::string> bad;  // key ids of trusted keys named by a signature that does not verify
  std::size_t unknown = 0;       // signatures by keys that are not trusted: they count for nothing
};
// Throws UserError E5110 when the envelope is malformed or its payloadType is another than
// in_toto_payload_type.
EnvelopeCheck check_envelope(std::string_view envelope, const std::string& file,
                             const std::vector<PublicKey>& trusted);

}  // namespace hallmark::bundle
