#include "tools/identify/link_masses.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "models/dynamics/rnea.hpp"
#include "models/robot/builder.hpp"
#include "tools/gap/each_joint.hpp"

namespace kagami::tools {
namespace {

constexpr double kLeast = 0.7;
constexpr double kMost = 1.3;
constexpr double kKnown = 1.0 / 3.0;  // of the expected deviation

/// The links that a joint carries, by the joints that they are behind.
std::vector<std::vector<std::size_t>> carried_links(const models::Model& model,
                                                    const std::vector<std::string>& joints) {
  std::vector<std::vector<std::size_t>> carried(joints.size());
  for (std::size_t l = 0; l < joints.size(); ++l) {
    BodyIndex body = model.find_joint(joints[l]);
    for (; body != kWorld; body = model.body(body).parent) {
      const auto found = std::find(joints.begin(), joints.end(), model.body(body).joint_name);
      if (found != joints.end()) {
        carried[static_cast<std::size_t>(found - joints.begin())].push_back(l);
      }
    }
  }
  return carried;
}

/// N m, of one link on all joints along a run: torques with its mass doubled less those without.
class LinkLoads {
 public:
  LinkLoads(const models::Model& model, const DriveHistory& history, std::size_t link)
      : model_(model), history_(history), doubled_(doubled(model, history.names[link])) {
    for (const std::string& name : history.names) {
      const models::Body& body = model.body(model.find_joint(name));
      place_.push_back({body.q_index, body.v_index});
    }
  }

  /// One curve on the grid per joint.
  [[nodiscard]] std::vector<std::vector<float>> curves() const {
    const std::size_t points = history_.drive.front().angle.size();
    std::vector<std::vector<float>> all(place_.size(), std::vector<float>(points));
    models::RneaWorkspace plain(model_);
    models::RneaWorkspace heavy(doubled_);
    JointVector q = JointVector::Zero(model_.num_q());
    JointVector v = JointVector::Zero(model_.num_v());
    JointVector a = v;
    JointVector tau = v;
    JointVector tau_doubled = v;
    const double h = history_.step;
    for (std::size_t k = 1; k + 1 < points; ++k) {
      for (std::size_t j = 0; j < place_.size(); ++j) {
        const std::vector<float>& angle = history_.drive[j].angle;
        const double before = angle[k - 1];
        const double here = angle[k];
        const double after = angle[k + 1];
        q[place_[j].q] = here;
        v[place_[j].v] = (after - before) / (2.0 * h);
        a[place_[j].v] = (after - 2.0 * here + before) / (h * h);
      }
      models::rnea(model_, q, v, a, plain, tau);
      models::rnea(doubled_, q, v, a, heavy, tau_doubled);
      for (std::size_t j = 0; j < place_.size(); ++j) {
        all[j][k] = static_cast<float>(tau_doubled[place_[j].v] - tau[place_[j].v]);
      }
    }
    return all;
  }

 private:
  struct Place {
    int q = 0;
    int v = 0;
  };

  static models::Model doubled(const models::Model& model, const std::string& joint) {
    models::ModelBuilder builder(model);
    builder.scale_mass(model.find_joint(joint), 2.0);
    return builder.build();
  }

  const models::Model& model_;
  const DriveHistory& history_;
  models::Model doubled_;
  std::vector<Place> place_;
};

/// What the readings of one joint say about the masses that it carries, its servo free to follow.
/// All in units of the expected deviations.
struct JointShare {
  Eigen::MatrixXd normal;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd scatter;
  Eigen::MatrixXd follow;  ///< the servo's parameters by the masses
  std::vector<Eigen::Index> parameters;
};

class MassProblem {
 public:
  MassProblem(const std::vector<const DriveHistory*>& histories, const models::Model& model,
              const ServoSet& expected, const std::vector<ServoFit>& fits)
      : histories_(histories),
        expected_(expected),
        fits_(fits),
        carried_(carried_links(model, histories.front()->names)),
        loads_(histories.size()) {
    const std::size_t links = carried_.size();
    for (std::size_t r = 0; r < histories.size(); ++r) {
      loads_[r].resize(links);
      for_each_joint(links, [&](std::size_t l) {
        loads_[r][l] = LinkLoads(model, *histories[r], l).curves();
      });
    }
  }

