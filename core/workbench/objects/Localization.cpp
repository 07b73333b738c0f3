// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/Localization.h"

#include <algorithm>
#include <limits>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/Dataset.h"
#include "core/workbench/evaluation/ImageSource.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/objects/SegmentMatch.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

RawImages localizedInput(const ModelInfo& info, const Image& image) {
  const Preprocessing preprocessing = makePreprocessing(info.experiment.model);
  const ViewSize size = evaluationSize(image.width, image.height, preprocessing);
  return {1, size.height, size.width, preprocess(image, preprocessing)};
}

void requireTruth(const Dataset& dataset, const ImageSample& sample) {
  if (dataset.hasBoxes() || dataset.hasSegments()) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("this data has no true boxes or segments to compare with; give COCO's folder "
                    "or annotations, Pascal VOC's folder, a folder with label images, "
                    "texture-scenes or texture-segments"),
                 sample.data.path.empty() ? sample.data.dataset : sample.data.path});
}

bool hasSingleObject(const LabeledBoxes& boxes) {
  return std::any_of(boxes.begin(), boxes.end(), [](const LabeledBox& box) { return !box.crowd; });
}

/// What the image that is fed now has in its dataset.
struct FedTruth {
  std::string name;
  LabeledBoxes boxes;
  ClassImage segments;  ///< empty: data with boxes
};

FedTruth truthOf(std::string name, Sample& sample) {
  if (sample.segments.empty()) return {std::move(name), std::move(sample.boxes), {}};
  LabeledBoxes boxes = boxesOfClasses(sample.segments);
  return {std::move(name), std::move(boxes), std::move(sample.segments)};
}

class LocalizationRun {
 public:
  LocalizationRun(InferenceSession& session, const MaskScheme& masks, const ObjectOptions& options,
                  std::stop_token stop)
      : m_session(session), m_masks(masks), m_options(options), m_stop(std::move(stop)) {}

  void add(const Image& image, const FedTruth& truth, const std::vector<std::string>& names) {
    if (!hasSingleObject(truth.boxes)) {
      ++result.without;
      return;
    }
    LocalizedImage one;
    one.name = truth.name;
    locate(one, image, truth, names);
    ++result.images;
    result.found += one.overlap > kFoundOverlap ? 1 : 0;
    const auto images = static_cast<double>(result.images);
    result.meanOverlap += (one.overlap - result.meanOverlap) / images;
    if (one.maskOverlap) {
      const double before = result.meanMaskOverlap.value_or(0);
      result.meanMaskOverlap = before + (*one.maskOverlap - before) / images;
    }
    result.each.push_back(std::move(one));
  }

  Localization result;

 private:
  void locate(LocalizedImage& one, const Image& image, const FedTruth& truth,
              const std::vector<std::string>& names) {
    const ModelInfo& info = m_session.info();
    if (!truth.segments.empty()) one.maskOverlap = 0;
    const auto object =
        discoverObject(m_session, localizedInput(info, image), m_masks, m_options, m_stop);
    if (!object && object.error().code != ErrorCode::NotFound) throw Failure(object.error());
    if (!object) {
      one.problem = object.error().message;
      return;
    }
    one.box = pixelSides(object->box(), image.width, image.height, info.experiment.model);
    const TrueBoxMatch match = bestTrueBox(one.box, truth.boxes);
    one.overlap = match.overlap;
    if (one.maskOverlap)
      one.maskOverlap =
          bestTrueClass(object->region.mask, object->grid, truth.segments, info.experiment.model)
              .overlap;
    const int label = truth.boxes[static_cast<std::size_t>(match.place)].label;
    one.label = objectName(names, static_cast<std::size_t>(label));
  }

  InferenceSession& m_session;
  const MaskScheme& m_masks;
  const ObjectOptions& m_options;
  std::stop_token m_stop;
};

}  // namespace

double Localization::corLoc() const {
  return images > 0 ? static_cast<double>(found) / static_cast<double>(images)
                    : std::numeric_limits<double>::quiet_NaN();
}

Result<Localization> localizeObjects(InferenceSession& session, const MaskScheme& masks,
                                     const ObjectOptions& options, const ImageSample& sample,
                                     const ProgressCallback& progress, std::stop_token stop) {
  return guarded("objects", [&] {
    const auto dataset = openImages(session.info(), sample.data, sample.samples);
    requireTruth(*dataset, sample);
    FedTruth truth;
    const ImageSource feed{dataset->size(), [&](std::int64_t index) -> Result<SourceImage> {
                             auto one = dataset->sample(index);
                             if (!one) return one.error();
                             truth = truthOf(dataset->describe(index), *one);
                             return SourceImage{std::move(one->image)};
                           }};
    LocalizationRun run(session, masks, options, stop);
    const SourceCount count =
        eachSourceImage(feed, "finding objects", progress, stop,
                        [&](const SourceImage& fed, const std::function<void(double)>&) {
                          run.add(fed.image, truth, dataset->classNames());
                        });
    if (run.result.images == 0)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("no image of this data has a true box of a single object, or a pixel with "
                        "a class"),
                     "data"});
    run.result.unread = count.unread;
    run.result.of = sample.data.path.empty() ? sample.data.dataset : sample.data.path;
    run.result.interval = wilsonInterval(run.result.found, run.result.images);
    return std::move(run.result);
  });
}

std::string localizationCsv(const Localization& localization) {
  std::string csv = "image,iou,class,left,top,right,bottom";
  csv += localization.meanMaskOverlap ? ",mask_iou\n" : "\n";
  for (const LocalizedImage& one : localization.each) {
    csv += csvQuoted(one.name) + "," + numberText(one.overlap) + "," + csvQuoted(one.label);
    for (const double side : one.box)
      csv += "," + (one.problem.empty() ? numberText(side) : std::string());
    if (one.maskOverlap) csv += "," + numberText(*one.maskOverlap);
    csv += "\n";
  }
  return csv;
}

}  // namespace headlight
