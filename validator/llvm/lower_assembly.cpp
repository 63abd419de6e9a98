// `asm` statements: their text is PTX, and the reader of PTX says what it means (ptx/assembly.h).
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>

#include "validator/ir/splice.h"
#include "validator/llvm/lower.h"
#include "validator/ptx/assembly.h"

namespace hallmark::validator::source {

namespace {

using Constraint = llvm::InlineAsm::ConstraintInfo;

// "=r", "+f", "n" and their kin: one letter, or the number of the output that an input starts.
ptx::AssemblyOperand operand_of(const Constraint& constraint) {
  ptx::AssemblyOperand operand;
  operand.is_output = constraint.Type == llvm::InlineAsm::isOutput;
  operand.early_clobber = constraint.isEarlyClobber;
  const std::string code = constraint.Codes.size() == 1 ? constraint.Codes[0] : std::string();
  if (constraint.isIndirect || code.empty())
    throw Refusal("E3110", "a constraint of a form that is not understood", {});
  if (code.find_first_not_of("0123456789") == std::string::npos) {
    operand.output = static_cast<std::uint32_t>(std::stoul(code));
  } else {
    operand.constraint = code == "i" ? 'n' : code[0];
    if (code.size() != 1)
      throw Refusal("E3110", fmt::format("the constraint \"{}\" is not understood", code), {});
  }
  return operand;
}

}  // namespace

void Lowering::assembly(llvm::CallInst& i, const llvm::InlineAsm& text) {
  try {
    ptx::Assembly assembly;
    assembly.text = text.getAsmString();
    assembly.is_volatile = text.hasSideEffects();
    Values inputs;
    unsigned argument = 0;
    for (const Constraint& constraint : text.ParseConstraints()) {
      if (constraint.Type == llvm::InlineAsm::isClobber) {
        if (constraint.Codes.size() == 1 && constraint.Codes[0] == "{memory}") assembly.says_memory = true;
        continue;
      }
      ptx::AssemblyOperand operand = operand_of(constraint);
      ValueId input = ir::none;
      if (!operand.is_output) {
        llvm::Value* given = i.getArgOperand(argument++);
        if (operand.constraint == 'n' && !operand.output) {
          const auto* number = llvm::dyn_cast<llvm::ConstantInt>(given);
          if (number == nullptr) throw Refusal("E3110", "an immediate that is no integer constant", {});
          // nvcc writes a truth value as 0 or 1 and everything else with its sign.
          operand.immediate = number->getBitWidth() == 1 ? static_cast<std::int64_t>(number->getZExtValue())
                                                         : number->getSExtValue();
        } else {
          input = given->getType()->isPointerTy() ? generic_pointer(given) : value(given);
        }
      }
      inputs.push_back(input);
      assembly.operands.push_back(operand);
    }
    const ptx::AssemblyReading reading = ptx::read_assembly(assembly, opaque_fragments_);
    ir::Kernel& kernel = builder_.kernel();
    kernel.rests_on_volatile_assembly = kernel.rests_on_volatile_assembly || reading.rests_on_volatile;
    kernel.rests_on_operands_apart = kernel.rests_on_operands_apart || reading.rests_on_operands_apart;
    const std::vector<ValueId> renamed = ir::splice(builder_, reading.kernel, reading.exit, inputs);
    const auto note = [&](const std::vector<ir::Fragment>& from, std::vector<ir::Fragment>& to) {
      for (ir::Fragment fragment : from) {
        for (ValueId& reg : fragment.registers) reg = renamed[reg];
        to.push_back(std::move(fragment));
      }
    };
    note(reading.fragments.results, fragments_.results);
    note(reading.fragments.uses, fragments_.uses);
    if (i.getType()->isVoidTy()) return;
    const std::vector<ir::Type> types = scalar_types(i.getType());
    ensure(types.size() == reading.outputs.size(), "inline assembly with other results than its text");
    Values results;
    for (std::size_t n = 0; n < types.size(); ++n) {
      const ValueId result = renamed[reading.outputs[n]];
      if (ir::bits_of(builder_.type_of(result)) != ir::bits_of(types[n])) refuse("a result of a wrong width");
      results.push_back(builder_.cast_bits(result, types[n]));
    }
    set(i, std::move(results));
  } catch (const UserError& error) {
    refuse(error.message());
  } catch (const Refusal& refusal) {
    if (refusal.code() == "E3210") throw;
    refuse(refusal.message());
  }
}

}  // namespace hallmark::validator::source
