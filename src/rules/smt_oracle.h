// The oracle on top of the solvers: a question is probed while the argument is searched for, and what the
// finished argument relies on is then put to both solvers, with paired checks, for the verdict.
#pragma once
#include "obligation/obligation.h"
#include "rules/encode.h"
#include "rules/oracle.h"
#include "rules/rule.h"
#include "smt/portfolio.h"

namespace hallmark::rules {

class SmtOracle : public Oracle {
 public:
  SmtOracle(smt::Portfolio& portfolio, std::string title, std::vector<Given> givens = {})
      : portfolio_(portfolio), title_(std::move(title)), givens_(std::move(givens)) {}
  bool entails(const Facts& hypotheses, Term goal, const std::string& purpose) override;
  bool entails_over_reals(const Facts& hypotheses, Term goal, const std::string& purpose) override;
  bool entails_in_bits(const Facts& hypotheses, Term goal, const std::string& purpose) override;
  bool knows_elements() const override { return !givens_.empty(); }
  void declare(std::vector<CustomOperator> operators) { operators_ = std::move(operators); }
  bool commutes(const std::string& name) const override;
  bool associates(const std::string& name) const override;
  std::size_t mark() const override { return log_.size(); }
  void rewind(std::size_t mark) override { log_.resize(mark); }

  // The verdict on everything in the log. Nothing in it: proved by syntax alone.
  Outcome discharge(smt::Rule rule);
  std::size_t relied_on() const { return log_.size(); }
  // What the argument asked, by purpose, in order.
  std::vector<std::string> purposes() const;

 private:
  using Elements = Encoder::Elements;
  struct Claim {
    Facts hypotheses;
    Term goal = nullptr;
    std::string purpose;
    Elements elements = Elements::opaque;
    bool lemmas = false;  // rules/division_lemmas.h
  };
  bool ask(const Facts& hypotheses, Term goal, const std::string& purpose,
           Elements elements = Elements::opaque);
  // The givens at every element that the claim mentions.
  std::vector<Term> given_facts(const Claim& claim) const;
  static constexpr int most_undecided = 10, most_asked = 5000;
  // Of a question that ended by time, in undecided ones.
  static constexpr int cost_of_time = 5;
  Term without_divisions(Term goal, const Facts& hypotheses, bool shifts_only = false);
  // With an example where one is found easily and the hypotheses are not linear.
  smt::Query query(smt::Arena& arena, const Claim& claim, bool with_example = false) const;
  // The log with what has the same hypotheses put as one claim, where that is easy for the solvers.
  std::vector<Claim> joined_claims() const;

  smt::Portfolio& portfolio_;
  std::string title_;
  std::vector<Given> givens_;
  std::vector<CustomOperator> operators_;
  std::vector<Claim> log_;
  int undecided_ = 0, asked_ = 0;
};

}  // namespace hallmark::rules
