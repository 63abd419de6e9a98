#include "plan/spec_text.h"

#include <algorithm>

#include "base/error.h"
#include "calculus/text/literal.h"
#include "calculus/text/print.h"
#include "calculus/text/reader.h"
#include "calculus/text/text.h"

namespace hallmark::plan {
namespace {

using namespace calculus;
using namespace calculus::text;

std::string_view access_name(Access access) {
  return access == Access::in ? "in" : access == Access::out ? "out" : "inout";
}

Integer lowest(Format format) {
  return is_signed(format) ? Integer(-power_of_two(storage_bits(format) - 1)) : Integer(0);
}
Integer highest(Format format) {
  return power_of_two(storage_bits(format) - (is_signed(format) ? 1 : 0)) - 1;
}

Sort value_sort(Format format, Equality equality) {
  return equality == Equality::reals ? exact_sort(format) : stored_sort(format);
}

class SpecReader {
 public:
  SpecReader(std::string_view text, const std::string& file, const Operators& operators)
      : reader_(text, file), operators_(operators) {}

  KernelSpec run() {
    foresee();
    while (!reader_.at_end()) statement();
    if (spec_.kernel.empty()) reader_.expected("'kernel NAME'");
    for (const SymbolRange& range : spec_.symbols)
      if (std::find(unbounded_.begin(), unbounded_.end(), range.name) != unbounded_.end())
        wrong(reader_.here(),
              "the ghost " + range.name + " has no lower bound; write where 1 <= " + range.name);
    // Nothing is true of a kernel that is never launched: such a text is a mistake.
    for (const SymbolRange& range : spec_.symbols)
      if (range.high && *range.high < range.low)
        wrong(reader_.here(), "the conditions leave no value for " + range.name);
    check_spec(spec_);
    return std::move(spec_);
  }

 private:
  [[noreturn]] void wrong(const Token& at, const std::string& message) const {
    reader_.source().fail("E1121", at, message);
  }

  // Symbols, and what values are compared as, are needed before they are declared.
  void foresee() {
    const std::size_t start = reader_.position();
    const auto name_at = [&](std::size_t ahead) { return reader_.here(ahead).kind == Token::Kind::name; };
    for (; !reader_.at_end(); reader_.go_to(reader_.position() + 1)) {
      if (reader_.is_word("param") && name_at(1) && reader_.is_mark(":", 2) && name_at(3) &&
          !reader_.is_mark("[", 4)) {
        const auto format = format_of(reader_.here(3).text);
        if (format && is_float(*format)) reader_.add_tensor(scope_, reader_.here(1), {*format, 0});
        if (!format || !is_integer(*format)) continue;
        add_symbol(reader_.here(1), {reader_.here(1).text, lowest(*format), highest(*format)});
      } else if (reader_.is_word("ghost") && name_at(1) && !reader_.is_mark(":", 1)) {
        add_symbol(reader_.here(1), {reader_.here(1).text, 0, {}});
        unbounded_.push_back(reader_.here(1).text);
      } else if (reader_.is_word("equality") && name_at(1)) {
        if (reader_.here(1).text == "reals") spec_.equality = Equality::reals;
        if (reader_.here(1).text == "safety") spec_.equality = Equality::safety;
      }
    }
    reader_.go_to(start);
  }

  void add_symbol(const Token& name, SymbolRange range) {
    reader_.add_name(scope_, name, symbol(name.text));
    spec_.symbols.push_back(std::move(range));
  }

  void statement() {
    if (reader_.take_word("kernel")) {
      spec_.kernel = reader_.name("the kernel's name").text;
    } else if (reader_.take_word("param")) {
      parameter();
    } else if (reader_.take_word("ghost")) {
      reader_.name("a symbol");
    } else if (reader_.take_word("where")) {
      const Token start = reader_.here();
      const Term condition = reader_.term(scope_, Wanted::boolean);
      if (condition == truth(false)) wrong(start, "this condition never holds");
      if (condition->kind == Kind::conjunction)
        for (Term part : condition->children) require(part);
      else
        require(condition);
    } else if (reader_.take_word("launch")) {
      launch();
    } else if (reader_.take_word("function")) {
      spec_.functions.push_back(reader_.function(scope_));
    } else if (reader_.take_word("ensures")) {
      ensures();
    } else if (reader_.take_word("equality")) {
      if (!reader_.take_word("bits") && !reader_.take_word("reals") && !reader_.take_word("safety"))
        reader_.expected("bits, reals or safety");
    } else if (reader_.take_word("barrier")) {
      spec_.barrier_rule = reader_.take_word("strict") ? BarrierRule::strict : BarrierRule::all_exited;
      if (spec_.barrier_rule == BarrierRule::all_exited) {
        reader_.expect_word("all");
        reader_.expect("-");
        reader_.expect_word("exited");
      }
    } else if (reader_.take_word("ftz")) {
      spec_.flush_subnormals = true;
    } else {
      reader_.expected("kernel, param, ghost, where, launch, function, ensures, equality, barrier or ftz");
    }
  }

