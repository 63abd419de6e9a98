#include "numerics/witness.h"

#include <algorithm>
#include <random>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "calculus/sizes.h"
#include "contract/format_values.h"
#include "contract/number.h"
#include "formulation/round_constant.h"
#include "numerics/adverse_points.h"
#include "numerics/describe.h"
#include "numerics/patterns.h"
#include "numerics/tensor_data.h"
#include "numerics/tolerance.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

Integer work_of(Term a, const Point& point, std::unordered_map<Term, Integer>& memo) {
  if (const auto found = memo.find(a); found != memo.end()) return found->second;
  Integer inside = 1;
  for (Term child : a->children)
    if (child->sort != Sort::index()) inside += work_of(child, point, memo);
  if (a->kind == Kind::fold) {
    // An extent over axes, outer variables or elements counts as one.
    if (is_over_symbols(a->children[0])) inside *= std::max(Integer(1), evaluate_size(a->children[0], point));
  }
  memo.emplace(a, inside);
  return inside;
}

std::uint64_t encode(const Rational& value, Format format) {
  if (format == Format::boolean) return value != 0 ? 1 : 0;
  if (is_float(format)) {
    const auto bits = formulation::round_to_nearest(value, format);
    ensure(bits.has_value(), "an input beyond its format");
    return *bits;
  }
  return *to_u64(floor_mod(value.get_num(), power_of_two(storage_bits(format))));
}

std::string hexadecimal(std::uint64_t bits, Format format) {
  static const char* digits = "0123456789abcdef";
  std::string out;
  for (int shift = static_cast<int>(storage_bits(format)) - 4; shift >= 0; shift -= 4)
    out += digits[bits >> shift & 15];
  return "0x" + out;
}

constexpr std::int64_t most_elements = 4096;

std::string element_text(const TensorData& data, std::int64_t index) {
  const auto value = element_value(data, index);
  std::string text = "not finite";
  if (value && is_float(data.format))
    text = float_text(*value, data.format);
  else if (value)
    text = contract::print_number(*value);
  return text + " (" + hexadecimal(element_bits(data, index), data.format) + ")";
}

std::vector<std::int64_t> unflatten(std::int64_t flat, const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> out(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    out[d] = flat % extents[d];
    flat /= extents[d];
  }
  return out;
}

std::string place(const std::string& tensor, const std::vector<std::int64_t>& indices) {
  std::string out = tensor;
  if (!indices.empty()) {
    out += "[";
    for (std::size_t d = 0; d < indices.size(); ++d) out += (d == 0 ? "" : ", ") + std::to_string(indices[d]);
    out += "]";
  }
  return out;
}

// What a Real or Float term of a definition divides by, or takes the root or logarithm of: probes of its
// domain.
struct Probe {
  std::string definition, name;
  Term operand = nullptr;
  Op op = Op::none;
};

bool outside(Op op, const Rational& v) {
  if (op == Op::div) return v == 0;
  return op == Op::sqrt ? v < 0 : v <= 0;
}

// The nodes that are evaluated for every element: not those in a branch of a select or in a step of a fold,
// where an operand outside of its domain may never be used.
std::vector<Term> always_evaluated(Term a) {
  std::vector<Term> out, open{a};
  std::set<Term, TermLess> seen;
  while (!open.empty()) {
    const Term node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    out.push_back(node);
    if (node->kind == Kind::select || node->kind == Kind::index_select)
      open.push_back(node->children[0]);
    else if (node->kind == Kind::fold)
      open.insert(open.end(), node->children.begin() + 2, node->children.begin() + 2 + node->size);
    else
      open.insert(open.end(), node->children.begin(), node->children.end());
  }
  return out;
}

class Search {
 public:
  Search(const Program& exact, const Program& formulation, const contract::Contract& contract,
         const WitnessGoals& goals, const WitnessOptions& options)
      : exact_(exact),
        formulation_(formulation),
        contract_(contract),
        goals_(goals),
        options_(options),
        random_(options.seed) {}

