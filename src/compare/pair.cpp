#include "compare/pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "evaluator/tensor.h"
#include "model/import.h"
#include "model/specials.h"

namespace hallmark::compare {
namespace {

using namespace calculus;

bool is_text(const std::string& path) {
  return std::filesystem::path(path).extension() == ".onnxtxt";
}

[[noreturn]] void misfit(const std::string& what) {
  throw UserError("E9201", what);
}

std::string extents_text(const std::vector<Term>& extents) {
  std::vector<std::string> out;
  for (Term e : extents) {
    const Integer* value = as_integer(e);
    out.push_back(value != nullptr ? value->get_str() : e->kind == Kind::symbol ? e->name : "?");
  }
  return fmt::format("[{}]", fmt::join(out, ", "));
}

// Index of the partner in `right` of each name in `left`: by name when all names of the smaller side are
// known to the other, otherwise by position.
std::vector<std::pair<std::size_t, std::size_t>> matched(const std::vector<std::string>& left,
                                                         const std::vector<std::string>& right,
                                                         const std::string& what) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t j = 0; j < right.size(); ++j)
    if (const auto at = std::find(left.begin(), left.end(), right[j]); at != left.end())
      out.push_back({static_cast<std::size_t>(at - left.begin()), j});
  const bool inputs = what == "inputs";
  if (out.size() == right.size() && (inputs || left.size() == right.size())) return out;
  if (left.size() != right.size())
    misfit(
        fmt::format("the models have different {0}: [{1}] and [{2}]; expected the same {0}, by name or by "
                    "position",
                    what, fmt::join(left, ", "), fmt::join(right, ", ")));
  out.clear();
  for (std::size_t j = 0; j < right.size(); ++j) out.push_back({j, j});
  return out;
}

std::vector<std::string> names_of(const std::vector<Declaration>& declarations) {
  std::vector<std::string> out;
  for (const Declaration& d : declarations) out.push_back(d.name);
  return out;
}

