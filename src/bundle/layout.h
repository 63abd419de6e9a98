// The bundle folder: five stages, arranged by meaning, context and evidence. Exact names, for people and for
// `audit`.
//
//   1-model/        the authored program: model as given, program in calculus notation, contract with
//   defaults written out 2-candidates/   the candidate space with provenance 3-selection/    context, elected
//   route, explanation steps, plan 4-artifact/     CUDA (*.cu), PTX (*.ptx), launch.json, map.json
//   5-evidence/     manifest.json            every other file: path, size, SHA-256; canonical, re-derived by
//   audit
//                   receipt.json             in-toto Statement with the hashed core
//                   receipt.dsse.json        its DSSE envelope; only when a key was given
//                   result.json              the report (report.h) of the receipt; derived from it
//                   observations.json        times, host, fresh or cached; outside the core
//                   observations.dsse.json   signed with the same keys; only when a key was given
//                   statements.json          statement text by SHA-256
//                   obligations/SHA256.smt2  one query each, named by its digest
//                   certificates/SHA256.json why a query has no solution (certificate/certificate.h), named
//                   by its query; why a statement holds, named by it witness/NAME.json        one executed
//                   refutation each (witness_file) samples/, reports/       whatever else the stages leave:
//                   test inputs, checker reports
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hallmark::bundle {

inline constexpr std::string_view stage_model = "1-model/";
inline constexpr std::string_view stage_candidates = "2-candidates/";
inline constexpr std::string_view stage_selection = "3-selection/";
inline constexpr std::string_view stage_artifact = "4-artifact/";
inline constexpr std::string_view stage_evidence = "5-evidence/";
inline constexpr const char* manifest_file = "5-evidence/manifest.json";
inline constexpr const char* receipt_file = "5-evidence/receipt.json";
inline constexpr const char* envelope_file = "5-evidence/receipt.dsse.json";
inline constexpr const char* result_file = "5-evidence/result.json";
inline constexpr const char* observations_file = "5-evidence/observations.json";
inline constexpr const char* observations_envelope_file = "5-evidence/observations.dsse.json";
inline constexpr const char* statements_file = "5-evidence/statements.json";
inline constexpr const char* query_folder = "5-evidence/obligations";
inline constexpr const char* witness_folder = "5-evidence/witness";
inline constexpr const char* certificate_folder = "5-evidence/certificates";

std::string query_file(const std::string& sha256);
std::string certificate_file(const std::string& query_sha256);
// A readable name made of the obligation's id, unique through the first 12 digits of the id's SHA-256.
std::string witness_file(const std::string& obligation_id);
// Files that the receipt's core does not list: the manifest, the receipt, and what follows from it or from a
// clock.
bool outside_core(std::string_view path);
// Paths that a stage may add itself: below stages 1 to 4, 5-evidence/samples/ and 5-evidence/reports/;
// relative, without empty, "." or ".." parts, printable ASCII. Throws InternalError otherwise.
void check_stage_path(std::string_view path);

}  // namespace hallmark::bundle
