#include "bundle/observations.h"

#include <ctime>

#include "base/error.h"
#include "base/sha256.h"
#include "bundle/fields.h"
#include "bundle/layout.h"
#include "bundle/receipt.h"

namespace hallmark::bundle {
namespace {

constexpr std::string_view observations_format = "hallmark-observations/1";
constexpr std::string_view observations_predicate_type = "urn:hallmark:observations:v1";

json::object subject(const char* path, std::string_view bytes) {
  return {{"name", path}, {"digest", json::object{{"sha256", sha256_hex(bytes)}}}};
}

}  // namespace

std::string observations_text(const Observations& seen) {
  json::object notes, obligations;
  for (const auto& [key, value] : seen.notes) notes[key] = value;
  for (const auto& [id, o] : seen.obligations)
    obligations[id] = json::object{{"origin", o.origin}, {"seconds", o.seconds}};
  json::object out{{"format", observations_format}, {"started", seen.started},
                   {"finished", seen.finished},     {"host", seen.host},
                   {"notes", std::move(notes)},     {"obligations", std::move(obligations)}};
  if (!seen.units.empty()) {
    json::object units;
    for (const auto& [query, by_solver] : seen.units) {
      json::object row;
      for (const auto& [solver, number] : by_solver) row[solver] = number;
      units[query] = std::move(row);
    }
    out["units"] = std::move(units);
  }
  return canonical_json(std::move(out));
}

Observations parse_observations(std::string_view text, const std::string& file) {
  const json::value value = parse_json(text, file);
  Fields in(value, file, "");
  if (in.text("format") != observations_format)
    in.fail("another format than " + std::string(observations_format));
  Observations out;
  out.started = in.text("started");
  out.finished = in.text("finished");
  out.host = in.text("host");
  const json::value& notes = in.any("notes");
  const json::value& obligations = in.any("obligations");
  if (!notes.is_object() || !obligations.is_object()) in.fail("notes or obligations are no object");
  for (const auto& member : notes.get_object()) {
    if (!member.value().is_string()) in.fail("a note is no string");
    out.notes[std::string(member.key())] = std::string(member.value().get_string());
  }
  for (const auto& member : obligations.get_object()) {
    Fields row(member.value(), file, "obligations." + std::string(member.key()));
    out.obligations[std::string(member.key())] = {row.text("origin"), row.text("seconds")};
    row.done();
  }
  if (value.get_object().contains("units")) {
    const json::value& units = in.any("units");
    if (!units.is_object()) in.fail("units is no object");
    for (const auto& member : units.get_object()) {
      Fields row(member.value(), file, "units." + std::string(member.key()));
      if (!member.value().is_object()) in.fail("the units of a query are no object");
      for (const auto& solver : member.value().get_object())
        out.units[std::string(member.key())][std::string(solver.key())] =
            row.number(std::string(solver.key()).c_str());
      row.done();
    }
  }
  in.done();
  if (observations_text(out) != text) in.fail("not in canonical form");
  return out;
}

std::string utc_time(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  char text[32];
  ensure(::gmtime_r(&time, &parts) != nullptr &&
             std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) != 0,
         "a time outside the calendar");
  return text;
}

std::int64_t seconds_of_utc(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  const std::int64_t seconds =
      end == nullptr || *end != '\0' ? 0 : static_cast<std::int64_t>(::timegm(&parts));
  // strptime is lenient (one-digit months, 60 seconds): only the one spelling that we write is accepted.
  if (end == nullptr || *end != '\0' || utc_time(seconds) != text)
    throw UserError("E5122", "'" + text + "' is no UTC time of the form 2024-05-31T12:00:00Z");
  return seconds;
}

std::string observations_statement(std::string_view observations, std::string_view receipt) {
  return canonical_json(json::object{
      {"_type", statement_type},
      {"subject", json::array{subject(observations_file, observations), subject(receipt_file, receipt)}},
      {"predicateType", observations_predicate_type},
      {"predicate", json::object{}}});
}

}  // namespace hallmark::bundle
