// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finds out what a dropped file or folder is, from its content rather than its name. Blocks; called
// on ImageBridge's thread.

#include <stop_token>
#include <string>

#include "core/workbench/session/Datasets.h"
#include "ui/bridge/ImageBridge.h"

namespace headlight {

/// What the gallery shows of a dataset whose images are no files: its first training images.
DatasetSpec gallerySample(const std::string& kind, const std::string& path);

FileFinding inspectFile(const QString& path, const std::stop_token& stop);

}  // namespace headlight
