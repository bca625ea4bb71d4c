#include "models/robot/model_urdf.hpp"

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/model_json.hpp"
#include "models/robot/urdf_structure.hpp"
#include "models/robot/xml_scan.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

constexpr std::size_t kMaxBytes = 4u << 20;

// collects what urdfdom would print to standard error
class Messages : public console_bridge::OutputHandler {
 public:
  Messages() : previous_(console_bridge::getOutputHandler()) {
    console_bridge::useOutputHandler(this);
  }
  ~Messages() override { console_bridge::useOutputHandler(previous_); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void log(const std::string& message, console_bridge::LogLevel level, const char* /*filename*/,
           int /*line*/) override {
    if (level < console_bridge::CONSOLE_BRIDGE_LOG_ERROR) return;
    text += (text.empty() ? "" : "; ") + message;
  }
  std::string text;

 private:
  console_bridge::OutputHandler* previous_;
};

urdf::ModelInterfaceSharedPtr parse(const std::string& text, const std::string& file) {
  Messages messages;
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& e) {
    throw ModelError(file + ": " + e.what());
  }
  if (!messages.text.empty()) throw ModelError(file + ": " + messages.text);
  if (model == nullptr) throw ModelError(file + ": urdfdom does not accept it");
  return model;
}

Vec3 vector_of(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

Pose pose_of(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {rotation_of(Eigen::Quaterniond(r.w, r.x, r.y, r.z)), vector_of(pose.position)};
}

class Reader {
  struct Branch {
    const urdf::Joint* joint;
    const urdf::Link* link;
    Pose X_BJ;
    std::size_t rank;
  };

  // gives the builder's messages the file's name
  template <class Call>
  auto wrap(Call call) const {
    try {
      return call();
    } catch (const ModelError& e) {
      throw ModelError(file_ + ": " + e.what());
    }
  }

  SpatialInertia inertia_of(const urdf::Link& link) const {
    if (link.inertial == nullptr) return {};
    const urdf::Inertial& in = *link.inertial;
    const Pose X_BC = pose_of(in.origin);
    Mat3 I;
    I << in.ixx, in.ixy, in.ixz, in.ixy, in.iyy, in.iyz, in.ixz, in.iyz, in.izz;
    if (in.mass == 0.0 && I.isZero(0.0)) return {};
    const std::string problem = inertia_problem(in.mass, I);
    if (!problem.empty()) throw ModelError(file_ + ": link '" + link.name + "': " + problem);
    if (!X_BC.p.allFinite() || !X_BC.R.allFinite()) {
      throw ModelError(file_ + ": link '" + link.name + "': its inertial origin is not finite");
    }
    return SpatialInertia::from_com(in.mass, X_BC.p, X_BC.R * I * X_BC.R.transpose());
  }

  std::size_t rank_of(const std::string& joint) const {
    return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), joint) -
                                    order_.begin());
  }

  // adds what is rigidly attached to body B: mass, frames, and the moving joints that hang there
  void merge(const urdf::Link& link, const Pose& X_BL, SpatialInertia& M,
             std::vector<Frame>& frames, std::vector<Branch>& branches) const {
    const SpatialInertia own = inertia_of(link);
    M = M + X_BL * own;
    for (const urdf::JointSharedPtr& joint : link.child_joints) {
      const auto child = std::find_if(
          link.child_links.begin(), link.child_links.end(),
          [&](const urdf::LinkSharedPtr& l) { return l->name == joint->child_link_name; });
      if (child == link.child_links.end())
        throw ModelError(file_ + ": joint '" + joint->name + "': child missing");
      const Pose X_BJ = X_BL * pose_of(joint->parent_to_joint_origin_transform);
      if (joint->type == urdf::Joint::FIXED) {
        frames.push_back({(*child)->name, kWorld, X_BJ});
        merge(**child, X_BJ, M, frames, branches);
      } else {
        branches.push_back({joint.get(), child->get(), X_BJ, rank_of(joint->name)});
      }
    }
  }

  void add(const urdf::Link& link, BodyIndex parent, const std::string& joint_name,
           const Joint& joint, const Pose& X_PJ) {
    SpatialInertia M;
    std::vector<Frame> frames;
    std::vector<Branch> branches;
    merge(link, Pose{}, M, frames, branches);
    MassProperties mass;
    if (M.mass > 0.0) mass = {M.mass, M.com(), M.about_com()};
    const BodyIndex body =
        wrap([&] { return builder_.add_body(link.name, parent, joint_name, joint, X_PJ, mass); });
    for (const Frame& frame : frames) {
      wrap([&] { builder_.add_frame(frame.name, body, frame.X_BF); });
    }
    std::stable_sort(branches.begin(), branches.end(),
                     [](const Branch& a, const Branch& b) { return a.rank < b.rank; });
    for (const Branch& branch : branches) add_branch(branch, body);
  }

  void add_branch(const Branch& branch, BodyIndex parent) {
    const std::string& name = branch.joint->name;
    const Vec3 axis = vector_of(branch.joint->axis);
    const double length = axis.norm();
    if (!(length >= kMinAxis) || !std::isfinite(length)) {
      throw ModelError(file_ + ": joint '" + name + "': axis of length " + number_text(length) +
                       ", expected a direction");
    }
    const JointType type =
        branch.joint->type == urdf::Joint::PRISMATIC ? JointType::kPrismatic : JointType::kRevolute;
    Joint joint{type, axis / length, Vec3::Zero()};
    if (options_.joint_types != nullptr && options_.joint_types->has(name)) {
      const ConfigNode node = options_.joint_types->object(name);
      joint = read_joint(node, joint.axis);
      node.reject_unknown_keys();
    }
    add(*branch.link, parent, name, joint, branch.X_BJ);
    if (num_v(joint.type) == 1) set_limits(*branch.joint);
  }

  void set_limits(const urdf::Joint& joint) {
    const BodyIndex body = index_of(joint);
    DofLimits limits;
    if (joint.limits != nullptr) {
      if (joint.type != urdf::Joint::CONTINUOUS) {
        limits.q_min = joint.limits->lower;
        limits.q_max = joint.limits->upper;
      }
      limits.speed = joint.limits->velocity;
      limits.effort = joint.limits->effort;
    }
    wrap([&] { builder_.set_limits(body, limits); });
    const std::size_t rank = rank_of(joint.name);
    if (rank < options_.rotor_inertia.size()) {
      wrap([&] { builder_.set_rotor_inertia(body, options_.rotor_inertia[rank]); });
    }
  }

  BodyIndex index_of(const urdf::Joint& joint) const { return builder_.find_joint(joint.name); }

 public:
  Reader(const std::string& file, const UrdfOptions& options, std::vector<std::string> order)
      : file_(file), options_(options), order_(std::move(order)) {}

  Model run(const urdf::Link& root) {
    const bool floats = options_.base == BaseKind::kFloating;
    const Joint joint{floats ? JointType::kFloating : JointType::kFixed, Vec3::Zero()};
    add(root, kWorld, "world_to_" + root.name, joint, options_.X_WJ);
    return wrap([&] { return builder_.build(); });
  }

 private:
  const std::string& file_;
  const UrdfOptions& options_;
  std::vector<std::string> order_;
  ModelBuilder builder_;
};

