// The compiled module tauboost._core: Python's view of the kernels. Arguments are checked in Python
// before they come here; the checks in these files only keep a mistake in our own Python from
// reading out of bounds.
#include "bind/bindings.hpp"

using namespace tauboost;

NB_MODULE(_core, module) {
  // Whatever a thread still holds when Python exits (Dask's do) would be reported as a leak.
  nb::set_leak_warnings(false);
  bind_matrix(module);
  bind_products(module);
  bind_methods(module);
  bind_lanes(module);
  bind_logistic(module);
  bind_remote(module);
  bind_csr(module);
  bind_binning(module);
  bind_svmlight(module);
  bind_texts(module);
  bind_text_rows(module);
  bind_tables(module);
  bind_remote_tables(module);
#ifdef TAUBOOST_SANITIZE
  bind_inject(module);
#endif
}
