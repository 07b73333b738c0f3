// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/maps/MapImages.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/workbench/maps/MapNumbers.h"

namespace headlight {
namespace {

const SafetensorsEntry* imagesIn(const SafetensorsFile& file) {
  for (const char* name : {"images", "image", "input"})
    if (const SafetensorsEntry* entry = file.find(name)) return entry;
  return nullptr;
}

[[noreturn]] void refuseImages(const SafetensorsFile& file, const SafetensorsEntry& entry,
                               const std::string& rest) {
  refuse(file.name(),
         inQuotes(entry.name) + tr(" has the shape ") + shapeText(entry.shape) + "; " + rest);
}

/// Sizes by where the colors stand; of shapes that could be both, bytes have them last.
void placeAxes(MapImages& images, const SafetensorsFile& file) {
  const auto& shape = images.entry.shape;
  if (shape.size() != 3 && shape.size() != 4)
    refuseImages(file, images.entry, tr("images must be [H, W, 3] or [3, H, W], with B in front"));
  images.batched = shape.size() == 4;
  const std::size_t first = images.batched ? 1 : 0;
  const auto isColor = [&](std::size_t axis) { return shape[axis] == 3 || shape[axis] == 1; };
  const bool last = isColor(first + 2), front = isColor(first);
  if (!last && !front) refuseImages(file, images.entry, tr("images must have 3 colors, or 1"));
  images.channelsLast = last && (!front || images.entry.dtype == at::kByte);
  const std::size_t rows = images.channelsLast ? first : first + 1;
  images.channels = static_cast<int>(shape[images.channelsLast ? first + 2 : first]);
  const std::int64_t height = shape[rows], width = shape[rows + 1];
  if (height < 1 || width < 1 || height > kMaxImagePixels / width)
    refuseImages(file, images.entry, tr("images must have 1 pixel to 64 million pixels"));
  images.height = static_cast<int>(height);
  images.width = static_cast<int>(width);
}

void requireCount(const MapImages& images, const SafetensorsFile& file, int imageCount) {
  const std::int64_t count = images.batched ? images.entry.shape.front() : 1;
  if (count != imageCount)
    refuseImages(
        file, images.entry,
        tr("maps are of ") + std::to_string(imageCount) + (imageCount == 1 ? " image" : " images"));
}

/// [height, width, channels] of one image.
at::Tensor valuesOf(const MapImages& images, const SafetensorsFile& file, int image) {
  at::Tensor values = images.batched ? file.readItem(images.entry, image) : file.read(images.entry);
  if (!images.channelsLast) values = values.permute({1, 2, 0});
  if (values.scalar_type() == at::kByte) return values.contiguous();
  values = values.to(at::kFloat).contiguous();
  if (!at::isfinite(values).all().item<bool>())
    refuse(file.name(), inQuotes(images.entry.name) + tr(" has values that are not numbers"));
  return values;
}

void findValues(MapImages& images, const SafetensorsFile& file, int imageCount,
                std::vector<std::string>& notes) {
  if (images.entry.dtype == at::kByte) return;
  if (!c10::isFloatingType(images.entry.dtype))
    refuse(file.name(), inQuotes(images.entry.name) + tr(" must be U8 or floating-point"));
  constexpr float kRounding = 1e-3f;
  bool shares = true;
  for (int i = 0; i < imageCount && shares; ++i) {
    const at::Tensor values = valuesOf(images, file, i);
    shares =
        values.min().item<float>() >= -kRounding && values.max().item<float>() <= 1 + kRounding;
  }
  images.values = MapImages::Values::Shares;
  if (shares) return;
  const auto mean = namedNumbers(file, "mean", 3), deviation = namedNumbers(file, "std", 3);
  images.values = mean && deviation ? MapImages::Values::Normalized : MapImages::Values::Stretched;
  if (mean && deviation) {
    std::copy_n(mean->begin(), 3, images.mean.begin());
    std::copy_n(deviation->begin(), 3, images.deviation.begin());
    return;
  }
  notes.push_back("the colors of " + inQuotes(images.entry.name) +
                  " are outside 0 to 1 and no mean and std are given: each image is scaled from "
                  "its minimum to its maximum");
}

std::uint8_t byteOf(double share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

}  // namespace

Image MapImages::read(const SafetensorsFile& file, int image) const {
  const at::Tensor own = valuesOf(*this, file, image);
  const std::size_t pixels = static_cast<std::size_t>(height) * width;
  auto bytes = std::make_shared<std::vector<std::uint8_t>>(pixels * 3);
  const bool plain = values == Values::Bytes;
  const auto* whole = plain ? own.data_ptr<std::uint8_t>() : nullptr;
  const auto* real = plain ? nullptr : own.data_ptr<float>();
  double low = 0, span = 1;
  if (values == Values::Stretched) {
    low = own.min().item<float>();
    span = std::max(own.max().item<float>() - low, 1e-12);
  }
  for (std::size_t i = 0; i < pixels * 3; ++i) {
    const std::size_t color = i % 3, from = channels == 3 ? i : i / 3;
    (*bytes)[i] = plain ? whole[from]
                  : values == Values::Normalized
                      ? byteOf(real[from] * deviation[color] + mean[color])
                      : byteOf((real[from] - low) / span);
  }
  return {width, height, bytes};
}

std::optional<MapImages> readMapImages(const SafetensorsFile& file, int imageCount,
                                       std::vector<std::string>& notes) {
  const SafetensorsEntry* entry = imagesIn(file);
  if (!entry) return std::nullopt;
  MapImages images;
  images.entry = *entry;
  placeAxes(images, file);
  requireCount(images, file, imageCount);
  findValues(images, file, imageCount, notes);
  return images;
}

Image grayGround(int width, int height) {
  return {width, height,
          std::make_shared<const std::vector<std::uint8_t>>(
              std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
              std::uint8_t{128})};
}

}  // namespace headlight
