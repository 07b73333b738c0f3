// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders of Pascal VOC's layout: Annotations/ID.xml, JPEGImages/ID.jpg and, where it has splits,
// ImageSets/Main/train.txt and val.txt with an id a line.

#include <filesystem>

#include "core/data/boxes/BoxSource.h"

namespace headlight {

/// A split. Without train.txt and val.txt the place is shared out: trainval.txt, train.txt, or all
/// annotations. Classes are the names in both splits, in natural order. Difficult objects are
/// crowds: they are not learned from, and as in VOC what finds them counts as neither right nor
/// wrong (a crowd's overlap is divided by the area of the found box, so what finds a part of one is
/// spared, too). Throws Failure as readVocXml does, and NotFound (no annotations; annotations or
/// images that are missing, which says how many), InvalidFile (an id twice in a list or in both, an
/// id that leads out of the folder).
BoxSource readVocBoxes(const std::filesystem::path& path, bool train);

/// Whether a folder has Annotations with an .xml file, and JPEGImages.
bool looksLikeVoc(const std::filesystem::path& path);

}  // namespace headlight
