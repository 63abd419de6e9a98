#include "certificate/bits.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace hallmark::certificate {
namespace {

using Kind = Sort::Kind;
using Bits = std::vector<int>;  // of a term: literals, the lowest first

class Blaster {
 public:
  explicit Blaster(const Query& query) : query_(query) {
    true_ = variable();
    clause({true_});
  }

  Clauses run() {
    for (const NodeId assertion : query_.assertions()) clause({bits(assertion)[0]});
    return std::move(out_);
  }

 private:
  int variable() {
    if (++out_.variables > 1'000'000) throw UserError("E5452", "more than a million gates");
    return out_.variables;
  }
  void clause(Clause c) { out_.all.push_back(std::move(c)); }

  int both(int a, int b) {
    if (a == -true_ || b == -true_ || a == -b) return -true_;
    if (a == true_ || a == b) return b;
    if (b == true_) return a;
    const int g = variable();
    clause({-g, a});
    clause({-g, b});
    clause({g, -a, -b});
    return g;
  }
  int either(int a, int b) { return -both(-a, -b); }
  int differ(int a, int b) {
    if (a == true_) return -b;
    if (a == -true_) return b;
    if (b == true_) return -a;
    if (b == -true_) return a;
    if (a == b) return -true_;
    if (a == -b) return true_;
    const int g = variable();
    clause({-g, a, b});
    clause({-g, -a, -b});
    clause({g, -a, b});
    clause({g, a, -b});
    return g;
  }
  int choose(int c, int a, int b) { return a == b ? a : either(both(c, a), both(-c, b)); }

  Bits zero(std::size_t n) const { return Bits(n, -true_); }
  Bits choose(int c, const Bits& a, const Bits& b) {
    Bits out;
    for (std::size_t i = 0; i < a.size(); ++i) out.push_back(choose(c, a[i], b[i]));
    return out;
  }
  static Bits opposite(Bits a) {
    for (int& bit : a) bit = -bit;
    return a;
  }
  // a + b + carry; the last carry goes to `over`.
  Bits sum(const Bits& a, const Bits& b, int carry, int* over = nullptr) {
    Bits out;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int half = differ(a[i], b[i]);
      out.push_back(differ(half, carry));
      carry = either(both(a[i], b[i]), both(half, carry));
    }
    if (over != nullptr) *over = carry;
    return out;
  }
  Bits product(const Bits& a, const Bits& b) {
    Bits out = zero(a.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      Bits row = zero(i);
      for (std::size_t j = 0; row.size() < a.size(); ++j) row.push_back(both(a[j], b[i]));
      out = sum(out, row, -true_);
    }
    return out;
  }
  // a >= b without signs: no borrow in a - b.
  int at_least(const Bits& a, const Bits& b) {
    int carry = 0;
    sum(a, opposite(b), true_, &carry);
    return carry;
  }
  int at_least_signed(Bits a, Bits b) {
    a.back() = -a.back();
    b.back() = -b.back();
    return at_least(a, b);
  }
  int equal(const Bits& a, const Bits& b) {
    int out = true_;
    for (std::size_t i = 0; i < a.size(); ++i) out = both(out, -differ(a[i], b[i]));
    return out;
  }
  // Amounts at or above the width give `fill` everywhere.
  Bits shifted(Bits a, const Bits& by, bool left, int fill) {
    for (std::size_t k = 0; k < by.size(); ++k) {
      const bool far = k >= 31 || (std::size_t{1} << k) >= a.size();
      Bits moved(a.size(), fill);
      if (!far)
        for (std::size_t i = 0; i < a.size(); ++i) {
          const std::size_t step = std::size_t{1} << k;
          if (left ? i >= step : i + step < a.size()) moved[i] = a[left ? i - step : i + step];
        }
      a = choose(by[k], moved, a);
    }
    return a;
  }
  // Long division; x / 0 is all ones and x % 0 is x, as the circuit gives it by itself.
  void divide(const Bits& a, const Bits& b, Bits& quotient, Bits& rest) {
    Bits wide = b;
    wide.push_back(-true_);
    Bits r = zero(wide.size());
    quotient = zero(a.size());
    for (std::size_t i = a.size(); i-- > 0;) {
      r.insert(r.begin(), a[i]);
      r.pop_back();
      const int fits = at_least(r, wide);
      r = choose(fits, sum(r, opposite(wide), true_), r);
      quotient[i] = fits;
    }
    rest.assign(r.begin(), r.end() - 1);
  }

