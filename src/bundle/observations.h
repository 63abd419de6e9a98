// What a run saw that another run of the same inputs would not see again: times, the host, fresh or cached.
// Kept outside the receipt's core (soundness E2); covered by the manifest and, when a key is given, by a
// signature of its own.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hallmark::bundle {

struct ObservedObligation {
  std::string origin;   // "fresh", "cached", "cached, signer KEYID", "resumed"
  std::string seconds;  // decimal text
};

struct Observations {
  std::string started, finished;  // UTC: "2024-05-31T12:00:00Z"
  std::string host;
  std::map<std::string, std::string> notes;
  std::map<std::string, ObservedObligation> obligations;  // by id
  // Resource units of each solver that a query cost, by the query's SHA-256; where they were measured.
  std::map<std::string, std::map<std::string, std::uint64_t>> units;
};

std::string observations_text(const Observations&);
// Throws UserError E5120 or E0003; the text must be in canonical form.
Observations parse_observations(std::string_view text, const std::string& file);

// "2024-05-31T12:00:00Z" <-> seconds since 1970 UTC. Throws UserError E5122 for any other form.
std::string utc_time(std::int64_t seconds);
std::int64_t seconds_of_utc(const std::string& text);

// The in-toto Statement that is signed beside the receipt's: it binds these observations to this receipt.
std::string observations_statement(std::string_view observations, std::string_view receipt);

}  // namespace hallmark::bundle
