// Every reader against the stored files of tools/test/corpus and mutations of them: a file is read,
// or refused by an error that names it; nothing else happens. accepted_* must be read, refused_*
// must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>

#include "control/factory/factory.hpp"
#include "drivers/rcb1/protocol.hpp"
#include "drivers/virtual/board_memory.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/servo_parameters.hpp"
#include "models/base/test/support/long_run.hpp"
#include "models/contact/world/world.hpp"
#include "models/robot/read_model.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/import_kondo.hpp"
#include "motions/file/motion_json.hpp"
#include "runtime/record/mcap_reader.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/test/source_folder.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami {
namespace {

using test::kSource;

namespace fs = std::filesystem;

const fs::path kCorpus = kSource / "tools/test/corpus";

/// Reads bytes, which also lie in the file; throws kagami::Error for what it refuses.
using Read = std::function<void(const std::string& bytes, const fs::path& file)>;

const models::RobotDescription& khr1() {
  static const models::RobotDescription robot =
      models::read_robot_folder(kSource / "models/data/khr1", models::BaseKind::kFixed);
  return robot;
}

void read_scene(const std::string&, const fs::path& file) {
  const tools::Scenario s = tools::read_scenario(
      file, {kSource / "models/data", kSource / "motions/data", kSource / "control/data/gains"});
  try {
    models::World world(s.scene, s.contact, s.capacity);
    world.step(s.step);
  } catch (const Error& error) {  // as kagami run reports it
    throw ConfigError(s.file + ": " + error.what());
  }
}

void read_gains(const std::string& bytes, const fs::path& file) {
  const control::ControlPlace place{
      .model = &khr1().model, .robot = khr1().name, .joint_names = khr1().joint_names};
  static_cast<void>(
      control::ControllerFactory().make(ConfigDocument::parse(bytes, file.string()), place));
}

void read_record(const std::string&, const fs::path& file) {
  const runtime::McapReader reader(file.string());
  long bytes = 0;
  reader.for_each({},
                  [&](const auto& message) { bytes += static_cast<long>(message.data.size()); });
}

// a line's bytes have no file: what is refused is a status
void read_frame(const std::string& bytes, const fs::path& file) {
  const std::span<const std::uint8_t> line(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                           bytes.size());
  drivers::rcb1::Request request;
  drivers::rcb1::Reply reply;
  for (int command = 0; command < 256; ++command) {
    static_cast<void>(
        drivers::rcb1::decode_reply(static_cast<drivers::rcb1::Command>(command), 0, line, reply));
  }
  if (drivers::rcb1::decode_request(line, request) != drivers::IoStatus::kOk) {
    throw LinkError(file.string() + ": no request");
  }
}

const std::map<std::string, Read>& readers() {
  static const std::map<std::string, Read> all = {
      {"motion",
       [](const std::string& bytes, const fs::path& file) {
         motions::bind_motion(motions::parse_motion_json(bytes, file.string()), khr1().wiring);
       }},
      {"csv",
       [](const std::string& bytes, const fs::path& file) {
         motions::parse_kondo_csv(bytes, file.string(), khr1().wiring);
       }},
      {"scenario", read_scene},
      {"model", [](const std::string&, const fs::path& file) { models::read_model(file); }},
      {"urdf", [](const std::string&, const fs::path& file) { models::read_model(file); }},
      {"gains", read_gains},
      {"servos",
       [](const std::string& bytes, const fs::path& file) {
         read_servo_file(ConfigDocument::parse(bytes, file.string()), khr1().joint_names);
       }},
      {"memory",
       [](const std::string& bytes, const fs::path& file) {
         drivers::virtual_robot::parse_memory(bytes, file.string(), 2);
       }},
      {"frames", read_frame},
      {"record", read_record},
  };
  return all;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// empty: it was read; else the error's message
std::string refusal(const Read& read, const std::string& bytes, const fs::path& file) {
  try {
    read(bytes, file);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<fs::path> files_of(const std::string& reader) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kCorpus / reader)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Readers : public testing::TestWithParam<std::string> {};

TEST_P(Readers, TakeTheirStoredFilesAsTheNamesSay) {
  const Read& read = readers().at(GetParam());
  ASSERT_FALSE(files_of(GetParam()).empty());
  for (const fs::path& file : files_of(GetParam())) {
    SCOPED_TRACE(file.filename().string());
    const std::string text = refusal(read, bytes_of(file), file);
    EXPECT_EQ(text.empty(), file.filename().string().starts_with("accepted_")) << text;
    if (!text.empty()) {
      EXPECT_NE(text.find(file.filename().string()), std::string::npos) << text;
    }
  }
}

// changes one to four places: a byte, a bit, a cut, a repetition, an end
std::string mutated(std::string bytes, std::mt19937& random) {
  for (unsigned change = 0; change <= random() % 4; ++change) {
    if (bytes.empty()) return std::string(1, static_cast<char>(random()));
    const std::size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 2:
        bytes.erase(at, 1 + random() % 9);
        break;
      case 3:
        bytes.insert(at, bytes.substr(random() % bytes.size(), 1 + random() % 20));
        break;
      default:
        if (random() % 4 == 0) bytes.resize(at);
    }
  }
  return bytes;
}

TEST_P(Readers, ReadOrRefuseByNameWhatever) {
  const Read& read = readers().at(GetParam());
  std::mt19937 random(2026);
  const test::TempFolder folder;
  for (const fs::path& file : files_of(GetParam())) {
    const std::string original = bytes_of(file);
    const fs::path changed = folder.path() / ("changed" + file.extension().string());
    for (unsigned round = 0; round < test::rounds(8); ++round) {
      const std::string bytes = mutated(original, random);
      std::ofstream(changed, std::ios::binary) << bytes;
      const std::string text = refusal(read, bytes, changed);
      if (!text.empty()) {
        ASSERT_NE(text.find("changed"), std::string::npos) << file << " " << round << ": " << text;
      }
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, read] : readers()) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Readers, testing::ValuesIn(names()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace kagami