// the joints that a servo can drive: revolute in the URDF and not made something else
std::vector<std::string> servo_joints(const UrdfStructure& structure, const UrdfOptions& options) {
  const ConfigNode* types = options.joint_types;
  std::vector<std::string> names;
  for (const std::string& name : structure.moving_joints) {
    const bool other = types != nullptr && types->has(name) &&
                       types->object(name).text("type") != joint_type_name(JointType::kRevolute);
    if (!other && !structure.sliding_joints.contains(name)) names.push_back(name);
  }
  return names;
}

void check_same_joints(const UrdfStructure& structure, const std::string& file,
                       const UrdfOptions& options) {
  const std::vector<std::string> have = servo_joints(structure, options);
  const auto& want = options.joint_order;
  for (const std::string& name : want) {
    if (std::find(have.begin(), have.end(), name) != have.end()) continue;
    const auto& all = structure.moving_joints;
    const bool moves = std::find(all.begin(), all.end(), name) != all.end();
    throw ModelError(file + ": joint '" + name + "' is " +
                     (moves ? "not revolute, " : "missing, ") + options.joint_order_source +
                     " lists it");
  }
  for (const std::string& name : have) {
    if (std::find(want.begin(), want.end(), name) == want.end()) {
      throw ModelError(options.joint_order_source + ": /joints: moving joint '" + name + "' of " +
                       file + " is missing");
    }
  }
}

}  // namespace

Model read_urdf(const std::string& text, const std::string& file, const UrdfOptions& options,
                std::vector<std::string>& notices) {
  if (text.size() > kMaxBytes) {
    throw ModelError(file + ": " + std::to_string(text.size()) + " bytes, expected at most " +
                     std::to_string(kMaxBytes));
  }
  const UrdfStructure structure = check_urdf_structure(scan_xml(text, file), file);
  if (!options.joint_order.empty()) check_same_joints(structure, file, options);
  if (!structure.ignored_tags.empty()) {
    std::string list;
    for (const std::string& tag : structure.ignored_tags) {
      list += (list.empty() ? "" : ", ") + tag;
    }
    notices.push_back(file + ": ignored tags: " + list);
  }

  const urdf::ModelInterfaceSharedPtr urdf = parse(text, file);
  if (urdf->getRoot() == nullptr || urdf->links_.size() > kMaxBodies * 4u) {
    throw ModelError(file + ": " + std::to_string(urdf->links_.size()) + " links, expected 1.." +
                     std::to_string(kMaxBodies * 4));
  }
  const auto& order = options.joint_order.empty() ? structure.moving_joints : options.joint_order;
  Model model = Reader(file, options, order).run(*urdf->getRoot());
  if (options.joint_types != nullptr) options.joint_types->reject_unknown_keys();
  return model;
}

}  // namespace kagami::models
