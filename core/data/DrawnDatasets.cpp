// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/DrawnDatasets.h"

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/data/drawn/TextureScene.h"
#include "core/data/drawn/TextureShape.h"
#include "core/data/files/SampleErrors.h"

namespace headlight {
namespace {

constexpr std::uint64_t kTrainPurpose = 0x747261696eULL;   // "train"
constexpr std::uint64_t kValidationPurpose = 0x76616cULL;  // "val"

/// What both kinds have: so many images of one stream.
class DrawnDataset : public LabeledDataset {
 public:
  DrawnDataset(const DatasetSpec& spec, Split split)
      : m_imageSize(spec.imageSize),
        m_count(split == Split::Train ? spec.trainSamples : spec.validationSamples),
        m_streamSeed(
            streamKey({spec.seed, split == Split::Train ? kTrainPurpose : kValidationPurpose})),
        m_shapes(static_cast<int>(spec.drawnClasses)),
        m_name(spec.kind + (split == Split::Train ? " train" : " val")),
        m_classNames(textureShapeClassNames().begin(),
                     textureShapeClassNames().begin() + m_shapes) {}

  std::int64_t size() const override { return m_count; }
  const std::vector<std::string>& classNames() const override { return m_classNames; }
  int label(std::int64_t) const override { return 0; }
  std::string describe(std::int64_t index) const override {
    return m_name + " #" + std::to_string(index);
  }
  Result<Sample> sample(std::int64_t index) const override {
    return guarded(m_name, [&]() -> Result<Sample> {
      if (index < 0 || index >= m_count) return noSample(index);
      return drawn({m_imageSize, m_streamSeed, static_cast<std::uint64_t>(index), m_shapes});
    });
  }

 protected:
  /// What the pixels of an image follow from.
  struct Drawing {
    int size;
    std::uint64_t seed, index;
    int classes;  ///< of shapes
  };
  virtual Sample drawn(const Drawing& of) const = 0;
  int shapes() const { return m_shapes; }
  void addBackground() { m_classNames.insert(m_classNames.begin(), "background"); }

 private:
  int m_imageSize;
  std::int64_t m_count;
  std::uint64_t m_streamSeed;
  int m_shapes;
  std::string m_name;
  std::vector<std::string> m_classNames;
};

class TextureShapes : public DrawnDataset {
 public:
  using DrawnDataset::DrawnDataset;
  int label(std::int64_t index) const override { return static_cast<int>(index % shapes()); }
  std::string describe(std::int64_t index) const override {
    return DrawnDataset::describe(index) + " (" +
           classNames().at(static_cast<std::size_t>(label(index))) + ")";
  }

 protected:
  Sample drawn(const Drawing& of) const override {
    const int label = this->label(static_cast<std::int64_t>(of.index));
    return {drawTextureShape(of.size, of.seed, of.index, label), label};
  }
};

class TextureScenes : public DrawnDataset {
 public:
  using DrawnDataset::DrawnDataset;
  bool hasBoxes() const override { return true; }

 protected:
  Sample drawn(const Drawing& of) const override {
    TextureScene scene = drawTextureScene(of.size, of.seed, of.index, of.classes);
    return {std::move(scene.image), 0, std::move(scene.boxes)};
  }
};

class TextureSegments : public DrawnDataset {
 public:
  TextureSegments(const DatasetSpec& spec, Split split) : DrawnDataset(spec, split) {
    addBackground();
  }
  bool hasSegments() const override { return true; }
  std::vector<ClassColor> classColors() const override {
    return classWheel(static_cast<int>(classNames().size()));
  }

 protected:
  Sample drawn(const Drawing& of) const override {
    Sample sample{drawTextureScene(of.size, of.seed, of.index, of.classes).image};
    sample.segments = {of.size, of.size, drawSceneClasses(of.size, of.seed, of.index, of.classes)};
    return sample;
  }
};

void requireDrawnClasses(std::int64_t count) {
  if (count >= 2 && count <= kTextureShapeClasses) return;
  throw Failure({ErrorCode::InvalidArgument, "is " + std::to_string(count) + tr("; use 2 to 9"),
                 "drawn_classes"});
}

template <typename Drawn>
Result<std::unique_ptr<LabeledDataset>> openDrawn(const DatasetSpec& spec, Split split) {
  return guarded("", [&]() -> Result<std::unique_ptr<LabeledDataset>> {
    requireDrawnSize(spec.imageSize);
    requireDrawnClasses(spec.drawnClasses);
    auto dataset = std::make_unique<Drawn>(spec, split);
    if (dataset->size() >= 1) return std::unique_ptr<LabeledDataset>(std::move(dataset));
    return Error{ErrorCode::InvalidArgument,
                 "is " + std::to_string(dataset->size()) +
                     tr(", which gives an empty dataset; use at least 1"),
                 split == Split::Train ? "trainSamples" : "validationSamples"};
  });
}

}  // namespace

Result<std::unique_ptr<LabeledDataset>> openTextureShape(const DatasetSpec& spec, Split split) {
  return openDrawn<TextureShapes>(spec, split);
}

Result<std::unique_ptr<LabeledDataset>> openTextureScenes(const DatasetSpec& spec, Split split) {
  return openDrawn<TextureScenes>(spec, split);
}

Result<std::unique_ptr<LabeledDataset>> openTextureSegments(const DatasetSpec& spec, Split split) {
  return openDrawn<TextureSegments>(spec, split);
}

}  // namespace headlight
