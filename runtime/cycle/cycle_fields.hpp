/// The one description of every field of a cycle record: its name, its type, its order.
///
/// Visitors walk it over one record (schema, CDR, CSV) or over two at once (comparison):
///
///     struct Visitor {
///       void number(const char* name, T&... value);         // bool, enumeration, integer, double
///       void joints(const char* name, JointArray<double>&... value);   // one double per joint
///       void bytes(const char* name, drivers::ChannelCounts&... value);
///       void tunables(CycleInput&... in);   // tuning.num_values and values, where tuning_is_new
///       void events(CycleOutput&... out);                   // num_events and events
///     };
///
/// A new field of CycleInput or CycleOutput is added here, once; old records then need the program
/// that wrote them.
#pragma once

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

template <class Visitor, class... Reading>
void visit_reading(Visitor& v, const char* const (&names)[7], Reading&... r) {
  v.number(names[0], r.is_new...);
  v.number(names[1], r.written_ns...);
  v.number(names[2], r.received_ns...);
  v.number(names[3], r.sampled_ns...);
  v.number(names[4], r.uncertainty_ns...);
  v.number(names[5], r.failed...);
  v.bytes(names[6], r.counts...);
}

template <class Visitor, class... Command>
void visit_command(Visitor& v, const char* const (&names)[8], Command&... c) {
  v.number(names[0], c.mode...);
  v.number(names[1], c.speed...);
  v.number(names[2], c.sequence...);
  v.number(names[3], c.cycle...);
  v.number(names[4], c.effective_ns...);
  v.number(names[5], c.complete...);
  v.number(names[6], c.failed...);
  v.bytes(names[7], c.counts...);
}

template <class Visitor, class... Counters>
void visit_line(Visitor& v, Counters&... c) {
  v.number("line_rounds", c.rounds...);
  v.number("line_sent", c.sent...);
  v.number("line_answered", c.answered...);
  v.number("line_late", c.late...);
  v.number("line_bad_sum", c.bad_sum...);
  v.number("line_bad_reply", c.bad_reply...);
  v.number("line_silent", c.silent...);
  v.number("line_short_reply", c.short_reply...);
  v.number("line_gone", c.gone...);
  v.number("line_retried", c.retried...);
  v.number("line_refused", c.refused...);
  v.number("line_unexpected_bytes", c.unexpected_bytes...);
  v.number("line_bytes_out", c.bytes_out...);
  v.number("line_bytes_in", c.bytes_in...);
  v.number("line_bytes_refused", c.bytes_refused...);
}

/// Everything that `step` reads.
template <class Visitor, class... Input>
void visit_inputs(Visitor& v, Input&... in) {
  static_assert(kMaxBoards == 2, "the names below stand for two boards");
  v.number("tick", in.tick...);
  v.number("now_ns", in.now_ns...);
  v.number("stop", in.stop...);
  v.number("tuning_is_new", in.tuning_is_new...);
  v.number("tuning_version", in.tuning.version...);
  v.number("tuning_speed", in.tuning.speed...);
  v.number("tuning_controller", in.tuning.controller...);
  v.number("tuning_paused", in.tuning.paused...);
  v.number("tuning_reverse", in.tuning.reverse...);
  v.number("tuning_loop", in.tuning.loop...);
  v.number("tuning_motion", in.tuning.motion...);
  v.number("tuning_plays", in.tuning.plays...);
  v.number("tuning_stepped_ms", in.tuning.stepped_ms...);
  v.number("tuning_tests", in.tuning.tests...);
  v.number("tuning_test_kind", in.tuning.test.kind...);
  v.number("tuning_test_joint", in.tuning.test.joint...);
  v.number("tuning_test_size", in.tuning.test.size...);
  v.number("tuning_test_seconds", in.tuning.test.seconds...);
  v.number("tuning_test_chirp_from_hz", in.tuning.test.chirp_from_hz...);
  v.number("tuning_test_chirp_to_hz", in.tuning.test.chirp_to_hz...);
  v.number("tuning_test_relay_speed", in.tuning.test.relay_speed...);
  v.number("tuning_test_relay_hysteresis", in.tuning.test.relay_hysteresis...);
  v.number("tuning_layout", in.tuning.layout...);
  v.tunables(in...);
  v.number("prepared", in.handover_id...);
  v.number("prepared_place", in.handover_place...);
  v.number("sample_is_new", in.sample_is_new...);
  v.number("sample_round", in.sample.round...);
  v.joints("measured", in.sample.angle...);
  visit_reading(
      v,
      {"board_0_reading_is_new", "board_0_written_ns", "board_0_received_ns", "board_0_sampled_ns",
       "board_0_uncertainty_ns", "board_0_reading_failed", "board_0_counts"},
      in.sample.reading[0]...);
  visit_reading(
      v,
      {"board_1_reading_is_new", "board_1_written_ns", "board_1_received_ns", "board_1_sampled_ns",
       "board_1_uncertainty_ns", "board_1_reading_failed", "board_1_counts"},
      in.sample.reading[1]...);
  visit_command(v,
                {"board_0_command_mode", "board_0_command_speed", "board_0_command_sequence",
                 "board_0_command_cycle", "board_0_command_effective_ns",
                 "board_0_command_complete", "board_0_command_failed", "board_0_command_counts"},
                in.sample.command[0]...);
  visit_command(v,
                {"board_1_command_mode", "board_1_command_speed", "board_1_command_sequence",
                 "board_1_command_cycle", "board_1_command_effective_ns",
                 "board_1_command_complete", "board_1_command_failed", "board_1_command_counts"},
                in.sample.command[1]...);
  v.number("port_gone", in.sample.port_gone...);
  v.number("sleep_confirmed", in.sample.sleep_confirmed...);
  visit_line(v, in.sample.counters...);
}

