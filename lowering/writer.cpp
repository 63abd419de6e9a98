#include "lowering/writer.h"

#include <functional>

#include "base/error.h"

namespace hallmark::lowering {

using namespace calculus;

Writer::Writer(std::map<std::string, Declaration> tensors, std::map<std::string, std::string> parameters)
    : tensors_(std::move(tensors)), parameters_(std::move(parameters)) {}

void Writer::bind_index(Term leaf, const std::string& text, const Range& range, bool wide) {
  names_[leaf] = {text, wide};
  ranges_[leaf] = range;
}

void Writer::bind_element(Term term, const std::string& text) {
  scopes_.back().named[term] = text;
}

void Writer::bind_flat(Term flat, Term size, const std::string& text) {
  flats_[{flat, size}] = text;
}

const std::string* Writer::lookup(Term term) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->named.find(term); found != scope->named.end()) return &found->second;
  return nullptr;
}

int Writer::uses(Term term) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->uses.find(term); found != scope->uses.end()) return found->second;
  return 1;
}

namespace {
// Edges of the DAG below the roots; the insides of folds belong to the scope of their loop.
void count(Term term, std::map<Term, int>& uses) {
  if (++uses[term] > 1 || term->kind == Kind::fold) return;
  for (Term child : term->children) count(child, uses);
}
}  // namespace

void Writer::enter(const std::vector<Term>& roots) {
  scopes_.emplace_back();
  for (Term root : roots) count(root, scopes_.back().uses);
}

void Writer::leave() {
  ensure(scopes_.size() > 1, "the outermost scope was left");
  scopes_.pop_back();
}

void Writer::line(const std::string& text) {
  lines_.push_back(
      {text.empty() ? "" : std::string(static_cast<std::size_t>(2 * indent_), ' ') + text, definition_});
}

void Writer::open(const std::string& head) {
  line(head + " {");
  ++indent_;
}

void Writer::close(const std::string& tail) {
  --indent_;
  line("}" + tail);
}

std::string Writer::fresh(const std::string& stem) {
  return stem + std::to_string(counters_[stem]++);
}

std::vector<Line> Writer::take() {
  std::vector<Line> out;
  out.swap(lines_);
  return out;
}

// A value that is used twice, or whose text is long, gets a name; leaves do not.
bool Writer::is_named(Term term, const std::string& text) const {
  if (term->kind == Kind::constant || text.find('(') == std::string::npos)
    return term->kind == Kind::load && uses(term) > 1;
  return uses(term) > 1 || text.size() > 60;
}

std::string Writer::element(Term term) {
  if (const std::string* name = lookup(term); name != nullptr) return *name;
  if (term->kind == Kind::fold) {
    write_fold(term);
    return *lookup(term);
  }
  const std::string text = expression(term);
  if (!is_named(term, text)) return text;
  const std::string name = fresh("v");
  line("const " + value_type(term->sort) + " " + name + " = " + text + ";");
  bind_element(term, name);
  return name;
}

std::string Writer::value(Term term) {
  if (lookup(term) != nullptr || term->kind == Kind::fold) return element(term);
  return expression(term);
}

// An element as an operand of a C operator.
std::string Writer::operand(Term term) {
  const std::string text = element(term);
  const bool simple = text.find(' ') == std::string::npos || (text.back() == ')' && text.front() != '(') ||
                      text.back() == ']';
  // "f(a, b)" and "x[i + 1]" bind tighter than any operator; "(a ? b : c)" stands in parentheses already.
  if (simple || (text.front() == '(' && text.back() == ')')) return text;
  return "(" + text + ")";
}

std::string Writer::stored(Term term) {
  if (term->sort.kind != Sort::Kind::boolean) return value(term);
  return "(" + condition(term) + ") ? 1 : 0";
}

namespace {

// Terms that are computed whenever `term` is: not those in the arms of selects or inside folds.
void certain(Term term, std::set<Term>& out) {
  if (!out.insert(term).second || term->kind == Kind::fold) return;
  if (term->kind == Kind::select) return certain(term->children[0], out);
  for (Term child : term->children) certain(child, out);
}

}  // namespace

// What both arms of a select compute is written before it, once.
void Writer::write_common(Term first, Term second) {
  std::set<Term> in_first, in_second;
  certain(first, in_first);
  certain(second, in_second);
  // From the top, so that a common term is written whole and its parts only as it needs them.
  const std::function<void(Term, std::set<Term>&)> visit = [&](Term term, std::set<Term>& seen) {
    if (!seen.insert(term).second || lookup(term) != nullptr) return;
    const bool is_element = term->kind == Kind::operation || term->kind == Kind::fold;
    if (is_element && in_second.count(term) != 0) {
      element(term);
      return;
    }
    if (term->kind == Kind::fold) return;
    if (term->kind == Kind::select) return visit(term->children[0], seen);
    for (Term child : term->children) visit(child, seen);
  };
  std::set<Term> seen;
  visit(first, seen);
}

