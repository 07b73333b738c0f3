// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small images and files for the tests of data.

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/data/Dataset.h"
#include "tests/TemporaryFolder.h"

namespace headlight::test {

inline bool hasText(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using headlight::TemporaryFolder;

inline void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("could not write " + path.string());
}

inline Image solidImage(int width, int height, std::array<std::uint8_t, 3> color) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < width * height; ++i)
    pixels->insert(pixels->end(), color.begin(), color.end());
  return {width, height, std::move(pixels)};
}

/// Every pixel another color.
inline Image gradientImage(int width, int height) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int value : {x * 255 / width, y * 255 / height, (x * 7 + y * 13) % 256})
        pixels->push_back(static_cast<std::uint8_t>(value));
  return {width, height, std::move(pixels)};
}

inline void writePng(const std::filesystem::path& path, const Image& image) {
  writeBytes(path, valueOrThrow(encodePng(image)));
}

/// `perClass` images of 8 × 8 in each of folder/NAME; red is the label times 20, green the
/// number.
inline void writeClasses(const std::filesystem::path& folder, const std::vector<std::string>& names,
                         int perClass) {
  for (std::size_t label = 0; label < names.size(); ++label)
    for (int i = 0; i < perClass; ++i)
      writePng(folder / names[label] / (std::to_string(i) + ".png"),
               solidImage(
                   8, 8, {static_cast<std::uint8_t>(label * 20), static_cast<std::uint8_t>(i), 0}));
}

inline DatasetSpec specOf(const std::string& kind, const std::filesystem::path& path) {
  DatasetSpec spec;
  spec.kind = kind;
  spec.path = path;
  return spec;
}

/// Images in memory, sized `side`; `fails(index)` makes sample(index) an error.
class MemoryDataset : public Dataset {
 public:
  MemoryDataset(std::int64_t count, int side) : m_count(count), m_side(side) {}
  std::int64_t size() const override { return m_count; }
  const std::vector<std::string>& classNames() const override { return m_names; }
  Result<Sample> sample(std::int64_t index) const override {
    if (fails && fails(index)) return Error{ErrorCode::InvalidFile, "is damaged", describe(index)};
    Image image = gradientImage(m_side, m_side);
    auto pixels = std::make_shared<std::vector<std::uint8_t>>(*image.pixels);
    (*pixels)[0] = static_cast<std::uint8_t>(index);
    image.pixels = std::move(pixels);
    return Sample{image, static_cast<int>(index % 2)};
  }
  std::string describe(std::int64_t index) const override {
    return "memory #" + std::to_string(index);
  }
  bool reachable() const override { return isReachable; }

  std::function<bool(std::int64_t)> fails;
  bool isReachable = true;

 private:
  std::int64_t m_count;
  int m_side;
  std::vector<std::string> m_names{"even", "odd"};
};

}  // namespace headlight::test
