#include "certificate/certificate.h"

#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"
#include "certificate/drat.h"
#include "certificate/farkas.h"

namespace hallmark::certificate {
namespace {

constexpr std::string_view certificate_format = "hallmark-certificate/1";

}  // namespace

std::string certificate_text(const Certificate& certificate) {
  json::array steps;
  for (const std::string& step : certificate.steps) steps.emplace_back(step);
  return canonical_json(json::object{{"format", certificate_format},
                                     {"kind", certificate.kind},
                                     {"query", certificate.query},
                                     {"steps", std::move(steps)}});
}

Certificate parse_certificate(std::string_view text, const std::string& file) {
  const json::value value = parse_json(text, file);
  const auto wrong = [&](const char* what) { return UserError("E5451", what, {file}); };
  const json::object* object = value.if_object();
  const auto member = [&](const char* name) -> const json::value& {
    const json::value* found = object == nullptr ? nullptr : object->if_contains(name);
    if (found == nullptr) throw wrong("a member of the certificate is missing");
    return *found;
  };
  Certificate out;
  for (auto [name, into] : {std::pair{"kind", &out.kind}, {"query", &out.query}}) {
    if (!member(name).is_string()) throw wrong("kind or query is no text");
    *into = std::string(member(name).get_string());
  }
  if (!member("steps").is_array()) throw wrong("steps are no list");
  for (const json::value& step : member("steps").get_array()) {
    if (!step.is_string()) throw wrong("a step is no text");
    out.steps.emplace_back(step.get_string());
  }
  if (!member("format").is_string() || member("format").get_string() != certificate_format)
    throw wrong("another format than hallmark-certificate/1");
  if (certificate_text(out) != text) throw wrong("not in canonical form");
  return out;
}

std::string check(std::string_view query_text, std::string_view text) {
  try {
    const Certificate certificate = parse_certificate(text, "certificate");
    if (certificate.query != sha256_hex(query_text)) return "it is the certificate of another query";
    Query query(query_text);
    if (certificate.kind == "farkas") return check_farkas(query, certificate.steps);
    if (certificate.kind == "drat") return check_drat(query, certificate.steps);
    return "its kind '" + certificate.kind + "' is unknown";
  } catch (const UserError& error) {
    return error.message();
  }
}

}  // namespace hallmark::certificate
