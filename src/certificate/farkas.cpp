#include "certificate/farkas.h"

#include <fmt/format.h>

#include <sstream>

#include "base/error.h"

namespace hallmark::certificate {
namespace {

[[noreturn]] void unreadable(const std::string& step) {
  throw UserError("E5451", "the step '" + step.substr(0, 80) + "' cannot be read");
}

std::size_t natural(const std::string& text, const std::string& step) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    unreadable(step);
  return std::stoul(text);
}

class Checker {
 public:
  Checker(Query& query, const std::vector<std::string>& steps)
      : query_(query), steps_(steps), entries_(query) {}

  std::string run() {
    for (const NodeId assertion : query_.assertions()) entries_.add(Literal{assertion, true});
    while (next_ < steps_.size()) {
      if (const std::string fault = step(steps_[next_++]); !fault.empty()) return fault;
      if (closed_) return next_ == steps_.size() ? "" : "steps follow after the last case was closed";
    }
    return "not every case is closed";
  }

 private:
  // Cases that are still to be closed: the innermost last.
  struct Open {
    Entries::Mark mark;
    Cases cases;                       // of a split
    std::vector<Inequality> branches;  // of a branch
    std::size_t next = 0;              // the case after the one under way
  };

  std::string step(const std::string& text) {
    std::istringstream in(text);
    std::string verb, word;
    in >> verb;
    if (verb == "split") {
      in >> word;
      const std::size_t index = natural(word, text);
      if (in >> word) unreadable(text);
      if (index >= entries_.size() || entries_.at(index).inequality)
        return "'" + text + "': no such alternative";
      open_.push_back({entries_.mark(), entries_.at(index).cases, {}, 0});
      enter();
      return {};
    }
    if (verb == "branch") {
      in >> word;
      const std::size_t index = natural(word, text);
      Integer at;
      if (!(in >> word) || word.size() > 200 || at.set_str(word, 10) != 0 || in >> word) unreadable(text);
      if (index >= entries_.size() || !entries_.at(index).inequality)
        return "'" + text + "': no such inequality";
      Form form = entries_.at(index).inequality->form;
      form.constant = 0;
      for (const auto& [id, c] : form.terms)
        if (c.get_den() != 1) return "'" + text + "': coefficients that are no integers";
      if (!over_integers(query_, form)) return "'" + text + "': unknowns that are no integers";
      const auto [low, high] = branches(form, at);
      open_.push_back({entries_.mark(), {}, {low, high}, 0});
      enter();
      return {};
    }
    if (verb != "cut" && verb != "close") unreadable(text);
    Inequality sum;
    bool any = false;
    for (; in >> word; any = true) {
      const std::size_t colon = word.find(':');
      if (colon == std::string::npos || word.size() > 400) unreadable(text);
      const std::size_t index = natural(word.substr(0, colon), text);
      Rational times;
      const std::string number = word.substr(colon + 1);
      if (number.find_first_not_of("0123456789/") != std::string::npos || times.set_str(number, 10) != 0 ||
          times.get_den() == 0)
        unreadable(text);
      times.canonicalize();
      if (times <= 0) unreadable(text);
      if (index >= entries_.size() || !entries_.at(index).inequality)
        return "'" + word + "': no such inequality";
      sum.form.add(entries_.at(index).inequality->form, times);
      sum.strict = sum.strict || entries_.at(index).inequality->strict;
    }
    if (!any) unreadable(text);
    if (verb == "cut") {
      entries_.add(sum);
      return {};
    }
    const Rational& number = sum.form.constant;
    if (!sum.form.terms.empty() || number > 0 || (number == 0 && !sum.strict))
      return "step " + std::to_string(next_) + ": the sum is no contradiction";
    close();
    return {};
  }

  // Begins the next case of the innermost open alternative.
  void enter() {
    Open& open = open_.back();
    entries_.rewind(open.mark);
    const std::size_t which = open.next++;
    if (!open.branches.empty()) {
      const Inequality side = open.branches[which];
      entries_.add(side);
    } else if (which < open.cases.size()) {
      const std::vector<Literal> literals = open.cases[which];
      for (const Literal& literal : literals) entries_.add(literal);
    } else {
      close();  // an alternative without cases is false
    }
  }

  void close() {
    while (!open_.empty() &&
           open_.back().next >= std::max(open_.back().cases.size(), open_.back().branches.size()))
      open_.pop_back();
    if (open_.empty())
      closed_ = true;
    else
      enter();
  }

  Query& query_;
  const std::vector<std::string>& steps_;
  Entries entries_;
  std::vector<Open> open_;
  std::size_t next_ = 0;
  bool closed_ = false;
};

}  // namespace

std::pair<Inequality, Inequality> branches(const Form& form, const Integer& at) {
  Inequality low, high;
  low.form.add(form, -1);
  low.form.constant = at;
  high.form = form;
  high.form.constant = Rational(-at - 1);
  return {low, high};
}

std::string check_farkas(Query& query, const std::vector<std::string>& steps) {
  return Checker(query, steps).run();
}

}  // namespace hallmark::certificate
