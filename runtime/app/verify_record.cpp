// `kagami verify`: the inputs of /cycle through a core built from the record's own attachments.
#include <string>

#include "models/base/errors.hpp"
#include "models/base/hash.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/record_header.hpp"
#include "runtime/app/run.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/record/record_end.hpp"

namespace kagami::runtime {
namespace {

[[noreturn]] void refuse(const McapReader& record, const std::string& problem) {
  throw RecordError(record.path() + ": " + problem);
}

// reads the next row of /cycle; false at the end
bool next_row(const McapReader& record, MessageStream& stream, int joints, CycleRecord& row,
              SampleHash& hash) {
  MessageView message;
  if (!stream.next(message)) return false;
  hash.add(message.data);
  int found = 0;
  if (read_cycle_cdr(message.data, row, found) != CdrStatus::kOk) {
    refuse(record, "/cycle: row " + std::to_string(message.sequence) +
                       " cannot be read; expected a record of this version of the program");
  }
  if (found != joints) {
    refuse(record, "/cycle: row " + std::to_string(message.sequence) + " has " +
                       std::to_string(found) + " joints; the attached robot has " +
                       std::to_string(joints));
  }
  return true;
}

// an input that no output depends on, or a text that the record keeps beside the samples
void check_inputs(const McapReader& record, const RunSetup& setup, const SampleHash& samples,
                  VerifyResult& result) {
  const auto differs = [&result](const std::string& field, const std::string& recorded,
                                 const std::string& computed) {
    if (!result.identical || recorded == computed) return;
    result.identical = false;
    result.field = field;
    result.recorded = recorded;
    result.computed = computed;
    result.note = "the outputs are identical, but this is not what the run was recorded with";
  };
  if (const auto end = read_record_end(record)) {
    differs("sample_hash", hex_text(end->sample_hash), hex_text(samples.value()));
  }
  const StringMap header = record.metadata(kRunMetadata).value_or(StringMap{});
  for (const auto& [key, hash] : setup_hashes(setup)) {
    const auto recorded = header.find(key);
    if (recorded != header.end()) differs(key, recorded->second, hash);
  }
}

}  // namespace

VerifyResult verify_record(const std::filesystem::path& file,
                           const control::ControllerFactory& controllers) {
  const McapReader record(file.string());
  const Channel* channel = record.channel(kCycleTopic);
  if (channel == nullptr) refuse(record, "no channel /cycle; expected a record of `kagami replay`");
  if (const auto header = record.metadata(kRunMetadata)) {
    if (const auto from = header->find(kImportedFrom); from != header->end()) {
      refuse(record, "was imported from " + from->second +
                         ": there is no cycle to execute again; 'kagami compare' reads it");
    }
  }
  const Schema* schema = record.schema_of(*channel);
  if (schema == nullptr || schema->text() != cycle_schema()) {
    refuse(record,
           "/cycle has other fields than in this program; only the version that wrote a "
           "record can verify it");
  }

  const RunSetup setup = read_setup(record);
  CycleCore core = make_core(setup, controllers);
  MessageFilter filter;
  filter.topics = {kCycleTopic};
  MessageStream stream = record.messages(filter);
  SampleHash samples;
  const auto next = [&](CycleRecord& row) {
    return next_row(record, stream, core.num_joints(), row, samples);
  };
  // the controllers that came while the run went on, from the record again
  const auto handover = [&](const CycleInput& in) {
    const std::string name = live_gains_attachment(in.handover_id);
    const std::optional<Attachment> gains = record.attachment(name);
    if (!gains)
      refuse(record, "attachment " + name + " is missing; its controller was added at tick " +
                         std::to_string(in.tick));
    auto unit =
        make_control_unit(setup.robot, setup.motion, setup.cycle, gains->text(), name, controllers);
    unit->number = in.handover_id;
    unit->place = in.handover_place;
    return unit;
  };
  VerifyResult result = verify(next, core, handover);
  const Completeness completeness = completeness_of(record, kCycleTopic);
  result.complete = completeness.complete;
  result.incomplete = completeness.why;
  if (result.complete) result.missing = 0;  // no sample is: the count was changed
  if (result.identical && result.complete) check_inputs(record, setup, samples, result);
  return result;
}

}  // namespace kagami::runtime