  Findings run() {
    if (!options_.simulate) return refuse("no simulation was given");
    for (const SymbolRange& symbol : formulation_.symbols) point_.symbols[symbol.name] = small_size(symbol);
    if (!prepare()) return std::move(findings_);
    if (boxes_.empty()) {
      // A program without inputs has one run.
      try_point(point_, "no inputs");
      return std::move(findings_);
    }
    search();
    if (!done_with_goals() && enlarge()) search_patterns();
    return std::move(findings_);
  }

 private:
  void search() {
    search_patterns();
    for (std::size_t a = 0; a < pattern_count() && boxes_.size() > 1; ++a)
      try_pattern(a, (a + 1 + random_() % (pattern_count() - 1)) % pattern_count());
    for (std::size_t i = 0; i < options_.random_points && !done(); ++i) try_point(random_point(), "random");
    climb();
  }

  void search_patterns() {
    for (std::size_t pattern = 0; pattern < pattern_count(); ++pattern) try_pattern(pattern, pattern);
    for (std::size_t pattern = 0; pattern < pattern_count() && has_rows(); ++pattern)
      if (pattern_singles_out(pattern)) try_pattern(pattern, pattern, false);
    if (!done())
      for (const NamedPoint& built : adverse_points(formulation_, point_, boxes_))
        if (!done()) try_point(built.point, built.origin);
  }

  Findings refuse(const std::string& why) {
    findings_.not_searched = why;
    return std::move(findings_);
  }

  // A size at which something can happen.
  Integer small_size(const SymbolRange& symbol) const {
    const contract::DimensionRange range = contract::range_of(contract_, symbol);
    const Integer wanted = std::max(range.low, Integer(4));
    return range.high ? std::min(wanted, *range.high) : wanted;
  }

  // Errors of folds grow with their length: those that one extent decides are made as long as the contract
  // and the work of some runs allow, everything else stays small. False where that changes nothing.
  bool enlarge() {
    constexpr long most_runs = 60, longest = 1 << 16, most_elements_in = 1 << 20;
    std::set<std::string> lengths;
    for (const Definition& definition : formulation_.definitions)
      for_each_node(definition.body, [&](Term n) {
        if (n->kind == Kind::fold)
          for_each_node(n->children[0], [&](Term m) {
            if (m->kind == Kind::symbol) lengths.insert(std::string(m->name));
          });
      });
    const Point small = point_;
    for (const SymbolRange& symbol : formulation_.symbols)
      if (lengths.contains(symbol.name)) {
        const std::optional<Integer> high = contract::range_of(contract_, symbol).high;
        Integer& size = point_.symbols[symbol.name];
        size = std::max(size, high ? std::min(*high, Integer(longest)) : Integer(longest));
      }
    const auto too_much = [&] {
      Integer elements = 0;
      for (const Declaration& input : formulation_.inputs) {
        Integer size = 1;
        for (Term extent : input.extents) size *= evaluate_size(extent, point_);
        elements += size;
      }
      return elements > most_elements_in ||
             estimated_work(formulation_, point_) * most_runs > from_u64(options_.work_limit);
    };
    while (too_much()) {
      // The longest, halved, as far as it is above its small size.
      Integer* longest_one = nullptr;
      for (auto& [name, size] : point_.symbols)
        if (size > small.symbols.at(name) && (longest_one == nullptr || size > *longest_one))
          longest_one = &size;
      if (longest_one == nullptr) return false;
      for (auto& [name, size] : point_.symbols)
        if (&size == longest_one) size = std::max(small.symbols.at(name), Integer(size / 2));
    }
    if (point_.symbols == small.symbols) return false;
    for (const auto& [name, size] : point_.symbols)
      if (lengths.contains(name)) where_ += ", " + name + " = " + size.get_str();
    point_.inputs.clear();
    boxes_.clear();
    probes_.clear();
    best_.reset();
    if (prepare()) return true;
    findings_.not_searched.clear();  // it was, at small sizes
    return false;
  }

