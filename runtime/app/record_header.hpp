/// What a record holds about its run before the first sample.
#pragma once

#include "runtime/app/assemble.hpp"
#include "runtime/app/live_run.hpp"
#include "runtime/record/byte_sink.hpp"
#include "runtime/threads/recorder.hpp"

namespace kagami::runtime {

/// Key of the metadata "kagami.run": the file of another program that a record was made from.
inline constexpr const char* kImportedFrom = "imported_from";

/// Keys of the metadata "kagami.run": RunConfig::preflight. Only records of a real robot have them.
inline constexpr const char* kCheckVerdict = "check_verdict";
inline constexpr const char* kCheckFindings = "check_findings";
inline constexpr const char* kCheckAccepted = "check_accepted";

/// Metadata "kagami.run" and the attachments that `read_setup` reads again. `disk`: see
/// RecordHeader.
RecordHeader record_header(const RunSetup& setup, const RunPlace& place, const RecordDisk& disk);

}  // namespace kagami::runtime
