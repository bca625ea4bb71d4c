#include "tools/scenario/scene_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "models/base/errors.hpp"
#include "tools/scenario/scene_run.hpp"
#include "tools/trace/trace.hpp"

namespace kagami::tools {
namespace {

constexpr const char* kContactColumns[] = {
    "t",      "system",   "shape",  "vertex",   "other",      "px",           "py", "pz", "nx",
    "ny",     "nz",       "gap",    "fx",       "fy",         "fz",           "mx", "my", "mz",
    "normal", "friction", "motion", "residual", "iterations", "other_system", "id"};

std::string cause() {
  return errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
}

}  // namespace

RowFile::RowFile(const std::string& file) : file_(file), replacement_(file) {
  errno = 0;
  out_.open(replacement_.beside(), std::ios::binary | std::ios::trunc);
  if (!out_) throw Error("file '" + file + "' cannot be written" + cause());
}

void RowFile::text(const std::string& cell) {
  if (!first_) out_ << ',';
  first_ = false;
  if (cell.find_first_of(",\"\n") == std::string::npos) {
    out_ << cell;
    return;
  }
  out_ << '"';
  for (const char c : cell) out_ << (c == '"' ? "\"\"" : std::string(1, c));
  out_ << '"';
}

void RowFile::number(double value) {
  text(full_digits(value));
}

void RowFile::end_row() {
  out_ << '\n';
  first_ = true;
}

void RowFile::close() {
  errno = 0;
  out_.close();
  if (!out_) throw Error("file '" + file_ + "' cannot be written completely" + cause());
  replacement_.commit();
}

ContactRows::ContactRows(const std::string& file, const models::Scene& scene)
    : file_(file), scene_(scene) {
  for (const models::SceneSystem& system : scene.systems)
    for (const models::BodyShape& shape : system.shapes) names_.push_back(shape.mesh.name());
  for (const models::StaticShape& s : scene.statics) names_.push_back(s.name);
  for (const char* column : kContactColumns) file_.text(column);
  file_.end_row();
}

void ContactRows::add_end(const char* motion, double residual, long iterations,
                          const std::string& other_system, std::uint64_t id) {
  file_.text(motion);
  file_.number(residual);
  file_.text(std::to_string(iterations));
  file_.text(other_system);
  file_.text(std::to_string(id));
  file_.end_row();
}

void ContactRows::add_patches(const models::World& world, double t, double h, long iterations) {
  for (int i = 0; i < world.num_patches(); ++i) {
    const models::WorldPatch c = world.patch(i);
    // the id of a patch: first shape plus one, second shape, statics after all others
    const auto first = static_cast<std::size_t>(c.patch.id >> 32) - 1;
    const auto second = static_cast<std::size_t>(c.patch.id & 0xffffffffu);
    file_.number(t);
    file_.text(scene_.systems[static_cast<std::size_t>(c.system)].name);
    file_.text(names_.at(first));
    file_.text("");
    file_.text(names_.at(second));
    for (int k = 0; k < 3; ++k) file_.number(c.patch.patch.centroid[k]);
    for (int k = 0; k < 3; ++k) file_.number(c.patch.patch.n[k]);
    file_.number(-patch_depth(c));
    for (int k = 0; k < 3; ++k) file_.number(c.force.impulse.c[3 + k] / h);
    for (int k = 0; k < 3; ++k) file_.number(c.force.impulse.c[k] / h);
    file_.number(c.force.local[5] / h);
    file_.number(std::hypot(c.force.local[3], c.force.local[4]) / h);
    add_end(models::name(c.force.motion), c.force.residual, iterations,
            c.other >= 0 ? scene_.systems[static_cast<std::size_t>(c.other)].name : "", c.patch.id);
  }
}

void ContactRows::add(const models::World& world, double t, double h, long iterations) {
  add_patches(world, t, h, iterations);
  for (const models::WorldContact& c : world.contacts()) {
    const models::SceneSystem& system = scene_.systems[static_cast<std::size_t>(c.system)];
    file_.number(t);
    file_.text(system.name);
    file_.text(system.shapes[static_cast<std::size_t>(c.shape)].mesh.name());
    file_.text(c.vertex < 0 ? "" : std::to_string(c.vertex));
    const models::SceneSystem* other =
        c.other == models::kNoStatic ? &scene_.systems[static_cast<std::size_t>(c.other_system)]
                                     : nullptr;
    file_.text(other != nullptr ? other->shapes[static_cast<std::size_t>(c.other_shape)].mesh.name()
                                : scene_.statics[static_cast<std::size_t>(c.other)].name);
    for (int k = 0; k < 3; ++k) file_.number(c.point.p[k]);
    for (int k = 0; k < 3; ++k) file_.number(c.point.n[k]);
    file_.number(c.point.gap);
    for (int k = 0; k < 3; ++k) file_.number(c.force.impulse.c[3 + k] / h);
    for (int k = 0; k < 3; ++k) file_.number(c.force.impulse.c[k] / h);
    file_.number(c.force.local[0] / h);
    file_.number(std::hypot(c.force.local[1], c.force.local[2]) / h);
    add_end(models::name(c.force.motion), c.force.residual, iterations,
            other != nullptr ? other->name : "", c.point.id);
  }
}

StateRows::StateRows(const std::string& file, const models::World& world) : file_(file) {
  file_.text("t");
  for (int i = 0; i < world.num_systems(); ++i) {
    for (const std::string& name : coordinate_names(world.model(i)))
      file_.text(world.name(i) + ".q:" + name);
    for (const std::string& name : velocity_names(world.model(i)))
      file_.text(world.name(i) + ".v:" + name);
    file_.text(world.name(i) + ".asleep");
  }
  for (const char* column : {"E", "drive", "contact", "integrator"}) file_.text(column);
  file_.end_row();
}

void StateRows::add(const models::World& world, const StepReport& report) {
  file_.number(report.t);
  for (int i = 0; i < world.num_systems(); ++i) {
    const models::State& s = world.state(i);
    for (Eigen::Index k = 0; k < s.q.size(); ++k) file_.number(s.q[k]);
    for (Eigen::Index k = 0; k < s.v.size(); ++k) file_.number(s.v[k]);
    file_.text(world.asleep(i) ? "1" : "0");
  }
  const SceneEnergy& e = report.energy;
  for (const double joule : {e.end, e.drive, e.contact, e.integrator}) file_.number(joule);
  file_.end_row();
}

}  // namespace kagami::tools