  void parameter() {
    const Token name = reader_.here();
    if (!reader_.is_mark("[", 3)) {
      reader_.name("a parameter's name");
      reader_.expect(":");
      Parameter out;
      out.scalar = {name.text, reader_.format()};
      for (const Parameter& other : spec_.parameters)
        if (other.scalar && other.scalar->name == name.text)
          wrong(name, "there are two parameters " + name.text);
      spec_.parameters.push_back(std::move(out));
      return;
    }
    Buffer buffer{reader_.declaration(scope_), Access::in, nullptr, nullptr};
    if (reader_.take_word("out"))
      buffer.access = Access::out;
    else if (reader_.take_word("inout"))
      buffer.access = Access::inout;
    else
      reader_.expect_word("in");
    if (reader_.take_word("with")) {
      if (!is_integer(buffer.declaration.format))
        wrong(name, "a range of elements belongs to an integer buffer");
      buffer.element_low = reader_.sum(scope_);
      reader_.expect("<=");
      reader_.expect_word("element");
      const bool with_end = reader_.take("<=");
      if (!with_end) reader_.expect("<");
      buffer.element_high = reader_.sum(scope_);
      if (with_end) buffer.element_high = calculus::add(buffer.element_high, calculus::integer(1));
    }
    Parameter out;
    out.buffer = std::move(buffer);
    spec_.parameters.push_back(std::move(out));
  }

  // A bound of one symbol narrows its range; anything else is a requirement.
  void require(Term condition) {
    const bool equality = condition->kind == Kind::is_zero;
    if (equality || condition->kind == Kind::at_most_zero) {
      const std::vector<Monomial> parts = monomials(condition->children[0]);
      const Monomial& last = parts.back();
      const bool single = last.product != nullptr && last.product->kind == Kind::symbol &&
                          abs(last.coefficient) == 1 &&
                          (parts.size() == 1 || (parts.size() == 2 && parts[0].product == nullptr));
      if (single) {
        const Integer bound = -constant_part(condition->children[0]) * last.coefficient;
        for (SymbolRange& range : spec_.symbols) {
          if (range.name != last.product->name) continue;
          const auto unbounded = std::find(unbounded_.begin(), unbounded_.end(), range.name);
          if (equality || last.coefficient < 0) {
            range.low = unbounded != unbounded_.end() ? bound : std::max(range.low, bound);
            if (unbounded != unbounded_.end()) unbounded_.erase(unbounded);
          }
          if (equality || last.coefficient > 0)
            range.high = range.high ? std::min(*range.high, bound) : bound;
        }
        return;
      }
    }
    spec_.requirements.push_back(condition);
  }

  void extents(Term (&out)[3]) {
    reader_.expect("(");
    for (std::size_t d = 0; d < 3; ++d) {
      if (d > 0 && !reader_.take(",")) break;
      out[d] = reader_.term(scope_, Wanted::index);
    }
    reader_.expect(")");
  }

  void launch() {
    reader_.expect_word("grid");
    extents(spec_.launch.grid);
    reader_.expect_word("block");
    extents(spec_.launch.block);
    if (!reader_.take_word("shared")) return;
    reader_.expect("(");
    spec_.launch.dynamic_shared_bytes = reader_.term(scope_, Wanted::index);
    reader_.expect(")");
  }

  void axis_range(Ensure& clause, Scope& inside) {
    const Token name = reader_.name("the name of an axis");
    reader_.expect("<");
    reader_.add_name(inside, name, axis(static_cast<int>(clause.domain.size())));
    clause.axis_names.push_back(name.text);
    clause.domain.push_back(reader_.sum(scope_));
  }

