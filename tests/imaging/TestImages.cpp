// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/imaging/TestImages.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/files/Files.h"

namespace headlight::test {

Image paint(int width, int height,
            const std::function<std::array<std::uint8_t, 3>(int, int)>& color) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  pixels->reserve(static_cast<std::size_t>(width) * height * 3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const std::uint8_t value : color(x, y))
        pixels->push_back(value);
  return {width, height, std::move(pixels)};
}

Image pattern(int width, int height) {
  return paint(width, height, [&](int x, int y) {
    const bool dark = (x / 4 + y / 4) % 2 == 1;
    return std::array<std::uint8_t, 3>{static_cast<std::uint8_t>(255 * x / width),
                                       static_cast<std::uint8_t>(255 * y / height),
                                       static_cast<std::uint8_t>(dark ? 40 : 200)};
  });
}

std::array<std::uint8_t, 3> pixel(const Image& image, int x, int y) {
  const std::uint8_t* at = image.row(y) + static_cast<std::size_t>(x) * 3;
  return {at[0], at[1], at[2]};
}

int maxDifference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 256;
  int largest = 0;
  for (std::size_t i = 0; i < a.pixels->size(); ++i)
    largest = std::max(largest, std::abs((*a.pixels)[i] - (*b.pixels)[i]));
  return largest;
}

std::string encode(const Image& image, const std::string& extension) {
  const cv::Mat rgb(image.height, image.width, CV_8UC3,
                    const_cast<std::uint8_t*>(image.pixels->data()));
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  std::vector<std::uint8_t> bytes;
  EXPECT_TRUE(cv::imencode("." + extension, bgr, bytes));
  return {bytes.begin(), bytes.end()};
}

std::string golden(const std::string& name) {
  return valueOrThrow(readFile(std::string(HEADLIGHT_GOLDEN_DIR) + "/" + name, 1 << 20));
}

Image goldenImage(const std::string& name) {
  return valueOrThrow(decodeImage(golden(name), name));
}

void putBigEndian(std::string& bytes, std::size_t offset, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i)
    bytes.at(offset + static_cast<std::size_t>(i)) =
        static_cast<char>(value >> (8 * (count - 1 - i)));
}

void putLittleEndian(std::string& bytes, std::size_t offset, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i)
    bytes.at(offset + static_cast<std::size_t>(i)) = static_cast<char>(value >> (8 * i));
}

std::string pngSaying(std::string bytes, std::uint32_t width, std::uint32_t height) {
  putBigEndian(bytes, 16, width, 4);
  putBigEndian(bytes, 20, height, 4);
  const auto* typeAndData = reinterpret_cast<const Bytef*>(bytes.data() + 12);
  putBigEndian(bytes, 29, ::crc32_z(0, typeAndData, 17), 4);
  return bytes;
}

std::string jpegSaying(std::string bytes, int width, int height) {
  const std::size_t frame = bytes.find("\xff\xc0");
  EXPECT_NE(frame, std::string::npos);
  putBigEndian(bytes, frame + 5, static_cast<std::uint64_t>(height), 2);
  putBigEndian(bytes, frame + 7, static_cast<std::uint64_t>(width), 2);
  return bytes;
}

}  // namespace headlight::test
