// Whether the files of a stage are what the stage writes of what stands before it: the candidates searched
// again, the candidates priced and elected again, the kernels with the map of their lines written again, and
// compiled again. Nothing rests on these (what is elected and what runs is proved, whoever chose or wrote
// it), but prices, provenance and the map are read by people, and a text that somebody changed by hand
// between two stages is to be told from one that was computed. No solver is asked: the states of the rules
// are those that 2-candidates records.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "pipeline/store.h"

namespace hallmark::pipeline {

inline constexpr const char* stage_of_candidates = "stage-2-candidates";
inline constexpr const char* stage_of_ptx = "stage-4-ptx";

struct Origin {
  std::string setting;  // its name among the settings of the receipt
  std::string differs;  // the first file that its stage writes otherwise; empty: none
  std::string unknown;  // why that could not be found out here; empty: it was
};

// The text that the receipt has: "as `hallmark search` writes it", "not as `hallmark search` writes it:
// FILE", "not derived: there is no library of rules here".
inline constexpr const char* unknown_origin = "not derived";
std::string text(const Origin& origin);
// Whether a receipt may say of this stage that nobody could look: another library of rules, another nvcc.
bool may_be_unknown(const Origin& origin);
// The origins of a bundle whose stages were made one from the other in one run.
std::vector<Origin> origins_of_a_run(const Lowered& lowered);

// `corpus` has the library of rules; empty: nobody knows it here. `compile`: nvcc is asked. Throws nothing
// for what the stages hold: a stage that cannot be computed from them differs.
std::vector<Origin> find_origins(const Authored& authored, const Space& space, const Selection& selection,
                                 const Lowered& lowered, const std::string& corpus, bool compile);

std::map<std::string, std::string> settings_of(const std::vector<Origin>& origins);

}  // namespace hallmark::pipeline
