// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/ImageSource.h"

#include <cmath>
#include <optional>

#include "core/base/Translation.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/MapFile.h"

namespace headlight {
namespace {

constexpr double kUnitsAnImage = 1000;

struct FedLabels {
  std::vector<std::int64_t> classes;  ///< the model's, of each label of the data; empty: unknown
  std::string text;                   ///< ImageSource::classes
};

/// Labels are left out where classes do not fit, unless somebody chose how they do.
FedLabels fedLabelsOf(const Dataset& dataset, const ModelInfo& info, const ClassMatching& how) {
  ClassMatch match;
  const auto found = guarded("data", [&] { match = matchedClasses(dataset, info, how); });
  if (!found && how.isChosen()) throw Failure(found.error());
  if (!found) return {{}, found.error().message};
  if (match.order.empty())
    for (std::size_t i = 0; i < dataset.classNames().size(); ++i)
      match.order.push_back(static_cast<std::int64_t>(i));
  return {std::move(match.order), std::move(match.text)};
}

/// "the validation split of cifar10".
std::string splitText(const DataConfig& data) {
  const std::filesystem::path path = data.path;
  const auto folder = path.has_filename() ? path.filename() : path.parent_path().filename();
  return "the validation split of " + (folder.empty() ? data.dataset : folder.string());
}

}  // namespace

ImageSource makeImageSource(const std::vector<std::filesystem::path>& files) {
  return {static_cast<std::int64_t>(files.size()),
          [files](std::int64_t index) -> Result<SourceImage> {
            auto image = readImageAt(files[static_cast<std::size_t>(index)]);
            if (!image) return image.error();
            return SourceImage{*image};
          },
          files.size() == 1 ? files.front().filename().string() : std::string()};
}

ImageSource makeImageSource(const Image& image, const std::string& name) {
  return {1, [image](std::int64_t) -> Result<SourceImage> { return SourceImage{image}; }, name};
}

ImageSource feedOfMaps(InferenceSession& session, int only) {
  const ModelInfo& info = session.info();
  return {only < 0 ? info.images : 1,
          [&session, only, file = info.weights](std::int64_t index) -> Result<SourceImage> {
            const MapPlace place{file, only < 0 ? static_cast<int>(index) : only};
            const Image image = session.imageAt(place.text());
            if (image.empty())
              return Error{ErrorCode::NotFound, tr("does not exist"), place.text()};
            return SourceImage{image};
          },
          (only < 0 ? info.weights : std::filesystem::path(MapPlace{info.weights, only}.text()))
              .filename()
              .string()};
}

Result<ImageSource> makeImageSource(const ModelInfo& info, const ImageSample& sample) {
  return guarded("data", [&] {
    const auto dataset = openImages(info, sample.data, sample.samples);
    const FedLabels labels = fedLabelsOf(*dataset, info, sample.matching);
    return ImageSource{dataset->size(),
                       [dataset, classes = labels.classes](std::int64_t i) -> Result<SourceImage> {
                         auto one = dataset->sample(i);
                         if (!one) return one.error();
                         const auto label = static_cast<std::size_t>(one->label);
                         return SourceImage{one->image, classes.empty()
                                                            ? -1
                                                            : static_cast<int>(classes.at(label))};
                       },
                       splitText(sample.data), labels.text};
  });
}

void throwIfFeedStopped(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Failure({ErrorCode::Canceled, tr("the measurement was stopped"), ""});
}

SourceCount eachSourceImage(
    const ImageSource& feed, const std::string& stage, const ProgressCallback& progress,
    const std::stop_token& stop,
    const std::function<void(const SourceImage&, const std::function<void(double)>& share)>& use) {
  if (feed.count == 0)
    throw Failure({ErrorCode::InvalidArgument, tr("no image to measure on"), "images"});
  SourceCount count;
  count.of = feed.of;
  count.classes = feed.classes;
  std::optional<Error> first;
  RemainingTime remaining;
  remaining.start(0);
  const auto notify = [&](double images) {
    const auto done = std::llround(kUnitsAnImage * images);
    const auto total = static_cast<std::int64_t>(kUnitsAnImage) * feed.count;
    if (progress) progress({stage, done, total, remaining.secondsRemaining(done, total)});
  };
  for (std::int64_t i = 0; i < feed.count; ++i) {
    throwIfFeedStopped(stop);
    const auto image = feed.read(i);
    const auto before = static_cast<double>(i);
    if (image) {
      use(*image, [&](double share) { notify(before + share); });
      ++count.images;
    } else {
      count.unread.push_back(image.error().text());
      if (!first) first = image.error();
    }
    notify(before + 1);
  }
  if (count.images == 0) throw Failure(*first);
  return count;
}

std::string fedText(const SourceCount& count) {
  std::string text = std::to_string(count.images) + (count.images == 1 ? " image" : " images");
  if (!count.unread.empty())
    text.append(" (").append(std::to_string(count.unread.size())).append(" could not be read)");
  if (!count.of.empty()) text.append(", ").append(count.of);
  return text;
}

}  // namespace headlight
