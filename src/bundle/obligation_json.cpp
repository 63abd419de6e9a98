#include "bundle/obligation_json.h"

#include "base/sha256.h"

namespace hallmark::bundle {
namespace {

json::array texts(const std::vector<std::string>& items) {
  json::array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

json::object query_json(const QueryRecord& query, const std::string& folder) {
  json::array answers;
  for (const SolverAnswer& answer : query.answers)
    answers.push_back(
        json::object{{"solver", answer.solver}, {"answer", answer.answer}, {"raw", valid_utf8(answer.raw)}});
  json::object out{{"sha256", query.sha256}, {"purpose", query.purpose}, {"answers", std::move(answers)}};
  if (!folder.empty()) out["file"] = folder + "/" + query.sha256 + ".smt2";
  return out;
}

json::value witness_json(const std::optional<Witness>& witness) {
  if (!witness) return nullptr;
  json::array bindings;
  for (const auto& [symbol, value] : witness->bindings)
    bindings.push_back(json::object{{"name", valid_utf8(symbol)}, {"value", valid_utf8(value)}});
  return json::object{{"summary", valid_utf8(witness->summary)},
                      {"bindings", std::move(bindings)},
                      {"expected", valid_utf8(witness->expected)},
                      {"actual", valid_utf8(witness->actual)},
                      {"executed_by", witness->executed_by}};
}

json::value location_json(const Location& where) {
  if (where == Location{}) return nullptr;
  return json::object{
      {"file", where.file}, {"line", where.line}, {"column", where.column}, {"node", where.node}};
}

QueryRecord read_query(Fields in, const std::string& folder) {
  QueryRecord out;
  out.sha256 = in.digest("sha256");
  out.purpose = in.text("purpose");
  if (!folder.empty() && in.text("file") != folder + "/" + out.sha256 + ".smt2")
    in.fail("member 'file' does not name the file of the digest");
  in.each("answers", [&](Fields answer) {
    out.answers.push_back({answer.text("solver"), answer.text("answer"), answer.text("raw")});
    answer.done();
  });
  in.done();
  return out;
}

Witness read_witness(Fields in) {
  Witness out;
  out.summary = in.text("summary");
  in.each("bindings", [&](Fields binding) {
    out.bindings.emplace_back(binding.text("name"), binding.text("value"));
    binding.done();
  });
  out.expected = in.text("expected");
  out.actual = in.text("actual");
  out.executed_by = in.text("executed_by");
  in.done();
  return out;
}

Location read_location(Fields in) {
  Location out;
  out.file = in.text("file");
  out.line = in.number("line");
  out.column = in.number("column");
  out.node = in.text("node");
  in.done();
  return out;
}

template <typename Enum>
Enum known(Fields& in, const char* member, std::optional<Enum> (*parse)(std::string_view)) {
  const std::string text = in.text(member);
  const std::optional<Enum> value = parse(text);
  if (!value) in.fail(std::string("member '") + member + "' has the unknown value '" + text + "'");
  return *value;
}

}  // namespace

std::string statement_digest(const Obligation& obligation) {
  return sha256_hex(obligation.statement);
}

json::object obligation_json(const Obligation& o, const std::string& query_folder) {
  json::array queries;
  for (const QueryRecord& query : o.outcome.queries) queries.push_back(query_json(query, query_folder));
  return {{"id", o.id},
          {"statement", statement_digest(o)},
          {"kind", name(o.kind)},
          {"level", name(o.level)},
          {"subject", o.subject},
          {"scope", o.scope},
          {"strength", o.strength},
          {"state", name(o.outcome.state)},
          {"reason", name(o.outcome.reason)},
          {"detail", valid_utf8(o.outcome.detail)},
          {"discharged_by", texts(o.outcome.discharged_by)},
          {"assumptions", texts(o.outcome.assumptions)},
          {"query", std::move(queries)},
          {"witness", witness_json(o.outcome.witness)},
          {"location", location_json(o.location)}};
}

Obligation obligation_from_json(Fields in, const std::string& query_folder,
                                const std::map<std::string, std::string>& statements) {
  Obligation o;
  o.id = in.text("id");
  const auto statement = statements.find(in.digest("statement"));
  if (statement == statements.end()) in.fail("the text of its statement is not in the bundle");
  o.statement = statement->second;
  o.kind = known(in, "kind", kind_of);
  o.level = known(in, "level", level_of);
  o.subject = in.text("subject");
  o.scope = in.text("scope");
  o.strength = in.text("strength");
  o.outcome.state = known(in, "state", state_of);
  o.outcome.reason = known(in, "reason", reason_of);
  o.outcome.detail = in.text("detail");
  o.outcome.discharged_by = in.texts("discharged_by");
  o.outcome.assumptions = in.texts("assumptions");
  in.each("query",
          [&](Fields query) { o.outcome.queries.push_back(read_query(std::move(query), query_folder)); });
  if (!in.is_null("witness")) o.outcome.witness = read_witness(in.object("witness"));
  if (!in.is_null("location")) o.location = read_location(in.object("location"));
  in.done();
  return o;
}

}  // namespace hallmark::bundle
