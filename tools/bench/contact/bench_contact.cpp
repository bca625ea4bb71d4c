// kagami-bench-contact: our contact methods on the scenes that the peers' programs step too.
#include "models/contact/method/contact_method.hpp"
#include "tools/bench/contact/our_scenes.hpp"
#include "tools/bench/measure.hpp"

int main(int argc, char** argv) {
  using namespace kagami::bench;
  for (const char* method : {"relaxed", "multipoint", "volumetric"}) {
    add_our_robot(method);
    add_our_pendulum(method);
  }
  add_our_stack("volumetric");
  return run_rows(argc, argv, "kagami");
}
