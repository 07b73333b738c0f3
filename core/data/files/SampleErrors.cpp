// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/SampleErrors.h"

#include "core/base/Translation.h"

namespace headlight {

Error noSample(std::int64_t index, const std::string& where) {
  return {ErrorCode::InvalidArgument, tr("no sample ") + std::to_string(index), where};
}

}  // namespace headlight
