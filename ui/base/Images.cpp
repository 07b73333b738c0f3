// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/Images.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace headlight {
namespace {

using SharedPixels = std::shared_ptr<const std::vector<std::uint8_t>>;

void releasePixels(void* pixels) {
  delete static_cast<SharedPixels*>(pixels);
}

}  // namespace

QImage wrapImage(const Image& image) {
  if (image.empty()) return {};
  auto* pixels = new SharedPixels(image.pixels);
  return QImage(image.row(0), image.width, image.height, static_cast<qsizetype>(image.width) * 3,
                QImage::Format_RGB888, releasePixels, pixels);
}

QImage toQImage(const Image& image) {
  if (image.empty()) return {};
  return QImage(image.pixels->data(), image.width, image.height, 3 * image.width,
                QImage::Format_RGB888)
      .copy();
}

Image fromQImage(const QImage& source) {
  if (source.isNull()) return {};
  const QImage rgb = source.convertToFormat(QImage::Format_RGB888);
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  pixels->reserve(static_cast<std::size_t>(rgb.width()) * rgb.height() * 3);
  for (int y = 0; y < rgb.height(); ++y) {
    const uchar* row = rgb.constScanLine(y);
    pixels->insert(pixels->end(), row, row + static_cast<std::size_t>(rgb.width()) * 3);
  }
  return {rgb.width(), rgb.height(), std::move(pixels)};
}

}  // namespace headlight
