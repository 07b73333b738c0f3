// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finds out what a dropped file or folder is, from its content rather than its name. Blocks; called
// on ImageBridge's thread.

#include <stop_token>

#include "ui/bridge/ImageBridge.h"

namespace headlight {

inline constexpr int kDatasetSamples = 90;  ///< of a dataset without files, in the gallery

FileFinding inspectFile(const QString& path, const std::stop_token& stop);

}  // namespace headlight
