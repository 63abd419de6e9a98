#include "validator/ptx/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "validator/ptx/register_types.h"

namespace hallmark::validator::ptx {

const std::map<std::string_view, Lowering::Handler>& Lowering::handlers() {
  using L = Lowering;
  static const std::map<std::string_view, Handler> table{
      {"add", &L::add_sub},
      {"addc", &L::add_sub},
      {"sub", &L::add_sub},
      {"subc", &L::add_sub},
      {"mul", &L::mul},
      {"mad", &L::mad},
      {"madc", &L::mad},
      {"mul24", &L::mul24},
      {"mad24", &L::mul24},
      {"sad", &L::sad},
      {"div", &L::div_rem},
      {"rem", &L::div_rem},
      {"abs", &L::abs_neg},
      {"neg", &L::abs_neg},
      {"min", &L::min_max},
      {"max", &L::min_max},
      {"dp4a", &L::dot_product},
      {"dp2a", &L::dot_product},
      {"and", &L::logic},
      {"or", &L::logic},
      {"xor", &L::logic},
      {"not", &L::bit_not},
      {"cnot", &L::bit_not},
      {"lop3", &L::lop3},
      {"shl", &L::shift},
      {"shr", &L::shift},
      {"shf", &L::funnel},
      {"prmt", &L::permute},
      {"bfe", &L::bit_field},
      {"bfi", &L::bit_field},
      {"popc", &L::count_bits},
      {"clz", &L::count_bits},
      {"bfind", &L::count_bits},
      {"brev", &L::count_bits},
      {"fma", &L::fma},
      {"rcp", &L::float_function},
      {"sqrt", &L::float_function},
      {"rsqrt", &L::float_function},
      {"sin", &L::float_function},
      {"cos", &L::float_function},
      {"lg2", &L::float_function},
      {"ex2", &L::float_function},
      {"tanh", &L::float_function},
      {"copysign", &L::copysign},
      {"testp", &L::testp},
      {"cvt", &L::cvt},
      {"mov", &L::mov},
      {"cvta", &L::cvta},
      {"selp", &L::selp},
      {"slct", &L::slct},
      {"set", &L::set},
      {"setp", &L::setp},
      {"$undefined", &L::undefine_parameter},
      {"ld", &L::load},
      {"ldu", &L::load},
      {"st", &L::store},
      {"atom", &L::atomic},
      {"red", &L::atomic},
      {"membar", &L::fence},
      {"fence", &L::fence},
      {"bar", &L::barrier},
      {"barrier", &L::barrier},
      {"shfl", &L::shuffle},
      {"vote", &L::vote},
      {"match", &L::match},
      {"redux", &L::redux},
      {"activemask", &L::active_mask},
      {"mma", &L::matrix_multiply},
      {"wmma", &L::wmma},
      {"ldmatrix", &L::load_matrix},
      {"cp", &L::async_copy},
  };
  return table;
}

Lowering::Lowering(const ModuleSyntax& module, const Function& flat, const Context& context,
                   ir::Kernel& kernel, std::string opaque_fragments)
    : module_(module),
      flat_(flat),
      context_(context),
      builder_(kernel),
      opaque_fragments_(std::move(opaque_fragments)) {}

void Lowering::refuse(const Work& w, const std::string& why) const {
  context_.refuse(w.s.place, fmt::format("{}: {}", opcode_text(w.s), why));
}
void Lowering::reject(const Work& w, const std::string& why) const {
  context_.reject(w.s.place, fmt::format("{}: {}", opcode_text(w.s), why));
}
void Lowering::expect_count(const Work& w, std::size_t count) const {
  if (w.count() != count) reject(w, fmt::format("takes {} operands here, found {}", count, w.count()));
}
void Lowering::expect_done(const Work& w) const {
  if (!w.suffixes.rest().empty())
    refuse(w, fmt::format(".{} is not understood here", w.suffixes.rest().front()));
}
TypeSuffix Lowering::type(Work& w) const {
  const auto t = w.suffixes.take_type();
  if (!t) refuse(w, "its type is not understood");
  return *t;
}

ir::Place Lowering::place_of(const ir::Place& place) const {
  ir::Place result = place;
  const auto found = file_numbers_.find(place.source_file);
  result.source_file = found == file_numbers_.end() ? ir::none : found->second;
  return result;
}

void Lowering::declare_parameters() {
  ir::Kernel& k = builder_.kernel();
  for (std::uint32_t number : flat_.parameters) {
    const ParamVariable& p = flat_.param_variables[number];
    ir::Parameter parameter;
    parameter.name = p.name;
    parameter.bytes = p.bytes;
    parameter.alignment = p.alignment;
    parameter.pointee_alignment = p.pointee_alignment;
    parameter.type = p.type.type;
    parameter.kind = p.is_pointer                           ? ir::Parameter::Kind::pointer
                     : p.bytes != ir::bytes_of(p.type.type) ? ir::Parameter::Kind::aggregate
                                                            : ir::Parameter::Kind::scalar;
    k.parameters.push_back(std::move(parameter));
  }
}

std::string Lowering::run() {
  ir::Kernel& k = builder_.kernel();
  k.required_block = flat_.required_block;
  k.maximum_block = flat_.maximum_block;
  for (const auto& [number, name] : module_.files) {
    file_numbers_[number] = static_cast<std::uint32_t>(k.source_files.size());
    k.source_files.push_back(name);
  }
  declare_parameters();
  fill_blocks({});
  ssa_->finish();
  return ir::finish_reading(k, std::move(fragments_));
}

void Lowering::fill_blocks(const std::vector<Bound>& inputs) {
  register_types_ = infer_register_types(flat_);
  blocks_ = build_blocks(flat_, context_);
  std::vector<std::vector<ir::BlockId>> predecessors(blocks_.size());
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    builder_.add_block(blocks_[b].name);
    for (std::uint32_t target : blocks_[b].targets)
      if (predecessors[target].empty() || predecessors[target].back() != b) predecessors[target].push_back(b);
  }
  ssa_.emplace(builder_, std::move(predecessors));
  for (std::size_t r = 0; r < flat_.registers.size(); ++r)
    register_variables_.push_back(ssa_->add(register_types_[r], flat_.registers[r].name));
  declare_param_variables();
  builder_.set_block(0);
  for (const Bound& input : inputs) {
    const ValueId value = emit(Op::parameter, {}, register_types_[input.reg]);
    builder_.modify().index = input.operand;
    ssa_->write(register_variables_[input.reg], value);
  }
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) block(b, blocks_[b]);
}

