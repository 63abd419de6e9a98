// Certificates of matched sums: shipped rules that have one, and every way to change one is found.
#include "pairs/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "pairs/instance.h"
#include "pipeline/rule_pairs.h"
#include "rules/rule_text.h"

namespace hallmark::pairs {
namespace {

using Steps = std::vector<std::string>;

std::vector<Sides> sides(const std::string& text) {
  return pipeline::sides_of(rules::parse_rules("hallmark 1\n" + text, "r.hm").at(0));
}

// A flattened sum as a double sum: the maps divide with remainder.
const std::string flattened = R"(rule r/flattened
  source "a sum over a flattened axis is the sum over the pairs"
  size M, N >= 1
  input x : f32[M, N]
  input w : f32[M]
  left  Y : f32[] = sum(i < M * N) x[i / N, i % N] * w[i / N]
  right Y : f32[] = sum(i < M) sum(j < N) x[i, j] * w[i]
)";

// A guard that one side has and the other says by its range.
const std::string guarded = R"(rule r/guarded
  source "steps where the condition is false add nothing"
  size N, K, L
  require K + L <= N
  input x : f32[N]
  left  Y : f32[] = sum(i < N) (if L <= i and i < L + K then x[i] else 0)
  right Y : f32[] = sum(k < K) x[L + k]
)";

// Two summands, of which one is over nothing, and coefficients.
const std::string several = R"(rule r/several
  source "products of sums, numbers before them, and what is never added"
  size N, K
  input x : f32[N, K]
  input y : f32[K, N]
  left  Y : f32[i < N] = 2 * (sum(k < K) x[i, k] * y[k, i]) - (if i >= N then x[i, 0] else 0)
  right Y : f32[i < N] = (sum(k < K) y[k, i] * x[i, k]) + (sum(k < K) x[i, K - 1 - k] * y[K - 1 - k, i])
)";

// A running sum less what came before (law SPLIT): the larger sum is taken apart at the smaller one.
const std::string apart = R"(rule r/apart
  source "the last element of a sum"
  size N, K
  require K < N
  input x : f32[N]
  left  Y : f32[] = (sum(k < K + 1) x[k]) - (sum(k < K) x[k])
  right Y : f32[] = x[K]
)";

// Maxima over a joined range and over its parts; neither map is one to one.
const std::string largest = R"(rule r/largest
  source "the maximum of a joined range"
  size M >= 1
  size N >= 1
  input x : f32[M]
  input y : f32[N]
  left  Y : f32[] = max(i < M + N) (if i < M then x[i] else y[i - M])
  right Y : f32[] = max(max(i < M) x[i], max(j < N) y[j])
)";

// An extremum and a sum inside the factors of another sum.
const std::string within = R"(rule r/within
  source "rows that are read as blocks"
  size R, M, N >= 1
  input x : f32[R, M * N]
  left  Y : f32[] = sum(r < R) exp(max(i < M * N) x[r, i]) * (1 / (1 + (sum(i < M * N) abs(x[r, i]))))
  right Y : f32[] = sum(r < R) exp(max(m < M) max(n < N) x[r, m * N + n]) * (1 / (1 + (sum(m < M) sum(n < N) abs(x[r, m * N + n]))))
)";

Steps found(const std::string& text) {
  const auto steps = pipeline::find_pairs(sides(text));
  EXPECT_TRUE(steps) << text;
  return steps.value_or(Steps{});
}

std::string fault(const std::string& text, const Steps& steps) {
  return check(sides(text), steps);
}

Steps replaced(const Steps& steps, const std::string& from, const std::string& to) {
  Steps out = steps;
  const auto at = std::find(out.begin(), out.end(), from);
  EXPECT_NE(at, out.end()) << from;
  if (at != out.end()) *at = to;
  return out;
}

TEST(Pairs, SayWhichSumsAreMatchedByWhichMaps) {
  const Steps steps = found(flattened);
  EXPECT_EQ(fault(flattened, steps), "");
  for (const char* line :
       {"sides r/flattened", "given 0 < N",
        "sum 1 * sum(k1 < M * N) * w[k1 / N]@real * x[k1 / N, k1 - N * (k1 / N)]@real",
        "sum -1 * sum(k1 < M, k2 < N) * w[k1]@real * x[k1, k2]@real", "pair 0 1", "phi j1 = k1 / N",
        "phi j2 = k1 - N * (k1 / N)", "psi k1 = j2 + N * j1", "factors 0 1"})
    EXPECT_TRUE(std::find(steps.begin(), steps.end(), line) != steps.end()) << line;
}

