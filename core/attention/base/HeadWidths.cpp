// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/HeadWidths.h"

#include <string>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

void requireHeadsDivide(std::int64_t heads, std::int64_t width) {
  if (heads >= 1 && width % heads == 0) return;
  throw Failure({ErrorCode::InvalidConfig,
                 std::to_string(heads) + tr(" heads do not divide the width ") +
                     std::to_string(width) + tr("; change model.heads or model.width"),
                 "model.heads"});
}

}  // namespace headlight
