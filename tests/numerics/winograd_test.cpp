// Winograd's F(2,3) and F(4,3) over channels: the bound of the transformed products (amplified by the
// transforms) above the expression tool's at a few channels and above every run; in half precision F(4,3) is
// refuted where the direct convolution is proved.
#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "calculus/text/text.h"
#include "formulation/erase.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"
#include "numerics/output_bound.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

// The transforms as text over d0.., g0.. and the products p0..: Lavin and Gray, arXiv 1509.09308.
struct Scheme {
  std::vector<std::string> data, filter, output;
};
const Scheme two{{"d0 - d2", "d1 + d2", "d2 - d1", "d1 - d3"},
                 {"g0", "((g0 + g1) + g2) * 0.5", "((g0 - g1) + g2) * 0.5", "g2"},
                 {"(p0 + p1) + p2", "(p1 - p2) - p3"}};
const Scheme four{{"(4 * d0 - 5 * d2) + d4", "(d4 + d3) - 4 * (d1 + d2)", "(d4 - d3) + 4 * (d1 - d2)",
                   "(d4 - d2) + 2 * (d3 - d1)", "(d4 - d2) - 2 * (d3 - d1)", "(4 * d1 - 5 * d3) + d5"},
                  {"g0 / 4", "((g0 + g1) + g2) / -6", "((g1 - g0) - g2) / 6", "(g0 / 24 + g1 / 12) + g2 / 6",
                   "(g0 / 24 - g1 / 12) + g2 / 6", "g2"},
                  {"((p0 + p1) + p2) + (p3 + p4)", "(p1 - p2) + 2 * (p3 - p4)", "(p1 + p2) + 4 * (p3 + p4)",
                   "((p1 - p2) + 8 * (p3 - p4)) + p5"}};

void replace(std::string& text, const std::string& mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}
std::string with_loads(std::string text, const std::string& index) {
  for (int i = 0; i < 6; ++i) {
    replace(text, fmt::format("d{}", i), fmt::format("D[{}, {}]", i, index));
    replace(text, fmt::format("g{}", i), fmt::format("G[{}, {}]", i, index));
  }
  return text;
}

// `stored`: the format of tile, filter and what the transforms make of them; products add up in `sums`.
std::string winograd(const Scheme& s, long channels, const std::string& stored, const std::string& sums) {
  const std::size_t tile = s.data.size();
  std::string out =
      fmt::format("hallmark 1\nprogram rounded\ninput D : {0}[{1}, {2}]\ninput G : {0}[3, {2}]\n", stored,
                  tile, channels);
  const std::string wide = stored == sums ? "u{0}[k] * v{0}[k]" : "{5}(u{0}[k]) * {5}(v{0}[k])";
  for (std::size_t i = 0; i < tile; ++i)
    out += fmt::format(fmt::runtime("define v{0} : {1}[c < {2}] = {3}\ndefine u{0} : {1}[c < {2}] = {4}\n"
                                    "define p{0} : {5}[] = sum(k < {2}; order seq) " +
                                    wide + "\n"),
                       i, stored, channels, with_loads(s.data[i], "c"), with_loads(s.filter[i], "c"), sums);
  for (std::size_t j = 0; j < s.output.size(); ++j) {
    std::string y = s.output[j];
    for (std::size_t i = 0; i < tile; ++i) replace(y, fmt::format("p{}", i), fmt::format("P{}[]", i));
    replace(y, "P", "p");
    out += fmt::format("define y{} : {}[] = {}\noutput y{}\n", j, sums, y, j);
  }
  return out;
}

// One channel as an FPCore: infix over one letter and a digit, with parentheses, to prefix.
std::string prefix(const std::string& text, std::size_t& at);
std::string primary(const std::string& text, std::size_t& at) {
  while (text[at] == ' ') ++at;
  if (text[at] == '(') {
    ++at;
    const std::string out = prefix(text, at);
    while (text[at] == ' ') ++at;
    ++at;
    return out;
  }
  std::string out;
  while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.' ||
                              (text[at] == '-' && out.empty())))
    out += text[at++];
  return out;
}
std::string chain(const std::string& text, std::size_t& at, const std::string& operators,
                  const std::function<std::string(const std::string&, std::size_t&)>& operand) {
  std::string left = operand(text, at);
  for (;;) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (at >= text.size() || operators.find(text[at]) == std::string::npos) return left;
    const char sign = text[at++];
    const std::string right = operand(text, at);
    left = fmt::format("({} {} {})", sign, left, right);
  }
}
std::string prefix(const std::string& text, std::size_t& at) {
  return chain(text, at, "+-",
               [](const std::string& t, std::size_t& i) { return chain(t, i, "*/", primary); });
}
std::string prefix(const std::string& text) {
  std::size_t at = 0;
  return prefix(text, at);
}
std::string one_channel(const Scheme& s, std::size_t output) {
  std::string names, ranges, bindings;
  const auto input = [&](const std::string& name) {
    names += " " + name;
    ranges += " (<= -1 " + name + " 1)";
  };
  for (std::size_t i = 0; i < s.data.size(); ++i) input(fmt::format("d{}", i));
  for (int i = 0; i < 3; ++i) input(fmt::format("g{}", i));
  for (std::size_t i = 0; i < s.data.size(); ++i)
    bindings += fmt::format(" (p{} (* {} {}))", i, prefix(s.filter[i]), prefix(s.data[i]));
  return "(FPCore (" + names + ") :precision binary32 :pre (and" + ranges + ") (let (" + bindings + ") " +
         prefix(s.output[output]) + "))";
}

