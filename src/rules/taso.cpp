#include "rules/taso.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"

namespace hallmark::rules {
namespace {

// --- the wire format ---
struct Field {
  int number = 0;
  std::int64_t value = 0;
  std::string_view bytes;
};

class Wire {
 public:
  explicit Wire(std::string_view bytes) : bytes_(bytes) {}

  std::vector<Field> fields() {
    std::vector<Field> out;
    while (at_ < bytes_.size()) {
      const std::uint64_t key = varint();
      Field f;
      f.number = static_cast<int>(key >> 3);
      if ((key & 7) == 0) {
        f.value = static_cast<std::int64_t>(varint());
      } else if ((key & 7) == 2) {
        const std::uint64_t size = varint();
        if (size > bytes_.size() - at_) throw UserError("E2120", "a field runs past the end of the file");
        f.bytes = bytes_.substr(at_, size);
        at_ += size;
      } else {
        throw UserError("E2120", "a field of a wire type that the format does not use");
      }
      out.push_back(f);
    }
    return out;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= bytes_.size()) throw UserError("E2120", "a number runs past the end of the file");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      out |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return out;
    }
    throw UserError("E2120", "a number of more than 64 bits");
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::int64_t number_of(std::string_view bytes, int field) {
  for (const Field& f : Wire(bytes).fields())
    if (f.number == field) return f.value;
  return 0;
}

enum Code { conv = 3, relu = 8, concat = 12, split = 13, add = 16, mul = 17, matmul = 18 };

struct Input {
  int op = 0, output = 0;
  auto operator<=>(const Input&) const = default;
};
struct Operator {
  int code = 0;
  std::vector<Input> inputs;
  std::map<int, int> parameters;
  int parameter(int key) const {
    const auto found = parameters.find(key);
    return found == parameters.end() ? 0 : found->second;
  }
};
struct Substitution {
  std::vector<Operator> sides[2];
  struct Output {
    Input source, target;
  };
  std::vector<Output> outputs;
};

Operator read_operator(std::string_view bytes) {
  Operator out;
  for (const Field& f : Wire(bytes).fields()) {
    if (f.number == 1) out.code = static_cast<int>(f.value);
    if (f.number == 2)
      out.inputs.push_back(
          {static_cast<int>(number_of(f.bytes, 1)), static_cast<int>(number_of(f.bytes, 2))});
    if (f.number == 3)
      out.parameters[static_cast<int>(number_of(f.bytes, 1))] = static_cast<int>(number_of(f.bytes, 2));
  }
  return out;
}

std::vector<Substitution> read(const std::string& bytes) {
  std::vector<Substitution> out;
  for (const Field& rule : Wire(bytes).fields()) {
    if (rule.number != 1) throw UserError("E2120", "not a collection of TASO rules");
    Substitution s;
    for (const Field& f : Wire(rule.bytes).fields()) {
      if (f.number == 1 || f.number == 2)
        s.sides[f.number - 1].push_back(read_operator(f.bytes));
      else if (f.number == 3)
        s.outputs.push_back(
            {{static_cast<int>(number_of(f.bytes, 1)), static_cast<int>(number_of(f.bytes, 3))},
             {static_cast<int>(number_of(f.bytes, 2)), static_cast<int>(number_of(f.bytes, 4))}});
    }
    out.push_back(std::move(s));
  }
  return out;
}

// --- extents: sums of integer multiples of symbols ---
struct Extent {
  std::map<std::string, long> of;  // without zeros; "" is the constant
  bool operator==(const Extent&) const = default;
};

Extent literal(long n) {
  Extent out;
  if (n != 0) out.of[""] = n;
  return out;
}
Extent plus(const Extent& a, const Extent& b, long factor = 1) {
  Extent out = a;
  for (const auto& [name, n] : b.of)
    if ((out.of[name] += factor * n) == 0) out.of.erase(name);
  return out;
}
Extent times(const Extent& a, long factor) {
  return plus(Extent{}, a, factor);
}
std::string text_of(const Extent& e) {
  std::string out;
  for (const auto& [name, n] : e.of) {
    if (n < 0)
      out += out.empty() ? "0 - " : " - ";
    else if (!out.empty())
      out += " + ";
    const long m = std::abs(n);
    out += name.empty() ? std::to_string(m) : m == 1 ? name : fmt::format("{} * {}", m, name);
  }
  return out.empty() ? "0" : out;
}

struct Shape {
  std::vector<Extent> extents;
  std::vector<std::vector<Extent>> joined;  // how the axis was joined, by axis; empty when it was not
};

struct Misfit {
  std::string why;
};

class Writer {
 public:
  Writer(const Substitution& s, const Substitution::Output& output, unsigned groups)
      : s_(s), output_(output), groups_(groups) {}

