#include "plan/kernel_spec.h"

#include "base/error.h"

namespace hallmark::plan {
namespace {

const Buffer* find_buffer(const KernelSpec& spec, std::string_view name) {
  for (const Parameter& parameter : spec.parameters)
    if (parameter.buffer && parameter.buffer->declaration.name == name) return &*parameter.buffer;
  return nullptr;
}

// A scalar parameter of a float format is `load(name, [])`, as if it were a buffer of rank 0.
}  // namespace

bool is_float_scalar(const KernelSpec& spec, std::string_view name) {
  for (const Parameter& parameter : spec.parameters)
    if (parameter.scalar && parameter.scalar->name == name)
      return calculus::is_float(parameter.scalar->format);
  return false;
}

void check_spec(const KernelSpec& spec) {
  for (const Parameter& parameter : spec.parameters)
    ensure(parameter.buffer.has_value() != parameter.scalar.has_value(),
           "a parameter is a buffer or a scalar");
  for (const Ensure& clause : spec.ensures) {
    const Buffer* buffer = find_buffer(spec, clause.buffer);
    ensure(buffer != nullptr && buffer->access != Access::in,
           "an ensured buffer is an output parameter: " + clause.buffer);
    ensure(clause.target.size() == buffer->declaration.extents.size(),
           "an ensured target has the rank of " + clause.buffer);
    calculus::for_each_node(clause.value, [&](calculus::Term node) {
      if (node->kind == calculus::Kind::axis)
        ensure(node->number < static_cast<int>(clause.domain.size()),
               "an ensured value uses an axis outside its domain");
      if (node->kind != calculus::Kind::load) return;
      if (node->children.empty() && is_float_scalar(spec, node->name)) return;
      const Buffer* source = find_buffer(spec, node->name);
      ensure(source != nullptr && source->declaration.extents.size() == node->children.size(),
             "an ensured value loads from a buffer parameter with its rank: " + node->name);
    });
  }
}

}  // namespace hallmark::plan
