#include "smt/portfolio.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/sha256.h"

namespace hallmark::smt {

struct Portfolio::Member {
  std::string name;
  std::string missing;  // why there is no worker
  std::optional<SolverIdentity> identity;
  // Used on the worker's thread only: what the present process answered to paired checks, and proofs that it
  // gave within the smaller budget of a probe; the same process need not repeat them for a verdict. Other
  // goals of verdicts are always asked.
  std::unordered_map<std::string, Answer> known;
  unsigned known_process = 0;
  // Paired checks that no process came to an end with, by text and units. Many goals have the same
  // hypotheses, and where those are beyond a solver it would spend its whole budget on each of them.
  std::map<std::pair<std::string, unsigned long>, Answer> given_up;
  void remember(const QueryText& text, const Answer& answer) {
    if (known_process != answer.process) known.clear();
    known_process = answer.process;
    known.emplace(text.sha256, answer);
  }
  std::unique_ptr<SolverWorker> worker;  // last: its thread ends before what its jobs refer to
};

struct Portfolio::Pending {
  Query query;
  Budget budget;
  std::shared_ptr<const GroupTexts> texts;
  std::vector<std::shared_ptr<const GroupTexts>> further;  // of retries; keeps what answers point to alive
  std::vector<std::optional<GroupAnswers>> answers;        // by member
  std::vector<std::future<GroupAnswers>> futures;          // by member; invalid where nothing was submitted
};

namespace {

GroupAnswers no_answer(Reason reason, const std::string& why) {
  GroupAnswers out;
  out.goal = Answer::failure(reason, why);
  return out;
}

std::vector<std::pair<const QueryText*, Answer>> all_of(const GroupTexts& texts,
                                                        const GroupAnswers& answers) {
  std::vector<std::pair<const QueryText*, Answer>> out = {{&texts.goal, answers.goal}};
  out.insert(out.end(), answers.hypotheses.begin(), answers.hypotheses.end());
  out.insert(out.end(), answers.mutants.begin(), answers.mutants.end());
  return out;
}

}  // namespace

Portfolio::Portfolio(PortfolioOptions options) : options_(std::move(options)) {
  for (const std::string& name : options_.selected)
    if (std::none_of(options_.wanted.begin(), options_.wanted.end(),
                     [&](const auto& w) { return w.name == name; }))
      throw UserError("E2001", fmt::format("there is no solver named '{}'", name));
  for (const SolverProgram& program : options_.wanted) {
    auto member = std::make_unique<Member>();
    member->name = program.name;
    const auto& selected = options_.selected;
    if (!selected.empty() && std::find(selected.begin(), selected.end(), program.name) == selected.end()) {
      member->missing = program.name + " is not among the selected solvers";
    } else {
      member->worker = std::make_unique<SolverWorker>(program, options_.budget, options_.seed);
      if (options_.measure_units) member->worker->submit([](Solver& s) { s.measure_units(); }).get();
      if (!member->worker->installed()) {
        member->worker.reset();
        member->missing = program.program + " is not installed";
      }
    }
    members_.push_back(std::move(member));
  }
  if (!options_.memory) options_.memory = std::make_shared<AnswerMemory>();
  if (!options_.cache_path.empty()) cache_ = std::make_unique<VerdictCache>(options_.cache_path);
}

Portfolio::~Portfolio() = default;

// Runs on the worker's thread.
GroupAnswers Portfolio::put_group(Solver& solver, const GroupTexts& texts, const Budget& budget,
                                  Member& member) {
  if (solver.aged()) solver.restart();
  return run_group(texts, [&](const QueryText& text) {
    if (member.known_process != solver.process()) member.known.clear();
    if (const auto known = member.known.find(text.sha256); known != member.known.end()) return known->second;
    const std::pair<std::string, unsigned long> within{text.sha256, budget.z3_units};
    if (const auto known = member.given_up.find(within); known != member.given_up.end()) return known->second;
    const Answer answer = solver.ask(text, true, budget);
    if (text.purpose != Purpose::goal &&
        (answer.reason == Reason::resource_limit || answer.reason == Reason::wall_limit))
      member.given_up.emplace(within, answer);
    if (text.purpose != Purpose::goal && answer.kind != Answer::Kind::failed) member.remember(text, answer);
    return answer;
  });
}

void Portfolio::interrupt() {
  for (const auto& member : members_)
    if (member->worker) member->worker->interrupt();
}

Quorum Portfolio::quorum(Rule rule) const {
  Quorum out;
  out.rule = rule;
  out.wanted.clear();
  for (const auto& member : members_) out.wanted.push_back(member->name);
  return out;
}

void Portfolio::exclude(const std::string& solver) {
  if (!excluded_.insert(solver).second) return;
  options_.memory->withdraw(solver);
  if (cache_) cache_->withdraw(solver);
}

void Portfolio::absorb(const Portfolio& other) {
  for (const std::string& solver : other.excluded_) exclude(solver);
  texts_.insert(other.texts_.begin(), other.texts_.end());
  units_.insert(other.units_.begin(), other.units_.end());
  cached_.insert(other.cached_.begin(), other.cached_.end());
  fresh_.insert(other.fresh_.begin(), other.fresh_.end());
}

std::vector<SolverIdentity> Portfolio::identities() {
  std::vector<SolverIdentity> out;
  for (const auto& member : members_) {
    if (member->worker && !member->identity)
      member->identity = member->worker->submit([](Solver& s) { return s.identity(); }).get();
    out.push_back(member->identity ? *member->identity
                                   : SolverIdentity{member->name, {}, {}, {}, {}, options_.seed});
  }
  return out;
}

std::optional<GroupAnswers> Portfolio::from_cache(Member& member, const GroupTexts& texts) {
  if (!cache_) return std::nullopt;
  identities();
  const GroupAnswers found = run_group(texts, [&](const QueryText& text) {
    return cache_->find(VerdictCache::key(text.sha256, *member.identity, options_.budget))
        .value_or(Answer::failure(Reason::not_scheduled, "not cached"));
  });
  // A counterexample is wanted with its model, so only proofs are taken.
  return found.passes() ? std::optional<GroupAnswers>(found) : std::nullopt;
}

void Portfolio::to_cache(Member& member, const GroupTexts& texts, const GroupAnswers& answers) {
  if (!cache_ || !answers.passes() || answers.goal.cached) return;
  const auto store = [&](const std::string& sha256, const Answer& answer) {
    cache_->store(VerdictCache::key(sha256, *member.identity, options_.budget), answer, *member.identity);
  };
  store(texts.goal.sha256, answers.goal);
  for (const auto* list : {&answers.hypotheses, &answers.mutants})
    for (const auto& [text, answer] : *list) store(text->sha256, answer);
}

Portfolio::Pending Portfolio::begin(const Query& query, bool is_attempt) {
  Pending out;
  out.budget = is_attempt ? options_.attempt_budget : options_.budget;
  out.query = query;
  out.texts = std::make_shared<const GroupTexts>(group_texts(query));
  for (const auto& owned : members_) {
    Member& member = *owned;
    out.answers.emplace_back();
    out.futures.emplace_back();
    if (!member.worker) {
      out.answers.back() = no_answer(Reason::solver_missing, member.missing);
    } else if (excluded_.contains(member.name)) {
      out.answers.back() = no_answer(Reason::solver_crash, "excluded from this run for a false answer");
    } else if (!(out.answers.back() = options_.memory->find(member.name, *out.texts, out.budget)) &&
               !(out.answers.back() = from_cache(member, *out.texts))) {
      out.futures.back() =
          member.worker->submit([texts = out.texts, &member, budget = out.budget](Solver& solver) {
            return put_group(solver, *texts, budget, member);
          });
    }
  }
  return out;
}

// See the head of portfolio.h for what convicts.
void Portfolio::convict(const Pending& pending) {
  const std::vector<GroupAnswers> answers = [&] {
    std::vector<GroupAnswers> all;
    for (const auto& a : pending.answers) all.push_back(*a);
    return all;
  }();
  std::vector<Term> hypotheses;
  for (const Hypothesis& h : pending.query.hypotheses) hypotheses.push_back(h.formula);
  std::vector<Term> refuted = hypotheses;
  refuted.push_back(negation(pending.query.goal));
  std::vector<bool> wrong(answers.size(), false);
  bool satisfiable = false, refutable = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const GroupAnswers& a = answers[i];
    wrong[i] = contradicts_itself(*pending.texts, a);
    if (a.goal.is_sat() && !a.goal.cached) {
      const std::optional<bool> holds = confirmed(refuted, a.goal.model);
      wrong[i] = wrong[i] || holds == false;
      refutable |= holds == true;
    }
    // Each paired text contains all hypotheses, so a model of any of them is one of the hypotheses.
    for (const auto* list : {&a.hypotheses, &a.mutants})
      for (const auto& [text, answer] : *list)
        if (answer.is_sat() && !answer.model.empty()) {
          const std::optional<bool> holds = confirmed(hypotheses, answer.model);
          wrong[i] = wrong[i] || holds == false;
          satisfiable |= holds == true;
        }
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].goal.is_unsat() && refutable) wrong[i] = true;
    for (const auto& [text, answer] : answers[i].hypotheses)
      if (satisfiable && answer.is_unsat() && text == &pending.texts->hypotheses.back()) wrong[i] = true;
    if (wrong[i]) exclude(members_[i]->name);
  }
}

