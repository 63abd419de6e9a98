#include "bundle/dsse.h"

#include <openssl/evp.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/json.h"

namespace hallmark::bundle {

std::string pre_authentication_encoding(std::string_view type, std::string_view payload) {
  std::string out = "DSSEv1 " + std::to_string(type.size()) + " ";
  out.append(type);
  out += " " + std::to_string(payload.size()) + " ";
  out.append(payload);
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string from_base64(std::string_view text, const std::string& file) {
  std::string out(text.size() / 4 * 3 + 3, '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size >= 0) {
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    out.resize(static_cast<std::size_t>(size) - std::min(padding, static_cast<std::size_t>(size)));
    // OpenSSL skips white space and ignores stray bits: only the one spelling that we write is accepted.
    if (base64(out) == text) return out;
  }
  throw UserError("E5111", "not base64 in its one padded form", {file});
}

std::string sign_envelope(std::string_view payload, const std::vector<PrivateKey>& keys) {
  const std::string message = pre_authentication_encoding(in_toto_payload_type, payload);
  json::array signatures;
  for (const PrivateKey& key : keys)
    signatures.push_back(json::object{{"keyid", key.public_key().id()}, {"sig", base64(key.sign(message))}});
  return canonical_json(json::object{{"payload", base64(payload)},
                                     {"payloadType", in_toto_payload_type},
                                     {"signatures", std::move(signatures)}});
}

EnvelopeCheck check_envelope(std::string_view text, const std::string& file,
                             const std::vector<PublicKey>& trusted) {
  const auto malformed = [&](const std::string& what) {
    return UserError("E5110", "DSSE envelope: " + what, {file});
  };
  const json::value value = parse_json(text, file);
  const json::object* envelope = value.if_object();
  if (envelope == nullptr || envelope->size() != 3)
    throw malformed("expected payload, payloadType and signatures");
  const json::value *payload = envelope->if_contains("payload"), *type = envelope->if_contains("payloadType"),
                    *list = envelope->if_contains("signatures");
  if (payload == nullptr || !payload->is_string() || list == nullptr || !list->is_array())
    throw malformed("payload is no string or signatures is no list");
  if (type == nullptr || !type->is_string() || type->get_string() != in_toto_payload_type)
    throw malformed("payloadType is not exactly " + std::string(in_toto_payload_type));
  EnvelopeCheck out;
  out.payload = from_base64(payload->get_string(), file);
  const std::string message = pre_authentication_encoding(in_toto_payload_type, out.payload);
  std::set<std::string> good, bad;
  for (const json::value& entry : list->get_array()) {
    const json::object* signature = entry.if_object();
    const json::value *keyid = signature ? signature->if_contains("keyid") : nullptr,
                      *sig = signature ? signature->if_contains("sig") : nullptr;
    if (keyid == nullptr || !keyid->is_string() || sig == nullptr || !sig->is_string())
      throw malformed("a signature without keyid or sig");
    const std::string bytes = from_base64(sig->get_string(), file);
    // keyid is a hint that nobody signed: every trusted key is tried, and a hint that leads astray is
    // reported.
    const auto key = std::find_if(trusted.begin(), trusted.end(), [&](const PublicKey& candidate) {
      return candidate.verify(message, bytes);
    });
    if (key != trusted.end()) {
      good.insert(key->id());
    } else {
      const std::string hint(keyid->get_string());
      if (std::any_of(trusted.begin(), trusted.end(), [&](const PublicKey& k) { return k.id() == hint; }))
        bad.insert(hint);
      else
        ++out.unknown;
    }
  }
  out.signed_by.assign(good.begin(), good.end());
  out.bad.assign(bad.begin(), bad.end());
  return out;
}

}  // namespace hallmark::bundle
