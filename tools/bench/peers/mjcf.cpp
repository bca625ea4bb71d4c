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

Triple axis(const BodyDef& b) {
  if (b.joint == 'a') return b.axis;
  return {b.joint == 'x' ? 1.0 : 0.0, b.joint == 'y' ? 1.0 : 0.0, b.joint == 'z' ? 1.0 : 0.0};
}

void write_inertia(const BodyDef& b, std::ostream& out) {
  out << "<inertial pos=" << triple(b.com) << " mass=\"" << b.mass << "\" ";
  if (b.products == Triple{})
    out << "diaginertia=" << triple(b.inertia) << "/>";
  else
    out << "fullinertia=\"" << b.inertia[0] << ' ' << b.inertia[1] << ' ' << b.inertia[2] << ' '
        << b.products[0] << ' ' << b.products[1] << ' ' << b.products[2] << "\"/>";
}

void write_joint(const BodyDef& b, std::ostream& out) {
  if (b.joint == 'w') return;
  if (b.joint == 'f')
    out << "<freejoint/>";
  else
    out << "<joint type=\"hinge\" axis=" << triple(axis(b)) << " armature=\"" << b.rotor << "\"/>";
}

/// A body with all that hangs on it. MuJoCo numbers joints in this order, we in that of the bodies:
/// `next` checks that it is the same.
void write_body(const ModelDef& model, int index, const Inside& inside, int& next,
                std::ostream& out) {
  if (index != next++)
    throw std::runtime_error(model.name + ": bodies do not stand branch by branch");
  const BodyDef& b = model.bodies[static_cast<std::size_t>(index)];
  out << "<body name=\"" << b.name << "\" pos=" << triple(b.origin) << " quat=\"" << b.turn[0]
      << ' ' << b.turn[1] << ' ' << b.turn[2] << ' ' << b.turn[3] << "\">";
  write_inertia(b, out);
  write_joint(b, out);
  if (inside) out << inside(b);
  for (int child = 0; child < static_cast<int>(model.bodies.size()); ++child)
    if (model.bodies[static_cast<std::size_t>(child)].parent == index)
      write_body(model, child, inside, next, out);
  out << "</body>\n";
}

}  // namespace

std::string mjcf(const ModelDef& model, const std::string& option, const std::string& tail,
                 const Inside& inside, const std::string& world) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler inertiafromgeom=\"false\" boundmass=\"0\" boundinertia=\"0\"/>"
      << "<option timestep=\"0.001\" gravity=\"0 0 -9.81\" " << option << "/><worldbody>" << world;
  int next = 0;
  write_body(model, 0, inside, next, out);
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