// The convolution itself: y_j = sum over channels and taps of D[j + t] G[t].
Program direct(std::size_t outputs, long channels, const std::string& stored, const std::string& sums) {
  std::string out =
      fmt::format("hallmark 1\nprogram rounded\ninput D : {0}[{1}, {2}]\ninput G : {0}[3, {2}]\n", stored,
                  outputs + 2, channels);
  const std::string cast = stored == sums ? "" : sums;
  for (std::size_t j = 0; j < outputs; ++j) {
    out += fmt::format("define y{0} : {1}[] = sum(k < {2}; order seq) (", j, sums, channels);
    for (int t = 0; t < 3; ++t)
      out += fmt::format("{0}{1}(D[{2}, k]) * {1}(G[{3}, k])", t > 0 ? " + " : "", cast,
                         j + static_cast<std::size_t>(t), t);
    out += fmt::format(")\noutput y{}\n", j);
  }
  return calculus::text::parse_program(out, "direct.hm");
}

ProgramResult analysed(const Program& program, const Rational& edge) {
  const contract::Contract c = boxes(program, -edge, edge);
  return analyse({program, c, nullptr, nullptr, nullptr, nullptr}, Pass::composed);
}
Rational bound_of(const ProgramResult& result, const std::string& output) {
  const DefinitionResult& r = result.at(output);
  EXPECT_TRUE(r.value.has_value()) << output << (r.failure ? r.failure->message : "");
  return r.value ? r.value->absolute.exact_high() : Rational(0);
}

TEST(Winograd, IsTheConvolutionOverTheReals) {
  std::mt19937_64 random(3);
  for (const Scheme* s : {&two, &four}) {
    const long channels = 3;
    const Program exact =
        formulation::erase(calculus::text::parse_program(winograd(*s, channels, "f32", "f32"), "w.hm"));
    Point point;
    const auto fill = [&](const char* name, long rows) {
      std::vector<double> values;
      for (long i = 0; i < rows * channels; ++i)
        values.push_back(static_cast<double>(random() % 64) / 16 - 2);
      point.inputs[name] = tensor(Format::f32, {rows, channels}, values);
    };
    fill("D", static_cast<long>(s->data.size()));
    fill("G", 3);
    Reference reference(exact, point);
    for (std::size_t j = 0; j < s->output.size(); ++j) {
      Rational sum = 0;
      for (long k = 0; k < channels; ++k)
        for (long t = 0; t < 3; ++t)
          sum += *element_value(point.inputs.at("D"), (static_cast<long>(j) + t) * channels + k) *
                 *element_value(point.inputs.at("G"), t * channels + k);
      const ReferenceValue value = reference.element("y" + std::to_string(j), {});
      ASSERT_EQ(value.kind, ReferenceValue::Kind::real) << value.reason;
      EXPECT_TRUE(value.real->contains(sum)) << j;
    }
  }
}

