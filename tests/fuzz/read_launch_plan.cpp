#include "base/json.h"
#include "plan/launch_plan.h"
#include "tests/fuzz/target.h"

namespace hallmark::fuzz {

void read(std::string_view bytes) {
  const plan::LaunchPlan plan = plan::launch_plan_from_json(parse_json(bytes, "launch.json"));
  check(plan::to_json(plan::launch_plan_from_json(plan::to_json(plan))) == plan::to_json(plan),
        "a printed launch plan reads back as itself");
}

}  // namespace hallmark::fuzz