  [[nodiscard]] JointShare share_of(std::size_t joint) const {
    const FitScale scale(expected_.joints[joint]);
    std::vector<JointData> data;
    for (const DriveHistory* h : histories_) {
      data.push_back({&h->drive[joint], &h->readings[joint], h->step});
    }
    JointProblem problem(scale, data, fits_[joint].noise);
    const std::vector<std::size_t>& links = carried_[joint];
    const auto m = static_cast<Eigen::Index>(links.size());
    JointShare share;
    share.normal = share.scatter = Eigen::MatrixXd::Zero(m, m);
    share.gradient = Eigen::VectorXd::Zero(m);
    if (problem.num_readings() == 0) return share;

    const FitVector y = scale.vector_of(fits_[joint].servo);
    const LinearProblem here(problem, y, parameters_of(fits_[joint].has_effect));
    const auto n = static_cast<Eigen::Index>(problem.num_readings());
    Eigen::MatrixXd J_s(n, m);
    for (Eigen::Index k = 0; k < m; ++k) {
      std::vector<const std::vector<float>*> load;
      for (const auto& of_record : loads_) {
        load.push_back(&of_record[links[static_cast<std::size_t>(k)]][joint]);
      }
      J_s.col(k) = kExpectedMass * problem.by_load(y, load);
    }
    share.parameters = places_in(parameters_of(fits_[joint].has_effect));
    const Eigen::MatrixXd J_y = here.jacobian.topRows(n)(Eigen::all, share.parameters);
    const Eigen::MatrixXd A = here.normal(share.parameters, share.parameters);
    share.follow = -A.ldlt().solve(J_y.transpose() * J_s);
    const Eigen::MatrixXd J = J_s + J_y * share.follow;  // the servo follows
    const Eigen::VectorXd r = here.rows.head(n);
    const Eigen::VectorXd g_y = here.gradient(share.parameters);
    share.normal = J_s.transpose() * J;
    share.gradient = J_s.transpose() * r + share.follow.transpose() * g_y;
    for_each_block(problem.times(), [&](std::size_t first, std::size_t last) {
      const auto begin = static_cast<Eigen::Index>(first);
      const auto count = static_cast<Eigen::Index>(last - first);
      const Eigen::VectorXd score =
          J.middleRows(begin, count).transpose() * r.segment(begin, count);
      share.scatter += score * score.transpose();
    });
    return share;
  }

  [[nodiscard]] const std::vector<std::size_t>& carried(std::size_t joint) const {
    return carried_[joint];
  }

 private:
  const std::vector<const DriveHistory*>& histories_;
  const ServoSet& expected_;
  const std::vector<ServoFit>& fits_;
  std::vector<std::vector<std::size_t>> carried_;
  // N m, of each record: per link a curve for every joint
  std::vector<std::vector<std::vector<std::vector<float>>>> loads_;
};

}  // namespace

MassFit fit_link_masses(const std::vector<const DriveHistory*>& histories,
                        const models::Model& model, const ServoSet& expected,
                        const std::vector<ServoFit>& fits, const std::vector<double>& present) {
  const std::size_t joints = fits.size();
  const auto n = static_cast<Eigen::Index>(joints);
  const MassProblem problem(histories, model, expected, fits);
  std::vector<JointShare> shares(joints);
  for_each_joint(joints, [&](std::size_t j) { shares[j] = problem.share_of(j); });

  Eigen::MatrixXd normal = Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd scatter = normal;
  Eigen::VectorXd gradient(n);
  for (std::size_t l = 0; l < joints; ++l) {
    gradient[static_cast<Eigen::Index>(l)] =
        (present[l] - expected.joints[l].link_mass_scale) / kExpectedMass;
  }
  for (std::size_t j = 0; j < joints; ++j) {
    const std::vector<std::size_t>& links = problem.carried(j);
    normal(links, links) += shares[j].normal;
    scatter(links, links) += shares[j].scatter;
    gradient(links) += shares[j].gradient;
  }
  const Eigen::MatrixXd inverse = normal.inverse();
  const Eigen::VectorXd move = -inverse * gradient;
  const Eigen::MatrixXd covariance = inverse * scatter * inverse;

  MassFit result;
  result.servo_sigma.resize(joints);
  for (std::size_t l = 0; l < joints; ++l) {
    const auto k = static_cast<Eigen::Index>(l);
    const double sigma = std::sqrt(std::max(covariance(k, k), inverse(k, k)));
    const double scale = std::clamp(present[l] + kExpectedMass * move[k], kLeast, kMost);
    result.links.push_back({scale, kExpectedMass * sigma, sigma < kKnown});
  }
  for (std::size_t j = 0; j < joints; ++j) {
    const FitScale scale(expected.joints[j]);
    const std::vector<std::size_t>& links = problem.carried(j);
    const Eigen::MatrixXd of_links = covariance(links, links);
    for (std::size_t k = 0; k < shares[j].parameters.size(); ++k) {
      const auto i = static_cast<std::size_t>(shares[j].parameters[k]);
      const Eigen::VectorXd by = shares[j].follow.row(static_cast<Eigen::Index>(k)).transpose();
      result.servo_sigma[j][i] =
          std::sqrt(by.dot(of_links * by)) * scale.unit(i, fits[j].values[i].value);
    }
  }
  return result;
}

}  // namespace kagami::tools