/// Everything that `step` writes.
template <class Visitor, class... Output>
void visit_outputs(Visitor& v, Output&... out) {
  v.number("steps", out.steps...);
  v.number("phase", out.phase...);
  v.number("state", out.state...);
  v.number("confirmed", out.confirmed...);
  v.number("motion_time", out.motion_time...);
  v.number("progress", out.progress...);
  v.number("longest_command_gap", out.longest_command_gap...);
  v.joints("q_ref", out.q_ref...);
  v.joints("qd_ref", out.qd_ref...);
  v.number("target_mode", out.targets.mode...);
  v.number("target_speed", out.targets.speed...);
  v.number("target_motion", out.targets.motion...);
  v.number("target_read_positions", out.targets.read_positions...);
  v.number("target_streamed", out.targets.streamed...);
  v.number("target_sequence", out.targets.sequence...);
  v.number("target_cycle", out.targets.cycle...);
  v.joints("target", out.targets.angle...);
  v.joints("q_simulated", out.q_simulated...);
  v.joints("qd_simulated", out.qd_simulated...);
  v.joints("torque_simulated", out.torque_simulated...);
  v.number("base_x", out.base.x...);
  v.number("base_y", out.base.y...);
  v.number("base_z", out.base.z...);
  v.number("base_heading", out.base.heading...);
  v.number("base_tilt", out.base.tilt...);
  v.number("base_turn_w", out.base.turn[0]...);
  v.number("base_turn_x", out.base.turn[1]...);
  v.number("base_turn_y", out.base.turn[2]...);
  v.number("base_turn_z", out.base.turn[3]...);
  v.number("fell", out.fell...);
  v.joints("q_aligned", out.q_aligned...);
  v.joints("residual", out.residual...);
  v.joints("residual_naive", out.residual_naive...);
  v.joints("q_loop", out.q_loop...);
  v.joints("control", out.control...);
  v.number("control_status", out.control_status...);
  v.number("controller", out.controller...);
  v.number("saturated", out.saturated...);
  v.number("tuning_version_applied", out.tuning_version...);
  v.number("tuning_tick", out.tuning_tick...);
  v.number("tuning_seen", out.tuning_seen...);
  v.number("tuning_layout_applied", out.tuning_layout...);
  v.number("motion", out.motion...);
  v.number("paused", out.paused...);
  v.number("reverse", out.reverse...);
  v.number("test", out.test...);
  v.number("board_0_residual_is_new", out.residual_is_new[0]...);
  v.number("board_1_residual_is_new", out.residual_is_new[1]...);
  v.number("events_lost", out.events_lost...);
  v.number("state_hash", out.state_hash...);
  v.events(out...);
}

template <class Visitor, class... Record>
void visit_cycle_fields(Visitor& v, Record&... record) {
  visit_inputs(v, record.in...);
  visit_outputs(v, record.out...);
}

}  // namespace kagami::runtime
