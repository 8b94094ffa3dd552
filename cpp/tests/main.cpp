// The kernels alone, without Python: `make test-cpp`.
#include "tests/check.hpp"

int main() {
  using namespace tauboost::test;
  struct Test {
    const char* name;
    void (*run)();
  };
  constexpr Test tests[] = {{"elastic net", test_elastic_net},
                            {"functions", test_functions},
                            {"coordinate step", test_coordinate_step},
                            {"sweeps", test_sweeps},
                            {"chain", test_chain},
                            {"draws", test_draws},
                            {"threads", test_threads}};
  for (const Test& test : tests) {
    const int before = failures;
    test.run();
    std::printf("%s: %s\n", test.name, failures == before ? "passed" : "FAILED");
  }
  return failures == 0 ? 0 : 1;
}