std::string Writer::select_text(Term term) {
  const std::string test = condition(term->children[0]);
  if (test == "true") return element(term->children[1]);
  if (test == "false") return element(term->children[2]);
  write_common(term->children[1], term->children[2]);
  // Each arm in a scope of its own: what it reads is read only when it is chosen.
  std::string texts[2];
  std::vector<Line> statements[2];
  std::vector<Line> before = take();
  for (int arm = 0; arm < 2; ++arm) {
    scopes_.emplace_back();
    ++indent_;
    texts[arm] = value(term->children[static_cast<std::size_t>(1 + arm)]);
    --indent_;
    scopes_.pop_back();
    statements[arm] = take();
  }
  lines_ = std::move(before);
  if (statements[0].empty() && statements[1].empty())
    return "(" + test + " ? " + texts[0] + " : " + texts[1] + ")";
  const std::string name = fresh("v");
  line(value_type(term->sort) + " " + name + ";");
  open("if (" + test + ")");
  const auto write_arm = [&](int arm) {
    for (const Line& l : statements[arm]) lines_.push_back(l);
    line(name + " = " + texts[arm] + ";");
  };
  write_arm(0);
  --indent_;
  line("} else {");
  ++indent_;
  write_arm(1);
  close();
  bind_element(term, name);
  return name;
}

// Folds below `term` that do not depend on the loop's variable or states are computed before the loop. Arms
// of selects and insides of other folds are left alone: what they read may exist only there.
void Writer::hoist(Term term, const Substitution& bound) {
  if (term->kind == Kind::select) return hoist(term->children[0], bound);
  if (term->kind == Kind::fold) {
    if (substitute(term, bound) == term) element(term);
    return;
  }
  if (!term->children.empty() && lookup(term) == nullptr)
    for (Term child : term->children) hoist(child, bound);
}

void Writer::write_fold(Term term) {
  const Term first = component(term, 0);
  if (first->order->kind != Order::Kind::seq)
    throw Refusal("E7203",
                  "a fold of order " + to_string(*first->order) + " needs a kernel with one block a row",
                  {.node = definition_});
  const FoldParts parts = calculus::open(first);
  const std::size_t size = parts.states.size();
  std::vector<std::string> start;
  for (Term init : parts.init) start.push_back(element(init));
  Substitution bound{{parts.variable, integer(0L)}};
  for (std::size_t j = 0; j < size; ++j) bound[parts.states[j]] = parts.init[j];
  for (Term step : parts.step) hoist(step, bound);
  std::vector<std::string> accumulators;
  for (std::size_t j = 0; j < size; ++j) {
    accumulators.push_back(fresh("acc"));
    line(value_type(parts.init[j]->sort) + " " + accumulators[j] + " = " + start[j] + ";");
  }
  const std::string variable = fresh("k");
  Range range = range_of(parts.extent, ranges_);
  const bool wide = !range.fits_32();
  range = {Integer(0), range.high ? std::optional<Integer>(*range.high - 1) : std::nullopt};
  bind_index(parts.variable, variable, range, wide);
  // In the loop's test the variable also takes the value of the extent.
  if (range.high) ranges_[parts.variable].high = Integer(*range.high + 1);
  const std::string test = comparison(add(subtract(parts.variable, parts.extent), integer(1L)), false);
  ranges_[parts.variable] = range;
  line("#pragma unroll 1");
  open("for (" + std::string(wide ? "size_t " : "unsigned ") + variable + " = 0u; " + test + "; ++" +
       variable + ")");
  std::vector<Term> roots = parts.step;
  enter(roots);
  for (std::size_t j = 0; j < size; ++j) bind_element(parts.states[j], accumulators[j]);
  const std::string guard = parts.guard != nullptr ? condition(parts.guard) : "true";
  if (guard != "true") open("if (" + guard + ")");
  std::vector<std::string> next;
  for (std::size_t j = 0; j < size; ++j)
    next.push_back(size == 1 ? value(parts.step[j]) : element(parts.step[j]));
  if (size == 1) {
    if (next[0] != accumulators[0]) line(accumulators[0] + " = " + next[0] + ";");
  } else {
    // All components advance together.
    std::vector<std::string> names(size);
    for (std::size_t j = 0; j < size; ++j) {
      if (next[j] == accumulators[j]) continue;
      names[j] = fresh("next");
      line("const " + value_type(parts.step[j]->sort) + " " + names[j] + " = " + next[j] + ";");
    }
    for (std::size_t j = 0; j < size; ++j)
      if (!names[j].empty()) line(accumulators[j] + " = " + names[j] + ";");
  }
  if (guard != "true") close();
  leave();
  close();
  for (std::size_t j = 0; j < size; ++j) bind_element(component(first, static_cast<int>(j)), accumulators[j]);
}

}  // namespace hallmark::lowering
