#include "tools/identify/identify.hpp"

#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "runtime/app/assemble.hpp"
#include "tools/gap/each_joint.hpp"
#include "tools/gap/resimulate.hpp"

namespace kagami::tools {
namespace {

/// A record that takes part, with the history of the model that is tried.
struct Source {
  std::string file;
  DriveHistory history;
};

double sum_of_squares(const DriveHistory& history) {
  double sum = 0.0;
  for (const AlignedReadings& readings : history.readings) {
    for (std::size_t i = 0; i < readings.measured.size(); ++i) {
      const double gap = static_cast<double>(readings.measured[i]) - readings.simulated[i];
      sum += gap * gap;
    }
  }
  return sum;
}

double rms_of(const DriveHistory& history) {
  std::size_t readings = 0;
  for (const AlignedReadings& joint : history.readings) readings += joint.measured.size();
  return readings == 0 ? 0.0 : std::sqrt(sum_of_squares(history) / static_cast<double>(readings));
}

std::vector<ServoFit> fit_all(const std::vector<const DriveHistory*>& histories,
                              const ServoSet& expected, const std::vector<ServoFit>& before,
                              bool with_loop) {
  const std::size_t joints = histories.front()->num_joints();
  std::vector<ServoFit> fits(joints);
  for_each_joint(joints, [&](std::size_t j) {
    std::vector<JointData> data;
    for (const DriveHistory* h : histories) {
      data.push_back({&h->drive[j], &h->readings[j], h->step});
    }
    fits[j] = fit_servo(data, expected.joints[j], before.empty() ? nullptr : &before[j], with_loop);
  });
  return fits;
}

/// Every record with another model, on all cores.
std::vector<DriveHistory> resimulate_all(const std::vector<std::string>& files,
                                         const ServoSet& servos) {
  std::vector<DriveHistory> histories(files.size());
  std::vector<std::exception_ptr> errors(files.size());
  for_each_joint(files.size(), [&](std::size_t k) {
    try {
      histories[k] = resimulate(RunRecord(files[k]), servos).history;
    } catch (...) {
      errors[k] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return histories;
}

// masses are stepped in all rounds but the last
int rounds_of(const IdentifySettings& settings) {
  return settings.rounds + (settings.masses ? 1 : 0);
}

/// The servos of a robot, and the masses of its links where they were fitted.
struct RobotFit {
  std::vector<ServoFit> servos;
  std::vector<LinkMass> masses;
};

/// What the masses leave open, the servos that carry them do too.
void add_sigmas(const MassFit& masses, std::vector<ServoFit>& fits) {
  for (std::size_t j = 0; j < fits.size(); ++j) {
    for (std::size_t i = 0; i < kNumFitParameters; ++i) {
      FittedValue& value = fits[j].values[i];
      value.sigma = std::hypot(value.sigma, masses.servo_sigma[j][i]);
      value.is_known = value.is_known && is_small(i, value);
    }
  }
}

/// Reads records and simulates them with other models.
class Identifier {
 public:
  Identifier(const std::vector<std::string>& records, bool masses,
             const std::function<void(double)>& progress, double steps)
      : masses_(masses), progress_(progress), steps_(steps) {
    for (const std::string& file : records) add(file);
  }

  [[nodiscard]] const ServoSet& model() const { return model_; }
  [[nodiscard]] const std::vector<std::string>& findings() const { return findings_; }
  [[nodiscard]] const std::vector<std::string>& joints() const {
    return sources_.front().history.names;
  }
  [[nodiscard]] std::vector<JointRange> ranges() const {
    std::vector<JointRange> ranges(joints().size());
    for (const Source& source : sources_) {
      for (std::size_t j = 0; j < ranges.size(); ++j) {
        for (const double angle : source.history.readings[j].measured) {
          ranges[j].least = std::min(ranges[j].least, angle);
          ranges[j].most = std::max(ranges[j].most, angle);
        }
      }
    }
    return ranges;
  }
  [[nodiscard]] DriveHistory simulated(const std::string& file, const ServoSet& servos) {
    DriveHistory history = resimulate(RunRecord(file), servos).history;
    step();
    return history;
  }

  /// Fits those whose place is not `left_out`.
  RobotFit fit(const IdentifySettings& settings, std::size_t left_out) {
    std::vector<std::string> files;
    std::vector<const DriveHistory*> used;
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      if (k == left_out) continue;
      files.push_back(sources_[k].file);
      used.push_back(&sources_[k].history);
    }
    std::vector<DriveHistory> again;
    RobotFit fit;
    const int rounds = rounds_of(settings);
    for (int round = 0; round < rounds; ++round) {
      if (round > 0) {
        again = resimulate_all(files, servos_of(fit));
        for (std::size_t k = 0; k < used.size(); ++k) used[k] = &again[k];
        for (std::size_t k = 0; k < used.size(); ++k) step();
      }
      fit.servos = fit_all(used, model_, fit.servos, !settings.masses);
      if (settings.masses) fit_masses(used, round + 1 == rounds, fit);
      step();
    }
    return fit;
  }

  [[nodiscard]] ServoSet servos_of(const RobotFit& fit) const {
    ServoSet set = model_;
    for (std::size_t j = 0; j < fit.servos.size(); ++j) {
      set.joints[j] = fit.servos[j].servo;
      if (!fit.masses.empty()) set.joints[j].link_mass_scale = fit.masses[j].scale;
    }
    return set;
  }
  [[nodiscard]] double rms_before(std::size_t k) const { return rms_of(sources_[k].history); }

 private:
  void add(const std::string& file) {
    const RunRecord record(file);
    const runtime::RunSetup setup =
        reading_a_record([&] { return runtime::read_setup(record.reader()); });
    const runtime::StringMap hashes = runtime::setup_hashes(setup);
    const std::string model = hashes.at("model_hash") + hashes.at("twin_hash");
    if (sources_.empty()) {
      model_ = setup.robot.servos;
      body_ = setup.robot.model;
      model_hash_ = model;
    } else if (model != model_hash_) {
      throw ConfigError(file + ": has another robot or model than " + sources_.front().file +
                        "; expected records of one robot with one model");
    }
    if (masses_ && setup.robot.model.floats()) {
      throw ConfigError(file + ": was recorded on a floor; --masses requires records on the stand");
    }
    RunAnalysis run = analyse_record(record);
    for (const std::string& finding : run.findings) findings_.push_back(file + ": " + finding);
    if (!run.not_explained.empty()) throw ConfigError(file + ": " + run.not_explained);
    sources_.push_back({file, std::move(run.history)});
    step();
  }

  // the last round leaves the masses as they were simulated
  void fit_masses(const std::vector<const DriveHistory*>& used, bool is_last, RobotFit& fit) const {
    std::vector<double> present;
    for (std::size_t j = 0; j < fit.servos.size(); ++j) {
      present.push_back(fit.masses.empty() ? model_.joints[j].link_mass_scale
                                           : fit.masses[j].scale);
    }
    MassFit masses = fit_link_masses(used, body_, model_, fit.servos, present);
    if (is_last) {
      for (std::size_t j = 0; j < present.size(); ++j) masses.links[j].scale = present[j];
      add_sigmas(masses, fit.servos);
    }
    fit.masses = std::move(masses.links);
  }

  void step() {
    done_ += 1.0;
    if (progress_) progress_(std::min(1.0, done_ / steps_));
  }

  bool masses_;  // are to be fitted
  const std::function<void(double)>& progress_;
  double steps_;
  double done_ = 0.0;
  ServoSet model_;
  models::Model body_;
  std::string model_hash_;
  std::vector<std::string> findings_;
  std::vector<Source> sources_;
};

std::string note_of(const Identification& found) {
  std::string note = "Identified from";
  for (const RecordFit& record : found.records) {
    if (!record.held_back) note += " " + record.record;
  }
  return note;
}

nlohmann::json uncertainties(const Identification& found) {
  nlohmann::json joints = nlohmann::json::object();
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    const FitParameters& parameters = fit_parameters();
    nlohmann::json values = nlohmann::json::object();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const FittedValue& value = found.fits[j].values[i];
      values[parameters[i].key] = {{"sigma", parameters[i].per_unit * value.sigma},
                                   {"identifiable", value.is_known}};
    }
    if (!found.masses.empty()) {
      values["link_mass_scale"] = {{"sigma", found.masses[j].sigma},
                                   {"identifiable", found.masses[j].is_known}};
    }
    joints[found.joints[j]] = values;
  }
  return joints;
}

}  // namespace

Identification identify(const std::vector<std::string>& records,
                        const std::vector<std::string>& held_back, const IdentifySettings& settings,
                        const std::function<void(double)>& progress) {
  const std::size_t n = records.size();
  const bool crossed = settings.cross_validate && n > 1;
  const double folds = crossed ? static_cast<double>(n) : 0.0;
  const double rounds = rounds_of(settings);
  const double count = static_cast<double>(n);
  const double one_fit = rounds + (rounds - 1.0) * count;
  Identifier identifier(records, settings.masses, progress,
                        2.0 * count + 2.0 * static_cast<double>(held_back.size()) + one_fit +
                            folds * (one_fit + 1.0));
  Identification found;
  found.joints = identifier.joints();
  found.ranges = identifier.ranges();
  found.before = identifier.model();
  found.findings = identifier.findings();
  const RobotFit fit = identifier.fit(settings, n);
  found.fits = fit.servos;
  found.masses = fit.masses;
  found.servos = identifier.servos_of(fit);
  for (std::size_t k = 0; k < n; ++k) {
    RecordFit record{records[k], false, identifier.rms_before(k), 0.0, -1.0};
    record.after = rms_of(identifier.simulated(records[k], found.servos));
    if (crossed) {
      const ServoSet without = identifier.servos_of(identifier.fit(settings, k));
      record.predicted = rms_of(identifier.simulated(records[k], without));
    }
    found.records.push_back(record);
  }
  for (const std::string& file : held_back) {
    RecordFit record{file, true, 0.0, 0.0, -1.0};
    record.before = rms_of(identifier.simulated(file, found.before));
    record.after = record.predicted = rms_of(identifier.simulated(file, found.servos));
    found.records.push_back(record);
  }
  return found;
}

std::string servo_file_text(const Identification& found) {
  nlohmann::json file = nlohmann::json::parse(runtime::servo_set_text(found.servos, found.joints));
  file["note"] = note_of(found);
  file["uncertainty"] = uncertainties(found);
  return file.dump(1) + "\n";
}

}  // namespace kagami::tools
