#include <algorithm>

#include "base/error.h"
#include "base/sha256.h"
#include "calculus/text/literal.h"
#include "calculus/text/print.h"
#include "calculus/text/reader.h"
#include "calculus/text/text.h"

namespace hallmark::calculus::text {
namespace {

using SortKind = Sort::Kind;

constexpr std::int64_t written_elements = 16;

Sort number_sort(Sort body) {
  return body.kind == SortKind::boolean || body.kind == SortKind::index ? Sort::real() : body;
}

// Whether a term is of a formulation (1), of an exact program (-1), or could be of either (0).
int reading(Term term) {
  int out = 0;
  const auto see = [&](Sort sort) {
    if (sort.kind == SortKind::floating) out = 1;
    if (sort.kind == SortKind::real && out == 0) out = -1;
  };
  see(term->sort);
  if (out == 0)
    for_each_node(term, [&](Term node) {
      if (node->kind == Kind::load) see(node->sort);
    });
  return out;
}

// --- writing ---

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {
    int votes = 0;
    for (const Definition& definition : program.definitions) votes += reading(definition.body);
    scope_.rounded = votes > 0;
    for (const SymbolRange& range : program.symbols) scope_.names.emplace(range.name, symbol(range.name));
    for (const Declaration& input : program.inputs) declare(input);
    for (const Constant& constant : program.constants) declare(constant.declaration);
  }

  std::string run() {
    out_ = "hallmark 1\nprogram " + std::string(scope_.rounded ? "rounded" : "exact") + "\n";
    for (const SymbolRange& range : program_.symbols)
      out_ += "symbol " + written_name(range.name) + " : " + range.low.get_str() + " .." +
              (range.high ? " " + range.high->get_str() : "") + "\n";
    for (const Function& function : program_.functions) out_ += print_function(function, scope_);
    for (const Declaration& input : program_.inputs) out_ += "input " + declaration(input) + "\n";
    for (Term condition : program_.preconditions)
      out_ += "require " + print_term(condition, with(condition)) + "\n";
    for (const Constant& constant : program_.constants)
      out_ += "constant " + declaration(constant.declaration) + " = " + data(*constant.data) + "\n";
    for (const Definition& definition : program_.definitions) write(definition);
    for (const std::string& output : program_.outputs) out_ += "output " + written_name(output) + "\n";
    return out_;
  }

 private:
  void declare(const Declaration& declaration) {
    scope_.tensors.emplace(declaration.name, TensorType{declaration.format, declaration.extents.size()});
  }

  Scope with(Term term) const {
    Scope out = scope_;
    out.number_sort = number_sort(term->sort);
    return out;
  }

  std::string declaration(const Declaration& declaration) const {
    std::string out = written_name(declaration.name) + " : " + std::string(name(declaration.format)) + "[";
    for (std::size_t d = 0; d < declaration.extents.size(); ++d)
      out += (d > 0 ? ", " : "") + print_term(declaration.extents[d], scope_);
    return out + "]";
  }

