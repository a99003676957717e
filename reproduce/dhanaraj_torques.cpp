#include "experiments.hpp"

#include <Eigen/Core>

#include "dhanaraj_arms.hpp"

// Dhanaraj 1990, appendices D.1 to D.3: the torques of his programs at one state.
//
// His generator sets only one entry of λ₁ (appendix D.2), so that the acceleration of joint 2's origin, λ₁ p₁, is
// missing from all four generated listings D.3.1 to D.3.4; equation 2.29 transforms λ through a slide the wrong way
// round, and the Stanford listings put the stroke q₃ behind the sliding link.
namespace lw::reproduce {
namespace {

const Vector kDhanarajQ{.3, -.5, .7, .2, -.4, .6}, kDhanarajQd{.5, -.3, .4, -.6, .7, -.2},
    kDhanarajQdd{1, -.8, .6, .5, -.9, .4};
const Source kTorquesOracle = recomputed("dhanaraj.py", "the program's data, nine decimals");

Vector first(std::size_t n, const Vector& v) { return {v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n)}; }

// Program D.1.2: link 3 with the wrist, 6.05 kg, and a payload at 0.4318 m; its inertia about the origin is added to
// one about the centre of mass, as the program does.
std::vector<DhLink> puma_d12(double payload) {
  std::vector<DhLink> links = dhanaraj_puma3();
  links[1].inertia = {0.130, 0.524, 0.539 + 4.71};
  const double mass = 6.05 + payload, square = payload * 0.4318 * 0.4318;
  links[2].mass = mass;
  links[2].com = {0, -(6.05 * 0.07 + payload * 0.4318) / mass, 0};
  links[2].inertia = {0.192 + square, 0.0154, 0.212 + 0.83 + square};
  return links;
}

// Tables 2.5 and 2.6, rows 5 and 6 of the inertias divided by ten (the values of Armstrong, Khatib and Burdick, which
// his program has too).
std::vector<DhLink> puma_tables(bool motors) {
  std::vector<DhLink> links = dhanaraj_puma6();
  const Eigen::Vector3d com[6] = {{0, 0, 0}, {0.068, 0.006, -0.016}, {0, -0.07, 0.014}, {0, 0, -0.019},
                                  {0, 0, 0}, {0, 0, 0.032}};
  const Eigen::Vector3d inertia[6] = {{0, 0, 0.35},
                                      {0.130, 0.524, 0.539},
                                      {0.066, 0.0125, 0.086},
                                      {0.0018, 0.0018, 0.0013},
                                      {0.0003, 0.0003, 0.0004},
                                      {0.00015, 0.00015, 0.00004}};
  const double rotor[6] = {1.14, 4.71, 0.83, 0.2, 0.179, 0.193};
  for (std::size_t i = 0; i < 6; ++i) {
    links[i].com = com[i];
    links[i].inertia = inertia[i];
    links[i].rotor = motors ? rotor[i] : 0.0;
  }
  return links;
}

void complete(Experiment& e, const std::string& name, const std::string& what, const std::vector<DhLink>& links,
              const Vector& reference, const std::string& note = {}) {
  const std::size_t n = links.size();
  const Vector tau =
      inverse(arm(links, kDhanarajGravity), first(n, kDhanarajQ), first(n, kDhanarajQd), first(n, kDhanarajQdd));
  e.compare(name, "τ at the test state, " + what + " (N·m, N)", kTorquesOracle, reference, tau, absolute(1e-9), note);
}

// A listing: wrong as physics, and regenerated with its faults.
void listing(Experiment& e, const std::string& name, const std::string& number, const std::vector<DhLink>& links,
             const ListingFaults& faults, const std::string& cause, const Vector& printed) {
  const std::size_t n = links.size();
  const Vector q = first(n, kDhanarajQ), qd = first(n, kDhanarajQd), qdd = first(n, kDhanarajQdd);
  const Model<double> model = arm(links, kDhanarajGravity);
  e.misprint(name, "τ of listing " + number + " at the test state (N·m, N)",
             recomputed("dhanaraj.py", "table 2.4 with the faults of listing " + number), printed,
             inverse(model, q, qd, qdd), inverse_by_mass_matrix(model, q, qd, qdd), absolute(1e-9),
             cause + " Ours also as M q̈ + h with M by composite bodies.");
  e.compare(name + "-faults", "the same with the listing's faults put in (N·m, N)",
            recomputed("dhanaraj.py", "table 2.4 with the faults of listing " + number), printed,
            modified_newton_euler(links, kDhanarajGravity, q, qd, qdd, faults), absolute(3e-5),
            "Table 2.4 with those faults; the listing's constants have seven digits.");
}

}  // namespace

