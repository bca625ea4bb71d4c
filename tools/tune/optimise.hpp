/// Bounded search without derivatives: NLopt behind one function.
#pragma once

#include <functional>
#include <vector>

namespace kagami::tools {

struct SearchBounds {
  std::vector<double> lower;
  std::vector<double> upper;  ///< above lower
};

struct SearchResult {
  std::vector<double> best;
  double cost = 0.0;
  int evaluations = 0;
  bool aborted = false;
};

/// First DIRECT-L over the whole box with a share of the evaluations, then BOBYQA from the best
/// point seen, `start` among them. The same every time: neither draws random numbers. `cost` may be
/// infinite; `go_on` is called before each evaluation, empty: always. Throws Error for bounds or a
/// start that do not fit, and whatever `cost` throws.
SearchResult search(const std::function<double(const std::vector<double>&)>& cost,
                    const SearchBounds& bounds, const std::vector<double>& start, int evaluations,
                    const std::function<bool()>& go_on = {});

}  // namespace kagami::tools
