#include "tools/analysis/tunable_history.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "models/base/config.hpp"

namespace kagami::tools {

TunableHistory::TunableHistory(const RunRecord& record) : record_(record) {
  try {
    setup_ = runtime::read_setup(record.reader());
    list_ = runtime::ControllerList(runtime::make_core(*setup_).controllers(),
                                    setup_->cycle.control.gains);
  } catch (const Error&) {
    setup_.reset();
    return;
  }
  names_ = list_.value_names();
  values_ = list_.file_values();
}

void TunableHistory::add(const runtime::CycleRecord& row) {
  taken_.reset();
  const bool is_taken = row.in.handover_id > 0 && row.out.tuning_layout > layout_;
  layout_ = std::max(layout_, row.out.tuning_layout);
  if (is_taken && setup_) take_over(row.in);
  const runtime::Tuning& set = row.in.tuning;
  const bool is_applied = row.in.tuning_is_new && row.out.tuning_version == set.version;
  if (!is_applied || set.num_values <= 0 || set.layout != layout_) return;
  values_.assign(set.values.begin(), set.values.begin() + set.num_values);
  if (names_.size() != values_.size()) names_.clear();
}

// the values of the others stay; the new one has those of its gain set
void TunableHistory::take_over(const runtime::CycleInput& in) {
  const std::string name = runtime::live_gains_attachment(in.handover_id);
  const auto attachment = record_.reader().attachment(std::string_view(name));
  std::unique_ptr<runtime::ControllerInstance> unit;
  try {
    if (attachment) {
      unit = runtime::make_control_unit(setup_->robot, setup_->motion, setup_->cycle,
                                        attachment->text(), name, control::ControllerFactory());
    }
  } catch (const Error&) {
    unit.reset();
  }
  if (!unit) {
    setup_.reset();
    names_.clear();
    values_.clear();
    return;
  }
  std::map<std::string, double> before;
  for (std::size_t i = 0; i < names_.size(); ++i) before[names_[i]] = values_[i];
  const runtime::ControllerDescription made = runtime::describe(*unit->robot);
  const ConfigDocument gains = ConfigDocument::parse(attachment->text(), name);
  const std::string key = list_.key_for(made.name, in.handover_place);
  const std::vector<std::string> keys = list_.keys();
  const auto place = static_cast<std::size_t>(std::max(in.handover_place, 0));
  taken_ = TakenController{.key = key,
                           .gains = gains.root().text_or("name", ""),
                           .replaced = place < keys.size() ? keys[place] : ""};
  list_.put(in.handover_place, {.key = key,
                                .gains = taken_->gains,
                                .text = attachment->text(),
                                .type = made.name,
                                .tunables = made.tunables,
                                .files = made.values});
  names_ = list_.value_names();
  values_ = list_.file_values();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto known = before.find(names_[i]);
    const bool is_new = names_[i].rfind(key + "/", 0) == 0;
    if (known != before.end() && !is_new) values_[i] = known->second;
  }
}

std::vector<std::string> all_tunables(const RunRecord& record) {
  TunableHistory history(record);
  std::vector<std::string> all = history.names();
  const std::string first = runtime::live_gains_attachment(1);
  if (!record.reader().attachment(std::string_view(first))) return all;
  record.for_each_row([&](const runtime::CycleRecord& row) {
    history.add(row);
    if (!history.taken()) return;
    for (const std::string& name : history.names()) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
  });
  return all;
}

}  // namespace kagami::tools
