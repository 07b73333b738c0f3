// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which class of one model or dataset is which of another.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

/// The model's class of every class of the data, by name: class folders are sorted one way by timm
/// and another by torchvision. Empty where both have the same order, or where either has no names
/// at all: then they are matched by number, which is all that there is. Error: InvalidArgument, a
/// class of the data that the model does not know, for the caller to say where.
Result<std::vector<std::int64_t>> classOrder(const std::vector<std::string>& data,
                                             const std::vector<std::string>& model);

}  // namespace headlight