  // An uninterpreted function that is called like an instruction of a kernel would mean what that computes.
  void reject_own_names(const Token& at, Term value) const {
    for_each_node(value, [&](Term node) {
      if (node->kind != Kind::operation || node->op != Op::custom) return;
      for (const char* own : {"float_", "mma.", "cvt."})
        if (node->name.starts_with(own))
          wrong(at, "'" + node->name + "' is a name of the checker's own; call the function otherwise");
    });
  }

  void ensures() {
    const Token name = reader_.name("the name of a buffer");
    const Buffer* buffer = nullptr;
    for (const Parameter& parameter : spec_.parameters)
      if (parameter.buffer && parameter.buffer->declaration.name == name.text) buffer = &*parameter.buffer;
    if (buffer == nullptr) wrong(name, "'" + name.text + "' is no buffer parameter that stands before");
    if (buffer->access == Access::in)
      wrong(name, "'" + name.text + "' is only read; an ensured buffer is out or inout");
    Ensure clause;
    clause.buffer = name.text;
    if (reader_.is_mark("=")) return by_operator(std::move(clause), *buffer);
    Scope inside = scope_;
    reader_.expect("[");
    const bool whole =
        reader_.is_mark("]") || (reader_.here().kind == Token::Kind::name && reader_.is_mark("<", 1));
    if (whole) {
      while (!reader_.take("]")) {
        if (!clause.domain.empty()) reader_.expect(",");
        clause.target.push_back(axis(static_cast<int>(clause.domain.size())));
        axis_range(clause, inside);
      }
    } else {
      strided_target(clause, inside);
    }
    if (reader_.take_word("where")) {
      // In parentheses, since `=` would continue the condition.
      reader_.expect("(");
      clause.guard = reader_.term(inside, Wanted::boolean);
      reader_.expect(")");
    }
    reader_.expect("=");
    const Sort sort = value_sort(buffer->declaration.format, spec_.equality);
    inside.rounded = spec_.equality != Equality::reals;
    inside.number_sort = sort == Sort::boolean() ? Sort::real() : sort;
    const Token start = reader_.here();
    clause.value = reader_.term(inside, sort == Sort::boolean() ? Wanted::boolean : Wanted::element);
    reject_own_names(start, clause.value);
    if (clause.value->sort != sort)
      wrong(start, "the value of " + name.text + " is of sort " + to_string(sort) + ", and this is a " +
                       to_string(clause.value->sort));
    if (clause.target.size() != buffer->declaration.extents.size())
      wrong(name, "'" + name.text + "' has " + std::to_string(buffer->declaration.extents.size()) + " axes");
    spec_.ensures.push_back(std::move(clause));
  }

  // = onnx.Softmax(x, axis = -1): all elements of the buffer.
  void by_operator(Ensure clause, const Buffer& buffer) {
    reader_.expect("=");
    const Token name = reader_.name("an operator of ONNX, as in onnx.Softmax(x, axis = -1)");
    const std::string domain = "onnx.";
    if (name.text.rfind(domain, 0) != 0)
      wrong(name, "a buffer as a whole is an operator of ONNX, as in onnx.Softmax(x, axis = -1)");
    OperatorCall call;
    call.name = name.text.substr(domain.size());
    call.output = buffer.declaration;
    call.symbols = spec_.symbols;
    reader_.expect("(");
    while (!reader_.take(")")) {
      if (!call.inputs.empty() || !call.attributes.empty()) reader_.expect(",");
      const Token word = reader_.name("a buffer or an attribute");
      if (reader_.take("=")) {
        call.attributes[word.text] = attribute();
        continue;
      }
      const auto given = std::find_if(
          spec_.parameters.begin(), spec_.parameters.end(),
          [&](const Parameter& p) { return p.buffer && p.buffer->declaration.name == word.text; });
      if (given == spec_.parameters.end()) wrong(word, "'" + word.text + "' is no buffer that stands before");
      if (given->buffer->access == Access::out)
        wrong(word, "'" + word.text + "' is out: what it holds before the launch is arbitrary");
      call.inputs.push_back(given->buffer->declaration);
    }
    if (!operators_) wrong(name, "operators are not known to this reader");
    OperatorMeaning meaning;
    try {
      meaning = operators_(call);
    } catch (const Error& error) {
      wrong(name, error.message());
    }
    for (std::size_t d = 0; d < buffer.declaration.extents.size(); ++d) {
      clause.domain.push_back(buffer.declaration.extents[d]);
      clause.target.push_back(axis(static_cast<int>(d)));
      clause.axis_names.emplace_back();
    }
    clause.value = spec_.equality == Equality::reals ? meaning.value : moved(name, meaning.value);
    for (Function& function : meaning.functions) spec_.functions.push_back(std::move(function));
    spec_.ensures.push_back(std::move(clause));
  }

