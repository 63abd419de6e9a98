#include <deque>
#include <mutex>

#include "base/error.h"
#include "calculus/term.h"

namespace hallmark::calculus {

const Order* make_order(const Order& order) {
  static std::mutex lock;
  static std::deque<Order>* const table = new std::deque<Order>;
  const std::lock_guard<std::mutex> guard(lock);
  for (const Order& known : *table)
    if (known == order) return &known;
  table->push_back(order);
  return &table->back();
}

const Order* any_order() {
  static const Order* const order = make_order({});
  return order;
}

const Order* seq_order() {
  static const Order* const order = make_order({Order::Kind::seq, nullptr, nullptr, nullptr, {}});
  return order;
}

namespace {
std::string size_text(Term size) {
  const Integer* value = size != nullptr ? as_integer(size) : nullptr;
  if (value != nullptr) return value->get_str();
  ensure(size != nullptr && size->kind == Kind::symbol, "the size of a fold order is an integer or a symbol");
  return size->name;
}
}  // namespace

std::string to_string(const Order& order) {
  switch (order.kind) {
    case Order::Kind::any:
      return "any";
    case Order::Kind::seq:
      return "seq";
    case Order::Kind::tree:
      return "tree(" + size_text(order.size) + ")";
    case Order::Kind::strided:
      return "strided(" + size_text(order.size) + ", " + to_string(*order.inner) + ")";
    case Order::Kind::blocked:
      return "blocked(" + size_text(order.size) + ", " + to_string(*order.inner) + ", " +
             to_string(*order.outer) + ")";
    case Order::Kind::mma:
      return "mma(" + order.model + ")";
  }
  throw InternalError("a fold order without a name");
}

}  // namespace hallmark::calculus