  static std::string data(const TensorData& tensor) {
    const std::size_t width = storage_bits(tensor.format) / 8;
    const auto element = [&](std::size_t i) {
      Integer bits = 0;
      for (std::size_t b = width; b-- > 0;)
        bits = bits * 256 + std::to_integer<unsigned>(tensor.bytes.at(i * width + b));
      return "0x" + bits.get_str(16);
    };
    if (tensor.splat) return "splat " + element(0);
    if (tensor.element_count() > written_elements)
      return "sha256 \"" +
             sha256_hex({reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()}) + "\"";
    std::string out = "data";
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.element_count()); ++i)
      out += (i > 0 ? ", " : " ") + element(i);
    return out;
  }

  void write(const Definition& definition) {
    const Declaration& tensor = definition.declaration;
    Scope scope = with(definition.body);
    const int found = reading(definition.body);
    if (found != 0) scope.rounded = found > 0;
    Naming naming{&scope, {}, {}};
    for (const auto& [name, term] : scope.names) naming.taken.insert(name);
    const auto see = [&](Term node) {
      if (node->kind == Kind::symbol) naming.taken.insert(node->name);
    };
    for_each_node(definition.body, see);
    for (Term extent : tensor.extents) for_each_node(extent, see);
    out_ += std::string("define ") +
            (scope.rounded == scope_.rounded ? ""
             : scope.rounded                 ? "rounded "
                                             : "exact ") +
            written_name(tensor.name) + " : " + std::string(name(tensor.format)) + "[";
    for (std::size_t d = 0; d < tensor.extents.size(); ++d) {
      const std::string name = axis_name(definition, d, naming);
      out_ += (d > 0 ? ", " : "") + written_name(name) + " < " + print_sum(tensor.extents[d]);
    }
    out_ += "]" + (definition.origin.empty() ? "" : " from " + quoted(definition.origin)) + " =\n    " +
            printed(definition.body, naming) + "\n";
    declare(tensor);
  }

  // An extent before "," or "]" is a sum; a select needs parentheses there.
  std::string print_sum(Term extent) const {
    std::string out = print_term(extent, scope_);
    return out.rfind("if ", 0) == 0 || out.rfind("let ", 0) == 0 ? "(" + out + ")" : out;
  }

  static std::string axis_name(const Definition& definition, std::size_t d, Naming& naming) {
    constexpr std::string_view letters = "ijlmnpqrabcdefgh";
    std::string name = d < definition.axis_names.size() ? definition.axis_names[d] : "";
    if (name.empty() && d < letters.size()) name = letters[d];
    if (name.empty()) name = "a";
    while (naming.taken.count(name) != 0) name += "_";
    naming.taken.insert(name);
    naming.leaves.emplace(axis(static_cast<int>(d)), name);
    return name;
  }

  // Always with quotes: an origin is no name.
  static std::string quoted(const std::string& text) {
    const std::string written = written_name(text);
    return written.front() == '"' ? written : "\"" + written + "\"";
  }

  const Program& program_;
  Scope scope_;
  std::string out_;
};

// --- reading ---

class ProgramReader {
 public:
  ProgramReader(std::string_view text, const std::string& file, const ConstantSource& constants)
      : reader_(text, file), constants_(constants) {}

  Program run() {
    reader_.expect_word("program");
    if (reader_.take_word("rounded"))
      scope_.rounded = true;
    else
      reader_.expect_word("exact");
    while (!reader_.at_end()) statement();
    return std::move(program_);
  }

 private:
  void statement() {
    if (reader_.take_word("symbol")) return symbol_range();
    if (reader_.take_word("function")) return program_.functions.push_back(reader_.function(scope_));
    if (reader_.take_word("require"))
      return program_.preconditions.push_back(reader_.term(scope_, Wanted::boolean));
    if (reader_.take_word("input")) return program_.inputs.push_back(reader_.declaration(scope_));
    if (reader_.take_word("constant")) return constant();
    if (reader_.take_word("define")) return definition();
    if (reader_.take_word("output")) {
      const Token name = reader_.name("the name of a tensor");
      if (scope_.tensors.find(name.text) == scope_.tensors.end())
        reader_.source().fail("E1102", name, "the tensor '" + name.text + "' is not known here");
      return program_.outputs.push_back(name.text);
    }
    reader_.expected("symbol, function, require, input, constant, define or output");
  }

  void symbol_range() {
    const Token name = reader_.name("the name of a symbol");
    reader_.expect(":");
    SymbolRange range{name.text, reader_.integer_number(), {}};
    reader_.expect("..");
    if (reader_.here().kind == Token::Kind::number || reader_.is_mark("-"))
      range.high = reader_.integer_number();
    reader_.add_name(scope_, name, symbol(name.text));
    program_.symbols.push_back(std::move(range));
  }