TEST(Pairs, AreTheSameInEveryRun) {
  const Steps first = found(several);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(found(several), first);
}

bool has(const Steps& steps, const std::string& line) {
  return std::find(steps.begin(), steps.end(), line) != steps.end();
}

TEST(Pairs, TakeALargerSumApart) {
  const Steps steps = found(apart);
  EXPECT_EQ(fault(apart, steps), "");
  EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [](const auto& s) { return s.starts_with("part "); }));
}

TEST(Pairs, SayAmongWhichElementsThoseOfAnExtremumAre) {
  const Steps steps = found(largest);
  EXPECT_EQ(fault(largest, steps), "");
  for (const char* line : {"inner max", "within 2", "within 3", "within 0", "within 1", "end"})
    EXPECT_TRUE(has(steps, line)) << line;
}

TEST(Pairs, LookIntoFactors) {
  const Steps steps = found(within);
  EXPECT_EQ(fault(within, steps), "");
  for (const char* line : {"inner max", "inner sum", "end"}) EXPECT_TRUE(has(steps, line)) << line;
}

TEST(Pairs, OfShippedRules) {
  // Of each sort: divisions with remainder, guards, one-hot sums apart, opaque factors, several summands.
  const std::set<std::string> wanted{"matmul/associate-left",
                                     "matmul/distribute-over-left-sum",
                                     "convolution/pad-into-padding",
                                     "attention/causal-guard",
                                     "collective/row-parallel",
                                     "conv/as-im2col-and-matmul",
                                     "concat/associates",
                                     "slice/compose-with-strides",
                                     "pool/split-k",
                                     "scan/in-two-levels",
                                     "norm/batch-norm-into-conv",
                                     "attention/gate-up-fusion",
                                     "pool/sum-of-flattened",
                                     "convert/wrapped-sum-in-any-order",
                                     "pool/max-of-concat",
                                     "pool/max-of-max-strided",
                                     "scan/differences-undo",
                                     "winograd/f-2-3",
                                     "attention/masked-softmax-as-shorter-sums"};
  std::set<std::string> seen;
  for (const rules::RuleFamily& family : rules::load_library({HALLMARK_SOURCE_DIR "/corpus/rules"})) {
    if (!wanted.contains(family.name)) continue;
    seen.insert(family.name);
    EXPECT_TRUE(pipeline::find_pairs(pipeline::sides_of(family))) << family.name;
  }
  EXPECT_EQ(seen, wanted);
}

// What these laws do not show has none: a maximum and a sum exchanged, one that starts from nothing and one
// that starts from 0, a maximum and a minimum, elements that only one side has, a choice by elements, a sum
// that is taken apart at what is none of its elements, folds within factors that differ.
TEST(Pairs, OfNothingElse) {
  const std::string head =
      "rule r/none\n  source \"s\"\n  size N >= 1\n  size K\n  input x : f32[N + K]\n  left  Y : f32[] = ";
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{
           {"max(i < N) x[i]", "max(0, max(i < N) x[i])"},
           {"max(i < N) x[i]", "min(i < N) x[i]"},
           {"max(i < N) x[i]", "max(i < N + K) x[i]"},
           {"max(i < N + K) x[i]", "max(i < N) x[i]"},
           {"max(i < N) x[i]", "max(i < N) x[i + K]"},
           {"max(i < N) x[i]", "x[0]"},
           {"x[0]", "max(i < N) x[i]"},
           {"max(i < K) x[0]", "x[0]"},  // K may be 0
           {"max(x[0], min(i < N) x[i])", "min(i < N) x[i]"},
           {"max(i < N) max(x[i], 0)", "max(i < N) (if x[i] <= 1 then x[i] else 0)"},
           {"max(i < N) (x[i] + x[i])", "(max(i < N) x[i]) + (max(i < N) x[0])"},
           {"exp(sum(i < N) x[i])", "exp(sum(i < N + K) x[i])"},
           {"exp(sum(i < N) x[i])", "exp(max(i < N) x[i])"},
           {"exp(sum(i < N) x[i])", "sum(i < N) exp(x[i])"},
           {"(sum(i < N) x[i]) - (sum(k < K) x[k])", "0"},
           {"(sum(i < N) x[i]) - (sum(i < N) x[i + K])", "0"},
           {"(sum(i < N + K) x[i]) - (sum(k < K) x[k])", "sum(i < N) x[i]"}})
    EXPECT_FALSE(pipeline::find_pairs(sides(head + left + "\n  right Y : f32[] = " + right + "\n")))
        << left << " and " << right;
  for (const char* text :
       {"rule r/max\n  source \"s\"\n  size N\n  input x : f32[N]\n  left  Y : f32[] = max(0, sum(i < N) "
        "x[i])\n  right Y : f32[] = sum(i < N) max(0, x[i])\n",
        "rule r/relu\n  source \"s\"\n  size N\n  input x : f32[N]\n  left  Y : f32[i < N] = max(x[i], 0)\n"
        "  right Y : f32[i < N] = (x[i] + abs(x[i])) / 2\n"})
    EXPECT_FALSE(pipeline::find_pairs(sides(text))) << text;
}