void Lowering::run_assembly(const std::vector<Bound>& inputs, const std::vector<Result>& outputs,
                            AssemblyReading& reading) {
  fill_blocks(inputs);
  for (std::uint32_t b = 0; b < blocks_.size(); ++b)
    if (blocks_[b].end == PreBlock::End::leave) reading.exit = b;
  if (reading.exit == ir::none)
    throw Refusal("E3110", "control does not come to its end", Location{context_.file, 0, 0, {}});
  // The compiler may hold another variable of the program in the register of an input.
  for (const Bound& input : inputs)
    if (first_write_.contains(input.reg) &&
        std::none_of(outputs.begin(), outputs.end(), [&](const Result& r) { return r.reg == input.reg; }))
      throw Refusal("E3110", fmt::format("it writes its operand {}, which is an input", input.operand),
                    Location{context_.file, 0, 0, {}});
  reading.rests_on_operands_apart = may_share(inputs, outputs);
  builder_.set_block(reading.exit);
  for (const Result& result : outputs) reading.outputs.push_back(read_register(result.reg));
  ssa_->finish();
  reading.fragments = std::move(fragments_);
}

// An output that is written before some input is read for the last time may lie in that input's register.
bool Lowering::may_share(const std::vector<Bound>& inputs, const std::vector<Result>& outputs) const {
  bool loops = false;
  for (std::uint32_t b = 0; b < blocks_.size(); ++b)
    for (std::uint32_t target : blocks_[b].targets) loops = loops || target <= b;
  for (const Result& output : outputs) {
    const auto written = first_write_.find(output.reg);
    if (output.early_clobber || written == first_write_.end()) continue;
    for (const Bound& input : inputs) {
      const auto read = last_read_.find(input.reg);
      if (input.reg != output.reg && read != last_read_.end() && (loops || written->second < read->second))
        return true;
    }
  }
  return false;
}

