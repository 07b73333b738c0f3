// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/CausalAttention.h"

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

void CausalAttention::requireRoom(const CausalState& state, std::int64_t length) {
  if (state.position >= length)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("a sequence has at most ") + std::to_string(length) + " tokens", ""});
}

}  // namespace headlight
