#include "validator/ptx/reader.h"

#include "validator/ir/demangle.h"
#include "validator/ptx/inline.h"
#include "validator/ptx/lower.h"

namespace hallmark::validator::ptx {

ir::Module read_ptx(std::string_view text, const std::string& file) {
  const ModuleSyntax syntax = parse(text, file);
  ir::Module module;
  module.file = file;
  module.version = syntax.version;
  module.targets = syntax.targets;
  for (const Function& f : syntax.functions) {
    if (!f.is_entry || !f.has_body) continue;
    ir::KernelReading reading;
    reading.name = f.name;
    reading.source_name = ir::demangled_name(f.name);
    const Context context{text, file, reading.source_name};
    try {
      const Function flat = flatten(syntax, f, context);
      ir::Kernel empty;
      empty.name = f.name;
      empty.source_name = reading.source_name;
      empty.text_file = file;
      ir::Kernel kernel = ir::read_with_fragments(empty, [&](ir::Kernel& k, const std::string& opaque) {
        return Lowering(syntax, flat, context, k, opaque).run();
      });
      ir::verify(kernel);
      reading.kernel = std::move(kernel);
    } catch (const Refusal& refusal) {
      reading.refusal = refusal;
    }
    module.kernels.push_back(std::move(reading));
  }
  return module;
}

}  // namespace hallmark::validator::ptx