void Lowering::block(std::uint32_t number, const PreBlock& pre) {
  builder_.set_block(number);
  for (const Step& s : pre.steps) step(s);
  builder_.set_place(place_of(pre.place));
  end_block(pre);
}

void Lowering::end_block(const PreBlock& pre) {
  switch (pre.end) {
    case PreBlock::End::jump:
      return builder_.jump(pre.targets[0]);
    case PreBlock::End::branch: {
      const ValueId condition = read_register(pre.reg);
      return pre.negated ? builder_.branch(condition, pre.targets[1], pre.targets[0])
                         : builder_.branch(condition, pre.targets[0], pre.targets[1]);
    }
    case PreBlock::End::branch_if_equal: {
      // Read by the statement that comes next: no step of it has been taken.
      ++statement_;
      const ValueId index = cast_bits(read_register(pre.reg), Type::i32);
      const ValueId condition = compare(ir::Predicate::equal, index, constant(Type::i32, pre.constant));
      return builder_.branch(condition, pre.targets[0], pre.targets[1]);
    }
    case PreBlock::End::leave:
      return builder_.finish_block(ir::Terminator::Kind::leave);
    case PreBlock::End::trap:
      return builder_.finish_block(ir::Terminator::Kind::trap);
    case PreBlock::End::unreachable:
      return builder_.finish_block(ir::Terminator::Kind::unreachable);
  }
}

void Lowering::step(const Step& step) {
  const Statement& s = *step.statement;
  statement_ = static_cast<std::size_t>(&s - flat_.statements.data());
  builder_.set_place(place_of(s.place));
  Work w{s, Suffixes(s.suffixes), step.form};
  guard_.reset();
  if (step.select) {
    guard_ = read_register(*s.guard);
    guard_negated_ = s.guard_negated;
  }
  const auto handler = handlers().find(s.name);
  try {
    if (handler == handlers().end()) refuse(w, "this instruction is not understood");
    if (step.form == Step::Form::part) return unknown(w);
    (this->*handler->second)(w);
    expect_done(w);
  } catch (const Refusal&) {
    // What other units do behind the thread's back is no matter of one instruction.
    static const std::set<std::string, std::less<>> units{"wgmma", "mbarrier", "tcgen05", "multimem", "cp"};
    const auto has = [&](const char* word) {
      return std::find(s.suffixes.begin(), s.suffixes.end(), word) != s.suffixes.end();
    };
    // Nor is a form of a memory access, a barrier or a shuffle that may do more than is known.
    const bool contained =
        handler == handlers().end() || only_registers(s.name) || s.name == "ldmatrix" || s.name == "wmma";
    // A carry is no register of the kernel's.
    if (!contained || units.contains(s.name) || has("async") || has("bulk") || has("cc")) throw;
    // The kernel is read on: the instruction is named wherever something depends on it.
    Work whole{s, Suffixes(s.suffixes), step.form};
    unknown(whole);
  }
  guard_.reset();
}

ir::ValueId Lowering::read_register(std::uint32_t reg) {
  last_read_[reg] = std::max(last_read_[reg], statement_);
  return ssa_->read(register_variables_[reg]);
}

