// The analysis of all definitions of a program, in one of three passes.
//
//   exact      an exact program: ranges of the real values, and whether every operation stays inside its
//   domain local      a formulation: every loaded tensor holds rounded values that are taken as given, so
//   that the bounds
//              are those of one definition against its exact value on its own inputs (soundness B11)
//   composed   a formulation: ranges and errors carried from the inputs through the definitions, against the
//   exact
//              value of the whole program so far
//
// Where an operation may leave its domain or overflow because of the box of an operand alone, the exact and
// the local pass cut the boxes of the inputs that the operand is computed from (pointwise.h): its range is
// then the hull of its ranges over the parts, which know what several reads of one element have to do with
// each other.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>

#include "calculus/program.h"
#include "contract/contract.h"
#include "formulation/formulate.h"
#include "numerics/failure.h"
#include "numerics/term_analysis.h"
#include "numerics/value.h"

namespace hallmark::numerics {

enum class Pass { exact, local, composed };

struct DefinitionResult {
  std::optional<Value> value;
  std::optional<Failure> failure;  // set exactly when there is no value
  std::set<BranchPoint> branches;
  std::set<std::string> assumptions, theorems;
};

// By tensor name: inputs, constants and definitions.
using ProgramResult = std::map<std::string, DefinitionResult>;

struct AnalysisInput {
  const calculus::Program& program;
  const contract::Contract& contract;
  const std::vector<formulation::RoundedConstant>* constants = nullptr;
  // For the composed pass: tensors whose data the formulation stores in another format than the exact
  // program.
  const calculus::Program* exact_program = nullptr;
  // Enclosures by other passes: of the rounded values (a local pass), of the exact values (an exact pass;
  // only for definitions that erase to the exact program's).
  const ProgramResult* rounded_ranges = nullptr;
  const ProgramResult* exact_ranges = nullptr;
};

ProgramResult analyse(const AnalysisInput& input, Pass pass);

// encoding -> exact value for one definition; encodings that stand for two values stand for their own.
ConstantValues constant_values(const std::vector<formulation::RoundedConstant>& constants,
                               const std::string& definition);

}  // namespace hallmark::numerics
