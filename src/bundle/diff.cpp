#include "bundle/diff.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "bundle/gate.h"
#include "bundle/obligation_json.h"

namespace hallmark::bundle {
namespace {

using Texts = std::map<std::string, std::string>;

const Receipt& receipt_of(const OpenBundle& bundle) {
  if (!bundle.receipt || !bundle.findings.empty())
    throw UserError(
        "E5402",
        "the bundle does not check, nothing is compared with it" +
            (bundle.findings.empty() ? std::string()
                                     : ": " + bundle.findings[0].where + ": " + bundle.findings[0].message),
        {bundle.folder});
  return *bundle.receipt;
}

std::string state_text(const Obligation& o) {
  std::string out(name(o.outcome.state));
  if (o.outcome.state == State::unrun) out += fmt::format(" ({})", name(o.outcome.reason));
  return out;
}

class Differ {
 public:
  Differ(const Receipt& before, const Receipt& after) : before_(before), after_(after) {}

  Diff run() {
    obligations();
    compare("assumption", assumptions(before_), assumptions(after_));
    compare("version", versions(before_), versions(after_));
    compare("file", files(before_), files(after_));
    compare("setting", before_.identities.settings, after_.identities.settings);
    return std::move(out_);
  }

 private:
  void obligations() {
    std::map<std::string, const Obligation*> old, now;
    for (const Obligation& o : before_.obligations) old[o.id] = &o;
    for (const Obligation& o : after_.obligations) now[o.id] = &o;
    std::vector<Change> added, removed, statements;
    for (const auto& [id, o] : now) {
      const auto was = old.find(id);
      const bool proved_before = was != old.end() && was->second->outcome.state == State::proved;
      const State state = o->outcome.state;
      if (state == State::refuted && (was == old.end() || was->second->outcome.state != State::refuted))
        out_.exit_code = worse_exit(out_.exit_code, exit_refuted);
      if (state == State::unrun && (proved_before || was == old.end()))
        out_.exit_code = worse_exit(out_.exit_code, exit_undecided);
      if (was == old.end()) {
        added.push_back({"added", id, "", state_text(*o)});
        continue;
      }
      if (state_text(*was->second) != state_text(*o))
        out_.changes.push_back({"state", id, state_text(*was->second), state_text(*o)});
      if (was->second->statement != o->statement)
        statements.push_back({"statement", id, statement_digest(*was->second), statement_digest(*o)});
    }
    for (const auto& [id, o] : old)
      if (!now.contains(id)) {
        removed.push_back({"removed", id, state_text(*o), ""});
        // A claim that is gone is proved no longer.
        if (o->outcome.state == State::proved) out_.exit_code = worse_exit(out_.exit_code, exit_undecided);
      }
    for (auto* list : {&added, &removed, &statements})
      out_.changes.insert(out_.changes.end(), list->begin(), list->end());
  }

  void compare(const char* what, const Texts& before, const Texts& after) {
    std::map<std::string, std::pair<std::string, std::string>> both;
    for (const auto& [key, value] : before) both[key].first = value;
    for (const auto& [key, value] : after) both[key].second = value;
    for (const auto& [key, value] : both)
      if (value.first != value.second) out_.changes.push_back({what, key, value.first, value.second});
  }

  static Texts assumptions(const Receipt& r) {
    Texts out;
    for (const Assumption& a : r.identities.assumptions) out[a.id] = a.text;
    return out;
  }
  static Texts versions(const Receipt& r) {
    Texts out{{"hallmark", r.identities.tool_version + " " + r.identities.tool_sha256}};
    for (const SolverIdentity& s : r.identities.solvers) out[s.name] = s.version + " " + s.binary_sha256;
    return out;
  }
  static Texts files(const Receipt& r) {
    Texts out;
    for (const FileEntry& f : r.files)
      if (!f.path.starts_with("5-evidence/")) out[f.path] = f.sha256;
    return out;
  }

  const Receipt& before_;
  const Receipt& after_;
  Diff out_;
};

}  // namespace

Diff diff(const OpenBundle& before, const OpenBundle& after) {
  return Differ(receipt_of(before), receipt_of(after)).run();
}

std::string diff_text(const Diff& diff) {
  if (diff.changes.empty()) return "no difference\n";
  std::string out;
  for (const Change& c : diff.changes)
    out += fmt::format("{:<10} {}: {} -> {}\n", c.what, c.where, c.before.empty() ? "-" : c.before,
                       c.after.empty() ? "-" : c.after);
  return out;
}

json::object diff_json(const Diff& diff) {
  json::array changes;
  for (const Change& c : diff.changes)
    changes.push_back(
        json::object{{"what", c.what}, {"where", c.where}, {"before", c.before}, {"after", c.after}});
  return {{"format", "hallmark-diff/1"}, {"changes", std::move(changes)}, {"exit_code", diff.exit_code}};
}

}  // namespace hallmark::bundle