void Portfolio::retry_at_model_of_others(Pending& pending) {
  const std::vector<std::pair<std::string, Value>>* model = nullptr;
  for (const auto& answers : pending.answers)
    if (answers->goal.is_unsat())
      for (const auto& [text, answer] : answers->hypotheses)
        if (answer.is_sat() && !answer.model.empty() && model == nullptr) model = &answer.model;
  if (model == nullptr) return;
  Query pinned = pending.query;
  pinned.example = equations_of(pending.query.goal.arena(), *model);
  const auto texts = std::make_shared<const GroupTexts>(group_texts(pinned));
  for (std::size_t i = 0; i < members_.size(); ++i) {
    GroupAnswers& before = *pending.answers[i];
    const auto failed = [](const auto& a) { return a.second.kind == Answer::Kind::failed; };
    const bool open = before.goal.is_unsat() && !before.passes() &&
                      (std::any_of(before.hypotheses.begin(), before.hypotheses.end(), failed) ||
                       std::any_of(before.mutants.begin(), before.mutants.end(), failed));
    if (!open) continue;
    Member& member = *members_[i];
    pending.further.push_back(texts);
    const GroupAnswers again = member.worker
                                   ->submit([texts, &member, budget = pending.budget](Solver& solver) {
                                     return put_group(solver, *texts, budget, member);
                                   })
                                   .get();
    if (again.passes()) before = again;
  }
}