std::string content_key(const Constant& constant) {
  const TensorData& data = *constant.data;
  std::string bytes;
  const std::int64_t copies = data.splat ? data.element_count() : 1;
  for (std::int64_t i = 0; i < copies; ++i)
    bytes.append(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
  return fmt::format("{} {} {}", static_cast<int>(data.format), fmt::join(data.extents, ","),
                     sha256_hex(bytes));
}

bool is_partial(Term n) {
  if (n->kind != Kind::operation) return false;
  switch (n->op) {
    case Op::div:
      // By a number other than 0 nothing can go wrong.
      return n->children[1]->kind != Kind::constant || n->children[1]->value == 0;
    case Op::mod:
    case Op::rem:
    case Op::pow:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::reciprocal:
    case Op::log:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::acosh:
    case Op::atanh:
      return true;
    default:
      return false;
  }
}

// The sizes of both models under common names.
class Sizes {
 public:
  Sizes(std::string first, std::string second, const std::optional<contract::Contract>& contract)
      : paths_{std::move(first), std::move(second)}, contract_(contract) {}

  void run() {
    // Each round fixes at least one more size.
    for (int round = 0;; ++round) {
      ensure(round < 1000, "the sizes of two models do not settle");
      for (int side = 0; side < 2; ++side) models_[side] = import(side);
      if (!fix()) break;
    }
    inputs = matched(names_of(models_[0].program.inputs), names_of(models_[1].program.inputs), "inputs");
    name_symbols();
  }

  const model::Model& model(int side) const { return models_[side]; }
  Substitution substitution[2];
  std::vector<std::pair<std::size_t, std::size_t>> inputs;
  std::vector<SymbolRange> symbols;
  std::vector<std::string> notes;

 private:
  model::Model import(int side) const {
    model::Options options;
    if (side == 0 && contract_)
      for (const auto& [name, range] : contract_->dimensions)
        options.dimensions[name] = {name, range.low, range.high};
    for (const auto& [name, value] : fixed_[side]) options.dimensions[name] = {name, value, value};
    return model::import_model(paths_[side], options);
  }

  // Gives sizes that one model leaves open the other's number; false when there is none left.
  bool fix() {
    bool changed = false;
    const auto& left = models_[0].program.inputs;
    const auto& right = models_[1].program.inputs;
    for (const auto& [i, j] : matched(names_of(left), names_of(right), "inputs")) {
      const Declaration &a = left[i], &b = right[j];
      if (a.format != b.format)
        misfit("the input '" + a.name + "' has different element types in the two models");
      if (a.extents.size() != b.extents.size())
        misfit(fmt::format("the input '{}' has shape {} in the first model and {} in the second", a.name,
                           extents_text(a.extents), extents_text(b.extents)));
      for (std::size_t d = 0; d < a.extents.size(); ++d) {
        const Integer *x = as_integer(a.extents[d]), *y = as_integer(b.extents[d]);
        if (x != nullptr && y != nullptr && *x != *y)
          misfit(fmt::format("the input '{}' has shape {} in the first model and {} in the second", a.name,
                             extents_text(a.extents), extents_text(b.extents)));
        if ((x == nullptr) == (y == nullptr)) continue;
        const int open = x == nullptr ? 0 : 1;
        const std::string name = (open == 0 ? a : b).extents[d]->name;
        const Integer& value = x == nullptr ? *y : *x;
        if (open == 0)
          for (const SymbolRange& s : models_[0].program.symbols)
            if (s.name == name && (value < s.low || (s.high && value > *s.high)))
              misfit(fmt::format("the second model takes {} = {} alone, which the contract excludes", name,
                                 value.get_str()));
        if (fixed_[open].emplace(name, value).second) {
          changed = true;
          notes.push_back(fmt::format("{} = {}, which the {} model alone fixes", name, value.get_str(),
                                      open == 0 ? "second" : "first"));
        }
      }
    }
    return changed;
  }

  using Key = std::pair<int, std::string>;

  Key find(const Key& key) {
    Key at = key;
    while (parent_.at(at) != at) at = parent_.at(at);
    return at;
  }

  void name_symbols() {
    for (int side = 0; side < 2; ++side)
      for (const SymbolRange& s : models_[side].program.symbols) parent_[{side, s.name}] = {side, s.name};
    for (const auto& [i, j] : inputs) {
      const Declaration &a = models_[0].program.inputs[i], &b = models_[1].program.inputs[j];
      for (std::size_t d = 0; d < a.extents.size(); ++d) {
        if (a.extents[d]->kind != Kind::symbol || b.extents[d]->kind != Kind::symbol) continue;
        // The first model's name, and the least of them, stays.
        Key x = find({0, a.extents[d]->name}), y = find({1, b.extents[d]->name});
        if (y < x) std::swap(x, y);
        parent_[y] = x;
      }
    }
    std::map<Key, SymbolRange> ranges;
    std::set<std::string> taken;
    for (int side = 0; side < 2; ++side)
      for (const SymbolRange& s : models_[side].program.symbols) {
        const Key root = find({side, s.name});
        SymbolRange range{root.second, s.low, s.high};
        // An own size of the second model whose name the first uses for another.
        if (root.first == 1)
          for (const SymbolRange& other : models_[0].program.symbols)
            if (other.name == range.name) range.name = "B." + range.name;
        const auto [at, inserted] = ranges.emplace(root, range);
        if (!inserted) {
          at->second.low = std::max(at->second.low, range.low);
          if (range.high && (!at->second.high || *range.high < *at->second.high))
            at->second.high = range.high;
          if (side == 0)
            notes.push_back(
                fmt::format("{} = {}, which the second model calls by one name", s.name, at->second.name));
        }
        if (at->second.name != s.name) substitution[side][symbol(s.name)] = symbol(at->second.name);
      }
    for (auto& [key, range] : ranges) symbols.push_back(std::move(range));
  }

  std::string paths_[2];
  const std::optional<contract::Contract>& contract_;
  model::Model models_[2];
  std::map<std::string, Integer> fixed_[2];
  std::map<Key, Key> parent_;
};

class Joiner {
 public:
  Joiner(const Sizes& sizes, Pair& out) : sizes_(sizes), out_(out) {}

  void run() {
    const Program &left = sizes_.model(0).program, &right = sizes_.model(1).program;
    out_.program.symbols = sizes_.symbols;
    choose_prefix(left);
    for (const Declaration& d : left.inputs) out_.program.inputs.push_back(resized(d, 0));
    for (const auto& [i, j] : sizes_.inputs) names_[1][right.inputs[j].name] = left.inputs[i].name;
    for (const Constant& c : left.constants) {
      out_.program.constants.push_back(c);
      contents_.emplace(content_key(c), c.declaration.name);
    }
    for (const Constant& c : right.constants) {
      const auto known = contents_.find(content_key(c));
      if (known != contents_.end()) {
        names_[1][c.declaration.name] = known->second;
        continue;
      }
      Constant own = c;
      own.declaration.name = names_[1][c.declaration.name] = prefix_ + c.declaration.name;
      contents_.emplace(content_key(c), own.declaration.name);
      out_.program.constants.push_back(std::move(own));
    }
    for (const Definition& d : right.definitions)
      names_[1][d.declaration.name] = prefix_ + d.declaration.name;
    for (int side = 0; side < 2; ++side) {
      const Program& program = side == 0 ? left : right;
      for (const Definition& d : program.definitions) {
        Definition own = d;
        own.declaration = resized(d.declaration, side);
        own.declaration.name = renamed(d.declaration.name, side);
        own.body = body(d.body, side);
        if (side == 1) out_.second.insert(own.declaration.name);
        out_.program.definitions.push_back(std::move(own));
      }
      for (Term p : program.preconditions) {
        const Term condition = body(p, side);
        auto& all = out_.program.preconditions;
        if (std::find(all.begin(), all.end(), condition) != all.end()) continue;
        if (side == 1) out_.notes.push_back(second_accepts);
        all.push_back(condition);
      }
    }
    const auto pairs = matched(left.outputs, right.outputs, "outputs");
    for (const auto& [i, j] : pairs) {
      OutputPair pair{left.outputs[i], defined(renamed(left.outputs[i], 0), 0),
                      defined(renamed(right.outputs[j], 1), 1)};
      if (find_declaration(out_.program, pair.left)->format !=
          find_declaration(out_.program, pair.right)->format)
        misfit("the output '" + pair.name + "' has different element types in the two models");
      out_.outputs.push_back(std::move(pair));
    }
    for (const OutputPair& pair : out_.outputs)
      for (const std::string& name : {pair.left, pair.right}) out_.program.outputs.push_back(name);
    check_program(out_.program);
  }

 private:
  std::string renamed(const std::string& name, int side) const {
    const auto at = names_[side].find(name);
    return at == names_[side].end() ? name : at->second;
  }

  Declaration resized(Declaration d, int side) const {
    for (Term& extent : d.extents) extent = substitute(extent, sizes_.substitution[side]);
    return d;
  }

  Term body(Term term, int side) const {
    return rewrite(substitute(term, sizes_.substitution[side]), [&](Term n) {
      return n->kind == Kind::load ? load(renamed(n->name, side), n->children, n->sort) : n;
    });
  }

  // An output that is an input or a constant becomes a copy of it, so that outputs are definitions.
  std::string defined(const std::string& name, int side) {
    if (find_definition(out_.program, name) != nullptr) return name;
    Definition copy;
    copy.declaration = *find_declaration(out_.program, name);
    copy.declaration.name = (side == 0 ? "output." : prefix_ + "output.") + name;
    std::vector<Term> at;
    for (std::size_t d = 0; d < copy.declaration.extents.size(); ++d) {
      at.push_back(axis(static_cast<int>(d)));
      copy.axis_names.push_back(fmt::format("i{}", d));
    }
    copy.body = load(name, at, exact_sort(copy.declaration.format));
    if (find_definition(out_.program, copy.declaration.name) == nullptr) {
      if (side == 1) out_.second.insert(copy.declaration.name);
      out_.program.definitions.push_back(copy);
    }
    return copy.declaration.name;
  }

  // "B.", or what no name of the first model begins with.
  void choose_prefix(const Program& left) {
    std::vector<std::string> names = names_of(left.inputs);
    for (const Constant& c : left.constants) names.push_back(c.declaration.name);
    for (const Definition& d : left.definitions) names.push_back(d.declaration.name);
    for (int n = 2; std::any_of(names.begin(), names.end(),
                                [&](const std::string& name) { return name.rfind(prefix_, 0) == 0; });
         ++n)
      prefix_ = fmt::format("B{}.", n);
  }

  const Sizes& sizes_;
  Pair& out_;
  std::string prefix_ = "B.";
  std::map<std::string, std::string> names_[2];
  std::map<std::string, std::string> contents_;
};

// Elements of constants that are read at literal indices are numbers: the 0 and 1 that a OneHot takes from a
// tensor.
void put_in_known_elements(Program& program) {
  std::map<std::string, evaluator::Tensor> known;
  for (const Constant& c : program.constants) known.emplace(c.declaration.name, evaluator::Tensor(c.data));
  const auto element = [&](Term n) -> Term {
    const auto at = n->kind == Kind::load ? known.find(n->name) : known.end();
    if (at == known.end()) return n;
    std::int64_t place = 0;
    for (std::size_t d = 0; d < n->children.size(); ++d) {
      const Integer* index = as_integer(n->children[d]);
      const std::int64_t extent = at->second.extents()[d];
      if (index == nullptr || *index < 0 || *index >= from_i64(extent)) return n;
      place = place * extent + to_i64(*index).value();
    }
    if (is_integer(at->second.format())) {
      const std::int64_t bits = at->second.integer(place);
      const Integer value =
          at->second.format() == Format::u64 ? from_u64(static_cast<std::uint64_t>(bits)) : from_i64(bits);
      return int_constant(at->second.format(), value);
    }
    if (!is_float(at->second.format()) || n->sort != Sort::real() || !std::isfinite(at->second.number(place)))
      return n;
    return real_constant(at->second.exact(place));
  };
  std::set<std::string> read;
  for (Definition& d : program.definitions) {
    d.body = rewrite(d.body, element);
    for_each_node(d.body, [&](Term n) {
      if (n->kind == Kind::load) read.insert(n->name);
    });
  }
  for (const std::string& output : program.outputs) read.insert(output);
  std::erase_if(program.constants, [&](const Constant& c) {
    return !c.declaration.name.empty() && read.count(c.declaration.name) == 0;
  });
}

}  // namespace

