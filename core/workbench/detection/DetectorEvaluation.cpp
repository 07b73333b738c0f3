// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/detection/DetectorEvaluation.h"

#include <chrono>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/boxes/BoxImageFiles.h"
#include "core/workbench/classes/ClassMatch.h"
#include "core/workbench/detection/DetectorPass.h"

namespace headlight {
namespace {

void requireDetector(const ModelInfo& info) {
  if (detectsObjects(info.experiment.model)) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the model finds no boxes; choose a detector (YOLOS, LCNet-ViT), or class "
                    "folders as data"),
                 "model"});
}

ClassMatch matchCategories(const BoxTruth& truth, const ModelInfo& info, const ClassMatching& how) {
  ModelClasses classes;
  classes.count = namedClasses(info.experiment.model);
  classes.names = namesOfObjects(info);
  classes.from = classes.names.empty() ? ClassNamesFrom::Nowhere : ClassNamesFrom::Model;
  classes.fromFile = !info.randomWeights;
  return valueOrThrow(matchClasses(truth.categoryNames(), classes, how,
                                   tr("; match them by number (--match index), or map each "
                                      "category in a file (--class-map FILE)")));
}

/// The truth of at most `samples` images, spread over all.
BoxTruth sampled(BoxTruth truth, std::int64_t samples) {
  const auto all = static_cast<std::int64_t>(truth.images.size());
  if (samples == 0 || samples >= all) return truth;
  std::vector<int> places(truth.images.size(), -1);
  std::vector<BoxImage> images;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto chosen = static_cast<std::size_t>(i * all / samples);
    places[chosen] = static_cast<int>(i);
    images.push_back(std::move(truth.images[chosen]));
  }
  truth.images = std::move(images);
  std::erase_if(truth.boxes, [&](const TrueBox& box) {
    return places[static_cast<std::size_t>(box.image)] < 0;
  });
  for (TrueBox& box : truth.boxes)
    box.image = places[static_cast<std::size_t>(box.image)];
  truth.notes.push_back(tr("measured on ") + std::to_string(samples) + tr(" of ") +
                        countText(all, tr("image"), tr("images")));
  return truth;
}

BoxReport evaluated(InferenceSession& session, const MaskScheme& masks,
                    const DetectorRequest& request, const ProgressCallback& progress,
                    std::stop_token stop) {
  requireDetector(session.info());
  BoxTruth truth = sampled(valueOrThrow(openBoxTruth(request.truth)), request.samples);
  const ClassMatch match = matchCategories(truth, session.info(), request.matching);
  auto categories = categoriesOfClasses(match.order, truth.categoryNames(),
                                        namedClasses(session.info().experiment.model));
  const auto files = boxImageFiles(truth, request.truth, request.images,
                                   tr("name the folder of the images (--image-folder FOLDER)"));
  if (request.matched) request.matched(match.text);
  const auto begin = std::chrono::steady_clock::now();
  DetectorPass pass(session, masks, truth, std::move(categories));
  BoxResults found = pass.run(files, progress, stop);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!request.output.empty()) valueOrThrow(writeBoxResults(request.output, found.boxes, truth));
  BoxReport report = measureBoxes(std::move(truth), std::move(found));
  report.classMatch = match.text;
  report.imagesPerSecond = static_cast<double>(report.images) / elapsed.count();
  return report;
}

}  // namespace

std::vector<int> categoriesOfClasses(const std::vector<std::int64_t>& order,
                                     const std::vector<std::string>& categories, int classes) {
  std::vector<int> result(static_cast<std::size_t>(classes), -1);
  for (std::size_t i = 0; i < categories.size(); ++i) {
    int& category = result[order.empty() ? i : static_cast<std::size_t>(order[i])];
    if (category >= 0)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("the categories \"") + categories[static_cast<std::size_t>(category)] +
                         tr("\" and \"") + categories[i] +
                         tr("\" are the same class of the model, and a box has one category; give "
                            "each its own class"),
                     "data"});
    category = static_cast<int>(i);
  }
  return result;
}

Result<BoxReport> evaluateDetector(InferenceSession& session, const MaskScheme& masks,
                                   const DetectorRequest& request, const ProgressCallback& progress,
                                   std::stop_token stop) {
  return guarded("evaluation", [&] { return evaluated(session, masks, request, progress, stop); });
}

}  // namespace headlight