std::vector<QueryRecord> Portfolio::records_of(Pending& pending) {
  std::vector<QueryRecord> out;
  const auto record_of = [&](const QueryText& text) -> QueryRecord& {
    for (QueryRecord& r : out)
      if (r.sha256 == text.sha256) return r;
    texts_.emplace(text.sha256, text.text);
    out.push_back({text.sha256, std::string(name(text.purpose)), {}});
    return out.back();
  };
  // Two mutants can be one text.
  const auto add = [](QueryRecord& record, SolverAnswer answer) {
    if (std::none_of(record.answers.begin(), record.answers.end(),
                     [&](const SolverAnswer& a) { return a.solver == answer.solver; }))
      record.answers.push_back(std::move(answer));
  };
  // The hypotheses first, then the mutants, whichever solver they were put to.
  for (const Purpose purpose : {Purpose::goal, Purpose::hypotheses, Purpose::mutated_goal})
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (const auto& [text, answer] : all_of(*pending.texts, *pending.answers[i]))
        if (text->purpose == purpose) {
          add(record_of(*text), recorded(members_[i]->name, answer));
          if (answer.units != 0) units_[text->sha256].emplace(members_[i]->name, answer.units);
        }
  return out;
}

Decision Portfolio::finish(Pending& pending, Rule rule) {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (pending.futures[i].valid()) {
      pending.answers[i] = pending.futures[i].get();
      options_.memory->keep(members_[i]->name, *pending.texts, pending.budget, *pending.answers[i]);
    }
  retry_at_model_of_others(pending);
  convict(pending);
  const std::vector<QueryRecord> records = records_of(pending);
  Decision out;
  out.outcome = judge(withdraw(records, excluded_), quorum(rule));
  out.cached = true;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const GroupAnswers& answers = *pending.answers[i];
    out.milliseconds = std::max(out.milliseconds, answers.goal.milliseconds);
    out.cached &= answers.goal.cached || !members_[i]->worker;
    if (excluded_.contains(members_[i]->name)) continue;
    to_cache(*members_[i], *pending.texts, answers);
    if (answers.goal.is_sat() && out.counterexample.empty()) out.counterexample = answers.goal.model;
  }
  (out.cached && cache_ ? cached_ : fresh_).insert(pending.texts->goal.sha256);
  // Of two that contradict each other without a conviction, the one that denied a paired check has failed
  // it: it takes no further part, and this claim stays an alarm.
  if (out.outcome.reason == Reason::disagreement)
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (const QueryRecord& record : out.outcome.queries)
        for (const SolverAnswer& a : record.answers)
          if (record.purpose != "goal" && a.solver == members_[i]->name && a.answer == "unsat" &&
              std::any_of(record.answers.begin(), record.answers.end(),
                          [](const SolverAnswer& b) { return b.answer == "sat"; }))
            exclude(a.solver);
  return out;
}