ir::ValueId Lowering::read(const Work& w, const Operand& o, Type want, const TypeSuffix& suffix) {
  if (o.negated && suffix.kind != TypeSuffix::Kind::predicate) reject(w, "`!` stands before predicates only");
  if (!o.second.empty()) reject(w, "`|` joins results only");
  switch (o.kind) {
    case Operand::Kind::reg: {
      const ValueId value = read_register(o.number);
      if (ir::bits_of(builder_.type_of(value)) != ir::bits_of(want))
        reject(w, fmt::format("the register {} has a wrong width", flat_.registers[o.number].name));
      const ValueId typed = cast_bits(value, want);
      return o.negated ? emit(Op::bit_not, {typed}, Type::i1) : typed;
    }
    case Operand::Kind::integer:
      if (suffix.is_float()) reject(w, "an integer constant where a float is expected");
      return constant(want, o.value);
    case Operand::Kind::f32_bits:
      if (ir::bits_of(want) != 32) reject(w, "a 32-bit float constant of a wrong width");
      return constant(want, o.value);
    case Operand::Kind::f64_bits:
      if (ir::bits_of(want) != 64) reject(w, "a 64-bit float constant of a wrong width");
      return constant(want, o.value);
    case Operand::Kind::special:
      return special(w, o.name, want);
    case Operand::Kind::symbol:
      if (o.name == "WARP_SZ" && ir::is_integer(want)) return constant(want, 32);
      refuse(w, fmt::format("the symbol {} is not understood here", o.name));
    default:
      refuse(w, "this form of operand is not understood here");
  }
}

ir::ValueId Lowering::read(const Work& w, std::size_t n, const TypeSuffix& suffix) {
  return read(w, w.operand(n), suffix.type, suffix);
}
ir::ValueId Lowering::read_i32(const Work& w, std::size_t n) {
  return read(w, w.operand(n), Type::i32, TypeSuffix{TypeSuffix::Kind::bits, Type::i32});
}
ir::ValueId Lowering::read_predicate(const Work& w, const Operand& o) {
  return read(w, o, Type::i1, TypeSuffix{TypeSuffix::Kind::predicate, Type::i1});
}

ir::ValueId Lowering::read_low(const Work& w, const Operand& o, const TypeSuffix& suffix) {
  if (o.kind == Operand::Kind::reg) {
    const ValueId value = read_register(o.number);
    const unsigned have = ir::bits_of(builder_.type_of(value)), want = ir::bits_of(suffix.type);
    if (have > want && want != 1) {
      if (o.negated || !o.second.empty()) reject(w, "this form of operand cannot stand here");
      const ValueId raw = cast_bits(value, ir::integer_type(have));
      return cast_bits(low_bits(raw, ir::integer_type(want)), suffix.type);
    }
  }
  return read(w, o, suffix.type, suffix);
}

void Lowering::write(const Work& w, const Operand& o, ValueId value) {
  if (o.kind == Operand::Kind::sink) return;
  if (o.kind != Operand::Kind::reg) reject(w, "a result must be a register");
  if (o.negated) reject(w, "a result cannot be negated");
  const Type type = register_types_[o.number];
  if (ir::bits_of(type) != ir::bits_of(builder_.type_of(value)))
    reject(w, fmt::format("the register {} has a wrong width", flat_.registers[o.number].name));
  ValueId result = cast_bits(value, type);
  if (guard_) {
    const ValueId old = read_register(o.number);
    result = guard_negated_ ? emit(Op::select, {*guard_, old, result}, type)
                            : emit(Op::select, {*guard_, result, old}, type);
  }
  ssa_->write(register_variables_[o.number], result);
  first_write_.try_emplace(o.number, statement_);
  first_write_[o.number] = std::min(first_write_[o.number], statement_);
}

void Lowering::write_extended(const Work& w, const Operand& o, ValueId value, bool is_signed) {
  if (o.kind == Operand::Kind::reg) {
    const unsigned want = ir::bits_of(register_types_[o.number]), have = ir::bits_of(builder_.type_of(value));
    if (want > have && have > 1)
      value = extend(cast_bits(value, ir::integer_type(have)), ir::integer_type(want), is_signed);
  }
  write(w, o, value);
}

