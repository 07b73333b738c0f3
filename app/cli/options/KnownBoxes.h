// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The true boxes of images that are named on the command line.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/workbench/session/DatasetImages.h"
#include "core/workbench/session/TrueBoxes.h"

namespace headlight::cli {

class KnownBoxes {
 public:
  /// Of files: those of this place (TrueBoxIndex). Throws Failure.
  void open(const std::filesystem::path& data);
  /// Likewise, opened already.
  void use(TrueBoxIndex files) { m_files = std::move(files); }
  /// What the dataset of an image says, also of a sample by its address (DatasetImages.h); null: the
  /// image is of none with boxes. Throws Failure.
  std::shared_ptr<const TrueBoxes> of(const std::string& image);

 private:
  std::shared_ptr<const TrueBoxes> ofSample(const DatasetAddress& address);

  std::optional<TrueBoxIndex> m_files;
  AddressedDatasets m_datasets;
};

}  // namespace headlight::cli
