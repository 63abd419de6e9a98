#include "smt/cache.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <map>
#include <vector>

#include "base/secret.h"
#include "base/sha256.h"

namespace hallmark::smt {
namespace {

const char* schema =
    "create table if not exists verdict (key text primary key, answer text not null, solver text not null, "
    "solver_version text not null, tool_version text not null, stored_at text not null default "
    "current_timestamp, seal text not null)";

// Ties a row together and to this user, so that neither a damaged page nor a row that somebody else wrote is
// taken for a verdict.
std::string seal_of(const std::string& secret, const std::string& key, const std::string& answer) {
  return seal(secret, key + ":" + answer);
}

class Statement {
 public:
  Statement(sqlite3* database, const char* text, const std::vector<std::string>& values) {
    good_ = sqlite3_prepare_v2(database, text, -1, &statement_, nullptr) == SQLITE_OK;
    for (std::size_t i = 0; good_ && i < values.size(); ++i)
      good_ = sqlite3_bind_text(statement_, static_cast<int>(i + 1), values[i].data(),
                                static_cast<int>(values[i].size()), SQLITE_TRANSIENT) == SQLITE_OK;
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  int step() { return good_ ? sqlite3_step(statement_) : SQLITE_ERROR; }
  std::string text(int column) const {
    const unsigned char* at = sqlite3_column_text(statement_, column);
    return at == nullptr ? "" : reinterpret_cast<const char*>(at);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  bool good_ = false;
};

}  // namespace

struct VerdictCache::Database {
  sqlite3* handle = nullptr;
  std::string secret;
  std::map<std::string, std::vector<std::string>> stored;  // solver -> keys
  ~Database() { sqlite3_close(handle); }
};

VerdictCache::VerdictCache(const std::string& path) : database_(std::make_unique<Database>()), path_(path) {
  if (sqlite3_open(path.c_str(), &database_->handle) != SQLITE_OK) {
    give_up("it cannot be opened");
    return;
  }
  sqlite3_busy_timeout(database_->handle, 2000);
  std::string why;
  // A lost last write is only a miss; a torn one is caught by the seal.
  for (const char* text :
       {"pragma journal_mode = wal", "pragma synchronous = normal", schema,
        "select key, answer, seal, solver, solver_version, tool_version from verdict limit 1"}) {
    Statement statement(database_->handle, text, {});
    const int result = statement.step();
    if (result == SQLITE_ROW || result == SQLITE_DONE) continue;
    why = sqlite3_errmsg(database_->handle);
    break;
  }
  database_->secret = local_secret();
  if (why.empty() && database_->secret.empty()) why = "there is no secret that this user alone can read";
  // Only now: the statement above has to be gone before the database is closed.
  if (!why.empty()) give_up(why);
}

VerdictCache::~VerdictCache() = default;

void VerdictCache::give_up(const std::string& why) {
  warning_ = fmt::format("the verdict cache {} is not used: {}", path_, why);
  database_.reset();
}

std::string VerdictCache::key(const std::string& text_sha256, const SolverIdentity& identity,
                              const Budget& budget, const std::string& version) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", version, text_sha256, identity.name,
                                identity.version, identity.binary_sha256, identity.options, identity.seed);
  for (const auto& [name, digest] : identity.libraries) all += name + " " + digest + "\n";
  all += fmt::format("{} {} {} {}\n", budget.z3_units, budget.cvc5_units, budget.wall.count(),
                     budget.memory_bytes);
  return sha256_hex(all);
}

std::optional<Answer> VerdictCache::find(const std::string& key) {
  if (!database_) return std::nullopt;
  int result = SQLITE_ERROR;
  std::string answer, seal;
  {
    Statement statement(database_->handle, "select answer, seal from verdict where key = ?1", {key});
    result = statement.step();
    if (result == SQLITE_ROW) answer = statement.text(0), seal = statement.text(1);
  }
  if (result == SQLITE_DONE) return std::nullopt;
  if (result != SQLITE_ROW) {
    give_up(sqlite3_errmsg(database_->handle));
    return std::nullopt;
  }
  if ((answer != "sat" && answer != "unsat") || seal != seal_of(database_->secret, key, answer)) {
    warning_ = fmt::format("the verdict cache {} holds a damaged row, which is ignored", path_);
    return std::nullopt;
  }
  Answer out;
  out.kind = answer == "sat" ? Answer::Kind::sat : Answer::Kind::unsat;
  out.reason = Reason::none;
  out.cached = true;
  return out;
}

void VerdictCache::store(const std::string& key, const Answer& answer, const SolverIdentity& identity) {
  if (!database_ || answer.kind == Answer::Kind::failed) return;
  const std::string word = answer.is_sat() ? "sat" : "unsat";
  bool stored = false;
  {
    Statement statement(
        database_->handle,
        "insert or replace into verdict (key, answer, solver, solver_version, tool_version, seal) values "
        "(?1, ?2, ?3, ?4, ?5, ?6)",
        {key, word, identity.name, identity.version, cache_version, seal_of(database_->secret, key, word)});
    stored = statement.step() == SQLITE_DONE;
  }
  if (!stored) return give_up(sqlite3_errmsg(database_->handle));
  database_->stored[identity.name].push_back(key);
}

void VerdictCache::withdraw(const std::string& solver) {
  if (!database_) return;
  for (const std::string& key : database_->stored[solver])
    Statement(database_->handle, "delete from verdict where key = ?1", {key}).step();
  database_->stored.erase(solver);
}

}  // namespace hallmark::smt