TEST(Pairs, EachKindOfTamperingIsFound) {
  const Steps steps = found(flattened);
  // A map one off, a map that is no inverse, one that is over the wrong set's variables, or no index.
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"phi j1 = k1 / N", "phi j1 = k1 / N + 1"},
           {"phi j1 = k1 / N", "phi j1 = 0"},
           {"phi j2 = k1 - N * (k1 / N)", "phi j2 = k1"},
           {"phi j2 = k1 - N * (k1 / N)", "phi j2 = j2"},
           {"phi j2 = k1 - N * (k1 / N)", "phi j2 = 1.5"},
           {"phi j2 = k1 - N * (k1 / N)", "phi j2 = zz"},
           {"phi j2 = k1 - N * (k1 / N)", "phi j2 = (((("},
           {"psi k1 = j2 + N * j1", "psi k1 = j1 + M * j2"},
           {"psi k1 = j2 + N * j1", "psi k1 = j2 + N * j1 - 1"},
           {"pair 0 1", "pair 0 0"},
           {"pair 0 1", "pair 1 0"},
           {"pair 0 1", "pair 0 7"},
           {"pair 0 1", "empty 0"},
           {"factors 0 1", "factors 1 0"},
           {"factors 0 1", "factors 0 0"},
           {"factors 0 1", "factors 0"},
           {"given 0 < N", "given 1 < N"},
           {"given 0 < N", "given 0 <= N + 1"},
           {"sides r/flattened", "sides r/other"},
           {"sum 1 * sum(k1 < M * N) * w[k1 / N]@real * x[k1 / N, k1 - N * (k1 / N)]@real",
            "sum 1 * sum(k1 < M * N - 1) * w[k1 / N]@real * x[k1 / N, k1 - N * (k1 / N)]@real"},
           {"sum -1 * sum(k1 < M, k2 < N) * w[k1]@real * x[k1, k2]@real",
            "sum -1 * sum(k1 < M, k2 < N) * w[k1]@real * x[k2, k1]@real"}})
    EXPECT_NE(fault(flattened, replaced(steps, from, to)), "") << to;
  EXPECT_NE(fault(flattened, {}), "");
  EXPECT_NE(check({}, {}), "");
}

// The steps of a right rule with the heading of a wrong one, as somebody would write them who may change all
// of a bundle.
TEST(Pairs, TamperingWithinElementsAndPartsIsFound) {
  const Steps parts = found(apart), maxima = found(largest), inner = found(within);
  const auto changed = [](const Steps& steps, const std::string& starts, const std::string& to) {
    Steps out = steps;
    const auto at =
        std::find_if(out.begin(), out.end(), [&](const std::string& s) { return s.starts_with(starts); });
    EXPECT_NE(at, out.end()) << starts;
    if (at != out.end()) *at = to;
    return out;
  };
  for (const char* to :
       {"part 0 where 0 <= 1", "part 0", "part 0 where ", "part 7 where k1 < K", "part 0 where K",
        "part 0 where k1 < K + 1", "part 0 where j1 < K", "part 1 where k1 < K", "part 0 where x[k1] <= 0",
        "part 0 where zz <= 0", "part 0 where 1 <= 0", "empty 0"})
    EXPECT_NE(fault(apart, changed(parts, "part ", to)), "") << to;
  for (const char* to : {"within 1", "within 0", "within 3", "within 9", "within", "empty",
                         "part where k1 < M", "part where ", "inner max", "end"})
    EXPECT_NE(fault(largest, changed(maxima, "within 2", to)), "") << to;
  for (const char* to : {"inner min", "inner sum", "inner", "end"})
    EXPECT_NE(fault(largest, changed(maxima, "inner max", to)), "") << to;
  for (const char* to : {"left max(k1 < N where k1 < M) x[k1]@real", "right max(k1 < M) x[k1]@real"})
    EXPECT_NE(fault(largest, changed(maxima, "left max", to)), "") << to;
  // Nothing of an inner element may be left out, and none may stand twice.
  for (const auto& [text, steps] : {std::pair{largest, maxima}, std::pair{within, inner}}) {
    const auto from =
        std::find_if(steps.begin(), steps.end(), [](const auto& s) { return s.starts_with("inner"); });
    const auto to = std::find(from, steps.end(), "end") + 1;
    Steps without(steps.begin(), from), twice(steps.begin(), to);
    without.insert(without.end(), to, steps.end());
    twice.insert(twice.end(), from, steps.end());
    EXPECT_NE(fault(text, without), "");
    EXPECT_NE(fault(text, twice), "");
  }
}