  std::string run(const std::string& name, const std::string& file, int number,
                  std::vector<std::string>& conditions) {
    infer_ranks();
    for (int side = 0; side < 2; ++side) {
      side_ = side;
      for (const Operator& op : s_.sides[side]) shapes_[side].push_back(shapes_of(op));
    }
    side_ = 1;
    const Shape a = shape(0, output_.source), b = shape(1, output_.target);
    unify_all(a, b);
    conditions = conditions_;
    return text(name, file, number);
  }

 private:
  // --- ranks ---
  void infer_ranks() {
    for (int round = 0; round < 8; ++round)
      for (int side = 0; side < 2; ++side) {
        std::vector<int> ranks(s_.sides[side].size(), 0);
        for (int pass = 0; pass < 2; ++pass)
          for (std::size_t i = 0; i < s_.sides[side].size(); ++i) {
            const Operator& op = s_.sides[side][i];
            int rank = op.code == conv     ? 4
                       : op.code == matmul ? 2
                       : op.code == concat ? op.parameter(10)
                                           : ranks[i];
            for (const Input& in : op.inputs)
              rank = std::max(rank, in.op < 0 ? ranks_[in] : ranks[at(in, side)]);
            ranks[i] = rank;
            for (const Input& in : op.inputs) {
              if (in.op < 0)
                ranks_[in] = std::max(ranks_[in], rank);
              else
                ranks[at(in, side)] = std::max(ranks[at(in, side)], rank);
            }
          }
      }
  }
  std::size_t at(const Input& in, int side) const {
    if (static_cast<std::size_t>(in.op) >= s_.sides[side].size())
      throw UserError("E2120", "a rule reads an operator that it does not have");
    return static_cast<std::size_t>(in.op);
  }

  // --- extents ---
  Extent fresh() {
    Extent out;
    out.of["d" + std::to_string(++symbols_)] = 1;
    return out;
  }
  Extent resolved(const Extent& e) const {
    Extent out = e;
    for (bool again = true; again;) {
      again = false;
      for (const auto& [name, value] : bound_) {
        const auto found = out.of.find(name);
        if (found == out.of.end()) continue;
        const long n = found->second;
        out.of.erase(found);
        out = plus(out, value, n);
        again = true;
        break;
      }
    }
    return out;
  }
  void unify(const Extent& a, const Extent& b) {
    const Extent x = resolved(a), y = resolved(b);
    Extent difference = plus(x, y, -1);
    if (difference.of.empty()) return;
    long common = 0;
    bool above = true, below = true;
    for (const auto& [symbol, n] : difference.of) {
      common = std::gcd(common, n);
      above = above && n > 0;
      below = below && n < 0;
    }
    for (auto& [symbol, n] : difference.of) n /= common;
    // A sum that has to be 0: the operators fit together for empty tensors alone, which says nothing.
    if (above || below) throw Misfit{text_of(x) + " is " + text_of(y) + " for empty tensors alone"};
    if (side_ == 1) conditions_.push_back(text_of(x) + " = " + text_of(y));
    for (auto it = difference.of.rbegin(); it != difference.of.rend(); ++it) {
      const auto& [name, n] = *it;
      if (name.empty() || std::abs(n) != 1) continue;
      Extent value = difference;
      value.of.erase(name);
      bound_[name] = times(value, -n);
      return;
    }
    throw Misfit{text_of(x) + " cannot be " + text_of(y)};
  }
  void unify_all(const Shape& a, const Shape& b) {
    if (a.extents.size() != b.extents.size()) throw Misfit{"two ranks meet"};
    for (std::size_t d = 0; d < a.extents.size(); ++d) unify(a.extents[d], b.extents[d]);
  }
  Shape& free_shape(const Input& in) {
    const auto found = free_.find(in);
    if (found != free_.end()) return found->second;
    Shape made;
    for (int d = 0; d < ranks_[in]; ++d) made.extents.push_back(fresh());
    made.joined.resize(made.extents.size());
    return free_.emplace(in, made).first->second;
  }
  Shape shape(int side, const Input& in) {
    if (in.op < 0) return free_shape(in);
    const std::vector<Shape>& outputs = shapes_[side].at(at(in, side));
    if (static_cast<std::size_t>(in.output) >= outputs.size())
      throw Misfit{"an output that is not there is read"};
    return outputs[static_cast<std::size_t>(in.output)];
  }

