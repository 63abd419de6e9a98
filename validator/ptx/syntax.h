// The syntax tree of a PTX module: declarations, and functions as flat lists of statements.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validator/ir/kernel.h"
#include "validator/ptx/types.h"

namespace hallmark::validator::ptx {

struct Operand {
  enum class Kind : std::uint8_t {
    reg,       // number: index into Function::registers
    integer,   // value (two's complement)
    f32_bits,  // value
    f64_bits,
    special,  // name: "%tid.x"
    symbol,   // name: variable, function or label; value: byte offset
    param,    // number: index into Function::param_variables; value: byte offset
    address,  // [elements[0] + value]
    vector,   // {elements}
    group,    // (elements), of call
    sink,     // _
  } kind = Kind::sink;
  std::uint32_t number = 0;
  std::uint64_t value = 0;
  std::string name;
  std::vector<Operand> elements;
  bool negated = false;         // !%p
  std::vector<Operand> second;  // d|p: the part after the bar, at most one
};

struct Statement {
  enum class Kind : std::uint8_t { instruction, label } kind = Kind::instruction;
  std::string name;  // label, or opcode before its first dot
  std::vector<std::string> suffixes;
  std::optional<std::uint32_t> guard;  // register
  bool guard_negated = false;
  std::vector<Operand> operands;
  std::uint32_t scope = 0;  // innermost { } around it; index into Function::scope_parents
  ir::Place place;
};

struct Register {
  std::string name;
  TypeSuffix type;
};

// A .param variable: of an entry or function signature, or local to a call sequence.
struct ParamVariable {
  std::string name;
  std::uint32_t bytes = 0, alignment = 1;
  TypeSuffix type;          // of the elements
  bool is_pointer = false;  // .ptr
  std::uint32_t pointee_alignment = 0;
  std::uint32_t as_register = ir::none;  // functions with .reg parameters: the register instead
};

struct Variable {
  ir::Array array;
  bool refers_to_symbols = false;  // its initialiser holds addresses
  bool is_external = false;
};

struct Function {
  std::string name;
  bool is_entry = false, has_body = false;
  std::vector<Register> registers;
  std::vector<ParamVariable> param_variables;
  std::vector<std::uint32_t> parameters, results;  // indices into param_variables
  std::vector<Variable> variables;                 // .shared and .local of the body
  std::vector<Statement> statements;
  std::vector<std::uint32_t> scope_parents;  // [0] = none
  std::map<std::string, std::vector<std::string>> branch_targets;
  std::array<std::uint32_t, 3> required_block{0, 0, 0}, maximum_block{0, 0, 0};
  std::optional<std::string> refused_directive;  // a directive that changes the meaning and is not understood
  std::uint32_t line = 0, column = 0;
};

struct ModuleSyntax {
  std::string version;               // of the ISA: "9.0"
  std::vector<std::string> targets;  // in the order of the text: "sm_90", "debug"
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<std::uint32_t, std::string> files;  // .file
};

// Throws UserError E3101 (syntax) or E3102 (a name that is not declared), Refusal E3112 (directive).
ModuleSyntax parse(std::string_view text, const std::string& file);

}  // namespace hallmark::validator::ptx
