#include "pipeline/recall.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "bundle/receipt.h"

namespace hallmark::pipeline {
namespace {

void take(Obligation& into, const Obligation& from) {
  into.outcome = from.outcome;
  into.strength = from.strength;
  into.scope = from.scope;
  if (into.location == Location{}) into.location = from.location;
}

}  // namespace

Recall::Recall(const std::string& folder, const std::string& context_sha256, smt::Portfolio& portfolio)
    : folder_(folder), context_(context_sha256), spool_(folder, context_sha256), portfolio_(portfolio) {}

void Recall::narrow(const std::string& artifact_sha256) {
  spool_ = bundle::Spool(folder_, sha256_hex(context_ + artifact_sha256));
}

bool Recall::find(Obligation& o) {
  const std::string leaf = bundle::statement_leaf(o);
  auto found = known_.find(leaf);
  if (found == known_.end()) {
    std::optional<bundle::Spooled> spooled = spool_.find(o);
    if (!spooled) return false;
    for (auto& [digest, text] : spooled->queries) texts_.emplace(digest, std::move(text));
    observed_[o.id] = {"resumed", "0"};
    ++resumed_;
    found = known_.emplace(leaf, std::move(spooled->obligation)).first;
  }
  take(o, found->second);
  return true;
}

bool Recall::find_all(std::vector<Obligation>& group) {
  std::vector<Obligation> filled = group;
  for (Obligation& o : filled)
    if (!find(o)) return false;
  group = std::move(filled);
  return true;
}

void Recall::keep(const Obligation& o, double seconds) {
  bool asked = false, cached = true;
  for (const QueryRecord& query : o.outcome.queries)
    if (query.purpose == "goal") {
      asked = true;
      cached = cached && portfolio_.came_from_cache(query.sha256);
    }
  observed_[o.id] = {asked && cached ? "cached" : "fresh", fmt::format("{:.3f}", seconds)};
  known_.insert_or_assign(bundle::statement_leaf(o), o);
  if (!portfolio_.excluded().empty())
    spool_.remove();
  else
    spool_.keep(o, portfolio_.recorded_texts());
}

bundle::QueryTexts Recall::texts() const {
  bundle::QueryTexts out = texts_;
  for (const auto& [digest, text] : portfolio_.recorded_texts()) out.emplace(digest, text);
  return out;
}

void Recall::finish(bool complete) {
  if (complete || !portfolio_.excluded().empty()) spool_.remove();
}

}  // namespace hallmark::pipeline
