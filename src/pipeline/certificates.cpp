#include "pipeline/certificates.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <thread>

#include "base/error.h"
#include "bundle/answers.h"
#include "bundle/obligation_json.h"
#include "certificate/certificate.h"
#include "certify/find_drat.h"
#include "certify/find_farkas.h"
#include "formulation/erase.h"
#include "pipeline/evidence.h"
#include "pipeline/rule_pairs.h"
#include "rules/prove_rule.h"

namespace hallmark::pipeline {

std::map<std::string, std::string> certify_goals(std::vector<Obligation>& list,
                                                 const bundle::QueryTexts& texts, unsigned jobs) {
  std::set<std::string> goals;
  for (const Obligation& o : list)
    if (o.outcome.state == State::proved)
      for (const QueryRecord& query : o.outcome.queries)
        if (query.purpose == "goal") goals.insert(query.sha256);
  const std::vector<std::string> order(goals.begin(), goals.end());
  std::vector<std::optional<std::string>> found(order.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      const auto text = texts.find(order[i]);
      if (text == texts.end()) continue;
      found[i] = certify::find_drat(text->second);
      if (!found[i]) found[i] = certify::find_farkas(text->second);
    }
  };
  std::vector<std::jthread> threads;
  const std::size_t wanted = jobs == 0 ? std::max(1u, std::thread::hardware_concurrency()) : jobs;
  for (std::size_t i = 1; i < std::min(wanted, order.size()); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  std::map<std::string, std::string> out;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (found[i]) out.emplace(order[i], std::move(*found[i]));
  for (Obligation& o : list)
    if (bundle::fully_certified(o.outcome, [&](const std::string& query) { return out.contains(query); }))
      o.outcome.discharged_by.emplace_back(bundle::by_certificate);
  return out;
}

namespace {

std::vector<boxes::ExactConstant> exact_constants(const formulation::Formulation& f) {
  std::vector<boxes::ExactConstant> out;
  for (const formulation::RoundedConstant& c : f.constants)
    out.push_back({c.definition, c.format, c.bits, c.exact});
  return out;
}

// Weights too: the same bytes in both programs.
bool same_constants(const calculus::Program& a, const calculus::Program& b) {
  return std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), b.constants.end(),
                    [](const calculus::Constant& x, const calculus::Constant& y) {
                      return x.declaration.name == y.declaration.name && x.data->format == y.data->format &&
                             x.data->extents == y.data->extents && x.data->splat == y.data->splat &&
                             x.data->bytes == y.data->bytes;
                    });
}

bool same_inputs(const calculus::Program& a, const calculus::Program& b) {
  return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                    [](const calculus::Declaration& x, const calculus::Declaration& y) {
                      return x.name == y.name && x.format == y.format && x.extents == y.extents;
                    });
}

bool is_erased_by(const Evidence& e) {
  try {
    return same_inputs(e.formulation.program, e.elected) &&
           same_constants(e.formulation.program, e.elected) &&
           formulation::same_program(formulation::erase(e.formulation.program, e.formulation.constants),
                                     formulation::erase(e.elected));
  } catch (const Refusal&) {
    return false;
  }
}

}  // namespace

StatementCertificates::StatementCertificates(const Evidence& e)
    : exact_(e.elected, e.contract),
      formulation_(e.formulation.program, e.contract),
      tolerances_(e.formulation.program, exact_constants(e.formulation), e.contract),
      erases_(is_erased_by(e)) {
  for (const rules::RuleFamily& family : e.rules)
    add_sides(rules::family_obligation(family).id, [&] { return sides_of(family); });
  for (std::size_t i = 0; i < e.steps.size(); ++i)
    add_sides(step_obligation(e.steps[i], i, e.authored).id,
              [&] { return std::vector{sides_of(step_rule(e.steps[i], e.authored))}; });
}

void StatementCertificates::add_sides(const std::string& id,
                                      const std::function<std::vector<pairs::Sides>()>& sides) {
  try {
    sides_.emplace(id, sides());
  } catch (const pairs::NotShown&) {
    // No certificate is about it.
  }
}

const std::vector<pairs::Sides>* StatementCertificates::sums_of(const Obligation& o) const {
  const auto found = sides_.find(o.id);
  return found != sides_.end() && bundle::may_carry_bijection(o) && is_of_sums(o.strength) ? &found->second
                                                                                           : nullptr;
}

boxes::Boxes* StatementCertificates::about(const Obligation& o) {
  if (o.kind == ObligationKind::defined && o.level == Level::model) return &exact_;
  if ((o.kind == ObligationKind::defined || o.kind == ObligationKind::range) && o.level == Level::plan)
    return &formulation_;
  return nullptr;
}

std::optional<std::string> StatementCertificates::find(const Obligation& o) {
  std::optional<std::vector<std::string>> steps;
  if (const std::vector<pairs::Sides>* sums = sums_of(o); sums != nullptr) {
    steps = find_pairs(*sums);
    if (!steps) return std::nullopt;
    return certificate::certificate_text({"bijection", bundle::statement_digest(o), *steps});
  }
  if (o.outcome.state != State::proved || !o.outcome.queries.empty()) return std::nullopt;
  if (o.kind == ObligationKind::tolerance && erases_)
    steps = tolerances_.find(o.subject);
  else if (boxes::Boxes* boxes = about(o); boxes != nullptr)
    steps = boxes->find(o.subject);
  if (!steps) return std::nullopt;
  return certificate::certificate_text({"boxes", bundle::statement_digest(o), *steps});
}

std::string StatementCertificates::check(const Obligation& o, const std::string& text) {
  if (o.kind == ObligationKind::rule || (o.kind == ObligationKind::rewrite_step && sides_.contains(o.id)))
    return check_sums(o, text);
  boxes::Boxes* boxes = about(o);
  const bool tolerance = o.kind == ObligationKind::tolerance;
  if (boxes == nullptr && !tolerance) return "no certificate of boxes shows an obligation of this kind";
  if (tolerance && !erases_)
    return "the formulation without its roundings is another program than the exact one";
  try {
    const certificate::Certificate certificate = certificate::parse_certificate(text, "certificate");
    if (certificate.kind != "boxes") return "its kind '" + certificate.kind + "' is of queries";
    if (certificate.query != bundle::statement_digest(o)) return "it is the certificate of another statement";
    return tolerance ? tolerances_.check(o.subject, certificate.steps)
                     : boxes->check(o.subject, certificate.steps);
  } catch (const UserError& error) {
    return error.message();
  }
}

std::string StatementCertificates::check_sums(const Obligation& o, const std::string& text) const {
  const std::vector<pairs::Sides>* sums = sums_of(o);
  if (sums == nullptr) return "matched sums show less than this obligation says, or something else";
  try {
    const certificate::Certificate certificate = certificate::parse_certificate(text, "certificate");
    if (certificate.kind != "bijection") return "its kind '" + certificate.kind + "' is of something else";
    if (certificate.query != bundle::statement_digest(o)) return "it is the certificate of another statement";
    return pairs::check(*sums, certificate.steps);
  } catch (const UserError& error) {
    return error.message();
  }
}

std::map<std::string, std::string> StatementCertificates::certify(std::vector<Obligation>& list) {
  std::map<std::string, std::string> out;
  for (Obligation& o : list)
    if (const std::optional<std::string> text = find(o)) {
      out.emplace(bundle::statement_digest(o), *text);
      o.outcome.discharged_by.emplace_back(bundle::may_carry_bijection(o) ? bundle::by_bijection
                                                                          : bundle::by_certificate);
    }
  return out;
}

}  // namespace hallmark::pipeline