TEST(Pairs, OfARightRuleShowNoWrongOne) {
  const auto forged = [](const std::string& right, const std::string& from, const std::string& to) {
    std::string wrong = right;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_FALSE(pipeline::find_pairs(sides(wrong))) << wrong;
    Steps steps = Instance(sides(wrong).at(0)).heading(), old = found(right);
    const auto heading = [](const std::string& s) {
      return s.starts_with("sides ") || s.starts_with("given ") || s.starts_with("sum ");
    };
    std::copy_if(old.begin(), old.end(), std::back_inserter(steps),
                 [&](const auto& s) { return !heading(s); });
    EXPECT_NE(fault(wrong, steps), "") << wrong;
  };
  // A guard dropped, or one off.
  forged(guarded, "L <= i and i < L + K", "L <= i");
  forged(guarded, "L <= i", "L < i");
  forged(guarded, "require K + L <= N", "require K <= N");
  // An extent changed; a requirement that the divisor be positive is needed, too.
  forged(flattened, "sum(i < M * N)", "sum(i < M * N + 1)");
  forged(flattened, "sum(i < M) sum", "sum(i < N) sum");
  forged(flattened, "sum(j < N) x", "sum(j < N + 1) x");
  // An index, a factor, a coefficient.
  forged(flattened, "x[i, j] * w[i]", "x[i, j] * w[j]");
  forged(flattened, "w[i / N]", "w[i % N]");
  forged(several, "2 * (sum", "3 * (sum");
  forged(several, "x[i, K - 1 - k]", "x[i, K - k]");
  forged(several, "if i >= N", "if i >= N - 1");
  // Sums that are taken apart, extrema, and what stands within factors.
  forged(apart, "K + 1", "K + 2");
  forged(apart, "= x[K]", "= x[K - 1]");
  forged(largest, "max(i < M + N)", "max(i < M + N + 1)");
  forged(largest, "max(j < N)", "max(j < N - 1)");
  forged(largest, "max(j < N) y[j]", "max(j < N) y[0]");
  forged(largest, "max(j < N) y[j]", "min(j < N) y[j]");
  forged(largest, "if i < M", "if i <= M");
  forged(within, "max(n < N)", "max(n < N - 1)");
  forged(within, "sum(n < N)", "sum(n < N - 1)");
  forged(within, "abs(x[r, m * N + n])", "abs(x[r, m])");
  forged(within, "max(m < M)", "min(m < M)");
}