  // What only moves elements has their bits; anything computed is a number.
  Term moved(const Token& name, Term value) const {
    bool computes = false;
    const Term out = rewrite(value, [&](Term node) -> Term {
      computes = computes || node->kind == Kind::operation || node->kind == Kind::fold ||
                 node->kind == Kind::cast || node->kind == Kind::constant;
      if (node->kind != Kind::load) return node;
      for (const Parameter& p : spec_.parameters)
        if (p.buffer && p.buffer->declaration.name == node->name)
          return load(node->name, node->children, stored_sort(p.buffer->declaration.format));
      return node;
    });
    if (computes && value->sort.kind == Sort::Kind::real)
      wrong(name, name.text + " is a value over the reals: write 'equality reals' above it");
    return computes ? value : out;
  }

  OperatorCall::Attribute attribute() {
    if (reader_.take("[")) {
      std::vector<Integer> list;
      while (!reader_.take("]")) {
        if (!list.empty()) reader_.expect(",");
        list.push_back(reader_.integer_number());
      }
      return list;
    }
    const Token start = reader_.here();
    if (start.kind == Token::Kind::name && start.quoted) return reader_.name("a text").text;
    const bool negative = reader_.is_mark("-");
    const Token number = reader_.here(negative ? 1 : 0);
    if (number.kind != Token::Kind::number)
      reader_.expected("a number, a text in quotes or a list in brackets");
    if (is_whole_literal(number.text)) return reader_.integer_number();
    const auto value = literal_value(number.text);
    if (!value) wrong(number, "this number is too large to be written out");
    reader_.go_to(reader_.position() + (negative ? 2 : 1));
    return negative ? Rational(-*value) : *value;
  }

  // [terms] for i < n, j < m: the axes are read before the terms that use them.
  void strided_target(Ensure& clause, Scope& inside) {
    const std::size_t start = reader_.position();
    for (int depth = 1; depth > 0; reader_.go_to(reader_.position() + 1)) {
      if (reader_.at_end()) reader_.expected("']'");
      if (reader_.is_mark("[")) ++depth;
      if (reader_.is_mark("]")) --depth;
    }
    reader_.expect_word("for");
    do {
      axis_range(clause, inside);
    } while (reader_.take(","));
    const std::size_t behind = reader_.position();
    reader_.go_to(start);
    do {
      clause.target.push_back(reader_.term(inside, Wanted::index));
    } while (reader_.take(","));
    reader_.expect("]");
    reader_.go_to(behind);
  }

  Reader reader_;
  const Operators& operators_;
  Scope scope_;
  KernelSpec spec_;
  std::vector<std::string> unbounded_;
};

class SpecWriter {
 public:
  explicit SpecWriter(const KernelSpec& spec) : spec_(spec) {
    for (const SymbolRange& range : spec.symbols) scope_.names.emplace(range.name, symbol(range.name));
  }

  std::string run() {
    out_ = "hallmark 1\nkernel " + written_name(spec_.kernel) + "\n";
    for (const Parameter& parameter : spec_.parameters) write(parameter);
    for (const SymbolRange& range : spec_.symbols)
      if (!is_scalar(range.name)) out_ += "ghost " + written_name(range.name) + "\n";
    for (const SymbolRange& range : spec_.symbols)
      out_ += "where " + range.low.get_str() + " <= " + written_name(range.name) +
              (range.high ? " <= " + range.high->get_str() : "") + "\n";
    for (Term condition : spec_.requirements) out_ += "where " + print_term(condition, scope_) + "\n";
    out_ += "launch grid (" + extents(spec_.launch.grid) + ") block (" + extents(spec_.launch.block) + ")";
    if (spec_.launch.dynamic_shared_bytes != nullptr)
      out_ += " shared (" + print_term(spec_.launch.dynamic_shared_bytes, scope_) + ")";
    out_ += "\n";
    for (const Function& function : spec_.functions) out_ += print_function(function, scope_);
    if (spec_.equality != Equality::bits)
      out_ += spec_.equality == Equality::reals ? "equality reals\n" : "equality safety\n";
    for (const Ensure& clause : spec_.ensures) write(clause);
    if (spec_.barrier_rule == BarrierRule::strict) out_ += "barrier strict\n";
    if (spec_.flush_subnormals) out_ += "ftz\n";
    return out_;
  }

