/// Starts another program and reads what it prints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kagami::tools {

struct ProgramOutput {
  std::string out;    ///< standard output
  std::string error;  ///< why it failed: its exit code or signal with its last output; empty = fine
};

/// Waits for its end; after `timeout_s` it is killed. It runs on the processor core `cpu` alone, on
/// any when negative. Set-up only; throws nothing.
ProgramOutput run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments, int cpu, double timeout_s);

/// The last core this process may use, or -1.
int last_core();

}  // namespace kagami::tools