ir::ValueId Lowering::compare(ir::Predicate predicate, ValueId a, ValueId b) {
  const bool floats = ir::is_float(builder_.type_of(a));
  const ValueId result = emit(floats ? Op::compare_float : Op::compare_integer, {a, b}, Type::i1);
  builder_.modify().predicate = predicate;
  return result;
}

ir::ValueId Lowering::extend(ValueId a, Type to, bool is_signed) {
  const ir::Kernel& k = builder_.kernel();
  if (k.type_of(a) == to) return a;
  if (k.is_constant(a)) {
    const unsigned have = ir::bits_of(k.type_of(a));
    const bool negative = is_signed && (k.value(a).bits >> (have - 1) & 1) != 0;
    return constant(to, negative ? k.value(a).bits | ~ir::mask_of(k.type_of(a)) : k.value(a).bits);
  }
  return emit(is_signed ? Op::sign_extend : Op::zero_extend, {a}, to);
}

ir::ValueId Lowering::special(const Work& w, const std::string& name, Type want) {
  static const std::map<std::string_view, ir::SpecialRegister> table = [] {
    std::map<std::string_view, ir::SpecialRegister> t;
    for (int n = 0; n <= static_cast<int>(ir::SpecialRegister::dynamic_shared_bytes); ++n)
      t.emplace(ir::name(static_cast<ir::SpecialRegister>(n)), static_cast<ir::SpecialRegister>(n));
    // Which warp a thread runs in is not promised to follow from its number (ISA 10.5).
    t.erase("warpid");
    t.erase("nwarpid");
    return t;
  }();
  const auto found = table.find(std::string_view(name).substr(1));
  if (found == table.end()) refuse(w, fmt::format("the special register {} is not understood", name));
  if (want != Type::i32) reject(w, fmt::format("{} has 32 bits", name));
  const ValueId value = emit(Op::special_register, {}, want);
  builder_.modify().special = found->second;
  return value;
}

std::uint32_t Lowering::array(const Work& w, const std::string& name) {
  if (const auto known = array_numbers_.find(name); known != array_numbers_.end()) return known->second;
  const auto same_name = [&name](const Variable& v) { return v.array.name == name; };
  const Variable* found = nullptr;
  for (const auto* list : {&flat_.variables, &module_.variables}) {
    const auto it = std::find_if(list->begin(), list->end(), same_name);
    if (it != list->end() && found == nullptr) found = &*it;
  }
  if (found == nullptr) context_.reject(w.s.place, fmt::format("{} is not declared", name), "E3102");
  if (found->refers_to_symbols) refuse(w, fmt::format("{} is initialised with addresses", name));
  if (found->is_external && !found->array.dynamic)
    refuse(w, fmt::format("{} is defined in another module", name));
  ir::Kernel& k = builder_.kernel();
  const auto number = static_cast<std::uint32_t>(k.arrays.size());
  k.arrays.push_back(found->array);
  array_numbers_[name] = number;
  return number;
}

std::array<ir::ValueId, 2> Lowering::unpack(ValueId packed, Type element) {
  const ValueId low = low_bits(packed, Type::i16);
  const ValueId shifted = emit(Op::shift_right_logical, {packed, constant(Type::i32, 16)}, Type::i32);
  builder_.modify().shift_overflow = ir::ShiftOverflow::clamp;
  const ValueId high = low_bits(shifted, Type::i16);
  return {cast_bits(low, element), cast_bits(high, element)};
}

ir::ValueId Lowering::pack(const std::array<ValueId, 2>& parts) {
  const ValueId low = extend(cast_bits(parts[0], Type::i16), Type::i32, false);
  const ValueId wide = extend(cast_bits(parts[1], Type::i16), Type::i32, false);
  const ValueId high = emit(Op::shift_left, {wide, constant(Type::i32, 16)}, Type::i32);
  builder_.modify().shift_overflow = ir::ShiftOverflow::clamp;
  return emit(Op::bit_or, {low, high}, Type::i32);
}

}  // namespace hallmark::validator::ptx
