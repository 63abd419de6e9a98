#include "bundle/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "base/json.h"
#include "bundle/fields.h"

namespace hallmark::bundle {
namespace {

using Kind = ObligationKind;
using scanner::What;

std::vector<Kind> kinds_of(What what) {
  switch (what) {
    case What::load:
      return {Kind::bounds, Kind::alignment, Kind::init};
    case What::store:
    case What::atomic:
      return {Kind::bounds, Kind::alignment, Kind::race};
    case What::barrier:
      return {Kind::barrier};
    case What::shuffle:
      return {Kind::shuffle};
    case What::loop:
      return {Kind::termination};
    case What::float_constant:  // `value` holds them, bit for bit
    case What::call:            // its constructs are the kernel's
      return {};
  }
  return {};
}

// The obligations by what they are about; a bundle may have tens of thousands.
class Coverage {
 public:
  explicit Coverage(const std::vector<Obligation>& all) {
    for (const Obligation& o : all) {
      whole_.insert({o.kind, o.level, o.subject});
      by_kind_[o.kind].insert(o.subject);
      // "KERNEL:LINE", where KERNEL may have colons of its own: each reading of the subject.
      for (std::size_t at = o.subject.find(':'); at != std::string::npos; at = o.subject.find(':', at + 1)) {
        const std::string kernel = o.subject.substr(0, at);
        ++counts_[{o.kind, o.level, kernel}];
        std::size_t end = at + 1;
        while (end < o.subject.size() && o.subject[end] >= '0' && o.subject[end] <= '9') ++end;
        if (end > at + 1) lines_.insert({o.kind, o.level, o.subject.substr(0, end)});
      }
    }
  }

  bool whole(Kind kind, Level level, const std::string& subject) const {
    return whole_.contains({kind, level, subject});
  }
  bool line(Kind kind, Level level, const std::string& kernel, std::size_t at) const {
    return lines_.contains({kind, level, fmt::format("{}:{}", kernel, at)});
  }
  std::size_t lines(Kind kind, Level level, const std::string& kernel) const {
    const auto found = counts_.find({kind, level, kernel});
    return found == counts_.end() ? 0 : found->second;
  }
  bool anywhere(Kind kind, const std::vector<std::string>& subjects) const {
    const auto found = by_kind_.find(kind);
    if (found == by_kind_.end()) return false;
    return subjects.empty() || std::any_of(subjects.begin(), subjects.end(),
                                           [&](const std::string& s) { return found->second.contains(s); });
  }

