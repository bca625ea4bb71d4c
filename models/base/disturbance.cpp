#include "models/base/disturbance.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/trig.hpp"

namespace kagami {
namespace {

using Kind = DisturbanceKind;
using Side = DisturbanceSide;

// names of the enumerators, in their order
constexpr std::array<std::string_view, 6> kKinds{"force",   "wrench",   "torque",
                                                 "payload", "friction", "ground"};
constexpr std::array<std::string_view, 3> kSides{"twin", "robot", "both"};
constexpr std::array<std::string_view, 2> kAxes{"world", "body"};

constexpr Range kTime{0.0, 1e5, "s"};
constexpr Range kForce{-1e6, 1e6, "N"};
constexpr Range kMoment{-1e6, 1e6, "N m"};
constexpr Range kPlace{-100.0, 100.0, "m"};
constexpr Range kMass{1e-6, 1e6, "kg"};
constexpr Range kScale{0.0, 100.0, ""};
constexpr Range kCoefficient{0.0, 1e3, ""};
constexpr Range kSlope{-kMaxTilt, kMaxTilt, "rad"};
constexpr Range kHeading{-6.2831853071795865, 6.2831853071795865, "rad"};

template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& names, const std::string& text) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), text) - names.begin());
}

Vec3 read_vec3(const ConfigNode& node, std::string_view key, Range range) {
  if (!node.has(key)) node.fail(key, "is missing, expected three numbers");
  const std::vector<double> x = node.numbers(key, 3, range);
  return {x[0], x[1], x[2]};
}

void read_place(const ConfigNode& node, Disturbance& d) {
  d.body = node.text_or("body", "");
  if (node.has("at")) d.point = read_vec3(node, "at", kPlace);
}

void read_wrench(const ConfigNode& node, Disturbance& d) {
  read_place(node, d);
  d.in_body_axes = node.has("axes") && node.one_of("axes", kAxes) == "body";
  d.force = read_vec3(node, "force", kForce);
  if (d.kind == Kind::kWrench) d.moment = read_vec3(node, "moment", kMoment);
}

void read_friction(const ConfigNode& node, Disturbance& d) {
  if (node.has("scale") == node.has("mu_static"))
    node.fail("scale", "expected either 'scale' or 'mu_static' (with 'mu_kinetic')");
  if (node.has("scale")) {
    d.friction.scale = node.number("scale", kScale);
    return;
  }
  const double mu = node.number("mu_static", kCoefficient);
  d.friction.mu_static = mu;
  d.friction.mu_kinetic = node.number_or("mu_kinetic", mu, kCoefficient);
  if (*d.friction.mu_kinetic > mu)
    node.fail("mu_kinetic", number_text(*d.friction.mu_kinetic) + " is above mu_static " +
                                number_text(mu) + ", expected at most that");
}

void read_when(const ConfigNode& node, Disturbance& d) {
  d.when.from = node.number("from", kTime);
  const bool is_push = d.kind == Kind::kForce || d.kind == Kind::kWrench;
  if (node.has("until")) {
    if (node.has("for")) node.fail("until", "is given together with 'for'; expected one of them");
    d.when.until = node.number("until", {d.when.from, 2.0 * kTime.max, "s"});
  } else if (is_push || node.has("for")) {
    d.when.until = d.when.from + node.number("for", kTime);
  }
  const bool grows = d.kind != Kind::kPayload && d.kind != Kind::kFriction;
  if (grows) d.when.ramp = node.number_or("ramp", 0.0, kTime);
  constexpr double kRounding = 1e-9;  // s, of a sum of two numbers of a file
  if (2.0 * d.when.ramp > d.when.until - d.when.from + kRounding)
    node.fail("ramp", number_text(d.when.ramp) + " s: twice the ramp is longer than 'for'");
  if (d.kind != Kind::kGround) return;
  const double least = std::abs(d.slope) / kMaxTiltRate;
  if (d.when.ramp < least)
    node.fail("ramp", number_text(d.when.ramp) + " s for " + number_text(d.slope) +
                          " rad, expected at least " + number_text(least) + " s: at most " +
                          number_text(kMaxTiltRate) + " rad/s");
}

