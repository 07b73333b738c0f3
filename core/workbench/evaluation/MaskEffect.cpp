// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/MaskEffect.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/session/ModelCopy.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

constexpr int kAmong = 5;

/// Verdicts of a batch, without index and name. The loss is cross-entropy also where probabilities
/// are of each class by itself (`sigmoid`), which leaves the order of classes as it is.
std::vector<ImageVerdict> verdictsOf(const at::Tensor& logits, const at::Tensor& labels,
                                     bool sigmoid) {
  const at::Tensor exact = logits.to(at::kCPU, at::kDouble), logs = exact.log_softmax(1);
  const at::Tensor shares = (sigmoid ? exact.sigmoid() : logs.exp()).contiguous();
  const std::int64_t images = logs.size(0), kept = std::min<std::int64_t>(kAmong, logs.size(1));
  const at::Tensor best = std::get<1>(logs.topk(kept, 1)).contiguous();
  const at::Tensor rows = logs.contiguous(), own = labels.contiguous();
  std::vector<ImageVerdict> verdicts(static_cast<std::size_t>(images));
  for (std::int64_t i = 0; i < images; ++i) {
    const double* row = rows.data_ptr<double>() + i * rows.size(1);
    const std::int64_t* order = best.data_ptr<std::int64_t>() + i * kept;
    ImageVerdict& verdict = verdicts[static_cast<std::size_t>(i)];
    verdict.label = static_cast<int>(own.data_ptr<std::int64_t>()[i]);
    verdict.predicted = static_cast<int>(order[0]);
    const double* share = shares.data_ptr<double>() + i * shares.size(1);
    verdict.probability = static_cast<float>(share[verdict.predicted]);
    verdict.ofLabel = static_cast<float>(share[verdict.label]);
    verdict.loss = -row[verdict.label];
    verdict.amongFive = std::find(order, order + kept, verdict.label) != order + kept;
  }
  return verdicts;
}

void summarize(SchemeResult& result) {
  double loss = 0;
  std::int64_t right = 0, among = 0;
  for (const ImageVerdict& verdict : result.images) {
    loss += verdict.loss;
    right += verdict.right();
    among += verdict.amongFive;
  }
  const auto count = static_cast<double>(result.images.size());
  result.loss = loss / count;
  result.top1 = static_cast<double>(right) / count;
  result.top5 = static_cast<double>(among) / count;
}

/// The names of the model's classes: its own, or those of data whose classes are in its order.
std::vector<std::string> classNamesFor(const OpenedEvaluation& opened) {
  const ModelInfo& info = opened.loaded.info;
  const auto& names = opened.dataset->classNames();
  const bool byNumber = opened.classes.by == ClassMatch::By::Number &&
                        static_cast<int>(names.size()) == info.experiment.model.classes;
  const bool own = !info.classNames.empty() && info.classNamesFrom != ClassNamesFrom::ImageNet;
  return byNumber && !own ? names : info.classNames;
}

at::Tensor logitsIn(const EvaluationOptions& options, Model& model, const at::Tensor& images) {
  const AutocastScope autocast(options.precision, options.device);
  return model.forward(images);
}

std::vector<SchemeResult> overSchemes(Model& model, const OpenedEvaluation& opened,
                                      const std::vector<MaskScheme>& schemes,
                                      const ProgressCallback& progress, std::stop_token stop) {
  std::vector<SchemeResult> results(schemes.size());
  const auto loader = opened.loader();
  const std::int64_t total = opened.dataset->size() * static_cast<std::int64_t>(schemes.size());
  std::int64_t done = 0;
  RemainingTime remaining;
  remaining.start(0);
  loader->startEpoch(0);
  while (auto batch = valueOrThrow(loader->next(stop))) {
    const at::Tensor images = batch->images.to(opened.options.device);
    const at::Tensor labels = mappedLabels(batch->labels, opened.options.labelMap);
    for (std::size_t s = 0; s < schemes.size(); ++s) {
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, tr("the evaluation was stopped"), ""});
      model.setMasks(schemes[s]);
      auto verdicts = verdictsOf(logitsIn(opened.options, model, images), labels,
                                 hasSigmoidScores(model.config()));
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        verdicts[i].index = batch->indices[i];
        verdicts[i].name = opened.dataset->describe(batch->indices[i]);
        results[s].images.push_back(std::move(verdicts[i]));
      }
      done += images.size(0);
      if (progress) progress({"evaluating", done, total, remaining.secondsRemaining(done, total)});
    }
  }
  if (!results.empty() && results[0].images.empty())
    throw Failure(
        {ErrorCode::InvalidFile, tr("no image of the validation split can be read"), "data"});
  for (SchemeResult& result : results) {
    summarize(result);
    result.skipped = static_cast<std::int64_t>(loader->skipped().size());
    result.classNames = classNamesFor(opened);
    result.classMatch = opened.classes.text;
  }
  return results;
}

bool sameImages(const SchemeResult& a, const SchemeResult& b) {
  return std::equal(a.images.begin(), a.images.end(), b.images.begin(), b.images.end(),
                    [](const ImageVerdict& x, const ImageVerdict& y) {
                      return x.index == y.index && x.label == y.label && x.name == y.name;
                    });
}

/// The first `most` by `weight`, the largest first; equal ones in the order of the images.
template <typename Weight>
std::vector<ImageChange> largest(std::vector<ImageChange> changes, std::size_t most,
                                 Weight weight) {
  std::stable_sort(changes.begin(), changes.end(), [&](const ImageChange& a, const ImageChange& b) {
    return weight(a) > weight(b);
  });
  if (changes.size() > most) changes.resize(most);
  return changes;
}

}  // namespace

double qualityOf(const SchemeResult& result) {
  return result.scores ? result.scores->quality() : result.top1;
}

Result<std::vector<SchemeResult>> evaluateSchemes(
    InferenceSession& session, const ImageSample& sample, const std::vector<MaskScheme>& schemes,
    const ProgressCallback& progress, std::stop_token stop, const std::string& precision) {
  return guarded("evaluation", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    requireAccuracy(session.info());
    const OpenedEvaluation opened = openEvaluation(copyModel(session), sample, precision);
    return overSchemes(*opened.loaded.model, opened, schemes, progress, stop);
  });
}

Result<MaskEffect> maskEffect(const SchemeResult& before, const SchemeResult& after,
                              std::size_t most) {
  if (!sameImages(before, after))
    return Error{ErrorCode::InvalidArgument,
                 tr("two schemes can only be compared on the same images; evaluate both again"),
                 ""};
  MaskEffect effect;
  effect.images = static_cast<std::int64_t>(before.images.size());
  effect.lossRise = after.loss - before.loss;
  effect.top1Rise = qualityOf(after) - qualityOf(before);
  effect.top5Rise = after.top5 - before.top5;
  std::vector<ImageChange> changed, risen;
  for (std::size_t i = 0; i < before.images.size(); ++i) {
    const ImageChange change{before.images[i], after.images[i]};
    if (change.lossRise() > 0) risen.push_back(change);
    if (change.before.predicted == change.after.predicted) continue;
    effect.mended += change.after.right();
    effect.broken += change.before.right();
    changed.push_back(change);
  }
  effect.changed = static_cast<std::int64_t>(changed.size());
  const auto rise = [](const ImageChange& change) { return change.lossRise(); };
  effect.changes = largest(std::move(changed), most,
                           [&](const ImageChange& change) { return std::abs(rise(change)); });
  effect.worst = largest(std::move(risen), most, rise);
  return effect;
}

}  // namespace headlight