Pair load_pair(const std::string& first, const std::string& second,
               const std::optional<contract::Contract>& contract) {
  Sizes sizes(first, second, contract);
  sizes.run();
  Pair out;
  out.notes = sizes.notes;
  const Program& left = sizes.model(0).program;
  if (contract) contract::validate(*contract, left, sizes.model(0).numbers);
  if (contract) out.contract = contract::complete(*contract, left);
  Joiner(sizes, out).run();
  for (const std::string& path : {first, second})
    out.specials = out.specials || model::has_special_values(read_file(path), is_text(path));
  put_in_known_elements(out.program);
  std::set<Format> formats;
  for (const Declaration& d : out.program.inputs) formats.insert(d.format);
  for (const Constant& c : out.program.constants) formats.insert(c.declaration.format);
  for (const Definition& d : out.program.definitions) {
    formats.insert(d.declaration.format);
    if (out.second.count(d.declaration.name) == 0) continue;
    for_each_node(d.body, [&](Term n) { out.partial = out.partial || is_partial(n); });
  }
  std::erase_if(formats, [](Format f) { return !is_float(f); });
  out.mixed_formats = formats.size() > 1;
  std::set<std::string> assumptions;
  for (int side = 0; side < 2; ++side)
    assumptions.insert(sizes.model(side).assumptions.begin(), sizes.model(side).assumptions.end());
  out.assumptions.assign(assumptions.begin(), assumptions.end());
  return out;
}

std::string scope_of(const Pair& pair) {
  std::vector<std::string> parts;
  for (const SymbolRange& s : pair.program.symbols)
    parts.push_back(s.name + " >= " + s.low.get_str() + (s.high ? " and <= " + s.high->get_str() : ""));
  std::string out = parts.empty() ? "the sizes as written" : fmt::format("any {}", fmt::join(parts, ", "));
  for (const std::string& note : pair.notes) out += "; " + note;
  return out;
}

}  // namespace hallmark::compare
