// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/identify/TensorShapes.h"

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxArguments = 1u << 20;  // bytes
constexpr int kMaxBlocks = 256;
constexpr int kMaxPixels = 4096;
constexpr std::int64_t kMaxExtent = 1 << 20;  // products of two still fit 64 bits by far

std::optional<int> wholeNumber(const Json& json, int most) {
  if (!json.is_number_integer() || json < 1 || json > most) return std::nullopt;
  return json.get<int>();
}

}  // namespace

TensorShapes::TensorShapes(const Checkpoint& checkpoint, int heads) : m_heads(heads) {
  for (const auto& [name, tensor] : checkpoint.tensors)
    m_shapes[name] = tensor.sizes().vec();
  const auto found = checkpoint.metadata.find("config");
  if (found == checkpoint.metadata.end() || found->second.size() > kMaxArguments) return;
  const auto json = parseConfigJson(found->second, "config");
  if (json && json->is_object()) m_arguments = *json;
}

bool TensorShapes::anyNameHas(const std::string& part) const {
  return std::any_of(m_shapes.begin(), m_shapes.end(),
                     [&](const auto& item) { return item.first.find(part) != std::string::npos; });
}

std::int64_t TensorShapes::size(const std::string& name, std::size_t dimension) const {
  const auto found = m_shapes.find(name);
  return found == m_shapes.end() || dimension >= found->second.size() ? 0
                                                                      : found->second[dimension];
}

int TensorShapes::extent(const std::string& name, std::size_t dimension) const {
  if (!has(name))
    throw Failure({ErrorCode::UnsupportedFile, tr("no tensor \"") + name + "\"", name});
  const auto& shape = m_shapes.at(name);
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  const std::int64_t value = size(name, dimension);
  if (empty || value < 1 || value > kMaxExtent)
    throw Failure(
        {ErrorCode::InvalidFile, tr("the tensor \"") + name + tr("\" has an unusual shape"), name});
  return static_cast<int>(value);
}

int TensorShapes::count(const std::string& prefix, const std::string& suffix) const {
  int result = 0;
  while (result < kMaxBlocks && has(prefix + std::to_string(result) + suffix))
    ++result;
  return result;
}

Json TensorShapes::argument(const char* name) const {
  return m_arguments.contains(name) ? m_arguments[name] : Json();
}

std::optional<int> TensorShapes::argument(const char* name, int most) const {
  return wholeNumber(argument(name), most);
}

int TensorShapes::stages(const std::string& prefix, const std::string& suffix) const {
  constexpr int kMaxStages = 6;
  const int result = count(prefix, suffix);
  if (result < 1 || result > kMaxStages)
    throw Failure({ErrorCode::UnsupportedFile,
                   result < 1 ? tr("no tensor \"") + prefix + "0" + suffix + "\""
                              : tr("it has more than 6 stages"),
                   prefix + "0" + suffix});
  return result;
}

std::optional<std::pair<int, int>> TensorShapes::imageSize() const {
  const Json size = argument("img_size");
  const bool pair = size.is_array() && size.size() == 2;
  const auto height = wholeNumber(pair ? size[0] : size, kMaxPixels),
             width = wholeNumber(pair ? size[1] : size, kMaxPixels);
  if (!height || !width) return std::nullopt;
  return std::pair{*height, *width};
}

void setImageSize(std::int64_t height, std::int64_t width, const std::string& tensor,
                  ModelConfig& config) {
  if (std::max(height, width) > kMaxPixels)
    throw Failure({ErrorCode::InvalidFile, tr("implies images of more than 4096 pixels"), tensor});
  config.imageSize = static_cast<int>(height);
  config.imageWidth = width == height ? 0 : static_cast<int>(width);
}

bool fitsGrid(const TensorShapes& shapes, std::int64_t patches, const ModelConfig& config) {
  const std::int64_t patch = config.patchSize;
  if (const auto said = shapes.imageSize())
    return (said->first / patch) * (said->second / patch) == patches;
  const auto side = std::llround(std::sqrt(std::max(0.0, static_cast<double>(patches))));
  return side > 0 && side * side == patches;
}

void inferImageSize(const TensorShapes& shapes, std::int64_t patches, const std::string& tensor,
                    ModelConfig& config, std::vector<std::string>& notes) {
  const std::int64_t patch = config.patchSize;
  if (const auto said = shapes.imageSize();
      said && (said->first / patch) * (said->second / patch) == patches) {
    setImageSize(said->first, said->second, tensor, config);
    return;
  }
  const auto side = std::llround(std::sqrt(std::max(0.0, static_cast<double>(patches))));
  if (side < 1 || side * side != patches || side * patch > kMaxPixels)
    throw Failure({ErrorCode::InvalidFile,
                   "has " + std::to_string(patches) +
                       tr(" positions, not a square grid; give a config with image_size and "
                          "image_width"),
                   tensor});
  setImageSize(side * patch, side * patch, tensor, config);
  notes.push_back("image size " + std::to_string(config.imageSize) + " inferred from " + tensor);
}

double inferMlpRatio(const TensorShapes& shapes, const std::string& fc1) {
  return static_cast<double>(shapes.extent(fc1, 0)) / shapes.extent(fc1, 1);
}

void refuseTensor(const TensorShapes& shapes, const std::string& part, const std::string& what) {
  if (shapes.anyNameHas(part))
    throw Failure({ErrorCode::UnsupportedFile,
                   tr("its tensors \"...") + part + tr("\" are of ") + what, part});
}

}  // namespace headlight