 private:
  bool is_scalar(const std::string& name) const {
    return std::any_of(spec_.parameters.begin(), spec_.parameters.end(), [&](const Parameter& parameter) {
      return parameter.scalar && parameter.scalar->name == name && is_integer(parameter.scalar->format);
    });
  }

  std::string extents(const Term (&terms)[3]) const {
    std::string out;
    int last = 2;
    while (last > 0 && terms[last] == nullptr) --last;
    for (int d = 0; d <= last; ++d)
      out += (d > 0 ? ", " : "") + (terms[d] != nullptr ? print_term(terms[d], scope_) : "1");
    return out;
  }

  void write(const Parameter& parameter) {
    if (parameter.scalar) {
      out_ += "param " + written_name(parameter.scalar->name) + " : " +
              std::string(name(parameter.scalar->format)) + "\n";
      if (is_float(parameter.scalar->format))
        scope_.tensors.emplace(parameter.scalar->name, TensorType{parameter.scalar->format, 0});
      return;
    }
    const Declaration& tensor = parameter.buffer->declaration;
    out_ += "param " + written_name(tensor.name) + " : " + std::string(name(tensor.format)) + "[";
    for (std::size_t d = 0; d < tensor.extents.size(); ++d)
      out_ += (d > 0 ? ", " : "") + print_term(tensor.extents[d], scope_);
    out_ += "] " + std::string(access_name(parameter.buffer->access));
    if (parameter.buffer->element_low != nullptr && parameter.buffer->element_high != nullptr)
      out_ += " with (" + print_term(parameter.buffer->element_low, scope_) + ") <= element < (" +
              print_term(parameter.buffer->element_high, scope_) + ")";
    out_ += "\n";
    scope_.tensors.emplace(tensor.name, TensorType{tensor.format, tensor.extents.size()});
  }

  void write(const Ensure& clause) {
    Scope scope = scope_;
    scope.rounded = spec_.equality != Equality::reals;
    scope.number_sort = clause.value->sort == Sort::boolean() ? Sort::real() : clause.value->sort;
    Naming naming{&scope, {}, {}};
    for (const auto& [name, term] : scope.names) naming.taken.insert(name);
    std::vector<std::string> ranges;
    bool whole = clause.target.size() == clause.domain.size();
    for (std::size_t d = 0; d < clause.domain.size(); ++d) {
      std::string name = d < clause.axis_names.size() && !clause.axis_names[d].empty()
                             ? clause.axis_names[d]
                             : std::string(1, static_cast<char>('i' + d % 18));
      while (naming.taken.count(name) != 0) name += "_";
      naming.taken.insert(name);
      const Term index = axis(static_cast<int>(d));
      naming.leaves.emplace(index, name);
      whole = whole && clause.target[d] == index;
      ranges.push_back(written_name(name) + " < (" + print_term(clause.domain[d], scope_) + ")");
      if (as_integer(clause.domain[d]) != nullptr || clause.domain[d]->kind == Kind::symbol)
        ranges.back() = written_name(name) + " < " + print_term(clause.domain[d], scope_);
    }
    const auto joined = [&] {
      std::string out;
      for (const std::string& range : ranges) out += (out.empty() ? "" : ", ") + range;
      return out;
    };
    out_ += "ensures " + written_name(clause.buffer) + "[";
    if (whole) {
      out_ += joined() + "]";
    } else {
      for (std::size_t d = 0; d < clause.target.size(); ++d)
        out_ += (d > 0 ? ", " : "") + printed(clause.target[d], naming);
      out_ += "] for " + joined();
    }
    if (clause.guard != nullptr) out_ += " where (" + printed(clause.guard, naming) + ")";
    out_ += " =\n    " + printed(clause.value, naming) + "\n";
  }

  const KernelSpec& spec_;
  Scope scope_;
  std::string out_;
};

}  // namespace

KernelSpec parse_spec(std::string_view text, const std::string& file, const Operators& operators) {
  return SpecReader(text, file, operators).run();
}

std::string print_spec(const KernelSpec& spec) {
  return SpecWriter(spec).run();
}

}  // namespace hallmark::plan
