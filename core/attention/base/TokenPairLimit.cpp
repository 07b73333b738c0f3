// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/TokenPairLimit.h"

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

void requireTokenPairsFit(std::int64_t rows, std::int64_t columns, const std::string& path,
                          const std::string& remedy) {
  constexpr std::int64_t kMaxPairs = std::int64_t{4096} * 4096;
  if (rows * columns <= kMaxPairs) return;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("each layer would store ") + std::to_string(rows) + " x " +
                     std::to_string(columns) +
                     tr(" token pairs, more than the limit of 4096 x 4096; ") + remedy,
                 path});
}

void requireTokenPairsFit(std::int64_t patches) {
  requireTokenPairsFit(patches, patches, "model.patch_size",
                       "use larger patches, a smaller image or another mechanism");
}

}  // namespace headlight
