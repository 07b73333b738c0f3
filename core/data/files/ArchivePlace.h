// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// ZIP and tar archives as places of files. Nothing is unpacked to disk: images are read where they
// lie. Folders that hold nothing but one folder are skipped at the top ("photos-main/train/…").

#include <filesystem>
#include <memory>

#include "core/data/files/FilePlace.h"

namespace headlight {

/// By the file's first bytes: a ZIP archive, or a tar that is not compressed.
bool isArchive(const std::filesystem::path& path);

/// Failure: NotFound, Io, UnsupportedFile (encrypted, packed by another method than deflate),
/// InvalidFile (damaged, cut short, a name twice, a name that leads outside).
std::shared_ptr<const FilePlace> openArchivePlace(const std::filesystem::path& path);

}  // namespace headlight