Disturbance read_one(const ConfigNode& node, DisturbanceScope scope) {
  Disturbance d;
  d.where = node.where();
  if (node.has("kind")) d.kind = static_cast<Kind>(index_of(kKinds, node.one_of("kind", kKinds)));
  if (scope == DisturbanceScope::kRun) {
    if (node.has("on")) d.side = static_cast<Side>(index_of(kSides, node.one_of("on", kSides)));
  } else if (d.kind != Kind::kGround) {
    d.target = node.text("on");
  }
  switch (d.kind) {
    case Kind::kForce:
    case Kind::kWrench:
      read_wrench(node, d);
      break;
    case Kind::kTorque:
      d.joint = node.text("joint");
      d.torque = node.number("torque", kMoment);
      break;
    case Kind::kPayload:
      read_place(node, d);
      d.mass = node.number("mass", kMass);
      break;
    case Kind::kFriction:
      read_friction(node, d);
      break;
    case Kind::kGround:
      d.slope = node.number("slope", kSlope);
      d.toward = node.number_or("toward", 0.0, kHeading);
      break;
  }
  read_when(node, d);
  node.reject_unknown_keys();
  return d;
}

bool contradict(const Disturbance& a, const Disturbance& b) {
  if (a.kind != b.kind || (a.kind != Kind::kFriction && a.kind != Kind::kGround)) return false;
  const bool same_side = a.side == b.side || a.side == Side::kBoth || b.side == Side::kBoth;
  const bool same_time = a.when.from < b.when.until && b.when.from < a.when.until;
  return same_side && same_time && a.target == b.target;
}

std::string vector_text(const Vec3& v) {
  return "(" + number_text(v.x()) + ", " + number_text(v.y()) + ", " + number_text(v.z()) + ")";
}

std::string place_text(const Disturbance& d) {
  std::string name = d.body.empty() ? d.target : d.body;
  if (name.empty()) name = "the base";
  return d.point ? name + " " + vector_text(*d.point) + " m" : name;
}

std::string what_text(const Disturbance& d) {
  const std::string axes = d.in_body_axes ? " in its axes" : "";
  switch (d.kind) {
    case Kind::kForce:
      return "force " + vector_text(d.force) + " N" + axes + " at " + place_text(d);
    case Kind::kWrench:
      return "force " + vector_text(d.force) + " N and moment " + vector_text(d.moment) + " N m" +
             axes + " at " + place_text(d);
    case Kind::kTorque:
      return "torque " + number_text(d.torque) + " N m at joint " + d.joint;
    case Kind::kPayload:
      return "payload " + number_text(d.mass) + " kg at " + place_text(d);
    case Kind::kFriction: {
      const std::string of = d.target.empty() ? "the ground" : d.target;
      if (!d.friction.mu_static)
        return "friction of " + of + " times " + number_text(d.friction.scale);
      return "friction of " + of + " " + number_text(*d.friction.mu_static) + ", sliding " +
             number_text(*d.friction.mu_kinetic);
    }
    case Kind::kGround:
      return "ground falls by " + number_text(d.slope) + " rad toward " + number_text(d.toward) +
             " rad";
  }
  return "";
}

