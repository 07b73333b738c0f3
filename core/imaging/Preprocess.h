// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From an image to what a model sees, as timm evaluates: the short side resized to
// size / cropFraction with Pillow's antialiased filter, a center crop, mean and deviation.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/imaging/codecs/ImagePart.h"

namespace headlight {

enum class Interpolation { Nearest, Bilinear, Bicubic };

struct Preprocessing {
  int height = 224;
  int width = 224;
  double cropFraction = 0.9;  ///< timm's crop_pct; in (0, 1]
  Interpolation interpolation = Interpolation::Bicubic;
  std::array<float, 3> mean{0.485f, 0.456f, 0.406f};
  std::array<float, 3> deviation{0.229f, 0.224f, 0.225f};
  bool squash = false;     ///< both sides to size / cropFraction: proportions are not kept
  bool dropAlpha = false;  ///< transparent pixels: their colors as stored (timm), not over white
  /// Instead of all that: whole and in proportion, so that the size of what the model sees follows
  /// from the image (paddedSize).
  bool pad = false;
};

/// What padding shows, in every channel.
inline constexpr std::uint8_t kPaddedPixel = 128;

/// How an image lies in what a model sees with `pad`: in its upper left part, the rest is padding.
struct PaddedSize {
  int width = 0, height = 0;            ///< of the image in it
  int wholeWidth = 0, wholeHeight = 0;  ///< of all, multiples of 32
};
/// Of an image, in proportion: its short side as long as the shorter one of `preprocessing`, its
/// long one at most four times that (detectron2's ResizeShortestEdge).
PaddedSize paddedSize(int imageWidth, int imageHeight, const Preprocessing& preprocessing);

/// Pixels of what the model sees of an image of that size.
struct ViewSize {
  int width = 0, height = 0;
};
ViewSize evaluationSize(int imageWidth, int imageHeight, const Preprocessing& preprocessing);

/// The same for what needs images of one size, as batches do: in place of `pad` both sides are
/// squashed to the size.
Preprocessing ofOneSize(Preprocessing preprocessing);

/// Pillow's Image.resize on 8-bit RGB (fixed-point, antialiased): equal to Pillow's within 1/255
/// per pixel. `box` is the source region (left, top, right, bottom) in source pixels, of a part's
/// whole.
Image resize(const Image& image, int width, int height, Interpolation interpolation);
Image resizeBox(const ImagePart& image, std::array<double, 4> box, int width, int height,
                Interpolation interpolation);

/// What the model would see, as an image of evaluationSize(): resized and cropped or padded, not
/// normalized.
Image evaluationView(const Image& image, const Preprocessing& preprocessing);

/// The region of the original that evaluationView shows (left, top, width, height), in its pixels;
/// with padding it reaches beyond them.
std::array<double, 4> evaluationRegion(int imageWidth, int imageHeight,
                                       const Preprocessing& preprocessing);

/// The same region with as many pixels as the original has of it, in the model's proportions: for
/// figures. At least the model's own size, at most `most` pixels a side.
Image evaluationPixels(const Image& image, const Preprocessing& preprocessing, int most = 2048);

/// (value/255 − mean) / deviation, as [3, height, width]. The image has the model's size already;
/// with `pad` any.
std::vector<float> normalize(const Image& view, const Preprocessing& preprocessing);
/// The same into `planes`, which has that size.
void normalize(const Image& view, const Preprocessing& preprocessing, std::span<float> planes);

/// evaluationView and normalize in one.
std::vector<float> preprocess(const Image& image, const Preprocessing& preprocessing);

}  // namespace headlight
