// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/AdaptData.h"

#include <set>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/Experiment.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/session/Datasets.h"

namespace headlight {
namespace {

/// Sorted by class, each in the order given.
class ImagesByName : public LabeledDataset {
 public:
  explicit ImagesByName(const std::vector<NamedImages>& classes) {
    for (const NamedImages& one : classes) {
      for (const std::filesystem::path& file : one.files) {
        m_files.push_back(file);
        m_labels.push_back(static_cast<int>(m_names.size()));
      }
      m_names.push_back(one.name);
    }
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(m_files.size()); }
  const std::vector<std::string>& classNames() const override { return m_names; }
  int label(std::int64_t index) const override {
    return m_labels.at(static_cast<std::size_t>(index));
  }
  std::string describe(std::int64_t index) const override {
    return m_files.at(static_cast<std::size_t>(index)).string();
  }
  Result<Sample> sample(std::int64_t index) const override {
    auto image = readImageAt(m_files.at(static_cast<std::size_t>(index)));
    if (!image) return image.error();
    return Sample{*image, label(index)};
  }

 private:
  std::vector<std::string> m_names;
  std::vector<std::filesystem::path> m_files;
  std::vector<int> m_labels;
};

[[noreturn]] void refuseClasses(const std::string& why) {
  throw Failure({ErrorCode::InvalidArgument, why, "classes"});
}

void requireNamed(const std::vector<NamedImages>& classes) {
  if (classes.size() < 2) refuseClasses(tr("one class cannot be told from another; add a second"));
  std::set<std::string> names;
  for (const NamedImages& one : classes) {
    if (one.name.empty()) refuseClasses(tr("a class has no name; name it"));
    if (one.files.empty())
      refuseClasses("\"" + one.name + tr("\" has no images; add some, or remove the class"));
    if (!names.insert(one.name).second)
      refuseClasses(tr("two classes are called \"") + one.name + tr("\"; rename one"));
  }
}

std::shared_ptr<const LabeledDataset> chosenOf(std::shared_ptr<const LabeledDataset> source,
                                               std::vector<std::int64_t> share, std::int64_t images,
                                               std::uint64_t seed) {
  if (share.empty()) return nullptr;
  auto chosen = limitedSamples(share, readLabels(*source), images, seed);
  return std::make_shared<SubsetDataset>(std::move(source), std::move(chosen));
}

AdaptData byName(const std::vector<NamedImages>& classes, double fraction, std::int64_t images,
                 std::uint64_t seed) {
  requireNamed(classes);
  const auto all = std::make_shared<ImagesByName>(classes);
  const auto labels = readLabels(*all);
  const auto split = [&](Split which) {
    return chosenOf(all, stratifiedSplit(labels, fraction, seed, which), images, seed);
  };
  return {split(Split::Train), split(Split::Validation), {}};
}

std::shared_ptr<const LabeledDataset> withLabels(std::unique_ptr<Dataset> dataset) {
  std::shared_ptr<const LabeledDataset> known = std::dynamic_pointer_cast<const LabeledDataset>(
      std::shared_ptr<const Dataset>(std::move(dataset)));
  if (!known) throw Failure({ErrorCode::UnsupportedFile, tr("has no classes"), "data.dataset"});
  return known;
}

AdaptData bySplit(const DataConfig& data, const Experiment& experiment, std::int64_t images) {
  DatasetSpec spec = makeDatasetSpec(data, experiment.model.imageSize, experiment.seed);
  if (images > 0) spec.maxSamples = spec.maxValidationSamples = images;
  AdaptData opened{withLabels(valueOrThrow(openDataset(spec, Split::Train))), nullptr, {}};
  opened.notes = opened.fitted->notes();
  if (opened.fitted->hasBoxes() || opened.fitted->hasSegments())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("has boxes or segments in place of a class for each image; choose a folder "
                      "of class folders"),
                   "data.dataset"});
  if (opened.fitted->classNames().size() < 2)
    refuseClasses(tr("one class cannot be told from another; add a second folder"));
  // A class folder with one image keeps it for fitting: then none may be left to measure on.
  auto held = openDataset(spec, Split::Validation);
  if (held)
    opened.held = withLabels(std::move(*held));
  else if (held.error().code != ErrorCode::InvalidArgument)
    throw Failure(held.error());
  return opened;
}

}  // namespace

AdaptData openAdaptData(const DataConfig& data, const std::vector<NamedImages>& classes,
                        const Experiment& experiment, std::int64_t images) {
  if (classes.empty()) return bySplit(data, experiment, images);
  return byName(classes, data.validationFraction, images,
                static_cast<std::uint64_t>(experiment.seed));
}

}  // namespace headlight
