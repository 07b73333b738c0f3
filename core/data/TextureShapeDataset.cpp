// SPDX-License-Identifier: GPL-3.0-or-later

// TextureShape.h: the images as a dataset; the drawing is in TextureShape.cpp.

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/data/TextureShape.h"

namespace headlight {
namespace {

constexpr std::uint64_t kTrainPurpose = 0x747261696eULL;   // "train"
constexpr std::uint64_t kValidationPurpose = 0x76616cULL;  // "val"

class TextureShape : public LabeledDataset {
 public:
  TextureShape(int imageSize, std::int64_t count, std::uint64_t streamSeed, std::string splitName)
      : m_imageSize(imageSize),
        m_count(count),
        m_streamSeed(streamSeed),
        m_splitName(std::move(splitName)) {}

  std::int64_t size() const override { return m_count; }
  const std::vector<std::string>& classNames() const override { return textureShapeClassNames(); }
  int label(std::int64_t index) const override {
    return static_cast<int>(index % (static_cast<std::int64_t>(textureShapeClassNames().size())));
  }
  Result<Sample> sample(std::int64_t index) const override {
    return guarded("texture-shape", [&]() -> Result<Sample> {
      if (index < 0 || index >= m_count)
        return Error{ErrorCode::InvalidArgument, tr("no sample ") + std::to_string(index), ""};
      const int label = this->label(index);
      return Sample{drawTextureShape(m_imageSize, m_streamSeed, std::uint64_t(index), label),
                    label};
    });
  }
  std::string describe(std::int64_t index) const override {
    return "texture-shape " + m_splitName + " #" + std::to_string(index) + " (" +
           classNames().at(static_cast<std::size_t>(label(index))) + ")";
  }

 private:
  int m_imageSize;
  std::int64_t m_count;
  std::uint64_t m_streamSeed;
  std::string m_splitName;
};

}  // namespace

Result<std::unique_ptr<LabeledDataset>> openTextureShape(const DatasetSpec& spec, Split split) {
  const bool train = split == Split::Train;
  const std::int64_t count = train ? spec.trainSamples : spec.validationSamples;
  const std::string name = train ? "trainSamples" : "validationSamples";
  if (spec.imageSize < kMinTextureShapeSize || spec.imageSize > kMaxTextureShapeSize)
    return Error{ErrorCode::InvalidArgument,
                 tr("texture-shape images are ") + std::to_string(kMinTextureShapeSize) + " to " +
                     std::to_string(kMaxTextureShapeSize) + tr(" pixels wide, not ") +
                     std::to_string(spec.imageSize) + tr("; choose another imageSize"),
                 "imageSize"};
  if (count < 1)
    return Error{
        ErrorCode::InvalidArgument,
        "is " + std::to_string(count) + tr(", which gives an empty dataset; use at least 1"), name};
  const std::uint64_t streamSeed =
      streamKey({spec.seed, train ? kTrainPurpose : kValidationPurpose});
  return std::unique_ptr<LabeledDataset>(
      std::make_unique<TextureShape>(spec.imageSize, count, streamSeed, train ? "train" : "val"));
}

}  // namespace headlight
