// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders of COCO's layout for detection: annotations/instances_train2017.json and
// instances_val2017.json beside train2017 and val2017, or one file of annotations.

#include <filesystem>

#include "core/data/boxes/BoxSource.h"

namespace headlight {

/// The annotations of the splits. Both the same: the place has one file, to be shared out.
struct CocoAnnotations {
  std::filesystem::path train, validation;

  bool shareOut() const { return train == validation; }
};

/// `path` itself where it is a file; else from the folder annotations in it, or from the folder
/// itself: of files that begin with "instances" (where there are any, else of all .json) those
/// whose name has the word of a split (train2017, val, valid). Throws Failure: NotFound (no such
/// file), InvalidFile (two for a split, or several without a split's name).
CocoAnnotations cocoAnnotations(const std::filesystem::path& path);

/// A split as BoxTruth.h reads it, images as boxImageFiles() finds them; classes are the
/// categories in the order of their ids. Throws Failure as these do, and (InvalidFile) where the
/// splits differ in their categories.
BoxSource readCocoBoxes(const std::filesystem::path& path, bool train);

/// Whether a folder has annotations/instances….json.
bool looksLikeCoco(const std::filesystem::path& path);

}  // namespace headlight
