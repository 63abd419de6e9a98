#include "bundle/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "bundle/answers.h"
#include "bundle/receipt.h"

namespace hallmark::bundle {
namespace {

using Kind = ObligationKind;

constexpr std::string_view end_to_end =
    "For every input inside the contract, the output of the emitted kernels differs from the exact real "
    "value of the "
    "authored program by no more than the contract allows, and the kernels neither race, nor read or write "
    "out of bounds, "
    "nor read uninitialised memory, nor diverge at a barrier.";

std::string join(const std::vector<std::string>& items, std::string_view between) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += between;
    out += item;
  }
  return out;
}

struct Link {
  int number;
  const char* title;
  std::function<bool(const Obligation&)> covers;
};

bool one_of(Kind kind, std::initializer_list<Kind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// Links 1, 2 and 4 of the design's table; 0 is an assumption and 3 is parallel to 4.
const std::vector<Link>& chain() {
  static const std::vector<Link> links{
      {1, "rewrite: authored program to rewritten program",
       [](const Obligation& o) {
         return one_of(o.kind, {Kind::rule, Kind::rewrite_step});
       }},
      {2, "admission: exact real meaning to formulation",
       [](const Obligation& o) {
         return one_of(o.kind, {Kind::defined, Kind::erasure, Kind::range, Kind::rounding, Kind::branch,
                                Kind::constant, Kind::tolerance});
       }},
      {4, "compile: formulation to PTX and launch plan",
       [](const Obligation& o) {
         return o.level != Level::source && o.kind >= Kind::bounds && o.kind <= Kind::compose;
       }},
  };
  return links;
}

std::string reasons(const std::vector<const Obligation*>& open) {
  std::map<Reason, std::size_t> by_reason;
  std::size_t refuted = 0;
  for (const Obligation* o : open)
    o->outcome.state == State::refuted ? ++refuted : ++by_reason[o->outcome.reason];
  std::vector<std::string> parts;
  if (refuted > 0) parts.push_back(fmt::format("refuted {}", refuted));
  for (const auto& [reason, n] : by_reason) parts.push_back(fmt::format("{} {}", name(reason), n));
  return join(parts, ", ");
}

bool has(const std::vector<Obligation>& all, Kind kind, std::optional<Level> level) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Obligation& o) { return o.kind == kind && (!level || o.level == *level); });
}

bool without_accesses(const Identities& about) {
  return about.settings.contains(memory_accesses);
}

// Kinds without which the list cannot carry the sentence, whatever its states are.
std::vector<std::string> absent_kinds(const std::vector<Obligation>& all, const Identities& about) {
  std::vector<std::string> out;
  const auto need = [&](Kind kind, std::optional<Level> level) {
    if (has(all, kind, level)) return;
    out.push_back(fmt::format("no obligation of kind {}{}{}", name(kind), level ? " at level " : "",
                              level ? name(*level) : std::string_view()));
  };
  for (Kind kind : {Kind::defined, Kind::erasure, Kind::launch, Kind::handoff, Kind::order, Kind::compose})
    need(kind, std::nullopt);
  for (Kind kind :
       {Kind::bounds, Kind::init, Kind::race, Kind::termination, Kind::coverage, Kind::frame, Kind::value})
    if (kind != Kind::bounds || !without_accesses(about)) need(kind, Level::ptx);
  if (about.outputs.empty()) out.push_back("no output is named");
  for (const std::string& output : about.outputs) {
    const bool claimed = std::any_of(all.begin(), all.end(), [&](const Obligation& o) {
      return o.kind == Kind::tolerance && o.level == Level::model && o.subject == output;
    });
    if (!claimed) out.push_back(fmt::format("no tolerance is claimed for output '{}'", output));
  }
  return out;
}

std::size_t single_solver_proofs(const std::vector<Obligation>& all) {
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), rests_on_one_solver));
}

const Obligation* first(const std::vector<Obligation>& all,
                        const std::function<bool(const Obligation&)>& wanted) {
  const auto found = std::find_if(all.begin(), all.end(), wanted);
  return found == all.end() ? nullptr : &*found;
}

// The sentence that takes precedence over all others, if there is cause for it.
std::optional<std::string> alarm(const std::vector<Obligation>& all) {
  if (all.empty()) return "Nothing to prove: the list of obligations is empty.";
  const auto refuted = [](const Obligation& o) { return o.outcome.state == State::refuted; };
  const auto disagree = [](const Obligation& o) { return o.outcome.reason == Reason::disagreement; };
  if (const Obligation* o = first(all, refuted)) {
    const std::string witness = o->outcome.witness ? ": " + o->outcome.witness->summary : "";
    return fmt::format("Refuted: {} of {} obligations, first {}{}.", count(all).refuted, all.size(), o->id,
                       witness);
  }
  if (const Obligation* o = first(all, disagree))
    return fmt::format("Alarm: the solvers disagree, first on {}; none of their answers can be relied on.",
                       o->id);
  return std::nullopt;
}

