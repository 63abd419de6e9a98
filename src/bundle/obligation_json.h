// One obligation as JSON, in the shape of the design's section 4: id, statement (SHA-256 of its text), kind,
// level, subject, scope, strength, state, reason, detail, discharged_by, assumptions, query, witness,
// location. The report adds `replay`.
#pragma once
#include <map>
#include <string>

#include "base/json.h"
#include "bundle/fields.h"
#include "obligation/obligation.h"

namespace hallmark::bundle {

std::string statement_digest(const Obligation&);

// `query` lists every query of the obligation: sha256, purpose, answers and, when `query_folder` is not
// empty, `file` below it.
json::object obligation_json(const Obligation&, const std::string& query_folder);

// The inverse; `statements` maps digests to texts. Throws UserError E5120 for anything that obligation_json
// does not write and for a statement digest without text. Does not call check_well_formed: an auditor reports
// that in its own words.
Obligation obligation_from_json(Fields, const std::string& query_folder,
                                const std::map<std::string, std::string>& statements);

}  // namespace hallmark::bundle
