#include "pipeline/kernel_safety.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "plan/spec_text.h"
#include "validator/checks/obligations.h"
#include "validator/checks/portfolio_probe.h"
#include "validator/propose/extents.h"

namespace hallmark::pipeline {
namespace {

using calculus::Term;
using validator::LaunchHint;
using validator::Need;
using validator::Needs;
using validator::Signature;

constexpr const char* extents_assumption = "buffers-hold-what-is-accessed";
constexpr const char* signature_assumption = "launch-and-sizes-as-proposed";
constexpr const char* wrap_assumption = "indices-do-not-wrap";

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

// The signature with conditions that a person added.
Signature signature_of(const validator::ir::Kernel& kernel, const LaunchHint& hint,
                       const std::vector<std::string>& conditions) {
  Signature out = validator::propose_signature(kernel, hint);
  if (conditions.empty()) return out;
  for (calculus::SymbolRange& range : out.spec.symbols)
    for (const plan::Parameter& p : out.spec.parameters) {
      if (!p.scalar || p.scalar->name != range.name || !calculus::is_integer(p.scalar->format)) continue;
      for (const std::string& condition : conditions) {
        if (condition.find(range.name) == std::string::npos) continue;
        const unsigned bits = calculus::storage_bits(p.scalar->format);
        range.low = calculus::is_signed(p.scalar->format) ? Integer(-power_of_two(bits - 1)) : Integer(0);
      }
    }
  std::string text = plan::print_spec(out.spec);
  for (const std::string& condition : conditions) text += "where " + condition + "\n";
  out.spec = plan::parse_spec(text, "--where");
  return out;
}

bool has_symbolic_block(const plan::KernelSpec& spec) {
  return std::any_of(std::begin(spec.launch.block), std::end(spec.launch.block),
                     [](Term t) { return t != nullptr && calculus::as_integer(t) == nullptr; });
}

// 256 threads in as many dimensions as the text reads.
LaunchHint usual_block(const plan::KernelSpec& spec, LaunchHint hint) {
  const auto symbolic = [&](int d) {
    return spec.launch.block[d] != nullptr && calculus::as_integer(spec.launch.block[d]) == nullptr;
  };
  if (symbolic(2))
    hint.block = {8, 8, 4};
  else if (symbolic(1))
    hint.block = {16, 16, 1};
  else
    hint.block = {256, 1, 1};
  return hint;
}

class Check {
 public:
  Check(const std::string& kernel, const KernelText& text, Level level, const SafetyRequest& request,
        smt::Portfolio& portfolio)
      : name_(kernel), text_(text), level_(level), request_(request), portfolio_(portfolio) {}

  Safety run() {
    if (text_.kernel == nullptr) return without_text(text_);
    std::optional<Signature> signature;
    try {
      signature = signature_of(*text_.kernel, request_.launch, request_.conditions);
    } catch (const Refusal& refusal) {
      KernelText refused = text_;
      refused.kernel = nullptr;
      refused.reason = Reason::unsupported;
      refused.detail = refusal.message();
      return without_text(refused);
    }
    const Needs needs = derive(*signature);
    out_.obligations = discharge(needs.spec);
    if (undecided() && has_symbolic_block(needs.spec)) one_block(needs.spec);
    settle(needs);
    describe(*signature, needs);
    return std::move(out_);
  }

 private:
  Safety without_text(const KernelText& text) {
    plan::KernelSpec spec;
    spec.kernel = name_;
    spec.equality = plan::Equality::safety;
    Safety out;
    out.obligations = list_kernel_obligations(spec, text, level_);
    discharge_kernel(out.obligations, spec, text, level_, portfolio_);
    drop_values(out.obligations);
    return out;
  }

  Needs derive(const Signature& signature) {
    return validator::derive_needs(signature, *text_.kernel, validator::portfolio_probe(portfolio_));
  }

  std::vector<Obligation> discharge(const plan::KernelSpec& spec) {
    std::vector<Obligation> list = list_kernel_obligations(spec, text_, level_);
    discharge_kernel(list, spec, text_, level_, portfolio_);
    return list;
  }

