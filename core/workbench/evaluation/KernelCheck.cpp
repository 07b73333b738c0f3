// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/KernelCheck.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "core/attention/kernels/KernelChoice.h"
#include "core/base/Translation.h"
#include "core/training/step/EvaluationMode.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/session/Kernels.h"

namespace headlight {
namespace {

/// One of the two ways to run a model, with its time.
class TimedExplanation {
 public:
  TimedExplanation(bool plain, const EvaluationOptions& options)
      : m_plain(plain), m_options(options) {}

  /// Logits [B, classes] of these images in double, on the CPU.
  at::Tensor logits(Model& model, const at::Tensor& images) {
    std::optional<PlainKernels> plain;
    if (m_plain) plain.emplace();
    const AutocastScope autocast(m_options.precision, m_options.device);
    const auto started = std::chrono::steady_clock::now();
    // Copied to the CPU within the time, so that a device has finished.
    at::Tensor result = model.forward(images).to(at::kCPU, at::kDouble);
    m_seconds += std::chrono::steady_clock::now() - started;
    m_images += images.size(0);
    if (m_kernels.empty()) m_kernels = kernelSummary(model.kernels());
    return result;
  }
  double imagesPerSecond() const {
    return static_cast<double>(m_images) / std::max(m_seconds.count(), 1e-9);
  }
  const std::string& kernels() const { return m_kernels; }

 private:
  bool m_plain;
  const EvaluationOptions& m_options;
  std::chrono::duration<double> m_seconds{0};
  std::int64_t m_images = 0;
  std::string m_kernels;
};

/// Takes a batch into the check. Before the first one `largest` is negative.
void compare(KernelCheck& check, const at::Tensor& fast, const at::Tensor& plain,
             const std::vector<std::int64_t>& indices) {
  const at::Tensor gaps = (fast - plain).abs().contiguous();
  const double* values = gaps.data_ptr<double>();
  const std::int64_t classes = gaps.size(1);
  for (std::int64_t i = 0; i < gaps.numel(); ++i) {
    // Written so that what is no number counts as the largest, and the first such stays.
    if (std::isnan(check.largest) || values[i] <= check.largest) continue;
    check.largest = values[i];
    check.image = indices[i / classes];
    check.classIndex = static_cast<int>(i % classes);
  }
  check.otherBest += fast.argmax(1).ne(plain.argmax(1)).sum().item<std::int64_t>();
  check.images += gaps.size(0);
}

/// At most as many images as are still wanted.
Batch upTo(Batch batch, std::int64_t images) {
  if (images >= batch.images.size(0)) return batch;
  batch.images = batch.images.slice(0, 0, images);
  batch.indices.resize(images);
  return batch;
}

KernelCheck checkOpened(const OpenedEvaluation& opened, std::int64_t images,
                        const ProgressCallback& progress, std::stop_token stop) {
  const at::NoGradGuard noGrad;
  Model& model = *opened.loaded.model;
  const EvaluationMode mode(model);
  const auto loader = opened.loader();
  const std::int64_t total =
      images > 0 ? std::min(images, opened.dataset->size()) : opened.dataset->size();
  TimedExplanation fast(false, opened.options), plain(true, opened.options);
  KernelCheck check;
  check.largest = -1;
  RemainingTime remaining;
  remaining.start(0);
  loader->startEpoch(0);
  while (check.images < total) {
    auto next = valueOrThrow(loader->next(stop));
    if (stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("the check was stopped"), ""});
    if (!next) break;
    const Batch batch = upTo(std::move(*next), total - check.images);
    const at::Tensor inputs = batch.images.to(opened.options.device);
    const at::Tensor first = fast.logits(model, inputs);
    compare(check, first, plain.logits(model, inputs), batch.indices);
    if (progress)
      progress({"checking", check.images, total, remaining.secondsRemaining(check.images, total)});
  }
  if (check.images == 0)
    throw Failure(
        {ErrorCode::InvalidFile, tr("no image of the validation split can be read"), "data"});
  check.skipped = static_cast<std::int64_t>(loader->skipped().size());
  check.fastImagesPerSecond = fast.imagesPerSecond();
  check.plainImagesPerSecond = plain.imagesPerSecond();
  check.fastKernels = fast.kernels();
  check.plainKernels = plain.kernels();
  return check;
}

}  // namespace

Result<KernelCheck> checkKernels(const EvaluationRequest& request, std::int64_t images,
                                 const ProgressCallback& progress, std::stop_token stop) {
  return guarded("kernel check", [&] {
    const OpenedEvaluation opened = openEvaluation(request, /*labeled=*/false);
    KernelCheck check = checkOpened(opened, images, progress, stop);
    check.imageName = opened.dataset->describe(check.image);
    const auto& names = opened.loaded.info.classNames;
    if (check.classIndex < static_cast<int>(names.size()))
      check.className = names[check.classIndex];
    return check;
  });
}

}  // namespace headlight
