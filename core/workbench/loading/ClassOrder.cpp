// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/ClassOrder.h"

#include <algorithm>

namespace headlight {

Result<std::vector<std::int64_t>> classOrder(const std::vector<std::string>& data,
                                             const std::vector<std::string>& model) {
  std::vector<std::int64_t> order;
  if (data.empty() || model.empty() || data == model) return order;
  for (const std::string& name : data) {
    const auto found = std::find(model.begin(), model.end(), name);
    if (found == model.end())
      return Error{ErrorCode::InvalidArgument,
                   "was trained on other classes: it knows no \"" + name + "\"", ""};
    order.push_back(found - model.begin());
  }
  return order;
}

}  // namespace headlight