  // No output is named, so there is nothing to cover, to leave alone or to compare.
  static void drop_values(std::vector<Obligation>& list) {
    std::erase_if(list, [](const Obligation& o) {
      return o.kind == ObligationKind::coverage || o.kind == ObligationKind::frame ||
             o.kind == ObligationKind::value;
    });
  }

  static bool claims_nothing(const Obligation& o) {
    return o.kind == ObligationKind::coverage || o.kind == ObligationKind::frame ||
           o.kind == ObligationKind::value;
  }

  bool undecided() const {
    return std::any_of(out_.obligations.begin(), out_.obligations.end(), [](const Obligation& o) {
      return o.outcome.state == State::unrun && o.outcome.reason != Reason::unsupported && !claims_nothing(o);
    });
  }

  void one_block(const plan::KernelSpec& symbolic) {
    const LaunchHint hint = usual_block(symbolic, request_.launch);
    const std::string size =
        fmt::format("({}, {}, {})", (*hint.block)[0], (*hint.block)[1], (*hint.block)[2]);
    std::vector<Obligation> again;
    try {
      const Signature signature = signature_of(*text_.kernel, hint, request_.conditions);
      again = discharge(derive(signature).spec);
    } catch (const UserError&) {
      return;  // a condition that no such block meets
    }
    if (again.size() != out_.obligations.size()) return;
    for (std::size_t i = 0; i < again.size(); ++i) {
      Obligation& o = out_.obligations[i];
      if (o.outcome.state != State::unrun) continue;
      if (again[i].outcome.state == State::refuted) {
        o = std::move(again[i]);
      } else if (again[i].outcome.state == State::proved) {
        o.outcome = Outcome::unrun(
            Reason::bounded, fmt::format("proved for blocks of {} threads; not decided for every block: {}",
                                         size, o.outcome.detail));
      }
    }
  }

  // How many elements a buffer has is the caller's to say.
  void settle(const Needs& needs) {
    const std::vector<validator::Site> sites = validator::memory_sites(*text_.kernel);
    std::size_t n = 0;
    for (Obligation& o : out_.obligations) {
      if (o.kind == ObligationKind::bounds) {
        const validator::Site& site = sites.at(n++);
        bounds(o, needs, site);
      } else if (o.kind == ObligationKind::overflow && o.outcome.state == State::refuted) {
        large_elements(o);
      } else if (o.kind == ObligationKind::init && o.outcome.state == State::refuted) {
        forget(o, needs);
      } else if (o.kind == ObligationKind::overflow && o.outcome.state == State::proved &&
                 !needs.without_wrap.empty()) {
        under(o, joined(needs.without_wrap));
      } else if (o.outcome.state == State::proved) {
        if (!needs.without_wrap.empty()) o.outcome.assumptions.push_back(wrap_assumption);
        o.outcome.assumptions.push_back(signature_assumption);
        o.outcome.assumptions.push_back(extents_assumption);
      }
    }
    drop_values(out_.obligations);
  }

  // Proved where the caller grants the conditions, and nobody said that he does.
  static void under(Obligation& o, const std::string& conditions) {
    o.outcome = Outcome::unrun(Reason::bounded, "proved if " + conditions);
    o.scope = "launches in which " + conditions;
  }

  // Integers that were read may be as large as their format: whoever fills the buffer answers for that.
  static void large_elements(Obligation& o) {
    if (o.outcome.state != State::refuted || !o.outcome.witness) return;
    const auto& bindings = o.outcome.witness->bindings;
    const bool chosen = std::any_of(bindings.begin(), bindings.end(), [](const auto& binding) {
      return binding.first.find('[') != std::string::npos;
    });
    if (chosen)
      o.outcome = Outcome::unrun(
          Reason::bounded,
          "nothing says how large the elements are, and large ones overflow: " + o.outcome.witness->summary);
  }

