// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where runs go.

#include <QString>

#include <filesystem>
#include <string>

#include "core/config/Experiment.h"

namespace headlight {

/// A run's name made fit for a folder or a file: letters, digits, '-', '_', '.'; never empty.
std::string folderName(const std::string& name);
/// What a run is called by itself: `own` is the open model's name, and where it is masked its masks
/// follow, those of before (`ownMasks`) left out: "demo-sch1", "demo-sch1*-5x5".
std::string runName(const std::string& own, const MaskConfig& ownMasks, const MaskConfig& masks);
/// ~/Headlight/runs.
std::filesystem::path runsFolder();

/// A folder as it was typed; "~" is the person's home.
std::filesystem::path typedFolder(const QString& text);

// These ask the disk: not for the window's thread.

/// runsFolder()/NAME, or NAME-2, NAME-3 … where that exists.
std::filesystem::path freeRunFolder(const std::string& name);
/// Whether a training may not begin there, because one was begun already.
bool holdsRun(const std::filesystem::path& folder);

}  // namespace headlight
