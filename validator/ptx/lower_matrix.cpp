// Tensor-core instructions whose fragments the ISA lays down: mma.sync m16n8k* and m8n8k16 (9.7.15.5),
// ldmatrix (9.7.15.5.15). Of the other forms the results are not known.
#include <charconv>
#include <optional>

#include "validator/ir/matrix_fragments.h"
#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

namespace {

struct Numbers {
  ir::Type type = ir::Type::f16;
  bool is_signed = false;
};

std::optional<Numbers> element_of(std::string_view word) {
  if (word == "f16") return Numbers{ir::Type::f16, false};
  if (word == "bf16") return Numbers{ir::Type::bf16, false};
  if (word == "tf32") return Numbers{ir::Type::f32, false};
  if (word == "s8" || word == "u8") return Numbers{ir::Type::i8, word == "s8"};
  return std::nullopt;
}

// "m16n8k8" in its three numbers; zeros when it is none.
std::array<unsigned, 3> shape_of(std::string_view word) {
  std::array<unsigned, 3> out{};
  const char* at = word.data();
  const char* const end = at + word.size();
  for (std::size_t n = 0; n < 3; ++n) {
    if (at == end || *at != "mnk"[n]) return {};
    const auto read = std::from_chars(at + 1, end, out[n]);
    if (read.ec != std::errc()) return {};
    at = read.ptr;
  }
  return at == end ? out : std::array<unsigned, 3>{};
}

}  // namespace

// mma.sync.aligned.shape.row.col.d.a.b.c: floats in f32 or f16, bytes in i32 (wrapping).
std::optional<ir::MatrixProduct> Lowering::matrix_product(const Statement& s) {
  const std::vector<std::string>& words = s.suffixes;
  if (words.size() != 9 || words[0] != "sync" || words[1] != "aligned" || words[3] != "row" ||
      words[4] != "col")
    return std::nullopt;
  const auto [m, n, k] = shape_of(words[2]);
  if (n != 8 || (m != 16 && m != 8) || words[5] != words[8]) return std::nullopt;
  const auto a = element_of(words[6]), b = element_of(words[7]);
  if (!a || !b || a->type != b->type) return std::nullopt;
  ir::MatrixProduct product;
  product.name = "mma." + words[2] + "." + words[5] + "." + words[6];
  product.rows = m;
  product.depth = k;
  product.element = a->type;
  product.a_signed = a->is_signed;
  product.b_signed = b->is_signed;
  // The shapes of each type (ISA 9.7.15.5.14).
  const bool bytes = a->type == ir::Type::i8;
  const unsigned per_group = 4 * product.elements_in_register();
  const bool known_depth = bytes && m == 8 ? k == 16 : m == 16 && (k == per_group || k == 2 * per_group);
  if (!known_depth) return std::nullopt;
  if (bytes ? words[5] != "s32" : words[5] != "f32" && !(words[5] == "f16" && a->type == ir::Type::f16))
    return std::nullopt;
  product.accumulator = bytes ? ir::Type::i32 : words[5] == "f32" ? ir::Type::f32 : ir::Type::f16;
  return product;
}

std::vector<ir::ValueId> Lowering::fragment(const Work& w, std::size_t n, std::size_t count, Type type) {
  const Operand& o = w.operand(n);
  const TypeSuffix bits{TypeSuffix::Kind::bits, Type::i32};
  std::vector<ValueId> out;
  if (o.kind != Operand::Kind::vector) {
    if (count != 1) reject(w, "a fragment of a wrong number of registers");
    return {read(w, o, type, bits)};
  }
  if (o.elements.size() != count) reject(w, "a fragment of a wrong number of registers");
  for (const Operand& element : o.elements) out.push_back(read(w, element, type, bits));
  return out;
}

void Lowering::matrix_multiply(Work& w) {
  const auto product = matrix_product(w.s);
  while (!w.suffixes.rest().empty()) w.suffixes.take(w.suffixes.rest().front());
  if (!product) return unknown(w);
  expect_count(w, 4);
  const bool pairs = product->accumulator == Type::f16;
  const std::size_t registers = product->outputs() / (pairs ? 2 : 1);
  const std::vector<ValueId> a = fragment(w, 1, product->a_registers(), Type::i32),
                             b = fragment(w, 2, product->b_registers(), Type::i32);
  std::vector<ValueId> c;
  for (ValueId value : fragment(w, 3, registers, pairs ? Type::i32 : product->accumulator)) {
    if (!pairs) {
      c.push_back(value);
      continue;
    }
    for (ValueId half : unpack(value, Type::f16)) c.push_back(half);
  }
  const std::vector<ValueId> d = ir::multiply(builder_, *product, a, b, c);
  const Operand& to = w.operand(0);
  if (to.kind == Operand::Kind::vector && to.elements.size() != registers)
    reject(w, "a fragment of a wrong number of registers");
  if (to.kind != Operand::Kind::vector) reject(w, "takes registers in braces");
  for (std::size_t n = 0; n < registers; ++n)
    write(w, to.elements[n], pairs ? pack({d[2 * n], d[2 * n + 1]}) : d[n]);
}

void Lowering::load_matrix(Work& w) {
  expect_count(w, 2);
  const std::string_view count = w.suffixes.take_any({"x1", "x2", "x4"});
  const bool transposed = w.suffixes.take("trans");
  const bool known = w.suffixes.take("sync") && w.suffixes.take("aligned") && w.suffixes.take("m8n8") &&
                     w.suffixes.take("b16") && (w.suffixes.take("shared") || w.suffixes.take("shared::cta"));
  if (!known || count.empty()) refuse(w, "this form is not understood");
  const auto matrices = static_cast<unsigned>(count[1] - '0');
  const ValueId at = address(w, w.operand(1), ir::Space::shared);
  const auto loaded = ir::load_matrices(builder_, at, matrices, transposed);
  std::vector<Operand> results{w.operand(0)};
  if (w.operand(0).kind == Operand::Kind::vector) results = w.operand(0).elements;
  if (results.size() != matrices) reject(w, "a wrong number of registers");
  for (unsigned n = 0; n < matrices; ++n) write(w, results[n], pack(loaded[n]));
}

}  // namespace hallmark::validator::ptx
