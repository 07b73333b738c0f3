// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images and files made for the tests.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/imaging/codecs/Image.h"

namespace headlight::test {

/// color(x, y) gives {R, G, B}.
Image paint(int width, int height,
            const std::function<std::array<std::uint8_t, 3>(int x, int y)>& color);
/// Gradients and a checkerboard: no two corners alike.
Image pattern(int width, int height);

std::array<std::uint8_t, 3> pixel(const Image& image, int x, int y);

/// Largest difference of any value; 256 if the sizes differ.
int maxDifference(const Image& a, const Image& b);

/// The image in a format ("jpg", "png", "webp", "bmp", "tif"), encoded by OpenCV.
std::string encode(const Image& image, const std::string& extension);

/// A file below tests/golden.
std::string golden(const std::string& name);
Image goldenImage(const std::string& name);

/// Overwrites bytes at `offset`, most significant first.
void putBigEndian(std::string& bytes, std::size_t offset, std::uint64_t value, int count);
void putLittleEndian(std::string& bytes, std::size_t offset, std::uint64_t value, int count);

/// A PNG whose header says width × height, checksum made right again.
std::string pngSaying(std::string bytes, std::uint32_t width, std::uint32_t height);
/// A JPEG whose frame header says width × height.
std::string jpegSaying(std::string bytes, int width, int height);

}  // namespace headlight::test
