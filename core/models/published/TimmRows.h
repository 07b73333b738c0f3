// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// timm's plain vision transformers as rows: what each is constructed with (`arguments`, in timm's
// own words) and what it expects of an image. Internal to core/models.

#include <vector>

#include "core/models/published/TimmArguments.h"

namespace headlight {

/// Mean and deviation of the images that a model was trained on.
enum class Eye { ImageNet, Half, Clip, AsIs };

struct TimmRow {
  TimmClass kind;
  const char* name;
  int size;  ///< of a square image, in pixels
  Eye eye;
  double crop;
  const char* arguments;  ///< JSON
  bool squash = false, bilinear = false;
};

constexpr TimmClass kVit = TimmClass::VisionTransformer, kBeit = TimmClass::Beit,
                    kEva = TimmClass::Eva;
constexpr Eye kImageNet = Eye::ImageNet, kHalf = Eye::Half, kClip = Eye::Clip, kAsIs = Eye::AsIs;

std::vector<TimmRow> vitRows();
std::vector<TimmRow> clipRows();
std::vector<TimmRow> siglipRows();
std::vector<TimmRow> beitRows();
std::vector<TimmRow> rotaryRows();

}  // namespace headlight
