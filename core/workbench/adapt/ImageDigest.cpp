// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/ImageDigest.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "core/base/files/Files.h"
#include "core/workbench/hub/Digest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// What kind of content it is goes in front, so that a file never passes for pixels.
std::string digestOf(const std::string& kind, const void* data, std::size_t size) {
  Digest digest(Digest::Kind::Sha256, static_cast<std::int64_t>(size));
  digest.add(kind.c_str(), kind.size() + 1);
  digest.add(data, size);
  return digest.text();
}

std::string pixelDigest(const Image& image) {
  const auto& pixels = image.alphaDropped ? *image.alphaDropped : *image.pixels;
  const std::string shape = (image.alphaDropped ? "alpha " : "pixels ") +
                            std::to_string(image.width) + "x" + std::to_string(image.height);
  const std::string opaque = digestOf(shape, image.pixels->data(), image.pixels->size());
  return image.alphaDropped ? digestOf(opaque, pixels.data(), pixels.size()) : opaque;
}

bool isFileOfItsOwn(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

ImageDigest::ImageDigest(const Dataset& dataset) : m_dataset(dataset) {
  std::set<std::string> names;
  for (std::int64_t i = 0; i < dataset.size() && m_byFile; ++i) {
    const std::string name = dataset.describe(i);
    // A file that is named twice may be one image in two classes, or hold both.
    m_byFile = names.insert(name).second;
  }
}

std::string ImageDigest::operator()(std::int64_t index) const {
  const std::string path = m_dataset.describe(index);
  if (m_byFile && isFileOfItsOwn(path)) {
    const auto bytes = readFile(path, kMaxImageBytes);
    return bytes ? digestOf("file", bytes->data(), bytes->size()) : std::string();
  }
  const auto sample = m_dataset.sample(index);
  return sample && !sample->image.empty() ? pixelDigest(sample->image) : std::string();
}

}  // namespace headlight