  int groups_of(std::size_t index) const { return (groups_ >> index) & 1U ? 2 : 1; }

  std::vector<Shape> shapes_of(const Operator& op) {
    std::vector<Shape> in;
    for (const Input& i : op.inputs) in.push_back(shape(side_, i));
    const auto needs = [&](std::size_t n) {
      if (in.size() != n) throw UserError("E2120", "an operator with another number of inputs than it takes");
    };
    switch (op.code) {
      case relu:
        needs(1);
        return in;
      case add:
      case mul: {
        needs(2);
        unify_all(in[0], in[1]);
        Shape out = in[0];
        for (std::size_t d = 0; d < out.joined.size(); ++d)
          if (out.joined[d].empty()) out.joined[d] = in[1].joined[d];
        return {out};
      }
      case matmul:
        needs(2);
        unify(in[0].extents.at(1), in[1].extents.at(0));
        return {{{in[0].extents[0], in[1].extents[1]}, {in[0].joined[0], in[1].joined[1]}}};
      case concat: {
        const auto axis = static_cast<std::size_t>(op.parameter(11));
        if (in.empty() || axis >= in[0].extents.size()) throw Misfit{"an axis that is not there is joined"};
        Shape out = in[0];
        out.extents[axis] = Extent{};
        out.joined[axis].clear();
        for (const Shape& s : in) {
          for (std::size_t d = 0; d < out.extents.size(); ++d)
            if (d != axis) unify(out.extents[d], s.extents.at(d));
          out.extents[axis] = plus(out.extents[axis], s.extents.at(axis));
          out.joined[axis].push_back(s.extents[axis]);
        }
        return {out};
      }
      case split: {
        needs(1);
        const auto axis = static_cast<std::size_t>(op.parameter(11));
        const auto count = static_cast<std::size_t>(op.parameter(2));
        if (axis >= in[0].extents.size()) throw Misfit{"an axis that is not there is split"};
        if (in[0].joined[axis].size() != count) throw Misfit{"a split of what was not joined"};
        std::vector<Shape> out;
        for (const Extent& part : in[0].joined[axis]) {
          out.push_back(in[0]);
          out.back().extents[axis] = part;
          out.back().joined[axis].clear();
        }
        return out;
      }
      case conv: {
        needs(2);
        const std::size_t index = convolutions_++;
        const int groups = groups_of(index);
        conv_groups_[{side_, static_cast<int>(shapes_[side_].size())}] = groups;
        unify(in[0].extents.at(1), times(in[1].extents.at(1), groups));
        unify(in[1].extents.at(2), literal(op.parameter(4)));
        unify(in[1].extents.at(3), literal(op.parameter(5)));
        if (op.parameter(6) != 1 || op.parameter(7) != 1) throw Misfit{"a stride other than 1"};
        if (groups == 2) {
          // Weights that were joined from two tensors have one for each group.
          const std::vector<Extent>& parts = in[1].joined[0];
          if (parts.size() == 2) unify(parts[0], parts[1]);
          const Extent half = parts.size() == 2 ? parts[0] : fresh();
          unify(in[1].extents[0], times(half, 2));
          halves_[{side_, static_cast<int>(shapes_[side_].size())}] = half;
        }
        Shape out;
        const bool same = op.parameter(8) == 0;
        out.extents = {in[0].extents[0], in[1].extents[0], in[0].extents[2], in[0].extents[3]};
        for (int d = 2; d < 4 && !same; ++d)
          out.extents[static_cast<std::size_t>(d)] =
              plus(in[0].extents[static_cast<std::size_t>(d)], literal(1 - op.parameter(d + 2)));
        out.joined = {in[0].joined[0], in[1].joined[0], {}, {}};
        return {out};
      }
      default:
        throw Misfit{fmt::format("the operator with code {}", op.code)};
    }
  }

