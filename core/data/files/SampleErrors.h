// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What every dataset says of samples that it does not have.

#include <cstdint>
#include <string>

#include "core/base/Result.h"

namespace headlight {

/// InvalidArgument, for an index outside [0, size). `where`: the file or folder; "": the data has
/// none.
Error noSample(std::int64_t index, const std::string& where = "");

}  // namespace headlight
