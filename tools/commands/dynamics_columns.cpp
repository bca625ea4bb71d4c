#include "tools/commands/dynamics_columns.hpp"

#include "tools/trace/trace.hpp"

namespace kagami::tools {

using models::Model;

void append_names(std::vector<std::string>& header, const std::string& what,
                  const std::vector<std::string>& names) {
  for (const std::string& name : names) header.push_back(what + ":" + name);
}

void append(std::vector<double>& row, const JointVector& v) {
  row.insert(row.end(), v.data(), v.data() + v.size());
}

const std::vector<std::string>& balance_names() {
  static const std::vector<std::string> kNames = {"PE", "KE", "E",  "comx", "comy", "comz",
                                                  "Px", "Py", "Pz", "Lx",   "Ly",   "Lz"};
  return kNames;
}

void append(std::vector<double>& row, const Balance& b) {
  row.insert(row.end(),
             {b.potential_energy, b.kinetic_energy, b.potential_energy + b.kinetic_energy});
  for (const Vec3* v : {&b.com, &b.linear_momentum, &b.angular_momentum})
    row.insert(row.end(), v->data(), v->data() + 3);
}

void append_loop_names(std::vector<std::string>& header, const Model& model) {
  if (model.loops().empty()) return;
  header.insert(header.end(), {"gap", "rank", "smallest_singular_value"});
  for (const models::Loop& loop : model.loops())
    for (const char* part : kWrenchParts) header.push_back("loop:" + loop.name + part);
}

void append_loops(std::vector<double>& row, double gap, int rank, double singular_value,
                  const std::vector<Vec6>& wrenches) {
  row.insert(row.end(), {gap, static_cast<double>(rank), singular_value});
  for (const Vec6& w : wrenches) row.insert(row.end(), w.data(), w.data() + 6);
}

void append_matrix_names(std::vector<std::string>& header, const Model& model) {
  for (int i = 0; i < model.num_bodies(); ++i)
    for (const char* part : kWrenchParts)
      header.push_back("wrench:" + model.body(i).joint_name + part);
  const std::vector<std::string> names = velocity_names(model);
  for (const std::string& row : names) append_names(header, "H:" + row, names);
}

void append_matrices(std::vector<double>& row, const DynamicsResults& f) {
  for (const Vec6& w : f.joint_wrench) row.insert(row.end(), w.data(), w.data() + 6);
  for (Eigen::Index i = 0; i < f.H.rows(); ++i)
    for (Eigen::Index k = 0; k < f.H.cols(); ++k) row.push_back(f.H(i, k));
}

}  // namespace kagami::tools
