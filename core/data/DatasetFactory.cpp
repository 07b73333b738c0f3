// SPDX-License-Identifier: GPL-3.0-or-later

// Dataset.h: making each of the registered datasets: it alone knows all of them.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/DatasetKinds.h"
#include "core/data/BoxFiles.h"
#include "core/data/CifarBinary.h"
#include "core/data/Dataset.h"
#include "core/data/DrawnDatasets.h"
#include "core/data/FolderLayout.h"
#include "core/data/Idx.h"
#include "core/data/ImageFolder.h"
#include "core/data/SegmentFiles.h"
#include "core/data/Shards.h"
#include "core/data/Subset.h"
#include "core/data/boxes/CocoFolder.h"
#include "core/data/boxes/VocFolder.h"
#include "core/data/files/ClassFolders.h"
#include "core/data/files/ForeignFiles.h"
#include "core/data/segments/Ade20kFolder.h"
#include "core/data/segments/CityscapesFolder.h"
#include "core/data/segments/SegmentFolder.h"

namespace headlight {
namespace {

/// What a kind of datasetKinds() is opened by, and told by where its files lie.
struct DatasetOpener {
  std::string kind;
  std::function<OpenedSource(const DatasetSpec& spec, Split split)> open;
  /// Whether a path looks like one; null for what has no files. Asked of any path.
  std::function<bool(const std::filesystem::path& path)> looksLike = nullptr;
};

/// In the order in which folders are tried: the more particular first.
const std::vector<DatasetOpener>& openers() {
  using Folder = std::filesystem::path;
  static const auto cifar = [](int classes) {
    return DatasetOpener{
        "cifar" + std::to_string(classes),
        [classes](const DatasetSpec& spec, Split split) {
          return valueOrThrow(openCifar(spec, split, classes));
        },
        [classes](const Folder& folder) { return looksLikeCifar(folder, classes); }};
  };
  static const std::vector<DatasetOpener> all{
      {kCocoBoxes,
       [](const DatasetSpec& spec, Split split) { return valueOrThrow(openCoco(spec, split)); },
       looksLikeCoco},
      {kVocBoxes,
       [](const DatasetSpec& spec, Split split) { return valueOrThrow(openVoc(spec, split)); },
       looksLikeVoc},
      {kAde20k,
       [](const DatasetSpec& spec, Split split) { return valueOrThrow(openAde20k(spec, split)); },
       looksLikeAde20k},
      {kCityscapes,
       [](const DatasetSpec& spec, Split split) {
         return valueOrThrow(openCityscapes(spec, split));
       },
       looksLikeCityscapes},
      {kSegmentFolder,
       [](const DatasetSpec& spec, Split split) {
         return valueOrThrow(openSegmentFolder(spec, split));
       },
       looksLikeSegmentFolder},
      cifar(10),
      cifar(100),
      {"idx",
       [](const DatasetSpec& spec, Split split) { return valueOrThrow(openIdx(spec, split)); },
       looksLikeIdx},
      {kImageFolder,
       [](const DatasetSpec& spec, Split split) {
         return valueOrThrow(openImageFolder(spec, split));
       },
       looksLikeImageFolder},
      {"webdataset",
       [](const DatasetSpec& spec, Split split) { return valueOrThrow(openShards(spec, split)); },
       looksLikeShards},
      {kProceduralData,
       [](const DatasetSpec& spec, Split split) -> OpenedSource {
         return {valueOrThrow(openTextureShape(spec, split)), false};
       }},
      {kTextureScenes,
       [](const DatasetSpec& spec, Split split) -> OpenedSource {
         return {valueOrThrow(openTextureScenes(spec, split)), false};
       }},
      {kTextureSegments, [](const DatasetSpec& spec, Split split) -> OpenedSource {
         return {valueOrThrow(openTextureSegments(spec, split)), false};
       }}};
  return all;
}

OpenedSource openSource(const DatasetSpec& spec, Split split) {
  for (const DatasetOpener& opener : openers())
    if (opener.kind == spec.kind) return opener.open(spec, split);
  throw Failure({ErrorCode::InvalidArgument,
                 tr("unknown dataset kind \"") + spec.kind + tr("\"; choose one of ") +
                     joined(datasetKindNames()),
                 "kind"});
}

void check(const DatasetSpec& spec) {
  if (!(spec.validationFraction >= 0 && spec.validationFraction < 1))
    throw Failure({ErrorCode::InvalidArgument,
                   "is " + std::to_string(spec.validationFraction) +
                       tr("; choose at least 0 and less than 1"),
                   "validationFraction"});
  if (!(spec.fraction > 0 && spec.fraction <= 1))
    throw Failure({ErrorCode::InvalidArgument,
                   "is " + std::to_string(spec.fraction) + tr("; choose above 0 and at most 1"),
                   "fraction"});
  for (const auto& [name, most] : {std::pair{"maxSamples", spec.maxSamples},
                                   std::pair{"maxValidationSamples", spec.maxValidationSamples}})
    if (most < 0)
      throw Failure({ErrorCode::InvalidArgument,
                     "is " + std::to_string(most) + tr("; choose 0 (all) or more"), name});
  if (!isDrawnData(spec.kind) && spec.path.empty())
    throw Failure({ErrorCode::InvalidArgument, tr("is empty; give the dataset folder"), "path"});
}

/// What is said of a place without a validation split; `kept` of its images are for validation.
std::string shareNote(const DatasetSpec& spec, std::size_t images, std::size_t kept) {
  const std::string place = spec.path.string() + ": has no validation split, so ";
  const auto all = static_cast<std::int64_t>(images);
  if (spec.measuredWhole)
    return place + "all of it is used for validation (" + countText(all, "image", "images") + ")";
  return place + std::to_string(kept) + " of its " + countText(all, "image", "images") +
         " are kept for validation" +
         (hasBoxes(spec.kind) || hasSegments(spec.kind) ? "" : ", the same share of every class") +
         " (data.validation_fraction " + numberText(spec.validationFraction) + ")";
}

/// Leaves out what nothing can be learned from, and notes it.
void keepTeaching(const LabeledDataset& dataset, const DatasetSpec& spec,
                  std::vector<std::int64_t>& share, std::vector<std::string>& notes) {
  const auto left = static_cast<std::int64_t>(
      std::erase_if(share, [&](std::int64_t index) { return !dataset.teaches(index); }));
  if (left == 0) return;
  if (share.empty())
    throw Failure({ErrorCode::InvalidFile, tr("no image has a box that can be learned from"),
                   spec.path.string()});
  notes.push_back(spec.path.string() + ": " +
                  countText(left, "image has no box to learn from and is",
                            "images have no box to learn from and are") +
                  " left out of training");
}

std::unique_ptr<Dataset> openByKind(const DatasetSpec& spec, Split split) {
  check(spec);
  const bool opensArchives = spec.kind == kImageFolder;
  if (const std::string instead = whatFileIs(spec.path, opensArchives); !instead.empty())
    throw Failure({ErrorCode::UnsupportedFile, instead, spec.path.string()});
  OpenedSource source = openSource(spec, split);
  const auto labels = readLabels(*source.dataset);
  const bool train = split == Split::Train;
  const bool sharesOut = source.shareOut && !(spec.measuredWhole && !train);
  const double fraction = sharesOut ? spec.validationFraction : 0;
  // With nothing to share out, the whole is what the training side of a share of nothing is.
  auto share = stratifiedSplit(labels, fraction, spec.seed, sharesOut ? split : Split::Train);
  if (share.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("has no validation images and none can be taken from training; set "
                      "validationFraction above 0, with at least two images per class"),
                   spec.path.string()});
  std::vector<std::string> notes;
  if (source.shareOut && (fraction > 0 || !train))
    notes.push_back(
        shareNote(spec, labels.size(), train ? labels.size() - share.size() : share.size()));
  if (train) keepTeaching(*source.dataset, spec, share, notes);
  const auto some = fractionOfSamples(share, labels, train ? spec.fraction : 1, spec.seed);
  auto chosen =
      limitedSamples(some, labels, train ? spec.maxSamples : spec.maxValidationSamples, spec.seed);
  if (chosen.size() == labels.size() && notes.empty()) return std::move(source.dataset);
  return std::make_unique<SubsetDataset>(std::move(source.dataset), std::move(chosen),
                                         std::move(notes));
}

/// Whether splits, or a table of labels, suggest that a place is meant as data.
bool looksMeant(const std::filesystem::path& path) {
  if (!isFolder(path)) return false;
  const auto place = openFilePlace(path);
  return holdsSplitFolders(*place) || !labelTableIn(*place).empty();
}

}  // namespace

Result<std::unique_ptr<Dataset>> openDataset(const DatasetSpec& spec, Split split) {
  return guarded(spec.path.string(), [&] { return openByKind(spec, split); });
}

std::string detectDatasetKind(const std::filesystem::path& path) {
  for (const DatasetOpener& opener : openers())
    if (opener.looksLike && opener.looksLike(path)) return opener.kind;
  return "";
}

std::optional<Error> whyNoDataset(const std::filesystem::path& path, bool asked) {
  const auto opened = guarded(path.string(), [&] {
    if (!detectDatasetKind(path).empty() || !(asked || looksMeant(path))) return;
    DatasetSpec spec;
    spec.kind = kImageFolder;
    spec.path = path;
    valueOrThrow(openDataset(spec, Split::Validation));
    // The first class folders hold none that is seen at once.
    throw Failure(
        {ErrorCode::UnsupportedFile,
         tr("is not recognized by what lies there; name its kind (data.dataset), if it is "
            "one of ") +
             joined(datasetKindNames()),
         path.string()});
  });
  return opened ? std::nullopt : std::optional(opened.error());
}

}  // namespace headlight
