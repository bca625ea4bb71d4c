#include "tools/commands/dynamics_input.hpp"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/text_file.hpp"
#include "models/robot/euler_state.hpp"
#include "models/robot/model_json.hpp"
#include "models/robot/model_urdf.hpp"
#include "models/robot/read_model.hpp"
#include "tools/cli/data_folders.hpp"
#include "tools/commands/dynamics_loops.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using models::BaseKind;
using models::Model;

constexpr Range kAny{-1e12, 1e12, ""};
constexpr double kUnitError = 1e-6;  // files carry quaternions with some 10 digits

std::optional<BaseKind> base_of(const std::string& base) {
  if (base.empty()) return std::nullopt;
  return base == "floating" ? BaseKind::kFloating : BaseKind::kFixed;
}

Vec3 vec3_or_zero(const ConfigNode& node, std::string_view key) {
  if (!node.has(key)) return Vec3::Zero();
  const std::vector<double> x = node.numbers(key, 3, kAny);
  return {x[0], x[1], x[2]};
}

JointVector vector_of(const ConfigNode& node, std::string_view key, int size) {
  const std::vector<double> x = node.numbers(key, size, kAny);
  return Eigen::Map<const Eigen::VectorXd>(x.data(), size);
}

// the first of the keys that is there
std::optional<JointVector> vector_under(const ConfigNode& node,
                                        std::initializer_list<const char*> keys, int size) {
  for (const char* key : keys)
    if (node.has(key)) return vector_of(node, key, size);
  return std::nullopt;
}

void check_quaternions(const ConfigNode& node, const Model& model, JointVector& q) {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    const int at = models::quaternion_index(b.joint.type);
    if (at < 0) continue;
    const double length = q.segment<4>(b.q_index + at).norm();
    if (!(std::abs(length - 1.0) <= kUnitError))
      node.fail("q", "joint " + b.joint_name + ": quaternion of length " + number_text(length) +
                         ", expected a unit quaternion w, x, y, z");
    models::normalize_joint(b.joint, q.data() + b.q_index);
  }
}

ExternalForce external_of(const ConfigNode& node, const Model& model) {
  ExternalForce f;
  f.body = static_cast<BodyIndex>(node.integer("body", {0.0, model.num_bodies() - 1.0, ""}));
  f.point = vec3_or_zero(node, "point_body");
  f.force = vec3_or_zero(node, "force_world");
  f.moment = vec3_or_zero(node, "moment_world");
  node.reject_unknown_keys();
  return f;
}

StateEntry neutral_entry(const Model& model, const std::string& where) {
  return {models::neutral_state(model), JointVector::Zero(model.num_v()), {}, {}, where};
}

StateEntry entry_of(const ConfigNode& node, const Model& model, bool close) {
  StateEntry entry = neutral_entry(model, node.where());
  if (const auto q = vector_under(node, {"q", "q0"}, model.num_q())) {
    entry.state.q = *q;
    check_quaternions(node, model, entry.state.q);
  }
  if (node.has("q_zyz")) {
    if (node.has("q") || node.has("q0"))
      node.fail("q_zyz", "is given together with q; expected one of them");
    zyz_to_q(model, vector_of(node, "q_zyz", num_q_zyz(model)), entry.state.q);
  }
  if (const auto v = vector_under(node, {"v", "v0"}, model.num_v())) entry.state.v = *v;
  if (const auto tau = vector_under(node, {"tau"}, model.num_v())) entry.tau = *tau;
  entry.inverse_vdot = vector_under(node, {"vdot"}, model.num_v());
  if (node.has("inverse") && node.raw().at("inverse").is_object())
    entry.inverse_vdot = vector_of(node.object("inverse"), "vdot", model.num_v());
  if (node.has("external"))
    for (const ConfigNode& e : node.list("external"))
      entry.external.push_back(external_of(e, model));
  if (!model.loops().empty()) check_loops(model, &node, entry.where, close, entry);
  return entry;
}

// oracle entries carry answers and notes besides the state: what is not ours stays unread
std::vector<StateEntry> entries_of(const ConfigNode& root, const Model& model, bool close) {
  std::vector<StateEntry> entries;
  if (!root.has("states")) return {entry_of(root, model, close)};
  for (const ConfigNode& node : root.list("states")) {
    entries.push_back(entry_of(node, model, close));
    for (const std::string& key : node.keys()) {
      static constexpr std::string_view kKnown[] = {
          "q", "q0", "q_zyz", "v", "v0", "tau", "vdot", "inverse", "external", "note", "id"};
      bool known = false;
      for (const std::string_view k : kKnown) known = known || key == k;
      if (!known)
        node.fail(key,
                  "is unknown; expected q, q_zyz, v, tau, vdot, inverse, external, note or id");
    }
  }
  if (entries.empty()) root.fail("states", "is empty; expected at least one state");
  return entries;
}

// the case of an oracle file, or the root where there are none
ConfigNode case_of(const ConfigNode& root, const std::string& id) {
  if (!root.has("cases")) {
    if (!id.empty()) root.fail("cases", "is missing: --case requires a file with cases");
    return root;
  }
  std::string known;
  for (const ConfigNode& c : root.list("cases")) {
    const std::string name = c.text("id");
    if (name == id) return c;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw ConfigError(root.where() + ": --case " + (id.empty() ? "is missing" : "'" + id + "'") +
                    "; the file has " + known);
}

Model read_folder(const DynamicsOptions& opt, DynamicsInput& input, Console& io) {
  const fs::path folder = fs::is_directory(opt.model)
                              ? fs::path(opt.model)
                              : find_robot(find_data(io, opt.data), opt.model);
  models::ModelDescription robot = models::read_model(folder, base_of(opt.base));
  for (const std::string& notice : robot.notices) io.detail(notice);
  input.name = robot.name;
  input.folder = folder;
  return robot.model;
}

}  // namespace

DynamicsInput read_dynamics_input(const DynamicsOptions& opt, Console& io) {
  DynamicsInput input;
  std::vector<std::string> notices;
  std::optional<ConfigDocument> document;
  const fs::path file = opt.model;
  if (!fs::is_regular_file(file)) {
    if (!opt.case_id.empty()) throw ConfigError("--case requires a model file with cases");
    input.model = read_folder(opt, input, io);
  } else if (file.extension() == ".urdf") {
    models::UrdfOptions options;
    options.base = base_of(opt.base).value_or(BaseKind::kFixed);
    input.model = models::read_urdf(read_text_file(file), file.string(), options, notices);
    input.name = file.stem().string();
  } else {
    document = ConfigDocument::read(file);
    const ConfigNode node = case_of(document->root(), opt.case_id);
    input.model = models::read_model_json(node, base_of(opt.base), notices);
    input.name = opt.case_id.empty() ? file.stem().string() : opt.case_id;
    if (opt.states.empty()) input.states = entries_of(node, input.model, opt.close);
  }
  for (const std::string& notice : notices) io.say(notice);

  if (!opt.states.empty()) {
    const ConfigDocument states = ConfigDocument::read(opt.states);
    const ConfigNode root = states.root();
    input.states =
        entries_of(root.has("cases") ? case_of(root, opt.case_id) : root, input.model, opt.close);
  } else if (input.states.empty()) {
    StateEntry entry = neutral_entry(input.model, opt.model + ", all joints at zero");
    if (!input.model.loops().empty())
      check_loops(input.model, nullptr, entry.where, opt.close, entry);
    input.states.push_back(entry);
  }
  return input;
}

}  // namespace kagami::tools