  // A fault that lies in how large we made a buffer is none of the kernel's.
  static void forget(Obligation& o, const Needs& needs) {
    if (o.outcome.state != State::refuted || !o.outcome.witness) return;
    for (const Need& need : needs.needs)
      if (need.is_buffer && need.condition.empty() &&
          (o.kind == ObligationKind::init ||
           o.outcome.witness->summary.find(" of " + need.memory + ",") != std::string::npos))
        o.outcome = Outcome::unrun(
            Reason::gave_up,
            fmt::format("nothing says how many elements {} has, and what it needs cannot be stated: {}",
                        need.memory, need.reason));
  }

  static void bounds(Obligation& o, const Needs& needs, const validator::Site& site) {
    const auto found = needs.reached.find({site.block, site.index});
    if (found == needs.reached.end()) return forget(o, needs);
    std::string conditions;
    for (const std::string& memory : found->second)
      for (const Need& need : needs.needs) {
        if (need.memory != memory) continue;
        if (need.is_buffer && need.condition.empty()) {
          o.outcome =
              Outcome::unrun(Reason::gave_up, fmt::format("nothing says how many elements {} has, and "
                                                          "what it needs cannot be stated: {}",
                                                          memory, need.reason));
          return;
        }
        if (!need.condition.empty()) conditions += (conditions.empty() ? "" : ", ") + need.condition;
      }
    if (o.outcome.state == State::proved && !conditions.empty()) under(o, conditions);
  }

  void describe(const Signature& signature, const Needs& needs) {
    out_.specification = plan::print_spec(needs.spec);
    const std::string where = fmt::format("{} ({})", name_, name(level_));
    out_.notes.push_back(where + ": no specification was given; checked for safety, assuming");
    for (const std::string& a : signature.assumptions) out_.notes.push_back("  " + a);
    for (const std::string& a : needs.assumptions) out_.notes.push_back("  " + a);
    if (!needs.without_wrap.empty())
      out_.notes.push_back("  so that no index wraps around: " + joined(needs.without_wrap));
    for (const Need& need : needs.needs) {
      if (need.condition.empty())
        out_.notes.push_back(fmt::format("  {}: extent not derived ({})", need.memory, need.reason));
      else
        out_.notes.push_back("  " + need.condition);
    }
  }

  const std::string& name_;
  const KernelText& text_;
  Level level_;
  const SafetyRequest& request_;
  smt::Portfolio& portfolio_;
  Safety out_;
};

}  // namespace

Safety check_safety(const std::string& kernel, const KernelText& text, Level level,
                    const SafetyRequest& request, smt::Portfolio& portfolio) {
  return Check(kernel, text, level, request, portfolio).run();
}

Signature requested_signature(const validator::ir::Kernel& kernel, const SafetyRequest& request) {
  return signature_of(kernel, request.launch, request.conditions);
}

std::string proposed_specification(const validator::ir::Kernel& kernel, const SafetyRequest& request,
                                   smt::Portfolio& portfolio) {
  const Signature signature = signature_of(kernel, request.launch, request.conditions);
  const Needs needs = validator::derive_needs(signature, kernel, validator::portfolio_probe(portfolio));
  std::string text = plan::print_spec(needs.spec);
  const std::size_t line = text.find('\n') + 1;  // behind the version
  std::string remarks =
      "# A proposal made from the kernel's signature and text, not a statement of what the kernel should "
      "do.\n"
      "# Check every line, name the outputs with `ensures`, and say how exact they are: equality bits or "
      "reals.\n";
  for (const std::string& a : signature.assumptions) remarks += "# assumed: " + a + "\n";
  for (const std::string& a : needs.assumptions) remarks += "# assumed: " + a + "\n";
  for (const Need& need : needs.needs)
    remarks += need.condition.empty()
                   ? fmt::format("# {}: its extent could not be derived: {}\n", need.memory, need.reason)
                   : fmt::format("# {}\n", need.condition);
  for (const plan::Parameter& p : needs.spec.parameters)
    if (p.buffer && p.buffer->access != plan::Access::in)
      remarks += fmt::format("# ensures {}[i < ...] = ...\n", p.buffer->declaration.name);
  return text.substr(0, line) + remarks + text.substr(line);
}

}  // namespace hallmark::pipeline
