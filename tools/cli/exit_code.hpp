/// The exit codes of the program; docs/commands.md lists them for users.
#pragma once

namespace kagami::tools {

enum class ExitCode : int {
  kOk = 0,
  kFailure = 1,
  kUsage = 2,          ///< a wrong option or a bad input file
  kDevice = 3,         ///< port missing, busy, forbidden
  kCommunication = 4,  ///< the boards stopped answering
  kSafetyStop = 5,
  kFinding = 6,     ///< a check or a comparison is over its threshold
  kDiverged = 7,    ///< a record's re-execution gave other bits
  kRobotFault = 8,  ///< played to its end, but the robot did not obey or fell
  kInterrupted = 130,
};

}  // namespace kagami::tools
