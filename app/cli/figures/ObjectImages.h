// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images that `predict --boxes` writes: what a detector found, drawn on the originals.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/cli/reports/ObjectText.h"

namespace headlight::cli {

class ObjectImages {
 public:
  /// Makes the folder where it is missing. Throws Failure, InvalidArgument for a model that finds
  /// no boxes. `model` outlives it.
  ObjectImages(std::filesystem::path folder, const ModelInfo& model, Terminal& terminal);

  /// NAME-boxes.png of the image's original, at its own pixels; returns the path. Throws Failure.
  std::string write(const SeenImage& image, const std::vector<FoundObject>& objects);

 private:
  std::filesystem::path m_folder;
  const ModelInfo& m_model;
  std::set<std::string> m_stems;  ///< names that are taken
};

}  // namespace headlight::cli