std::string single_solver_note(const std::vector<Obligation>& all) {
  const std::size_t n = single_solver_proofs(all);
  if (n == 0) return {};
  return fmt::format(" {} of the proofs rest{} on one solver alone.", n, n == 1 ? "s" : "");
}

}  // namespace

Counts count(const std::vector<Obligation>& all) {
  Counts out;
  for (const Obligation& o : all) {
    if (o.outcome.state == State::proved) ++out.proved;
    if (o.outcome.state == State::refuted) ++out.refuted;
    if (o.outcome.state == State::unrun) ++out.unrun;
  }
  return out;
}

std::string counts_line(const std::vector<Obligation>& all) {
  const Counts n = count(all);
  std::vector<const Obligation*> open;
  for (const Obligation& o : all)
    if (o.outcome.state == State::unrun) open.push_back(&o);
  std::string out = fmt::format("proved {}, refuted {}, unrun {}", n.proved, n.refuted, n.unrun);
  if (n.unrun > 0) out += " (" + reasons(open) + ")";
  return out;
}

std::vector<std::string> missing_links(const std::vector<Obligation>& all, const Identities& about) {
  std::vector<std::string> out;
  for (const Link& link : chain()) {
    std::vector<const Obligation*> open;
    for (const Obligation& o : all)
      if (link.covers(o) && o.outcome.state != State::proved) open.push_back(&o);
    if (!open.empty())
      out.push_back(fmt::format("link {} ({}): {} not proved ({}), first {}", link.number, link.title,
                                open.size(), reasons(open), open.front()->id));
  }
  const std::vector<std::string> absent = absent_kinds(all, about);
  if (!absent.empty()) out.push_back("the list is not complete for it: " + join(absent, ", "));
  return out;
}

std::string program_verdict(const std::vector<Obligation>& all, const Identities& about) {
  std::string out;
  if (const std::optional<std::string> loud = alarm(all)) {
    out = *loud;
  } else if (const std::vector<std::string> missing = missing_links(all, about); missing.empty()) {
    out = end_to_end;
    if (without_accesses(about))
      out += " The PTX of no kernel has an access to memory: there are no bounds to keep.";
  } else {
    out = fmt::format(
        "Nothing is refuted, and {} of {} obligations are proved; the end-to-end statement is not: {}.",
        count(all).proved, all.size(), join(missing, "; "));
    const auto at_source = [](const Obligation& o) { return o.level == Level::source; };
    const auto open = [&](const Obligation& o) { return at_source(o) && o.outcome.state != State::proved; };
    if (first(all, at_source) != nullptr && first(all, open) == nullptr)
      out += " All obligations about the CUDA text are proved.";
  }
  out += single_solver_note(all);
  // What the launch plan does not serve of an open contract is not to be found in the list alone.
  std::set<std::string> sizes;
  for (const Obligation& o : all)
    if (o.kind == Kind::launch && o.level == Level::plan && o.outcome.state == State::proved)
      sizes.insert(o.outcome.assumptions.begin(), o.outcome.assumptions.end());
  if (!sizes.empty())
    out += " Assumed of sizes without an upper end: " + join({sizes.begin(), sizes.end()}, ", ") + ".";
  if (!about.default_boxes.empty())
    out += " Assumed, because nobody declared it: " + join(about.default_boxes, ", ") + ".";
  return out;
}

std::string plain_verdict(const std::vector<Obligation>& all, const std::string& singular,
                          const std::string& plural) {
  if (const std::optional<std::string> loud = alarm(all)) return *loud + single_solver_note(all);
  const Counts n = count(all);
  std::string out;
  if (n.unrun == 0)
    out = all.size() == 1 ? fmt::format("The {} is proved.", singular)
                          : fmt::format("All {} {} are proved.", n.proved, plural);
  else
    out = fmt::format("Nothing is refuted; {} of {} {} proved, {} not decided.", n.proved, all.size(),
                      all.size() == 1 ? singular + " is" : plural + " are", n.unrun);
  // A verdict that holds up to a bound must look different from a proof (needs U-07).
  for (const Obligation& o : all)
    if (o.outcome.reason == Reason::bounded)
      out += fmt::format(" {} holds for {} only as far as it was tried.", o.id,
                         o.scope.empty() ? "a bound" : o.scope);
  return out + single_solver_note(all);
}

}  // namespace hallmark::bundle
