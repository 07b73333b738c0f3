// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders and names of runs.

#include <QString>

#include <filesystem>
#include <string>

#include "core/config/Experiment.h"

namespace headlight {

/// A run's name, made safe for a folder or file: letters, digits, '-', '_', '.'; never empty.
std::string folderName(const std::string& name);
/// The proposed name of a run: the open model's name `own`, then its masks if it has any, without
/// the earlier ones (`ownMasks`): "demo-sch1", "demo-sch1*-5x5".
std::string runName(const std::string& own, const MaskConfig& ownMasks, const MaskConfig& masks);
/// ~/Headlight/runs.
std::filesystem::path runsFolder();

/// The path of a typed folder; "~" is the home folder.
std::filesystem::path typedFolder(const QString& text);

// These read the disk: not for the window's thread.

/// runsFolder()/NAME, or NAME-2, NAME-3 … if that exists.
std::filesystem::path freeRunFolder(const std::string& name);
/// Whether the folder already contains a run, so that a new training must not start in it.
bool holdsRun(const std::filesystem::path& folder);

}  // namespace headlight
