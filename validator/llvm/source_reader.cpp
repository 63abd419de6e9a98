#include "validator/llvm/source_reader.h"

#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>

#include "validator/ir/demangle.h"
#include "validator/llvm/lower.h"
#include "validator/llvm/prepare.h"

namespace hallmark::validator::source {

namespace {

std::vector<llvm::Function*> kernels_of(llvm::Module& module) {
  std::vector<llvm::Function*> kernels;
  const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
  if (annotations == nullptr) return kernels;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 3) continue;
    const auto* subject = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node->getOperand(0));
    const auto* name = llvm::dyn_cast<llvm::MDString>(node->getOperand(1));
    if (subject == nullptr || name == nullptr || name->getString() != "kernel") continue;
    auto* f = llvm::dyn_cast<llvm::Function>(subject->getValue());
    if (f != nullptr && !f->isDeclaration() && std::find(kernels.begin(), kernels.end(), f) == kernels.end())
      kernels.push_back(f);
  }
  // In the order of the text, whatever the order of instantiation.
  std::stable_sort(kernels.begin(), kernels.end(), [](const llvm::Function* a, const llvm::Function* b) {
    const llvm::DISubprogram *pa = a->getSubprogram(), *pb = b->getSubprogram();
    return (pa == nullptr ? 0 : pa->getLine()) < (pb == nullptr ? 0 : pb->getLine());
  });
  return kernels;
}

// Kernels of the text that Clang's IR does not have.
void add_unread(SourceModule& result, const ClangResult& clang) {
  const auto add = [&](const std::string& name, Refusal refusal) {
    SourceFindings findings;
    findings.kernel = name;
    ir::KernelReading reading;
    reading.name = reading.source_name = name;
    reading.refusal = std::move(refusal);
    result.module.kernels.push_back(std::move(reading));
    result.findings.push_back(std::move(findings));
  };
  for (const LostKernel& lost : clang.lost)
    add(lost.name, Refusal("E3211", "it does not compile: " + lost.message, lost.where));
  for (const TopDeclaration& t : clang.templates) {
    const bool instantiated = std::any_of(
        result.module.kernels.begin(), result.module.kernels.end(), [&](const ir::KernelReading& reading) {
          const std::string plain = reading.source_name.substr(0, reading.source_name.find('<'));
          return plain == t.name || plain.ends_with("::" + t.name);
        });
    if (!instantiated)
      add(t.name,
          Refusal("E3212",
                  fmt::format("a template that nothing instantiates; say --instantiate '{}<...>'", t.name),
                  Location{t.file, t.first_line, 0, "kernel " + t.name}));
  }
}

}  // namespace

SourceModule read_cuda(const std::string& file, const ClangOptions& options) {
  const ClangResult clang = run_clang(file, options);
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(clang.ir, diagnostic, context);
  if (module == nullptr)
    throw InternalError(
        fmt::format("Clang's IR of {} cannot be read: {}", file, diagnostic.getMessage().str()));
  SourceModule result;
  result.module.file = file;
  result.sources = clang.sources;
  result.command = clang.command;
  const std::vector<llvm::Function*> kernels = kernels_of(*module);
  const std::vector<Prepared> prepared = prepare(*module, kernels);
  for (std::size_t n = 0; n < kernels.size(); ++n) {
    ir::KernelReading reading;
    reading.name = kernels[n]->getName().str();
    reading.source_name = ir::demangled_name(reading.name);
    SourceFindings findings;
    findings.kernel = reading.name;
    findings.undefined = clang.undefined;
    try {
      ir::Kernel empty;
      empty.name = reading.name;
      empty.source_name = reading.source_name;
      empty.is_source = true;
      empty.text_file = file;
      ir::Kernel kernel = ir::read_with_fragments(empty, [&](ir::Kernel& k, const std::string& opaque) {
        Lowering lowering(*kernels[n], file, clang.stub_folder, k, opaque);
        std::string found = lowering.run();
        findings.reads.clear();
        for (const UnassignedRead& read : prepared[n].reads)
          findings.reads.push_back({read.variable, lowering.place_of(read.where)});
        findings.undefined = clang.undefined;
        for (const HiddenFault& fault : prepared[n].faults)
          findings.undefined.push_back(
              {Location{file, fault.where ? std::size_t{fault.where.getLine()} : 0, 0, ""}, fault.text});
        return found;
      });
      kernel.rests_on_placement = prepared[n].rests_on_placement;
      ir::verify(kernel);
      reading.kernel = std::move(kernel);
    } catch (const Refusal& refusal) {
      reading.refusal = refusal;
    }
    result.module.kernels.push_back(std::move(reading));
    result.findings.push_back(std::move(findings));
  }
  add_unread(result, clang);
  result.launches = clang.launches;
  return result;
}

}  // namespace hallmark::validator::source