TEST(Winograd, BoundsAreAboveEveryRun) {
  std::mt19937_64 random(17);
  for (const Scheme* s : {&two, &four})
    for (const auto& [stored, sums] : std::vector<std::pair<Format, Format>>{{Format::f32, Format::f32},
                                                                             {Format::f16, Format::f32},
                                                                             {Format::bf16, Format::f32},
                                                                             {Format::f16, Format::f16}}) {
      const long channels = 64, tile = static_cast<long>(s->data.size());
      const Program program = calculus::text::parse_program(
          winograd(*s, channels, std::string(name(stored)), std::string(name(sums))), "w.hm");
      const ProgramResult result = analysed(program, 1);
      for (int run = 0; run < 30; ++run) {
        Point point;
        const auto fill = [&](const char* input, long rows) {
          std::vector<double> values;
          for (long i = 0; i < rows * channels; ++i) {
            const double t = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;
            // Ends with every sign, ends where the transforms do not cancel, all alike, and anything.
            const double kinds[] = {random() % 2 == 0 ? 1.0 : -1.0, i / channels % 2 == 0 ? 1.0 : -1.0,
                                    1 - std::ldexp(1.0, -9), t};
            values.push_back(kinds[run % 4] * (run % 4 == 1 ? 1 - std::fabs(t) / 1024 : 1));
          }
          point.inputs[input] = tensor(stored, {rows, channels}, values);
        };
        fill("D", tile);
        fill("G", 3);
        const auto computed = simulate(program, point);
        for (std::size_t j = 0; j < s->output.size(); ++j) {
          Rational sum = 0;
          for (long k = 0; k < channels; ++k)
            for (long t = 0; t < 3; ++t)
              sum += *element_value(point.inputs.at("D"), (static_cast<long>(j) + t) * channels + k) *
                     *element_value(point.inputs.at("G"), t * channels + k);
          const std::string y = "y" + std::to_string(j);
          EXPECT_LE(abs(*element_value(computed.at(y), 0) - sum), bound_of(result, y))
              << y << name(stored) << name(sums);
        }
      }
    }
}

// One channel: theorem >= tool >= witness.
TEST(Winograd, BoundsAreAboveTheExpressionTool) {
  for (const Scheme* s : {&two, &four}) {
    const ProgramResult theorem =
        analysed(calculus::text::parse_program(winograd(*s, 1, "f32", "f32"), "w.hm"), 1);
    for (std::size_t j = 0; j < s->output.size(); ++j) {
      ExpressionModel model;
      model.inputs_rounded = false;
      WitnessSearch search;
      search.samples = 3000;
      BoundOptions options;
      options.evaluations = 3000;
      const std::string text = one_channel(*s, j);
      const ExpressionReport tool =
          bound_expression(read_fpcores(text, "t.fpcore").at(0), model, options, search);
      ASSERT_TRUE(tool.proved && tool.witness) << text << tool.reason;
      const Rational most = bound_of(theorem, "y" + std::to_string(j));
      EXPECT_GE(most, tool.search.exhausted ? exact_rational(tool.search.at_points) : tool.bound) << j;
      EXPECT_GE(tool.bound, tool.witness->error) << j;
      EXPECT_LE(most, 12 * tool.witness->error) << j;
    }
  }
}

// How much the transforms amplify: the bound as a multiple of the direct convolution's.
TEST(Winograd, FourOutputsCostMoreThanTwo) {
  for (const auto& [stored, sums] :
       std::vector<std::pair<std::string, std::string>>{{"f32", "f32"}, {"f16", "f32"}}) {
    double cost[2];
    for (const Scheme* s : {&two, &four}) {
      const ProgramResult fast =
          analysed(calculus::text::parse_program(winograd(*s, 64, stored, sums), "w.hm"), 1);
      const ProgramResult plain = analysed(direct(s->output.size(), 64, stored, sums), 1);
      Rational most = 0;
      for (std::size_t j = 0; j < s->output.size(); ++j)
        most = std::max(most, bound_of(fast, "y" + std::to_string(j)));
      const Rational reference = bound_of(plain, "y0");
      std::printf("Winograd F(%zu,3), 64 channels, %s: %.3e, direct %.3e\n", s->output.size(), stored.c_str(),
                  most.get_d(), reference.get_d());
      cost[s == &four] = Rational(most / reference).get_d();
    }
    EXPECT_GT(cost[1], 2 * cost[0]);
    EXPECT_GT(cost[0], 1);
  }
}

TEST(Winograd, OfFourOutputsInHalfPrecisionIsRefutedAndInSinglePrecisionProved) {
  const auto state = [](const Scheme& s, const std::string& stored, const std::string& output) {
    const Program given = calculus::text::parse_program(winograd(s, 8, stored, "f32"), "w.hm");
    const Program meant = formulation::erase(given);
    const std::vector<formulation::RoundedConstant> none;
    const contract::Contract c = with_tolerance(boxes(given, -1, 1), Rational(1, 1000));
    return tolerance_outcome({meant, given, none, c}, output);
  };
  const Outcome half = state(four, "f16", "y3");
  EXPECT_EQ(half.state, State::refuted) << half.detail;
  EXPECT_TRUE(half.witness.has_value());
  const Outcome single = state(four, "f32", "y3");
  EXPECT_EQ(single.state, State::proved) << single.detail;
  EXPECT_EQ(state(two, "f32", "y0").state, State::proved);
}

}  // namespace
}  // namespace hallmark::numerics
