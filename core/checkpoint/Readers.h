// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The two readers behind readCheckpoint. They throw Failure. Internal.

#include "core/checkpoint/ByteSource.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Checksums.h"

namespace headlight {

Checkpoint readSafetensorsFrom(const ByteSource& source, Checked checked = Checked::Values);
Checkpoint readPthFrom(const ByteSource& source);

}  // namespace headlight
