// Certificates for the goals of what solvers proved (certificate/certificate.h): looked for after the
// verdicts, and no part of them. The same list and texts give the same certificates, whatever the number of
// threads.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "boxes/boxes.h"
#include "boxes/tolerances.h"
#include "bundle/spool.h"
#include "obligation/obligation.h"
#include "pairs/pairs.h"

namespace hallmark::pipeline {

// Certificates by the SHA-256 of their query. Where each goal of an obligation has one, "certificate" is
// added to what it was discharged by.
std::map<std::string, std::string> certify_goals(std::vector<Obligation>& list,
                                                 const bundle::QueryTexts& texts, unsigned jobs);

struct Evidence;

// Interval proofs: `defined` of exact terms and of formulations, `range` of formulations, `tolerance`. Each
// certificate is a box for each definition that the claimed one rests on (boxes/boxes.h), for a tolerance
// with the greatest distance of computed from exact elements (boxes/tolerances.h).
//
// Rules and rewrite steps that are proved by solvers over the reals or integers: which sums correspond by
// which maps (pairs/pairs.h). That stands beside their queries and in no query's place: it shows the values
// alone.
class StatementCertificates {
 public:
  explicit StatementCertificates(const Evidence& evidence);
  // Of an obligation that is proved without a query, or of its matched sums; nothing where there is none of
  // this sort.
  std::optional<std::string> find(const Obligation& o);
  // Why the text does not show what the obligation says, or nothing.
  std::string check(const Obligation& o, const std::string& text);
  // All that are found, by the SHA-256 of the statement, with "certificate" or "bijection" added to what
  // discharged it.
  std::map<std::string, std::string> certify(std::vector<Obligation>& list);

 private:
  // The program that the obligation is about, or null.
  boxes::Boxes* about(const Obligation& o);
  void add_sides(const std::string& id, const std::function<std::vector<pairs::Sides>()>& sides);
  // The sides of what the obligation is about, or null where matched sums do not show it.
  const std::vector<pairs::Sides>* sums_of(const Obligation& o) const;
  std::string check_sums(const Obligation& o, const std::string& text) const;
  boxes::Boxes exact_, formulation_;
  boxes::Tolerances tolerances_;
  std::map<std::string, std::vector<pairs::Sides>> sides_;  // by obligation
  bool erases_ = false;  // the formulation without its roundings is the elected program
};

}  // namespace hallmark::pipeline