  // --- text ---
  static std::string free_name(const Input& in) {
    return in.output == 0 ? fmt::format("x{}", -in.op) : fmt::format("x{}_{}", -in.op, in.output);
  }
  std::string name_of(const Input& in) const {
    return in.op < 0 ? free_name(in) : fmt::format("t{}_{}", in.op, in.output);
  }
  std::string extent(const Extent& e) const { return text_of(resolved(e)); }
  static std::string list(std::size_t n) {
    std::string out;
    for (std::size_t d = 0; d < n; ++d) out += fmt::format("{}i{}", d == 0 ? "" : ", ", d);
    return out;
  }
  std::string head(const std::string& name, const Shape& s) const {
    std::string out = fmt::format("{} : f32[", name);
    for (std::size_t d = 0; d < s.extents.size(); ++d)
      out += fmt::format("{}i{} < {}", d == 0 ? "" : ", ", d, extent(s.extents[d]));
    return out + "] = ";
  }
  // Reads the tensor with axis `axis` shifted back by `by`.
  std::string shifted(const Input& in, std::size_t rank, std::size_t axis, const std::string& by,
                      char sign) const {
    std::string out = name_of(in) + "[";
    for (std::size_t d = 0; d < rank; ++d)
      out +=
          fmt::format("{}i{}{}", d == 0 ? "" : ", ", d, d == axis ? fmt::format(" {} ({})", sign, by) : "");
    return out + "]";
  }

  void write(int side, int index, std::string& out) {
    const Operator& op = s_.sides[side][static_cast<std::size_t>(index)];
    const std::vector<Shape>& shapes = shapes_[side][static_cast<std::size_t>(index)];
    const std::string word = side == 0 ? "  left  " : "  right ";
    const auto line = [&](int output, const std::string& body) {
      out += word + head(name_of({index, output}), shapes[static_cast<std::size_t>(output)]) + body + "\n";
    };
    const auto plain = [&](std::size_t i) {
      return fmt::format("{}[{}]", name_of(op.inputs[i]), list(shapes[0].extents.size()));
    };
    switch (op.code) {
      case relu:
        return line(0, fmt::format("max({}, 0)", plain(0)));
      case add:
        return line(0, plain(0) + " + " + plain(1));
      case mul:
        return line(0, plain(0) + " * " + plain(1));
      case matmul: {
        const std::string inner = extent(shape(side, op.inputs[0]).extents[1]);
        return line(0, fmt::format("sum(k < {}) ({}[i0, k] * {}[k, i1])", inner, name_of(op.inputs[0]),
                                   name_of(op.inputs[1])));
      }
      case concat: {
        const auto axis = static_cast<std::size_t>(op.parameter(11));
        std::string body;
        Extent before;
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
          const Extent here = shape(side, op.inputs[i]).extents[axis];
          const std::string read = shifted(op.inputs[i], shapes[0].extents.size(), axis, extent(before), '-');
          before = plus(before, here);
          body += i + 1 == op.inputs.size()
                      ? read
                      : fmt::format("if i{} < {} then {} else ", axis, extent(before), read);
        }
        return line(0, body);
      }
      case split: {
        const auto axis = static_cast<std::size_t>(op.parameter(11));
        Extent before;
        for (std::size_t o = 0; o < shapes.size(); ++o) {
          line(static_cast<int>(o),
               shifted(op.inputs[0], shapes[0].extents.size(), axis, extent(before), '+'));
          before = plus(before, shapes[o].extents[axis]);
        }
        return;
      }
      case conv: {
        const Shape x = shape(side, op.inputs[0]), w = shape(side, op.inputs[1]);
        const bool same = op.parameter(8) == 0, active = op.parameter(9) == 2;
        const int low[2] = {same ? (op.parameter(4) - 1) / 2 : 0, same ? (op.parameter(5) - 1) / 2 : 0};
        std::string channel = "c";
        if (conv_groups_.at({side, index}) == 2)
          channel = fmt::format("c + (if i1 < {} then 0 else {})", extent(halves_.at({side, index})),
                                extent(w.extents[1]));
        std::string body = fmt::format(
            "sum(c < {}) sum(y < {} where {} <= i2 + y and i2 + y < {} + {}) sum(z < {} where {} <= i3 + z "
            "and i3 + z "
            "< {} + {}) ({}[i0, {}, i2 + y - {}, i3 + z - {}] * {}[i1, c, y, z])",
            extent(w.extents[1]), op.parameter(4), low[0], extent(x.extents[2]), low[0], op.parameter(5),
            low[1], extent(x.extents[3]), low[1], name_of(op.inputs[0]), channel, low[0], low[1],
            name_of(op.inputs[1]));
        return line(0, active ? "max(" + body + ", 0)" : body);
      }
      default:
        throw Misfit{"an operator that cannot be written"};
    }
  }

