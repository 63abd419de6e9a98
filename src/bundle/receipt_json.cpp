// The bytes of receipt.json, there and back.
#include <algorithm>

#include "base/error.h"
#include "bundle/fields.h"
#include "bundle/layout.h"
#include "bundle/obligation_json.h"
#include "bundle/receipt.h"

namespace hallmark::bundle {
namespace {

constexpr std::string_view core_format = "hallmark-receipt/1";

json::array texts(const std::vector<std::string>& items) {
  json::array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

json::object pairs(const std::map<std::string, std::string>& items) {
  json::object out;
  for (const auto& [key, value] : items) out[key] = value;
  return out;
}

json::object tree_json(const MerkleTree& tree) {
  return {{"count", tree.count}, {"root", tree.root}};
}

json::array solvers_json(const std::vector<SolverIdentity>& solvers) {
  json::array out;
  for (const SolverIdentity& s : solvers)
    out.push_back(json::object{{"name", s.name},
                               {"version", s.version},
                               {"binary_sha256", s.binary_sha256},
                               {"libraries", pairs(s.libraries)},
                               {"options", texts(s.options)},
                               {"seed", s.seed},
                               {"limit", s.limit}});
  return out;
}

// Which build of a version it was has no effect on what is shown, and tells who looks later what to look
// with.
json::object tool_json(const Identities& about) {
  json::object out{{"name", "hallmark"}, {"version", about.tool_version}};
  if (!about.tool_sha256.empty()) out["binary_sha256"] = about.tool_sha256;
  return out;
}

json::object counts_json(const std::vector<Obligation>& obligations) {
  std::map<std::string, std::size_t> counts{{"proved", 0}, {"refuted", 0}, {"unrun", 0}};
  for (const Obligation& o : obligations) ++counts[std::string(name(o.outcome.state))];
  json::object out;
  for (const auto& [state, count] : counts) out[state] = count;
  return out;
}

json::object core_json(const Receipt& receipt) {
  const Identities& about = receipt.identities;
  json::array assumptions, absent, files, obligations;
  for (const Assumption& a : about.assumptions)
    assumptions.push_back(json::object{{"id", a.id}, {"text", a.text}, {"source", a.source}});
  for (const Absent& a : about.absent)
    absent.push_back(json::object{{"what", a.what}, {"reason", name(a.reason)}, {"detail", a.detail}});
  for (const FileEntry& f : receipt.files)
    files.push_back(json::object{{"path", f.path}, {"sha256", f.sha256}});
  for (const Obligation& o : receipt.obligations) obligations.push_back(obligation_json(o, query_folder));
  return {{"format", core_format},
          {"tool", tool_json(about)},
          {"roles", pairs(about.roles)},
          {"policy", json::object{{"name", about.policy_name}, {"sha256", about.policy_sha256}}},
          {"solvers", solvers_json(about.solvers)},
          {"assumptions", std::move(assumptions)},
          {"outputs", texts(about.outputs)},
          {"default_boxes", texts(about.default_boxes)},
          {"settings", pairs(about.settings)},
          {"absent", std::move(absent)},
          {"files", std::move(files)},
          {"statements_tree", tree_json(receipt.statements)},
          {"outcomes_tree", tree_json(receipt.outcomes)},
          {"counts", counts_json(receipt.obligations)},
          {"reproducible", receipt.reproducible},
          {"verdict", receipt.verdict},
          {"obligations", std::move(obligations)}};
}

std::map<std::string, std::string> read_pairs(Fields& in, const char* name) {
  std::map<std::string, std::string> out;
  const json::value& value = in.any(name);
  if (!value.is_object()) in.fail(std::string("member '") + name + "' is no object");
  for (const auto& member : value.get_object()) {
    if (!member.value().is_string())
      in.fail(std::string("member '") + name + "' has a value that is no string");
    out[std::string(member.key())] = std::string(member.value().get_string());
  }
  return out;
}

MerkleTree read_tree(Fields in) {
  MerkleTree out;
  out.count = in.number("count");
  out.root = in.digest("root");
  in.done();
  return out;
}

Identities read_identities(Fields& in) {
  Identities out;
  Fields tool = in.object("tool");
  if (tool.text("name") != "hallmark") tool.fail("another tool's receipt");
  out.tool_version = tool.text("version");
  if (tool.has("binary_sha256")) out.tool_sha256 = tool.digest("binary_sha256");
  tool.done();
  out.roles = read_pairs(in, "roles");
  Fields policy = in.object("policy");
  out.policy_name = policy.text("name");
  out.policy_sha256 = policy.text("sha256");
  policy.done();
  in.each("solvers", [&](Fields s) {
    SolverIdentity solver;
    solver.name = s.text("name");
    solver.version = s.text("version");
    solver.binary_sha256 = s.text("binary_sha256");
    solver.libraries = read_pairs(s, "libraries");
    solver.options = s.texts("options");
    solver.seed = s.text("seed");
    solver.limit = s.text("limit");
    s.done();
    out.solvers.push_back(std::move(solver));
  });
  in.each("assumptions", [&](Fields a) {
    out.assumptions.push_back({a.text("id"), a.text("text"), a.text("source")});
    a.done();
  });
  out.outputs = in.texts("outputs");
  out.default_boxes = in.texts("default_boxes");
  out.settings = read_pairs(in, "settings");
  in.each("absent", [&](Fields a) {
    const std::optional<Reason> reason = reason_of(a.text("reason"));
    if (!reason) a.fail("unknown reason");
    out.absent.push_back({a.text("what"), *reason, a.text("detail")});
    a.done();
  });
  return out;
}

}  // namespace

std::string receipt_text(const Receipt& receipt) {
  // in-toto subjects are what a consumer holds in hand: the model and the artifact. The core lists every
  // file.
  json::array subject;
  for (const FileEntry& file : receipt.files)
    if (file.path.starts_with(stage_model) || file.path.starts_with(stage_artifact))
      subject.push_back(json::object{{"name", file.path}, {"digest", json::object{{"sha256", file.sha256}}}});
  return canonical_json(json::object{{"_type", statement_type},
                                     {"subject", std::move(subject)},
                                     {"predicateType", receipt_predicate_type},
                                     {"predicate", core_json(receipt)}});
}

Receipt parse_receipt(std::string_view text, const std::string& file,
                      const std::map<std::string, std::string>& statements) {
  const json::value value = parse_json(text, file);
  Fields statement(value, file, "");
  const auto exactly = [&](Fields& in, const char* member, std::string_view wanted) {
    const std::string got = in.text(member);
    if (got != wanted)
      throw UserError(
          "E5121", std::string(member) + " is '" + got + "', expected '" + std::string(wanted) + "'", {file});
  };
  exactly(statement, "_type", statement_type);
  exactly(statement, "predicateType", receipt_predicate_type);
  Fields in = statement.object("predicate");
  exactly(in, "format", core_format);
  Receipt out;
  out.identities = read_identities(in);
  in.each("files", [&](Fields f) {
    out.files.push_back({f.text("path"), f.digest("sha256")});
    f.done();
  });
  out.statements = read_tree(in.object("statements_tree"));
  out.outcomes = read_tree(in.object("outcomes_tree"));
  out.reproducible = in.flag("reproducible");
  out.verdict = in.text("verdict");
  in.each("obligations", [&](Fields o) {
    out.obligations.push_back(obligation_from_json(std::move(o), std::string(query_folder), statements));
  });
  // Whatever is derived (subject, counts) and every byte of spelling: the receipt must be what we would
  // write.
  if (receipt_text(out) != text)
    in.fail("not in canonical form, or a derived member (subject, counts) is wrong");
  return out;
}

}  // namespace hallmark::bundle