  bool prepare() {
    for (const Declaration& input : formulation_.inputs) {
      Box box{input.format, contract::least_value(input.format), contract::largest_value(input.format)};
      if (const auto found = contract_.inputs.find(input.name); found != contract_.inputs.end()) {
        box.low = -contract::round_down(Rational(-found->second.low), input.format);
        box.high = contract::round_down(found->second.high, input.format);
      }
      if (box.low > box.high) return refuse("a box without a value"), false;
      std::vector<std::int64_t> extents;
      for (Term extent : input.extents) {
        const auto value = to_i64(evaluate_size(extent, point_));
        if (!value || *value > 100'000'000) return refuse("an input too large to run"), false;
        extents.push_back(*value);
      }
      boxes_.emplace_back(input.name, box);
      point_.inputs[input.name] = zero_tensor(input.format, extents);
    }
    const Integer work = estimated_work(formulation_, point_);
    if (work > from_u64(options_.work_limit)) return refuse("one run takes too many steps"), false;
    points_left_ = *to_u64(
        std::min(Integer(from_u64(options_.work_limit) / std::max(Integer(1), work)), Integer(100'000)));
    // All definitions are watched, and the operands of operations with a domain.
    watched_ = formulation_;
    for (const Definition& definition : formulation_.definitions) {
      if (std::find(watched_.outputs.begin(), watched_.outputs.end(), definition.declaration.name) ==
          watched_.outputs.end())
        watched_.outputs.push_back(definition.declaration.name);
      add_probes(definition);
    }
    return true;
  }

  void add_probes(const Definition& definition) {
    std::vector<std::pair<Op, Term>> operands;
    const auto see = [&](Op op, Term operand) {
      if (operand->sort.kind == Sort::Kind::floating && !operand->open && operand->kind != Kind::constant)
        operands.emplace_back(op, operand);
    };
    for (Term node : always_evaluated(definition.body)) {
      if (node->kind != Kind::operation || node->sort.kind != Sort::Kind::floating) continue;
      if (node->op == Op::div) see(Op::div, node->children[1]);
      if (node->op == Op::sqrt) see(Op::sqrt, node->children[0]);
      if (node->op == Op::custom && node->name.rfind("log_", 0) == 0) see(Op::log, node->children[0]);
      if (node->op == Op::custom && node->name.rfind("rsqrt_", 0) == 0) see(Op::rsqrt, node->children[0]);
    }
    for (const auto& [op, operand] : operands) {
      Probe probe{definition.declaration.name, "probe." + std::to_string(probes_.size()), operand, op};
      Definition extra = definition;
      extra.declaration.name = probe.name;
      extra.declaration.format = operand->sort.format;
      extra.body = operand;
      watched_.definitions.push_back(extra);
      watched_.outputs.push_back(probe.name);
      probes_.push_back(probe);
    }
    if (goals_.range.count(definition.declaration.name) == 0) return;
    // Infinities inside that the result does not show: 1 / (1 + e^-x).
    std::size_t count = 0;
    for (Term node : always_evaluated(definition.body)) {
      if (node->kind != Kind::operation || node->sort.kind != Sort::Kind::floating || node->open ||
          node == definition.body || ++count > 16)
        continue;
      Probe probe{definition.declaration.name, "probe." + std::to_string(probes_.size()), node, Op::none};
      Definition extra = definition;
      extra.declaration.name = probe.name;
      extra.declaration.format = node->sort.format;
      extra.body = node;
      watched_.definitions.push_back(extra);
      watched_.outputs.push_back(probe.name);
      probes_.push_back(probe);
    }
  }

  // In the whole of each box, or in a part of it.
  Point random_point() {
    Point p = point_;
    for (const auto& [name, whole] : boxes_) {
      Box box = whole;
      if (calculus::is_float(box.format) && random_() % 2 == 0) {
        const Rational place = random_value(whole, random_),
                       reach = (whole.high - whole.low) *
                               contract::power_of_two_rational(-1 - static_cast<long>(random_() % 12));
        box.low = into_box(std::max(whole.low, Rational(place - reach)), whole);
        box.high = into_box(std::min(whole.high, Rational(place + reach)), whole);
        if (box.low > box.high) box = whole;
      }
      TensorData& data = p.inputs[name];
      for (std::int64_t i = 0; i < data.element_count(); ++i)
        set_element_bits(data, i, encode(random_value(box, random_), box.format));
    }
    return p;
  }

  bool has_rows() const {
    return std::any_of(point_.inputs.begin(), point_.inputs.end(),
                       [](const auto& input) { return input.second.extents.size() > 1; });
  }

  // Rows of a matrix all get the pattern of one row, or the whole of it is one row.
  void try_pattern(std::size_t first, std::size_t others, bool by_rows = true) {
    if (done()) return;
    Point p = point_;
    bool is_first = true;
    for (const auto& [name, box] : boxes_) {
      TensorData& data = p.inputs[name];
      const std::int64_t count = data.element_count();
      const std::int64_t last = data.extents.empty() ? 1 : std::max<std::int64_t>(1, data.extents.back());
      const std::int64_t row = by_rows ? last : std::max<std::int64_t>(1, count);
      for (std::int64_t i = 0; i < count; ++i)
        set_element_bits(
            data, i,
            encode(pattern_value(is_first ? first : others, box, i % row, row, random_), box.format));
      is_first = false;
    }
    try_point(p, pattern_name(first));
  }

  bool done() const { return points_left_ == 0 || done_with_goals(); }

  bool done_with_goals() const {
    const auto all = [](const std::set<std::string>& wanted, const std::map<std::string, Witness>& found) {
      return std::all_of(wanted.begin(), wanted.end(),
                         [&](const std::string& n) { return found.count(n) != 0; });
    };
    return all(goals_.tolerance, findings_.tolerance) && all(goals_.range, findings_.range) &&
           all(goals_.domain, findings_.domain) && all(goals_.undefined, findings_.undefined);
  }

  Witness witness(const Point& p, const std::string& origin) const {
    Witness w;
    w.executed_by = "evaluator";
    w.summary = origin;
    for (const auto& [name, size] : p.symbols) w.bindings.emplace_back(name, size.get_str());
    for (const auto& [name, data] : p.inputs) {
      std::string values;
      const std::int64_t count = data.element_count();
      // Whole, as far as somebody could still run it elsewhere; reports print the beginning.
      for (std::int64_t i = 0; i < std::min<std::int64_t>(count, most_elements); ++i)
        values += (i == 0 ? "" : ", ") + element_text(data, i);
      if (count > most_elements) values += ", ... " + std::to_string(count) + " elements in all";
      w.bindings.emplace_back(name, values);
    }
    return w;
  }

  // The worst error of the point as a multiple of the tolerance.
  double try_point(const Point& p, const std::string& how) {
    const std::string origin = how + where_;
    std::map<std::string, TensorData> computed;
    try {
      computed = options_.simulate(watched_, p);
    } catch (const Refusal&) {
      return 0;  // a point that cannot be run is no witness
    } catch (const UserError&) {
      return 0;
    }
    ++findings_.points;
    --points_left_;
    watch(p, computed, origin);
    double worst = 0;
    for (const std::string& output : formulation_.outputs)
      worst = std::max(worst, compare(p, computed, output, origin));
    if (worst > best_ratio_) {
      best_ratio_ = worst;
      best_ = p;
    }
    return worst;
  }

  // The first definition that computes an infinity or a NaN, and operands outside of a domain.
  void watch(const Point& p, const std::map<std::string, TensorData>& computed, const std::string& origin) {
    bool clean = true;
    for (const Definition& definition : formulation_.definitions) {
      const std::string& name = definition.declaration.name;
      const auto found = computed.find(name);
      if (found == computed.end() || !is_float(found->second.format)) continue;
      for (const Probe& probe : probes_)
        if (clean && probe.definition == name &&
            (probe.op == Op::none ? findings_.range : findings_.domain).count(name) == 0)
          check_probe(p, computed, probe, origin);
      for (std::int64_t i = 0; i < found->second.element_count() && clean; ++i) {
        if (element_value(found->second, i)) continue;
        clean = false;
        if (findings_.range.count(name) != 0) continue;
        Witness w = witness(p, origin);
        w.summary = place(name, unflatten(i, found->second.extents)) + " is not finite (" + origin + ")";
        w.expected = "a finite value";
        w.actual = element_text(found->second, i);
        findings_.range.emplace(name, w);
      }
    }
  }

  void check_probe(const Point& p, const std::map<std::string, TensorData>& computed, const Probe& probe,
                   const std::string& origin) {
    const auto found = computed.find(probe.name);
    if (found == computed.end()) return;
    for (std::int64_t i = 0; i < found->second.element_count(); ++i) {
      const auto value = element_value(found->second, i);
      if (probe.op == Op::none) {
        if (value) continue;
        Witness w = witness(p, origin);
        w.summary = describe(probe.operand) + " in " + probe.definition + " is not finite (" + origin + ")";
        w.expected = "a finite value";
        w.actual = element_text(found->second, i);
        findings_.range.emplace(probe.definition, w);
        return;
      }
      if (!value || !outside(probe.op, *value)) continue;
      Witness w = witness(p, origin);
      w.summary = "the operand of " + std::string(name(probe.op)) + " in " + probe.definition + ", " +
                  describe(probe.operand) + ", is " + contract::print_number(*value) + " (" + origin + ")";
      w.expected = probe.op == Op::div ? "not 0" : (probe.op == Op::sqrt ? "at least 0" : "above 0");
      w.actual = element_text(found->second, i);
      findings_.domain.emplace(probe.definition, w);
      return;
    }
  }

  double compare(const Point& p, const std::map<std::string, TensorData>& computed, const std::string& output,
                 const std::string& origin) {
    const TensorData& data = computed.at(output);
    const std::int64_t count = data.element_count();
    if (count == 0) return 0;
    const contract::Tolerance& tolerance = contract::tolerance_of(contract_, output);
    ReferenceOptions reference_options;
    reference_options.casts = contract_.casts;
    Reference reference(exact_, p, reference_options);
    const std::int64_t step =
        std::max<std::int64_t>(1, count / static_cast<std::int64_t>(options_.compared_elements));
    double worst = 0;
    for (std::int64_t i = 0; i < count; i += step) {
      const std::vector<std::int64_t> at = unflatten(i, data.extents);
      const ReferenceValue exact = reference.element(output, at);
      if (exact.kind == ReferenceValue::Kind::unresolved) continue;
      if (exact.kind == ReferenceValue::Kind::undefined) {
        blame(p, reference, origin);
        continue;
      }
      const auto value = element_value(data, i);
      std::string expected;
      bool violated = false;
      if (exact.kind == ReferenceValue::Kind::real) {
        expected = exact_text(*exact.real) + " at " + std::to_string(exact.precision) + " bits";
        violated = !value || certainly_violates(*value, *exact.real, tolerance, data.format);
        if (value) {
          const Interval error = abs(Interval(*value, exact.real->precision()) - *exact.real);
          const double allowed = as_double(tolerance_at(*exact.real, tolerance, data.format));
          const double seen = mpfr_get_d(error.low(), MPFR_RNDD);
          const double ratio = allowed > 0 ? seen / allowed : (seen > 0 ? 1e300 : 0);
          if (ratio > findings_.worst_ratio[output]) {
            findings_.worst_ratio[output] = ratio;
            findings_.worst_error[output] = lower_text(error);
            findings_.worst_origin[output] = origin;
          }
          worst = std::max(worst, ratio);
        }
      } else {
        const Rational whole = exact.kind == ReferenceValue::Kind::integer ? Rational(exact.integer)
                                                                           : Rational(exact.truth ? 1 : 0);
        expected = contract::print_number(whole);
        violated = !value || *value != whole;
      }
      if (!violated || findings_.tolerance.count(output) != 0) continue;
      Witness w = witness(p, origin);
      w.summary = place(output, at) + " = " + element_text(data, i) + " against " + expected +
                  ", tolerance " + tolerance_text(tolerance) + " (" + origin + ")";
      w.expected = expected;
      w.actual = element_text(data, i);
      findings_.tolerance.emplace(output, w);
    }
    return worst;
  }

  // The first definition of the exact program that is not defined on the point.
  void blame(const Point& p, Reference& reference, const std::string& origin) {
    for (const Definition& definition : exact_.definitions) {
      const std::string& name = definition.declaration.name;
      const std::vector<std::int64_t> extents = reference.extents(name);
      std::int64_t count = 1;
      for (const std::int64_t extent : extents) count *= extent;
      const std::int64_t limit = static_cast<std::int64_t>(options_.compared_elements);
      for (std::int64_t i = 0; i < std::min(count, limit); ++i) {
        const std::vector<std::int64_t> at = unflatten(i, extents);
        const ReferenceValue exact = reference.element(name, at);
        if (exact.kind != ReferenceValue::Kind::undefined) continue;
        Witness w = witness(p, origin);
        w.executed_by = "reference";
        w.summary = "the exact value of " + place(name, at) + " is not defined: " + exact.reason + " (" +
                    origin + ")";
        w.expected = "every operation inside its domain";
        w.actual = exact.reason;
        findings_.undefined.emplace(name, w);
        return;
      }
    }
  }

  // Changes single elements of the worst point as long as that makes it worse.
  void climb() {
    if (!best_ || boxes_.empty()) return;
    for (std::size_t i = 0; i < options_.climbing_steps && !done(); ++i) {
      Point p = *best_;
      const std::size_t which = random_() % boxes_.size();
      const auto& [name, box] = boxes_[which];
      TensorData& data = p.inputs[name];
      const std::int64_t count = data.element_count();
      if (count == 0) continue;
      const std::int64_t at = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(count));
      Rational v = random_value(box, random_);
      if (random_() % 2 == 0) {
        // A small move of the value itself.
        const Rational old = *element_value(data, at);
        v = into_box(old + (v - old) * contract::power_of_two_rational(-static_cast<long>(random_() % 24)),
                     box);
      }
      set_element_bits(data, at, encode(v, box.format));
      try_point(p, "hill climbing");
    }
  }

  const Program& exact_;
  const Program& formulation_;
  const contract::Contract& contract_;
  const WitnessGoals& goals_;
  const WitnessOptions& options_;
  std::mt19937_64 random_;
  Point point_;
  std::string where_;  // the sizes, where they are not the small ones
  Program watched_;
  std::vector<std::pair<std::string, Box>> boxes_;
  std::vector<Probe> probes_;
  Findings findings_;
  std::optional<Point> best_;
  double best_ratio_ = -1;
  std::uint64_t points_left_ = 0;
};

}  // namespace

Integer estimated_work(const Program& program, const Point& point) {
  Integer total = 0;
  for (const Definition& definition : program.definitions) {
    Integer elements = 1;
    std::unordered_map<Term, Integer> memo;
    for (Term extent : definition.declaration.extents) elements *= evaluate_size(extent, point);
    total += elements * work_of(definition.body, point, memo);
  }
  return total;
}

Findings search_witnesses(const Program& exact, const Program& formulation,
                          const contract::Contract& contract, const WitnessGoals& goals,
                          const WitnessOptions& options) {
  return Search(exact, formulation, contract, goals, options).run();
}

}  // namespace hallmark::numerics
