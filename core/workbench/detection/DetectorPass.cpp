// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/detection/DetectorPass.h"

#include <algorithm>
#include <cmath>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/boxes/UprightBoxes.h"
#include "core/workbench/loading/Input.h"

namespace headlight {
namespace {

/// Many small images go through the model together, large ones alone: its tokens take the memory.
std::int64_t batchSize(const Preprocessing& preprocessing) {
  constexpr std::int64_t kPixels = 1 << 20;
  const std::int64_t each = std::int64_t{preprocessing.height} * preprocessing.width;
  return std::clamp<std::int64_t>(kPixels / each, 1, 16);
}

/// What the boxes of an image are of: its file as stored, or turned already.
ImageSize annotatedSize(const std::filesystem::path& file, const Image& image,
                        const BoxImage& listed) {
  const ImageSize upright{image.width, image.height};
  const auto bytes = readFile(file, kMaxImageBytes);
  if (!bytes) return upright;
  const auto stored = readImageSize(*bytes, file.string());
  return stored && annotatesStored(*stored, listed.width, listed.height) ? *stored : upright;
}

}  // namespace

DetectorPass::DetectorPass(InferenceSession& session, const MaskScheme& masks,
                           const BoxTruth& truth, std::vector<int> categories)
    : m_session(session),
      m_masks(masks),
      m_truth(truth),
      m_categories(std::move(categories)),
      m_preprocessing(makePreprocessing(model())),
      m_batch{0, m_preprocessing.height, m_preprocessing.width, {}} {}

BoxResults DetectorPass::run(const std::vector<std::filesystem::path>& files,
                             const ProgressCallback& progress, std::stop_token stop) {
  RemainingTime time;
  const auto total = static_cast<std::int64_t>(files.size());
  for (std::int64_t i = 0; i < total; ++i) {
    if (stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("the evaluation was stopped"), ""});
    const std::filesystem::path& file = files[static_cast<std::size_t>(i)];
    const Image image = valueOrThrow(readImageAt(file));
    add(static_cast<int>(i), image, annotatedSize(file, image, imageAt(static_cast<int>(i))));
    if (m_batch.count < batchSize(m_preprocessing) && i + 1 < total) continue;
    findAll(stop);
    if (progress) progress({tr("images"), i + 1, total, time.secondsRemaining(i + 1, total)});
  }
  addNotes();
  return std::move(m_results);
}

const BoxImage& DetectorPass::imageAt(int place) const {
  return m_truth.images[static_cast<std::size_t>(place)];
}

void DetectorPass::add(int place, const Image& image, const ImageSize& stored) {
  const std::vector<float> values = preprocess(image, m_preprocessing);
  m_batch.values.insert(m_batch.values.end(), values.begin(), values.end());
  ++m_batch.count;
  m_waiting.push_back({place, image.width, image.height, stored});
  const BoxImage& listed = imageAt(place);
  const bool sized = listed.width > 0 && listed.height > 0;
  m_otherSize += sized && (listed.width != stored.width || listed.height != stored.height);
  const auto region = evaluationRegion(image.width, image.height, m_preprocessing);
  m_cropped += image.width - region[2] > 1 || image.height - region[3] > 1;
}

void DetectorPass::findAll(std::stop_token stop) {
  const auto inferences = valueOrThrow(inferRaw(m_session, m_batch, m_masks, false, stop));
  for (std::size_t i = 0; i < inferences.size(); ++i)
    keep(m_waiting[i], inferences[i]);
  m_batch.count = 0;
  m_batch.values.clear();
  m_waiting.clear();
}

void DetectorPass::keep(const Waiting& image, const RawInferenceResult& inference) {
  requireNumbers(inference.objectLogits, image);
  requireNumbers(inference.objectBoxes, image);
  for (const FoundObject& object : inference.objects) {
    const int category = m_categories[static_cast<std::size_t>(object.index)];
    if (category < 0) continue;
    const auto [left, top, right, bottom] = boxInImage(object, image.width, image.height, model());
    const PixelBox upright{left, top, right - left, bottom - top};
    m_results.boxes.push_back(
        {image.place, category, storedBox(upright, image.stored), object.score});
  }
}

void DetectorPass::requireNumbers(const std::vector<float>& values, const Waiting& image) const {
  const bool finite =
      std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  if (!finite) throw Failure(noNumbers(m_session.info(), imageAt(image.place).file));
}

void DetectorPass::addNotes() {
  if (m_cropped > 0)
    m_results.notes.push_back(
        countText(m_cropped, tr("image is"), tr("images are")) +
        tr(" cropped for the model, which finds nothing outside of what it sees"));
  if (m_otherSize > 0)
    m_results.notes.push_back(
        countText(m_otherSize, tr("image has"), tr("images have")) +
        tr(" another size than the annotations say, whose boxes may not fit"));
}

}  // namespace headlight
