#include "motions/file/test/sample_files.hpp"

#include "motions/file/rcb4_code.hpp"
#include "motions/test/khr1_wiring.hpp"

namespace kagami::test {
namespace {

using motions::encode_rcb4;
using motions::encode_rcb4_move;

constexpr std::uint8_t kCounter = 0x57;  // its address is 0x000457

std::string activity(const std::string& name, const std::string& guids, const std::string& types,
                     const std::vector<std::string>& codes, bool is_start = false) {
  std::string text = "<anyType xsi:type=\"ActivityData\"><Name>" + name + "</Name><MotionFlag>" +
                     (is_start ? "Start" : "None") + "</MotionFlag><ConnectedGuids>" + guids +
                     "</ConnectedGuids><ConnectTypes>" + types + "</ConnectTypes><ProgramCode>";
  for (const std::string& code : codes)
    text += "<anyType xsi:type=\"xsd:string\">" + code + "</anyType>";
  return text + "</ProgramCode></anyType>";
}

std::string line(const std::string& guid, const std::string& mode) {
  return "<anyType xsi:type=\"LineData\"><GUID>" + guid + "</GUID><ConnectMode>" + mode +
         "</ConnectMode></anyType>";
}

std::string move(int position_2, int position_16, int frames) {
  return encode_rcb4_move({{2, position_2}, {16, position_16}}, frames);
}

std::string set_counter(std::uint8_t value) {
  return encode_rcb4({0x00, 0x02, kCounter, 0x04, 0x00, value});
}

std::string count_down() {
  return encode_rcb4({0x07, 0x02, kCounter, 0x04, 0x00, 1});
}

std::string jump(unsigned address, std::uint8_t condition, std::uint8_t code = 0x0B) {
  return encode_rcb4({code, static_cast<std::uint8_t>(address & 0xFF),
                      static_cast<std::uint8_t>(address >> 8 & 0xFF), 0, condition});
}

std::string entry(const std::string& key, const std::string& name, int address,
                  const std::vector<std::string>& codes) {
  std::string text = "<DictionaryEntry><Key>" + key + "</Key><Value xsi:type=\"Motion\"><Name>" +
                     name + "</Name><MotionData>";
  for (const std::string& code : codes)
    text += "<anyType xsi:type=\"xsd:string\">" + code + "</anyType>";
  return text + "</MotionData><Address>" + std::to_string(address) +
         "</Address></Value></DictionaryEntry>";
}

constexpr const char* kSpaces =
    " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
    "xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"";

}  // namespace

std::string hth3_file(const std::vector<Hth3Item>& items, const std::vector<Hth3Link>& links,
                      int start) {
  std::string text = "[GraphicalEdit]\r\nType=0\r\nItems=" + std::to_string(items.size()) +
                     "\r\nLinks=" + std::to_string(links.size()) +
                     "\r\nStart=" + std::to_string(start) + "\r\nName=\x91\x4F\x90\x69\r\n";
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Hth3Item& item = items[i];
    text += "\r\n[Item" + std::to_string(i) + "]\r\nName=item" + std::to_string(i) +
            "\r\nType=" + std::to_string(item.type) + "\r\nPrm=" + std::to_string(item.time);
    for (int channel = 1; channel <= 24; ++channel) {
      const int value = channel == 2     ? item.channel_2
                        : channel == 13  ? item.channel_13
                        : item.type == 0 ? 32768
                                         : item.channel_2;
      text += "," + std::to_string(value);
    }
    text += "\r\n";
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    text += "\r\n[Link" + std::to_string(i) + "]\r\nMain=" + std::to_string(links[i].main) +
            "\r\nOrigin=" + std::to_string(links[i].origin) +
            "\r\nFinal=" + std::to_string(links[i].final) + "\r\nPoint=\r\n";
  }
  return text;
}

std::string small_map() {
  std::string missing;
  for (const JointWiring& joint : khr1_wiring().joints) {
    if (joint.joint == "left_shoulder_pitch" || joint.joint == "left_knee") continue;
    missing += (missing.empty() ? "\"" : ", \"") + joint.joint + "\": 0";
  }
  return R"({"schema": "kagami.motion_map/1", "name": "small", "channels": [
    {"channel": 2, "joint": "left_shoulder_pitch", "sign": -1},
    {"channel": 13, "joint": "left_knee", "zero_deg": 10}], "missing": {)" +
         missing + "}}";
}

std::string hth4_canvas() {
  return std::string("<?xml version=\"1.0\"?><CanvasData") + kSpaces + "><Lines>" +
         line("sa", "Normal") + line("ab", "Normal") + line("bc", "Normal") + line("cl", "Normal") +
         line("lb", "False") + line("ld", "True") + "</Lines><Activities>" +
         activity("D", "ld", "EndConnect", {move(7500, 7500, 100)}) +
         activity("loop", "cl,ld,lb", "EndConnect,BeginConnect,BeginConnect",
                  {count_down(), jump(0xFFFF, 5)}) +
         activity("B", "ab,bc,lb", "EndConnect,BeginConnect,EndConnect", {move(8500, 7500, 20)}) +
         activity("C", "bc,cl", "EndConnect,BeginConnect", {move(8000, 7800, 40)}) +
         activity("set", "sa,ab", "EndConnect,BeginConnect", {set_counter(3)}) +
         activity("A", "sa", "BeginConnect", {move(7500, 7500, 10)}, true) +
         "</Activities></CanvasData>";
}

std::string hth4_project() {
  // 13 bytes for a move of two servos, 8 for a counter, 7 for a jump
  const unsigned start = 5048, loop = start + 13 + 8, after = loop + 13 + 13 + 8 + 7 + 7;
  return std::string("<?xml version=\"1.0\"?><Rcb4") + kSpaces + "><MotionDataCollection>" +
         entry("M001", "twice", 3000,
               {jump(start, 0, 0x0C), jump(start, 0, 0x0C), encode_rcb4({0x0D})}) +
         entry("M002", "once", static_cast<int>(start),
               {move(7500, 7500, 10), set_counter(3), move(8500, 7500, 20), move(8000, 7800, 40),
                count_down(), jump(after, 5), jump(loop, 0), move(7500, 7500, 100),
                encode_rcb4({0x0D}) + " FF"}) +
         entry("M003", "", 7096, {}) + "</MotionDataCollection></Rcb4>";
}

}  // namespace kagami::test
