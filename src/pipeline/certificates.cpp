#include "pipeline/certificates.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <thread>

#include "base/error.h"
#include "bundle/answers.h"
#include "certify/find_drat.h"
#include "certify/find_farkas.h"

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

}  // namespace hallmark::pipeline
