// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The files that `predict --segments` writes: the class of every pixel, and colors on the original.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/Segments.h"

namespace headlight::cli {

class SegmentImages {
 public:
  /// Makes the folder where it is missing. Throws Failure, InvalidArgument for a model that gives
  /// pixels no class.
  SegmentImages(std::filesystem::path folder, const ModelInfo& model, Terminal& terminal);

  /// Of an image: NAME-classes.png (indices and a palette, at its own pixels), NAME-segments.png
  /// (the original with colors and a legend) and NAME-segments.json; returns the paths. With a
  /// `truth` of the model's classes also its borders and shares. Throws Failure.
  std::vector<std::string> write(const std::string& name, const Image& original,
                                 const FoundSegments& found, const ClassImage* truth = nullptr);

 private:
  std::filesystem::path m_folder;
  std::vector<std::string> m_names;  ///< of the model's classes
  std::set<std::string> m_stems;     ///< names that are taken
};

}  // namespace headlight::cli
