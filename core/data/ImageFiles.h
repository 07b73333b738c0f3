// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images of a folder and of all folders in it, for galleries and command lines.

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/data/files/PassedOver.h"

namespace headlight {

struct ImageFiles {
  std::vector<std::filesystem::path> images;  ///< in natural order, folder by folder
  PassedOver passedOver;
  std::vector<std::string> unlisted;  ///< folders within that cannot be listed, and why
  bool complete = true;               ///< false where the bound ended it

  /// What was passed over, as a sentence; empty where nothing was.
  std::string text() const;
};

/// Names that begin with a dot are left out; a folder reached twice through links is read once. At
/// most `most` entries are looked at. Failure (NotFound, Io) where the folder itself cannot be
/// listed.
ImageFiles imageFilesIn(const std::filesystem::path& folder, std::size_t most = SIZE_MAX,
                        const std::stop_token& stop = {});

}  // namespace headlight