  const Bits& bits(NodeId root) {
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
      const NodeId id = stack.back();
      bool ready = true;
      if (!known_.contains(id))
        for (const NodeId a : query_.node(id).args)
          if (!known_.contains(a)) {
            stack.push_back(a);
            ready = false;
          }
      if (!ready) continue;
      stack.pop_back();
      if (!known_.contains(id)) known_.emplace(id, compute(query_.node(id)));
    }
    return known_.at(root);
  }

  Bits compute(const Node& node) {
    if (node.sort.kind != Kind::boolean && node.sort.kind != Kind::bits)
      throw UserError("E5452", "'" + node.op + "' is neither Bool nor a bit vector");
    const std::string& op = node.op;
    const auto arg = [&](std::size_t i) -> const Bits& { return known_.at(node.args[i]); };
    const auto fold = [&](auto combine) {
      Bits out = arg(0);
      for (std::size_t i = 1; i < node.args.size(); ++i) out = combine(out, arg(i));
      return out;
    };
    const auto bitwise = [&](auto gate) {
      return fold([&](const Bits& a, const Bits& b) {
        Bits out;
        for (std::size_t i = 0; i < a.size(); ++i) out.push_back(gate(a[i], b[i]));
        return out;
      });
    };
    if (op == "true" || op == "false") return {op == "true" ? true_ : -true_};
    if (op == "bits") {
      Bits out;
      for (unsigned i = 0; i < node.sort.width; ++i)
        out.push_back(mpz_tstbit(node.value.get_num_mpz_t(), i) != 0 ? true_ : -true_);
      return out;
    }
    if (op.starts_with("symbol ")) {
      if (!node.args.empty()) throw UserError("E5452", "a function of bit vectors");
      Bits out;
      for (unsigned i = 0; i < std::max(1u, node.sort.width); ++i) out.push_back(variable());
      return out;
    }
    if (op == "not" || op == "bvnot") return opposite(arg(0));
    if (op == "and" || op == "bvand") return bitwise([&](int a, int b) { return both(a, b); });
    if (op == "or" || op == "bvor") return bitwise([&](int a, int b) { return either(a, b); });
    if (op == "bvxor") return bitwise([&](int a, int b) { return differ(a, b); });
    if (op == "=>") {
      int out = arg(node.args.size() - 1)[0];
      for (std::size_t i = node.args.size() - 1; i-- > 0;) out = either(-arg(i)[0], out);
      return {out};
    }
    if (op == "ite") return choose(arg(0)[0], arg(1), arg(2));
    if (op == "=") {
      int out = true_;
      for (std::size_t i = 0; i + 1 < node.args.size(); ++i) out = both(out, equal(arg(i), arg(i + 1)));
      return {out};
    }
    if (op == "distinct") {
      int out = true_;
      for (std::size_t i = 0; i < node.args.size(); ++i)
        for (std::size_t j = i + 1; j < node.args.size(); ++j) out = both(out, -equal(arg(i), arg(j)));
      return {out};
    }
    if (op == "bvadd") return fold([&](const Bits& a, const Bits& b) { return sum(a, b, -true_); });
    if (op == "bvsub") return sum(arg(0), opposite(arg(1)), true_);
    if (op == "bvneg") return sum(opposite(arg(0)), zero(arg(0).size()), true_);
    if (op == "bvmul") return fold([&](const Bits& a, const Bits& b) { return product(a, b); });
    if (op == "bvuge") return {at_least(arg(0), arg(1))};
    if (op == "bvule") return {at_least(arg(1), arg(0))};
    if (op == "bvult") return {-at_least(arg(0), arg(1))};
    if (op == "bvugt") return {-at_least(arg(1), arg(0))};
    if (op == "bvsge") return {at_least_signed(arg(0), arg(1))};
    if (op == "bvsle") return {at_least_signed(arg(1), arg(0))};
    if (op == "bvslt") return {-at_least_signed(arg(0), arg(1))};
    if (op == "bvsgt") return {-at_least_signed(arg(1), arg(0))};
    if (op == "bvshl") return shifted(arg(0), arg(1), true, -true_);
    if (op == "bvlshr") return shifted(arg(0), arg(1), false, -true_);
    if (op == "bvashr") return shifted(arg(0), arg(1), false, arg(0).back());
    if (op == "bvudiv" || op == "bvurem") {
      Bits quotient, rest;
      divide(arg(0), arg(1), quotient, rest);
      return op == "bvudiv" ? quotient : rest;
    }
    if (op == "concat") {
      Bits out = arg(1);
      out.insert(out.end(), arg(0).begin(), arg(0).end());
      return out;
    }
    if (op == "extract")
      return Bits(arg(0).begin() + static_cast<std::ptrdiff_t>(node.indices[1]),
                  arg(0).begin() + static_cast<std::ptrdiff_t>(node.indices[0]) + 1);
    if (op == "zero_extend" || op == "sign_extend") {
      Bits out = arg(0);
      out.resize(out.size() + node.indices[0], op == "zero_extend" ? -true_ : arg(0).back());
      return out;
    }
    throw UserError("E5452", "no circuit for '" + op + "'");
  }

  const Query& query_;
  Clauses out_;
  std::map<NodeId, Bits> known_;
  int true_ = 0;
};

}  // namespace

Clauses clauses_of(const Query& query) {
  return Blaster(query).run();
}

std::string dimacs(const Clauses& clauses) {
  std::string out =
      "p cnf " + std::to_string(clauses.variables) + " " + std::to_string(clauses.all.size()) + "\n";
  for (const Clause& clause : clauses.all) {
    for (const int literal : clause) out += std::to_string(literal) + " ";
    out += "0\n";
  }
  return out;
}

}  // namespace hallmark::certificate