Experiment dhanaraj_torques() {
  Experiment e(
      "dhanaraj", "dhanaraj.torques", "Torques at one state (appendix D)",
      "q = (.3, −.5, .7, .2, −.4, .6), q̇ = (.5, −.3, .4, −.6, .7, −.2), q̈ = (1, −.8, .6, .5, −.9, .4), g = 9.8 m/s². "
      "The generated programs leave a term out; put back, two formulations and tests/oracles/dhanaraj.py agree.");
  const std::vector<DhLink>&puma6 = dhanaraj_puma6(), &stanford6 = dhanaraj_stanford6();
  const std::vector<DhLink> puma3 = dhanaraj_puma3(), stanford3 = dhanaraj_stanford3();

  complete(e, "puma6", "PUMA, six joints, data of appendix D.2", puma6,
           {4.712182996, -20.131775449, -2.332167458, 0.589453205, -0.197907195, 0.349649561});
  complete(e, "puma3", "PUMA, three joints, data of appendix D.2", puma3, {3.795559749, -13.894247388, -1.015872429});
  complete(e, "stanford6", "Stanford arm, six joints, data of listing D.3.2", stanford6,
           {3.911717881, 3.927585237, 59.640630806, 0.275500787, 0.576429042, 0.028837217});
  complete(e, "stanford3", "Stanford arm, three joints, data of listing D.3.1", stanford3,
           {2.933103295, -1.97838202, 59.945966272});
  complete(e, "puma3-d12", "PUMA, three joints, program D.1.2, no payload", puma_d12(0.0),
           {3.982400428, -18.959763492, -1.257359456});
  complete(e, "puma3-d12-payload", "PUMA, three joints, program D.1.2, payload 10 kg", puma_d12(10.0),
           {6.784369327, -69.7017058, -12.59434238},
           "The payload's inertia about the origin counts as one about the centre of mass, as in the program.");
  const char* repaired = "Rows 5 and 6 of table 2.6 are ten times too large; set right.";
  complete(e, "puma6-tables", "PUMA, tables 2.5 and 2.6, motors on their own joints", puma_tables(true),
           {4.208818839, -40.762777806, -1.436440132, 0.101433229, -0.157232381, 0.077272466}, repaired);
  complete(e, "puma6-tables-bare", "PUMA, tables 2.5 and 2.6, without motors", puma_tables(false),
           {3.068818839, -36.994777806, -1.934440132, 0.001433229, 0.003867619, 7.2466e-05}, repaired);

  const ListingFaults puma{.drops_lambda1_p1 = true};
  const ListingFaults stanford{
      .drops_lambda1_p1 = true, .turns_slide_lambda_wrongly = true, .stroke_behind_slide = true};
  const std::string dropped = "The listing lacks λ₁p₁, the acceleration of joint 2's origin.";
  const std::string turned =
      "The listing lacks λ₁p₁, turns λ through the slide the wrong way (equation 2.29), and leaves link 3's mass where "
      "it is when it slides.";
  listing(e, "listing-d34", "D.3.4 (PUMA, 6 joints)", puma6, puma, dropped,
          {3.544654316, -19.757376931, -2.124589524, 0.589439468, -0.197200431, 0.349649561});
  listing(e, "listing-d33", "D.3.3 (PUMA, 3 joints)", puma3, puma, dropped, {2.640016972, -13.710252844, -0.935687107});
  listing(e, "listing-d32", "D.3.2 (Stanford, 6 joints)", stanford6, stanford, turned,
          {4.03124689, -6.245759682, 59.606603881, 0.290035252, 0.688737452, 0.028837217});
  listing(e, "listing-d31", "D.3.1 (Stanford, 3 joints)", stanford3, stanford, turned,
          {3.677673289, -20.240256518, 60.141094869});

  e.not_reproducible("case-study", "dynamic torque at t = 0.6 s of the case study (N·m)", "table 3.5, first column",
                     {1.2140, -15.6364, -0.8042},
                     "The trajectory file of the case study is lost, and no usual profile gives these values.");
  return e;
}

}  // namespace lw::reproduce
