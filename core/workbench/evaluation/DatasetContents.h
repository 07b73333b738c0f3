// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is in a dataset of boxes or of segments: its classes, its images and their sizes. No torch
// type here.

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

class Dataset;

struct ClassContents {
  std::string name;
  std::int64_t images = 0;   ///< that have it
  std::int64_t objects = 0;  ///< boxes; 0 of segments
  std::int64_t pixels = 0;   ///< of segments; 0 of boxes
};

/// Pixels of the smallest image, of the middle one and of the largest, by area.
struct ContentSizes {
  struct Size {
    int width = 0, height = 0;
  };
  Size smallest, middle, largest;
};

struct DatasetContents {
  bool boxes = false;  ///< else segments
  std::int64_t images = 0;
  std::int64_t counted = 0;  ///< of them: spread over all
  std::int64_t unread = 0;   ///< of those: their truth is damaged
  std::int64_t empty = 0;    ///< without a box, or without a pixel of a known class
  std::vector<ClassContents> classes;
  std::optional<ContentSizes> sizes;  ///< nothing where the annotations say none
  // Boxes: those of objects by COCO's areas (below 32², to 96², above), and those of crowds.
  std::array<std::int64_t, 3> bySize{};
  std::int64_t crowds = 0;
  // Segments:
  std::int64_t pixels = 0, unknownPixels = 0;

  std::int64_t objects() const { return bySize[0] + bySize[1] + bySize[2]; }
};

/// Of so many images the label images are read: they say what is in large sets well enough.
inline constexpr std::int64_t kCountedImages = 100;

/// Of all boxes, and of the segments of at most `most` images; nothing of a dataset without either.
/// Errors: Canceled.
Result<std::optional<DatasetContents>> datasetContents(const Dataset& dataset,
                                                       std::int64_t most = kCountedImages,
                                                       std::stop_token stop = {});

/// A line for each: how many objects of which size, images without any, the classes, the largest
/// ones first, and the sizes of images.
std::vector<std::string> describeContents(const DatasetContents& contents);

}  // namespace headlight