void write_kind(const Disturbance& d, nlohmann::json& j) {
  const auto list = [](const Vec3& v) { return nlohmann::json{v.x(), v.y(), v.z()}; };
  if (!d.body.empty()) j["body"] = d.body;
  if (d.point) j["at"] = list(*d.point);
  switch (d.kind) {
    case Kind::kForce:
    case Kind::kWrench:
      j["axes"] = d.in_body_axes ? "body" : "world";
      j["force"] = list(d.force);
      if (d.kind == Kind::kWrench) j["moment"] = list(d.moment);
      break;
    case Kind::kTorque:
      j["joint"] = d.joint;
      j["torque"] = d.torque;
      break;
    case Kind::kPayload:
      j["mass"] = d.mass;
      break;
    case Kind::kFriction:
      if (!d.friction.mu_static) {
        j["scale"] = d.friction.scale;
      } else {
        j["mu_static"] = *d.friction.mu_static;
        j["mu_kinetic"] = *d.friction.mu_kinetic;
      }
      break;
    case Kind::kGround:
      j["slope"] = d.slope;
      j["toward"] = d.toward;
      break;
  }
}

}  // namespace

double DisturbanceTime::share(double t) const noexcept {
  if (!acts(t)) return 0.0;
  if (ramp <= 0.0) return 1.0;
  return std::min({1.0, (t - from) / ramp, (until - t) / ramp});
}

std::vector<Disturbance> read_disturbances(const ConfigNode& root, DisturbanceScope scope) {
  std::vector<Disturbance> all;
  if (!root.has("disturbances")) return all;
  const std::vector<ConfigNode> entries = root.list("disturbances");
  if (entries.size() > static_cast<std::size_t>(kMaxDisturbances))
    root.fail("disturbances", std::to_string(entries.size()) + " entries, expected at most " +
                                  std::to_string(kMaxDisturbances));
  for (const ConfigNode& node : entries) {
    const Disturbance d = read_one(node, scope);
    for (const Disturbance& other : all) {
      if (contradict(d, other))
        fail(d, "from",
             "at the same time as " + other.where + ", expected one " +
                 std::string(kKinds[static_cast<std::size_t>(d.kind)]) + " after the other");
    }
    all.push_back(d);
  }
  return all;
}

void check_disturbance_times(const std::vector<Disturbance>& all, double duration) {
  for (const Disturbance& d : all) {
    if (d.when.from >= duration)
      fail(d, "from",
           number_text(d.when.from) + " s is not before the end of the run at " +
               number_text(duration) + " s");
  }
}

std::vector<Disturbance> on_side(const std::vector<Disturbance>& all, DisturbanceSide side) {
  std::vector<Disturbance> some;
  for (const Disturbance& d : all) {
    if (d.side == side || d.side == Side::kBoth) some.push_back(d);
  }
  return some;
}

nlohmann::json disturbances_json(const std::vector<Disturbance>& all) {
  nlohmann::json list = nlohmann::json::array();
  for (const Disturbance& d : all) {
    nlohmann::json j{{"kind", kKinds[static_cast<std::size_t>(d.kind)]},
                     {"on", kSides[static_cast<std::size_t>(d.side)]},
                     {"from", d.when.from}};
    if (!d.target.empty()) j["on"] = d.target;
    if (std::isfinite(d.when.until)) j["until"] = d.when.until;
    if (d.when.ramp > 0.0) j["ramp"] = d.when.ramp;
    write_kind(d, j);
    list.push_back(std::move(j));
  }
  return list;
}

std::string disturbance_text(const Disturbance& d) {
  std::string text = what_text(d) + ", from " + number_text(d.when.from) + " s";
  if (std::isfinite(d.when.until)) text += " to " + number_text(d.when.until) + " s";
  if (d.when.ramp > 0.0) text += ", ramps of " + number_text(d.when.ramp) + " s";
  return text;
}

void fail(const Disturbance& d, const std::string& key, const std::string& problem) {
  throw ConfigError(d.where + "/" + key + ": " + problem);
}

// turns -z towards the direction of fall: axis a = d x z
Vec3 tilted_gravity(const Vec3& g, double slope, double toward) noexcept {
  const auto [s, c] = trig::sincos(slope);
  const auto [sh, ch] = trig::sincos(toward);
  const Vec3 a(sh, -ch, 0.0);
  return c * g + s * a.cross(g) + (1.0 - c) * a.dot(g) * a;
}

}  // namespace kagami
