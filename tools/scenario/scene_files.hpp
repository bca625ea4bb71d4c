/// What a run of a scene writes: a row per contact, a row per state.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "models/base/file_replacement.hpp"
#include "models/contact/scene/scene.hpp"
#include "models/contact/world/world.hpp"
#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {

/// A CSV file that is written line by line and takes its place when it is closed: whole or not at
/// all. Throws Error that names it when it cannot be made or its end cannot be written.
class RowFile {
 public:
  explicit RowFile(const std::string& file);
  void text(const std::string& cell);
  void number(double value);  ///< 17 significant digits
  void end_row();
  /// Everything on disk, or Error.
  void close();

 private:
  std::string file_;
  FileReplacement replacement_;
  std::ofstream out_;
  bool first_ = true;
};

/// A row per contact: where it is (W, m), normal (from the other to the system), gap, mean wrench
/// of the step on the system about the point (N, N m), normal force and friction (N), motion,
/// residual (m/s), iterations of the step, the other's system ("": static) and the id that is the
/// same as long as the contact lasts. The scene gives the names and must outlive it.
class ContactRows {
 public:
  ContactRows(const std::string& file, const models::Scene& scene);
  void add(const models::World& world, double t, double h, long iterations);
  void close() { file_.close(); }

 private:
  void add_patches(const models::World& world, double t, double h, long iterations);
  void add_end(const char* motion, double residual, long iterations,
               const std::string& other_system, std::uint64_t id);

  RowFile file_;
  const models::Scene& scene_;
  std::vector<std::string> names_;  // of all shapes that move, then of the static ones
};

/// t, then q and v of every system, "box.q:box_root.px"; then E, the energy stored, and what
/// drives, contacts and the integrator's error supplied since the start (J).
class StateRows {
 public:
  StateRows(const std::string& file, const models::World& world);
  void add(const models::World& world, const StepReport& report);
  void close() { file_.close(); }

 private:
  RowFile file_;
};

}  // namespace kagami::tools
