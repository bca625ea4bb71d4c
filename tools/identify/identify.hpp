/// The servos of a robot, identified from records of its runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/base/servo_parameters.hpp"
#include "tools/identify/link_masses.hpp"
#include "tools/identify/servo_fit.hpp"

namespace kagami::tools {

struct IdentifySettings {
  int rounds = 2;  ///< fits, each with the loads of the model that the one before found
  bool cross_validate = true;
  /// Fit the links' masses in place of the loops' kp and kde, in one round more: the readings show
  /// little but the ratio of load and stiffness.
  bool masses = false;
};

/// A record with the model of the record, and with the identified one; rad RMS over all readings.
struct RecordFit {
  std::string record;
  bool held_back = false;  ///< not used for the fit
  double before = 0.0;
  double after = 0.0;
  /// With a model that was identified without this record; negative: not measured.
  double predicted = -1.0;
};

/// Where the readings of a joint have been, rad.
struct JointRange {
  double least = 0.0;
  double most = 0.0;
};

struct Identification {
  std::vector<std::string> joints;
  std::vector<JointRange> ranges;
  ServoSet before;
  ServoSet servos;
  std::vector<ServoFit> fits;    ///< per joint
  std::vector<LinkMass> masses;  ///< per joint, of the link behind it; empty: not fitted
  std::vector<RecordFit> records;
  std::vector<std::string> findings;  ///< what is odd about the records; see record_checks.hpp
};

/// `records` are fitted, `held_back` only predicted. `progress` gets 0..1. Throws ConfigError for
/// records that cannot be read or are not of one robot with one model.
Identification identify(const std::vector<std::string>& records,
                        const std::vector<std::string>& held_back, const IdentifySettings& settings,
                        const std::function<void(double)>& progress);

/// A servo file (kagami.servos/1) with the identified values, their uncertainties in its note.
std::string servo_file_text(const Identification& found);

}  // namespace kagami::tools
