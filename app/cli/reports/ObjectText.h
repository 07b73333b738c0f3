// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector found in an image, in words and as JSON.

#include <memory>
#include <string>
#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/Objects.h"
#include "core/workbench/session/TrueBoxes.h"

namespace headlight::cli {

/// An image's size in its own pixels, which boxes are given in.
struct SeenImage {
  std::string name;
  int width = 0, height = 0;
  Image original = {};                          ///< only where boxes are drawn on it
  std::shared_ptr<const TrueBoxes> truth = {};  ///< likewise, where its dataset has boxes
};

/// {"label", "index", "score", "box": [left, top, right, bottom]} each, in pixels of the image.
Json objectsJson(const std::vector<FoundObject>& objects, const SeenImage& image,
                 const ModelConfig& model);

/// A line each; `hidden`: how many scored less than `threshold`.
/// The same without scores: what the image's dataset says.
Json truthJson(const TrueBoxes& truth);

void printObjects(const std::vector<FoundObject>& objects, std::size_t hidden, double threshold,
                  const SeenImage& image, const ModelConfig& model, Terminal& terminal);

}  // namespace headlight::cli