Decision Portfolio::decide(const Query& query, Rule rule) {
  Pending pending = begin(query);
  return finish(pending, rule);
}

Decision Portfolio::attempt(const Query& query, Rule rule) {
  Pending pending = begin(query, true);
  return finish(pending, rule);
}

std::vector<Decision> Portfolio::decide_all(const std::vector<Query>& queries, Rule rule) {
  std::vector<Pending> pending;
  for (const Query& query : queries) pending.push_back(begin(query));
  std::vector<Decision> out;
  for (Pending& p : pending) out.push_back(finish(p, rule));
  for (Decision& d : out) d.outcome = settle(d.outcome, rule);
  return out;
}

Answer Portfolio::probe(const Query& query) {
  return probe(goal_text(query));
}

Answer Portfolio::probe(const QueryText& text, bool want_model) {
  const std::string key = text.sha256 + (want_model ? "m" : "");
  if (const auto known = options_.memory->find_probe(key)) return *known;
  Answer answer = Answer::failure(Reason::solver_missing, "no solver is installed");
  bool late = false;
  for (const auto& member : members_) {
    if (!member->worker || excluded_.contains(member->name)) continue;
    answer = member->worker
                 ->submit([&](Solver& solver) {
                   const Answer said = solver.probe(text, want_model, options_.probe_budget);
                   if (said.is_unsat() && text.purpose == Purpose::goal) member->remember(text, said);
                   return said;
                 })
                 .get();
    if (answer.kind != Answer::Kind::failed) break;
    late = late || answer.reason == Reason::wall_limit;
  }
  // What it cost, rather than what the last one said.
  if (late && answer.kind == Answer::Kind::failed && answer.reason != Reason::interrupted)
    answer.reason = Reason::wall_limit;
  if (answer.reason != Reason::interrupted) options_.memory->keep_probe(key, answer);
  return answer;
}

Answer Portfolio::replay(const std::string& solver, const std::string& text) {
  for (const auto& member : members_) {
    if (member->name != solver) continue;
    if (!member->worker) return Answer::failure(Reason::solver_missing, member->missing);
    QueryText query;
    query.text = text;
    query.sha256 = sha256_hex(text);
    return member->worker->submit([query](Solver& s) { return s.ask(query, false); }).get();
  }
  throw UserError("E2001", fmt::format("there is no solver named '{}'", solver));
}

Outcome Portfolio::settle(const Outcome& outcome, Rule rule) const {
  if (excluded_.empty() || outcome.queries.empty() || outcome.reason == Reason::disagreement) return outcome;
  Outcome out = outcome;
  const Outcome judged = judge(withdraw(outcome.queries, excluded_), quorum(rule));
  out.queries = judged.queries;
  // Only what rests on solvers is decided again: a refutation rests on its executed witness.
  if (outcome.state == State::refuted) return out;
  out.state = judged.state;
  out.reason = judged.reason;
  out.detail = judged.detail;
  out.discharged_by = judged.discharged_by;
  return out;
}

Outcome Portfolio::conjoin(const std::vector<Outcome>& parts, Rule rule) const {
  std::vector<QueryRecord> all;
  Outcome rest = Outcome::unrun(Reason::not_scheduled, "a conjunction of nothing");
  for (const Outcome& part : parts) {
    const bool by_solver = !part.queries.empty() && part.reason != Reason::disagreement;
    if (part.state == State::refuted || (part.state != State::proved && !by_solver)) return part;
    all.insert(all.end(), part.queries.begin(), part.queries.end());
    rest.assumptions.insert(rest.assumptions.end(), part.assumptions.begin(), part.assumptions.end());
    if (by_solver) continue;
    rest.state = State::proved;
    rest.reason = Reason::none;
    rest.detail.clear();
    rest.discharged_by.insert(rest.discharged_by.end(), part.discharged_by.begin(), part.discharged_by.end());
  }
  if (all.empty()) return rest;
  Outcome out = judge(withdraw(std::move(all), excluded_), quorum(rule));
  out.assumptions = rest.assumptions;
  if (out.state != State::proved) return out;
  for (const std::string& other : rest.discharged_by)
    if (std::find(out.discharged_by.begin(), out.discharged_by.end(), other) == out.discharged_by.end())
      out.discharged_by.push_back(other);
  return out;
}

}  // namespace hallmark::smt