 private:
  using Key = std::tuple<Kind, Level, std::string>;
  std::set<Key> whole_, lines_;  // subjects; "KERNEL:LINE"
  std::map<Key, std::size_t> counts_;
  std::map<Kind, std::set<std::string>> by_kind_;
};

void check_kernel(const Scan::Kernel& scanned, const Coverage& coverage, std::vector<std::string>& out) {
  const scanner::Unit& kernel = scanned.unit;
  std::vector<Kind> kinds{Kind::overflow, Kind::coverage, Kind::frame, Kind::value};
  if (scanned.level == Level::source) kinds.push_back(Kind::ub);
  for (const Kind kind : kinds)
    if (!coverage.whole(kind, scanned.level, kernel.name))
      out.push_back(fmt::format("kernel {} is the subject of no obligation of kind {} at level {}",
                                kernel.name, name(kind), name(scanned.level)));
  std::map<Kind, std::size_t> needed;
  for (const scanner::Construct& construct : kernel.constructs)
    for (const Kind kind : kinds_of(construct.what)) {
      if (coverage.whole(kind, scanned.level, kernel.name)) continue;
      if (scanned.level == Level::source) {
        if (construct.detail != "local") ++needed[kind];
      } else if (!coverage.line(kind, scanned.level, kernel.name, construct.line)) {
        out.push_back(fmt::format("{}:{} ({} {}) is the subject of no obligation of kind {} at level {}",
                                  kernel.name, construct.line, name(construct.what), construct.detail,
                                  name(kind), name(scanned.level)));
      }
    }
  for (const auto& [kind, n] : needed)
    if (const std::size_t there = coverage.lines(kind, scanned.level, kernel.name); there < n)
      out.push_back(fmt::format(
          "kernel {} has {} constructs that need an obligation of kind {} at level {}, and {} of these",
          kernel.name, n, name(kind), name(scanned.level), there));
}

// The lists of launch.json that are read here: no member of an entry but these.
const json::array& list_of(const json::value& plan, const char* member) {
  const json::object* object = plan.if_object();
  const json::value* list = object != nullptr ? object->if_contains(member) : nullptr;
  if (list == nullptr || !list->is_array())
    throw UserError("E5120", std::string("no list of ") + member, {"launch.json"});
  return list->get_array();
}

std::string text_of(const json::value& entry, const char* member) {
  const json::object* object = entry.if_object();
  const json::value* text = object != nullptr ? object->if_contains(member) : nullptr;
  if (text == nullptr || !text->is_string())
    throw UserError("E5120", std::string("an entry without ") + member, {"launch.json"});
  return std::string(text->get_string());
}

bool runs_once(const json::value& launch) {
  const json::object* object = launch.if_object();
  const json::value* flag = object != nullptr ? object->if_contains("prepare") : nullptr;
  if (flag == nullptr || !flag->is_bool())
    throw UserError("E5120", "a launch without prepare", {"launch.json"});
  return flag->get_bool();
}

}  // namespace

Scan scan_artifact(const std::vector<std::pair<std::string, std::string>>& texts,
                   const std::string& launch_json, std::vector<std::string> outputs) {
  Scan out;
  out.outputs = std::move(outputs);
  std::map<Level, std::set<std::string>> seen;
  for (const auto& [path, text] : texts) {
    const bool ptx = path.ends_with(".ptx");
    if (!ptx && !path.ends_with(".cu")) continue;
    const std::vector<scanner::Unit> units = ptx ? scanner::scan_ptx(text) : scanner::scan_cuda(text);
    const Level level = ptx ? Level::ptx : Level::source;
    for (const scanner::Unit& unit : units)
      if (unit.kernel && seen[level].insert(unit.name).second)
        out.kernels.push_back({level, scanner::with_callees(unit, units)});
  }
  const json::value value = parse_json(launch_json, "launch.json");
  for (const json::value& launch : list_of(value, "launches")) {
    if (runs_once(launch)) out.prepares.push_back(out.launches.size());
    out.launches.push_back(text_of(launch, "kernel"));
  }
  for (const json::value& buffer : list_of(value, "buffers")) {
    const std::string role = text_of(buffer, "role");
    if (role == "arena") out.arena_buffers.push_back(text_of(buffer, "name"));
    if (role == "prepared") out.kept_buffers.push_back(text_of(buffer, "name"));
  }
  std::set<std::string> all(out.launches.begin(), out.launches.end());
  for (const auto& [level, names] : seen) all.insert(names.begin(), names.end());
  for (const Level level : {Level::source, Level::ptx})
    for (const std::string& kernel : all)
      if (!seen[level].contains(kernel)) out.kernels.push_back({level, {kernel, true, 0, {}}});
  return out;
}

std::vector<std::string> uncovered(const Scan& scan, const std::vector<Obligation>& all) {
  const Coverage coverage(all);
  std::vector<std::string> out;
  for (const Scan::Kernel& kernel : scan.kernels) check_kernel(kernel, coverage, out);
  for (std::size_t i = 0; i < scan.launches.size(); ++i)
    for (const Kind kind : {Kind::launch, Kind::handoff})
      if (!coverage.anywhere(kind, {"launch", fmt::format("launch:{}", i), scan.launches[i]}))
        out.push_back(fmt::format("launch {} of {} is the subject of no obligation of kind {}", i,
                                  scan.launches[i], name(kind)));
  for (const std::string& output : scan.outputs)
    if (!coverage.whole(Kind::tolerance, Level::model, output))
      out.push_back(
          fmt::format("output {} is the subject of no obligation of kind tolerance at level model", output));
  for (const std::string& buffer : scan.arena_buffers)
    if (!coverage.anywhere(Kind::memory, {buffer}))
      out.push_back(fmt::format("arena buffer {} is the subject of no obligation of kind memory", buffer));
  for (const std::string& buffer : scan.kept_buffers)
    if (!coverage.anywhere(Kind::memory, {buffer}))
      out.push_back(fmt::format("kept buffer {} is the subject of no obligation of kind memory", buffer));
  for (const std::size_t i : scan.prepares)
    if (!coverage.anywhere(Kind::order, {fmt::format("prepare:{}", i)}))
      out.push_back(
          fmt::format("launch {} of {}, which runs once, is the subject of no obligation of kind order", i,
                      scan.launches[i]));
  if (!scan.launches.empty())
    for (const Kind kind : {Kind::order, Kind::compose})
      if (!coverage.anywhere(kind, {}))
        out.push_back(fmt::format("the program has no obligation of kind {}", name(kind)));
  return out;
}

std::vector<std::string> count_differences(const std::string& kernel,
                                           const std::map<std::string, std::size_t>& ours,
                                           const std::map<std::string, std::size_t>& theirs) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> both;
  for (const auto& [key, n] : ours) both[key].first = n;
  for (const auto& [key, n] : theirs) both[key].second = n;
  std::vector<std::string> out;
  for (const auto& [key, n] : both)
    if (n.first != n.second)
      out.push_back(fmt::format("{}: {}: {} in the text, {} in the validator's reading", kernel, key, n.first,
                                n.second));
  return out;
}

}  // namespace hallmark::bundle
