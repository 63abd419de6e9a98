// The checker against arithmetic: random small queries are decided by trying every value, and no certificate,
// honest or mutated, may be accepted for one that has a solution.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "base/sha256.h"
#include "certificate/certificate.h"
#include "certify/find_farkas.h"

namespace hallmark::certify {
namespace {

// x, y, z in 0..3 and a Boolean b.
struct Point {
  int x, y, z;
  bool b;
};
struct Formula {
  std::string text;
  std::function<bool(const Point&)> holds;
};
struct Number {
  std::string text;
  std::function<int(const Point&)> value;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}
  unsigned any(unsigned n) { return static_cast<unsigned>(random_() % n); }

  Number number(int depth) {
    switch (depth == 0 ? any(4) : any(8)) {
      case 0:
        return {"x", [](const Point& p) { return p.x; }};
      case 1:
        return {"y", [](const Point& p) { return p.y; }};
      case 2:
        return {"z", [](const Point& p) { return p.z; }};
      case 3: {
        const int c = static_cast<int>(any(6));
        return {std::to_string(c), [c](const Point&) { return c; }};
      }
      case 4: {
        const Number a = number(depth - 1), b = number(depth - 1);
        return {"(+ " + a.text + " " + b.text + ")",
                [a, b](const Point& p) { return a.value(p) + b.value(p); }};
      }
      case 5: {
        const Number a = number(depth - 1);
        const int c = 1 + static_cast<int>(any(3));
        return {"(* " + std::to_string(c) + " " + a.text + ")",
                [a, c](const Point& p) { return c * a.value(p); }};
      }
      case 6: {
        const Number a = number(depth - 1);
        const int c = 2 + static_cast<int>(any(3));
        const bool div = any(2) == 0;
        return {std::string(div ? "(div " : "(mod ") + a.text + " " + std::to_string(c) + ")",
                [a, c, div](const Point& p) {
                  const int v = a.value(p), q = v >= 0 ? v / c : -((-v + c - 1) / c);
                  return div ? q : v - c * q;
                }};
      }
      default: {
        const Formula f = formula(depth - 1);
        const Number a = number(depth - 1), b = number(depth - 1);
        return {"(ite " + f.text + " " + a.text + " (- " + b.text + "))",
                [f, a, b](const Point& p) { return f.holds(p) ? a.value(p) : -b.value(p); }};
      }
    }
  }

  Formula formula(int depth) {
    switch (depth == 0 ? any(3) : any(8)) {
      case 0:
        return {"b", [](const Point& p) { return p.b; }};
      case 1:
      case 2: {
        const Number a = number(depth > 0 ? depth - 1 : 0), b = number(depth > 0 ? depth - 1 : 0);
        const unsigned how = any(3);
        return {std::string(how == 0   ? "(<= "
                            : how == 1 ? "(< "
                                       : "(= ") +
                    a.text + " " + b.text + ")",
                [a, b, how](const Point& p) {
                  return how == 0   ? a.value(p) <= b.value(p)
                         : how == 1 ? a.value(p) < b.value(p)
                                    : a.value(p) == b.value(p);
                }};
      }
      case 3: {
        const Formula f = formula(depth - 1);
        return {"(not " + f.text + ")", [f](const Point& p) { return !f.holds(p); }};
      }
      default: {
        const Formula f = formula(depth - 1), g = formula(depth - 1);
        const unsigned how = any(4);
        const char* names[] = {"(and ", "(or ", "(=> ", "(= "};
        return {names[how] + f.text + " " + g.text + ")", [f, g, how](const Point& p) {
                  const bool a = f.holds(p), b = g.holds(p);
                  return how == 0 ? a && b : how == 1 ? a || b : how == 2 ? !a || b : a == b;
                }};
      }
    }
  }

 private:
  std::mt19937 random_;
};

TEST(Random, NoCertificateForWhatHasASolution) {
  std::size_t certified = 0, solvable = 0, mutants = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Maker maker(seed);
    std::vector<Formula> all;
    std::string text =
        "(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)(declare-fun b () Bool)";
    for (const char* v : {"x", "y", "z"}) text += std::string("(assert (<= 0 ") + v + " 3))";
    for (unsigned i = 0, n = 1 + maker.any(5); i < n; ++i) {
      all.push_back(maker.formula(3));
      text += "(assert " + all.back().text + ")";
    }
    text += "(check-sat)";
    bool has_solution = false;
    for (int i = 0; i < 128 && !has_solution; ++i) {
      const Point p{i & 3, i >> 2 & 3, i >> 4 & 3, (i >> 6) != 0};
      has_solution = std::all_of(all.begin(), all.end(), [&](const Formula& f) { return f.holds(p); });
    }
    const auto found = find_farkas(text);
    solvable += has_solution ? 1 : 0;
    certified += found ? 1 : 0;
    ASSERT_FALSE(found && has_solution) << text << *found;
    if (!found) continue;
    // The steps of one query, changed here and there, for the same query without one of its assertions.
    certificate::Certificate steps = certificate::parse_certificate(*found, "c");
    for (int i = 0; i < 20 && !steps.steps.empty(); ++i) {
      std::string weaker = text;
      const std::string& text_of_dropped = all[maker.any(static_cast<unsigned>(all.size()))].text;
      // The first of two that are the same is the one that goes.
      const auto which = static_cast<std::size_t>(
          std::find_if(all.begin(), all.end(), [&](const Formula& f) { return f.text == text_of_dropped; }) -
          all.begin());
      const std::string dropped = "(assert " + text_of_dropped + ")";
      weaker.replace(weaker.find(dropped), dropped.size(), "(assert true)");
      certificate::Certificate forged = steps;
      forged.query = sha256_hex(weaker);
      std::string& step = forged.steps[maker.any(static_cast<unsigned>(forged.steps.size()))];
      if (maker.any(2) == 0)
        step[maker.any(static_cast<unsigned>(step.size()))] = static_cast<char>('0' + maker.any(10));
      if (!certificate::check(weaker, certificate::certificate_text(forged)).empty()) continue;
      ++mutants;
      bool solution = false;
      for (int k = 0; k < 128; ++k) {
        const Point p{k & 3, k >> 2 & 3, k >> 4 & 3, (k >> 6) != 0};
        bool every = true;
        for (std::size_t f = 0; f < all.size(); ++f) every = every && (f == which || all[f].holds(p));
        solution = solution || every;
      }
      ASSERT_FALSE(solution) << weaker;
    }
  }
  // It does find them, and some mutants are still certificates: the test has seen both sides.
  EXPECT_GT(solvable, 500u);
  EXPECT_GT(certified, 300u);
  EXPECT_GT(mutants, 10u);
  RecordProperty("certified", static_cast<int>(certified));
}

}  // namespace
}  // namespace hallmark::certify
