#include "control/virtual/virtual_loop_gain_set.hpp"

#include "models/base/config.hpp"

namespace kagami::control {

VirtualLoopGainSet read_virtual_loop_gain_set(const ConfigDocument& document) {
  const ConfigNode root = document.root();
  VirtualLoopGainSet set;
  set.head = read_gain_head(root, "virtual-loop");
  for (const ConfigNode& loop : root.list("loops")) {
    set.loops.push_back(
        {loop.text("name"), loop.text("a"), loop.text("b"), loop.boolean_or("leaves_yaw", false)});
    loop.reject_unknown_keys();
  }
  set.stands_on = root.text_or("stands_on", "");
  if (set.loops.empty()) root.fail("loops", "is empty, expected one loop at least");
  const ConfigNode leads = root.object("leads");
  for (const std::string& joint : leads.keys()) {
    const ConfigNode lead = leads.object(joint);
    set.leads.push_back(
        {joint, lead.number("kp", kLeadStiffness), lead.number("kd", kLeadDamping)});
    lead.reject_unknown_keys();
  }
  set.damping = root.number_or("damping", 0.0, kLeadDamping);
  set.observer_rate = root.number_or("observer_rate", 0.0, kObserverRate);
  set.settings.correction_rate =
      root.number_or("correction_rate", set.settings.correction_rate, kCorrectionRate);
  set.settings.max_gap = root.number_or("max_gap", set.settings.max_gap, {1e-6, 1.0, "m or rad"});
  root.reject_unknown_keys();
  return set;
}

}  // namespace kagami::control