// Of every line: left out, twice, exchanged with the next, each of its numbers one more. What survives is
// another proof of the same: a multiple that does as well, a fact beside those that are needed.
TEST(Pairs, ChangedLinesAreFound) {
  std::size_t mutants = 0, killed = 0;
  for (const std::string& text : {flattened, guarded, several, apart, largest}) {
    const Steps steps = found(text);
    const auto judge = [&](const Steps& mutant, bool statement) {
      if (mutant == steps) return;
      ++mutants;
      const bool dead = !fault(text, mutant).empty();
      killed += dead ? 1 : 0;
      // A line that says what is shown, and not why, has no other form.
      EXPECT_TRUE(dead || !statement);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
      bool statement = false;
      for (const char* verb : {"sides ", "given ", "sum ", "pair ", "phi ", "psi ", "factors ", "show ",
                               "empty ", "inner ", "left ", "right ", "within ", "end"})
        statement = statement || steps[i].starts_with(verb);
      Steps mutant = steps;
      mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(i));
      judge(mutant, statement);
      mutant = steps;
      mutant.insert(mutant.begin() + static_cast<std::ptrdiff_t>(i), steps[i]);
      judge(mutant, statement);
      mutant = steps;
      if (i + 1 < steps.size()) std::swap(mutant[i], mutant[i + 1]);
      judge(mutant, statement);
      for (std::size_t c = 0; c < steps[i].size(); ++c) {
        if (steps[i][c] < '0' || steps[i][c] > '8') continue;
        mutant = steps;
        ++mutant[i][c];
        judge(mutant, statement);
      }
    }
  }
  EXPECT_GT(mutants, 400u);
  EXPECT_GE(100 * killed, 95 * mutants) << killed << " of " << mutants;
  RecordProperty("mutants", static_cast<int>(mutants));
  RecordProperty("killed", static_cast<int>(killed));
  printf("%zu of %zu changed certificates are refused\n", killed, mutants);
}

// What is written to keep the checker busy is refused before it is multiplied out.
TEST(Pairs, HostileStepsEndSoon) {
  const Steps steps = found(flattened);
  std::string wide = "0", high = "k1", sum = "k1";
  for (int i = 1; i <= 40; ++i) wide += " + " + std::to_string(i) + " * (k1 / " + std::to_string(i + 1) + ")";
  for (int i = 1; i <= 9; ++i) high += " * k1";
  for (int i = 1; i <= 9; ++i) sum += " * (k1 + N + M)";
  for (const std::string& image : {wide, high, sum})
    EXPECT_NE(fault(flattened, replaced(steps, "phi j1 = k1 / N", "phi j1 = " + image)), "");
  std::string back = "(j1 + j2 + N + M + 1)";
  for (int i = 1; i <= 3; ++i) back += " * (j1 + j2 + N + M + 1)";
  Steps both = replaced(steps, "phi j1 = k1 / N", "phi j1 = " + sum);
  EXPECT_NE(fault(flattened, replaced(both, "psi k1 = j2 + N * j1", "psi k1 = " + back)), "");
  Steps many = steps;
  const auto show =
      std::find_if(many.begin(), many.end(), [](const auto& s) { return s.starts_with("show "); });
  many.insert(show + 1, 100000, "times 0 0");
  EXPECT_NE(fault(flattened, many), "");
  many = steps;
  const auto first =
      std::find_if(many.begin(), many.end(), [](const auto& s) { return s.starts_with("show "); });
  Steps facts;
  for (int i = 0; i < 1000; ++i) facts.insert(facts.end(), {"have 0 <= N", "close 0:1"});
  many.insert(first, facts.begin(), facts.end());
  EXPECT_NE(fault(flattened, many), "");
}

// Sides that are small as they stand and large when they are multiplied out.
TEST(Pairs, HostileSidesEndSoon) {
  Sides about = sides(several).at(0);
  calculus::Term doubled = about.left, zero = calculus::real_constant(0), product = about.left;
  for (int i = 0; i < 60; ++i) {
    doubled = calculus::apply(calculus::Op::add, {doubled, doubled});
    zero = calculus::operation(calculus::Op::mul, {zero, zero}, calculus::Sort::real());
    product = calculus::operation(calculus::Op::mul, {product, product}, calculus::Sort::real());
  }
  for (calculus::Term left : {doubled, zero, product}) {
    about.left = left;
    EXPECT_FALSE(pipeline::find_pairs({about}));
    EXPECT_NE(check({about}, found(several)), "");
  }
}

// Random bytes never check and never end the checker.
TEST(Pairs, GarbageIsRefused) {
  std::mt19937 random(7);
  const Steps steps = found(several);
  std::size_t refused = 0, tried = 0;
  for (int round = 0; round < 400; ++round) {
    Steps mutant = steps;
    std::string& line = mutant[random() % mutant.size()];
    if (line.empty()) continue;
    line[random() % line.size()] = static_cast<char>(32 + random() % 95);
    if (mutant == steps) continue;
    ++tried;
    refused += fault(several, mutant).empty() ? 0 : 1;
  }
  EXPECT_GE(100 * refused, 85 * tried) << refused << " of " << tried;
}

}  // namespace
}  // namespace hallmark::pairs
