/// A recorder's file for who needs the recorder's numbers and views but no record.
#pragma once

#include "models/base/temporary_folder.hpp"
#include "runtime/threads/recorder.hpp"

namespace kagami::tools {

/// Holds an empty file for as long as the recorder lives.
class UnkeptRecord {
 public:
  /// The recorder of this header writes nothing to a disk.
  void redirect(runtime::RecordHeader& header) const;

 private:
  TemporaryFolder folder_;
};

}  // namespace kagami::tools