  void constant() {
    const Token start = reader_.here();
    Constant out{reader_.declaration(scope_), nullptr};
    reader_.expect("=");
    const auto bad = [&](const Token& at, const std::string& message) {
      reader_.source().fail("E1106", at, message);
    };
    auto data = std::make_shared<TensorData>();
    data->format = out.declaration.format;
    for (Term extent : out.declaration.extents) {
      const Integer* value = as_integer(extent);
      const auto fits =
          value != nullptr && *value >= 0 && *value < power_of_two(40) ? to_i64(*value) : std::nullopt;
      if (!fits) bad(start, "the extents of a constant are numbers");
      data->extents.push_back(*fits);
    }
    if (reader_.take_word("sha256")) {
      const Token digest = reader_.name("a digest in quotes");
      const std::shared_ptr<const TensorData> found =
          constants_ ? constants_(out.declaration, digest.text) : nullptr;
      if (found == nullptr) bad(digest, "there is no data with this digest");
      if (found->format != data->format || found->extents != data->extents)
        bad(digest, "the data with this digest has another format or shape");
      out.data = found;
    } else {
      data->splat = reader_.take_word("splat");
      if (!data->splat) reader_.expect_word("data");
      Integer count = 1;
      for (std::int64_t extent : data->extents) count *= from_i64(extent);
      const Integer expected = data->splat ? Integer(1) : count;
      for (Integer i = 0; reader_.here().kind == Token::Kind::number;) {
        element(*data);
        ++i;
        if (!reader_.take(",")) break;
      }
      const std::size_t width = storage_bits(data->format) / 8;
      if (Integer(data->bytes.size()) != expected * width)
        bad(start, expected.get_str() + " elements were expected, and there are " +
                       std::to_string(data->bytes.size() / width));
      out.data = std::move(data);
    }
    program_.constants.push_back(std::move(out));
  }

  void element(TensorData& data) {
    const Token at = reader_.here();
    Integer bits = reader_.integer_number();
    if (bits < 0 || bits >= power_of_two(storage_bits(data.format)))
      reader_.source().fail("E1106", at, "an element is written by its bits, in the width of its format");
    for (unsigned i = 0; i < storage_bits(data.format) / 8; ++i, bits /= 256)
      data.bytes.push_back(static_cast<std::byte>(Integer(bits % 256).get_ui()));
  }

  void definition() {
    Scope inside = scope_;
    const bool plain = reader_.here().kind == Token::Kind::name && !reader_.here().quoted;
    // A tensor may have one of these names; then a colon follows at once.
    const std::string word = plain ? reader_.here().text : "";
    Token name = reader_.name("the name of a tensor");
    if (!reader_.is_mark(":") && (word == "exact" || word == "rounded")) {
      inside.rounded = word == "rounded";
      name = reader_.name("the name of a tensor");
    }
    reader_.expect(":");
    Definition out;
    out.declaration = {name.text, reader_.format(), {}};
    reader_.expect("[");
    while (!reader_.take("]")) {
      if (!out.axis_names.empty()) reader_.expect(",");
      const Token axis_name = reader_.name("the name of an axis");
      reader_.add_name(inside, axis_name, axis(static_cast<int>(out.axis_names.size())));
      reader_.expect("<");
      out.axis_names.push_back(axis_name.text);
      const Token start = reader_.here();
      out.declaration.extents.push_back(reader_.sum(scope_));
      reader_.expect_size(start, out.declaration.extents.back());
    }
    if (reader_.take_word("from")) out.origin = reader_.name("the origin in quotes").text;
    reader_.expect("=");
    const Sort sort = inside.load_sort(out.declaration.format);
    inside.number_sort = number_sort(sort);
    const Token start = reader_.here();
    out.body = reader_.term(inside, sort.kind == SortKind::boolean ? Wanted::boolean : Wanted::element);
    if (out.body->sort != sort)
      reader_.source().fail(
          "E1103", start,
          "the definition is of sort " + to_string(sort) + ", and this is a " + to_string(out.body->sort));
    reader_.add_tensor(scope_, name, {out.declaration.format, out.declaration.extents.size()});
    program_.definitions.push_back(std::move(out));
  }

  Reader reader_;
  const ConstantSource& constants_;
  Scope scope_;
  Program program_;
};

}  // namespace

std::string print_program(const Program& program) {
  return Writer(program).run();
}

Program parse_program(std::string_view text, const std::string& file, const ConstantSource& constants) {
  return ProgramReader(text, file, constants).run();
}

}  // namespace hallmark::calculus::text
