// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/ImageSource.h"

#include <cmath>
#include <optional>

#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/session/Video.h"

namespace headlight {
namespace {

constexpr double kUnitsAPicture = 1000;

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

ImageSource feedOf(const std::vector<std::filesystem::path>& files) {
  return {static_cast<std::int64_t>(files.size()),
          [files](std::int64_t index) -> Result<FedPicture> {
            auto image = readPictureOrFrame(files[static_cast<std::size_t>(index)]);
            if (!image) return image.error();
            return FedPicture{*image};
          },
          files.size() == 1 ? files.front().filename().string() : std::string()};
}

ImageSource feedOf(const Image& image, const std::string& name) {
  return {1, [image](std::int64_t) -> Result<FedPicture> { return FedPicture{image}; }, name};
}

ImageSource feedOfMaps(InferenceSession& session, int only) {
  const ModelInfo& info = session.info();
  return {only < 0 ? info.pictures : 1,
          [&session, only, file = info.weights](std::int64_t index) -> Result<FedPicture> {
            const MapPlace place{file, only < 0 ? static_cast<int>(index) : only};
            const Image image = session.pictureAt(place.text());
            if (image.empty()) return Error{ErrorCode::NotFound, "is not there", place.text()};
            return FedPicture{image};
          },
          (only < 0 ? info.weights : std::filesystem::path(MapPlace{info.weights, only}.text()))
              .filename()
              .string()};
}

Result<ImageSource> feedOf(const ModelInfo& info, const PictureSample& sample) {
  return guarded("data", [&] {
    const auto dataset = openPictures(info, sample.data, sample.samples);
    const FedLabels labels = fedLabelsOf(*dataset, info, sample.matching);
    return ImageSource{
        dataset->size(),
        [dataset, classes = labels.classes](std::int64_t i) -> Result<FedPicture> {
          auto one = dataset->sample(i);
          if (!one) return one.error();
          const auto label = static_cast<std::size_t>(one->label);
          return FedPicture{one->image, classes.empty() ? -1 : static_cast<int>(classes.at(label))};
        },
        splitText(sample.data), labels.text};
  });
}

void throwIfFeedStopped(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Failure({ErrorCode::Canceled, "the measurement was stopped", ""});
}

FedCount eachFedPicture(
    const ImageSource& feed, const std::string& stage, const ProgressCallback& progress,
    const std::stop_token& stop,
    const std::function<void(const FedPicture&, const std::function<void(double)>& share)>& use) {
  if (feed.count == 0)
    throw Failure({ErrorCode::InvalidArgument, "there is no picture to measure on", "pictures"});
  FedCount count;
  count.of = feed.of;
  count.classes = feed.classes;
  std::optional<Error> first;
  RemainingTime remaining;
  remaining.start(0);
  const auto tell = [&](double pictures) {
    const auto done = std::llround(kUnitsAPicture * pictures);
    const auto total = static_cast<std::int64_t>(kUnitsAPicture) * feed.count;
    if (progress) progress({stage, done, total, remaining.secondsRemaining(done, total)});
  };
  for (std::int64_t i = 0; i < feed.count; ++i) {
    throwIfFeedStopped(stop);
    const auto picture = feed.read(i);
    const auto before = static_cast<double>(i);
    if (picture) {
      use(*picture, [&](double share) { tell(before + share); });
      ++count.pictures;
    } else {
      count.unread.push_back(picture.error().text());
      if (!first) first = picture.error();
    }
    tell(before + 1);
  }
  if (count.pictures == 0) throw Failure(*first);
  return count;
}

std::string fedText(const FedCount& count) {
  std::string text =
      std::to_string(count.pictures) + (count.pictures == 1 ? " picture" : " pictures");
  if (!count.unread.empty())
    text.append(" (").append(std::to_string(count.unread.size())).append(" could not be read)");
  if (!count.of.empty()) text.append(", ").append(count.of);
  return text;
}

}  // namespace headlight