  void needed(int side, const Input& in, std::set<int>& out) const {
    if (in.op < 0 || !out.insert(in.op).second) return;
    for (const Input& i : s_.sides[side][at(in, side)].inputs) needed(side, i, out);
  }

  std::string text(const std::string& name, const std::string& file, int number) {
    std::string body;
    std::set<std::string> symbols;
    std::vector<std::string> demands;
    const auto mention = [&](const Extent& e) {
      const Extent r = resolved(e);
      bool negative = false;
      for (const auto& [symbol, n] : r.of) {
        if (!symbol.empty()) symbols.insert(symbol);
        negative = negative || n < 0;
      }
      const std::string demand = "  require 0 <= " + text_of(r) + "\n";
      if (negative && std::find(demands.begin(), demands.end(), demand) == demands.end())
        demands.push_back(demand);
    };
    std::set<Input> read;
    std::string sides;
    for (int side = 0; side < 2; ++side) {
      const Input& result = side == 0 ? output_.source : output_.target;
      std::set<int> wanted;
      needed(side, result, wanted);
      for (int index : wanted) {
        for (const Input& in : s_.sides[side][static_cast<std::size_t>(index)].inputs)
          if (in.op < 0) read.insert(in);
        for (const Shape& s : shapes_[side][static_cast<std::size_t>(index)])
          for (const Extent& e : s.extents) mention(e);
        write(side, index, sides);
      }
      if (result.op < 0) read.insert(result);
      const Shape s = shape(side, result);
      sides += (side == 0 ? "  left  " : "  right ") + head("Y", s) +
               fmt::format("{}[{}]\n", name_of(result), list(s.extents.size()));
    }
    for (const Input& in : read) {
      std::string extents;
      for (const Extent& e : free_shape(in).extents) {
        if (resolved(e).of.empty()) throw Misfit{"an input is empty"};
        mention(e);
        extents += (extents.empty() ? "" : ", ") + extent(e);
      }
      body += fmt::format("  input {} : f32[{}]\n", free_name(in), extents);
    }
    std::string out =
        fmt::format("rule {}\n  source \"TASO, SOSP 2019: {} number {}\"\n", name, file, number);
    if (!symbols.empty()) out += fmt::format("  size {}\n", fmt::join(symbols, ", "));
    for (const std::string& d : demands) out += d;
    return out + body + sides;
  }

  const Substitution& s_;
  const Substitution::Output& output_;
  unsigned groups_;
  int side_ = 0;
  std::size_t convolutions_ = 0;
  int symbols_ = 0;
  std::map<Input, int> ranks_;
  std::map<Input, Shape> free_;
  std::map<std::string, Extent> bound_;
  std::vector<std::vector<Shape>> shapes_[2];
  std::map<std::pair<int, int>, int> conv_groups_;
  std::map<std::pair<int, int>, Extent> halves_;
  std::vector<std::string> conditions_;
};

}  // namespace

std::vector<ImportedRule> import_taso(const std::string& bytes, const std::string& file) {
  const std::string base = file.substr(file.find_last_of('/') + 1);
  std::vector<ImportedRule> out;
  int number = 0;
  for (const Substitution& s : read(bytes)) {
    std::size_t convolutions = 0;
    for (const auto& side : s.sides)
      for (const Operator& op : side) convolutions += op.code == conv ? 1 : 0;
    for (std::size_t o = 0; o < s.outputs.size(); ++o) {
      ImportedRule rule;
      rule.name = o == 0 ? fmt::format("taso/{:03}", number) : fmt::format("taso/{:03}.{}", number, o);
      for (unsigned groups = 0; groups < (1U << std::min<std::size_t>(convolutions, 4)); ++groups) {
        try {
          std::vector<std::string> conditions;
          rule.texts.push_back(Writer(s, s.outputs[o], groups).run(rule.name, base, number, conditions));
          if (rule.texts.size() == 1) rule.conditions = conditions;
        } catch (const Misfit& misfit) {
          if (rule.failure.empty()) rule.failure = misfit.why;
        }
      }
      out.push_back(std::move(rule));
    }
    ++number;
  }
  return out;
}

}  // namespace hallmark::rules
