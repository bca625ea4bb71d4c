#include "tools/bench/peers/mjcf.hpp"

#include <cstring>
#include <sstream>
#include <stdexcept>

namespace kagami::bench {
namespace {

std::string triple(const Triple& t) {
  std::ostringstream out;
  out.precision(17);
  out << '"' << t[0] << ' ' << t[1] << ' ' << t[2] << '"';
  return out.str();
}

Triple axis(char joint) {
  return {joint == 'x' ? 1.0 : 0.0, joint == 'y' ? 1.0 : 0.0, joint == 'z' ? 1.0 : 0.0};
}

/// A body with all that hangs on it.
void write_body(const ModelDef& model, int index, std::ostream& out) {
  const BodyDef& b = model.bodies[static_cast<std::size_t>(index)];
  out << "<body name=\"" << b.name << "\" pos=" << triple(b.origin)
      << "><inertial pos=" << triple(b.com) << " mass=\"" << b.mass
      << "\" diaginertia=" << triple(b.inertia) << "/>";
  if (b.joint == 'f')
    out << "<freejoint/>";
  else
    out << "<joint type=\"hinge\" axis=" << triple(axis(b.joint)) << "/>";
  for (int child = 0; child < static_cast<int>(model.bodies.size()); ++child)
    if (model.bodies[static_cast<std::size_t>(child)].parent == index)
      write_body(model, child, out);
  out << "</body>\n";
}

}  // namespace

std::string mjcf(const ModelDef& model, const std::string& option, const std::string& tail) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler inertiafromgeom=\"false\" boundmass=\"0\" boundinertia=\"0\"/>"
      << "<option timestep=\"0.001\" gravity=\"0 0 -9.81\" " << option << "/><worldbody>";
  write_body(model, 0, out);
  out << "</worldbody>" << tail << "</mujoco>";
  return out.str();
}

MujocoModel load_mjcf(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
#if mjVERSION_HEADER < 300
  mj_makeEmptyFileVFS(files.get(), "m.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[0], text.data(), text.size());
#else
  mj_addBufferVFS(files.get(), "m.xml", text.data(), static_cast<int>(text.size()));
#endif
  char error[1000] = "";
  MujocoModel model(mj_loadXML("m.xml", files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo refuses the model: ") + error);
  return model;
}

}  // namespace kagami::bench
