// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/Adapt.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/adapt/AdaptData.h"
#include "core/workbench/adapt/FeatureTable.h"
#include "core/workbench/adapt/NeighborVotes.h"
#include "core/workbench/adapt/ProbeFit.h"

namespace headlight {
namespace {

constexpr int kAmongFive = 5;
constexpr std::size_t kMostNamedClasses = 5;  ///< classes in a sentence

class AdaptClock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
  }

 private:
  std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();
};

at::Tensor labelTensor(const std::vector<int>& labels) {
  const std::vector<std::int64_t> wide(labels.begin(), labels.end());
  return at::tensor(at::ArrayRef<std::int64_t>(wide), at::kLong);
}

std::vector<float> fittedFloats(const at::Tensor& tensor) {
  const at::Tensor values = tensor.to(at::kFloat).contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

at::Tensor rowsOf(const std::vector<float>& values, std::int64_t columns) {
  return at::from_blob(const_cast<float*>(values.data()),
                       {static_cast<std::int64_t>(values.size()) / columns, columns}, at::kFloat)
      .to(at::kDouble);
}

LinearHead headFrom(const ProbeFit& fit, const HeadChoice& choice,
                    const std::vector<std::string>& names) {
  return {choice.token,
          choice.layers,
          fit.weight.size(1),
          fittedFloats(fit.weight),
          fittedFloats(fit.bias),
          fittedFloats(fit.mean),
          fittedFloats(fit.variance),
          names};
}

/// As the saved model computes: with weights in single precision.
at::Tensor probeLogits(const LinearHead& head, const at::Tensor& features) {
  return at::mm(features.to(at::kDouble), rowsOf(head.weight, head.width).t()) +
         rowsOf(head.bias, 1).squeeze(1);
}

AdaptScore adaptScoreOf(const at::Tensor& outputs, const std::vector<int>& labels) {
  AdaptScore score;
  score.images = static_cast<std::int64_t>(labels.size());
  if (labels.empty()) return score;
  score.right = outputs.argmax(1).eq(labelTensor(labels)).sum().item<std::int64_t>();
  score.top1 = static_cast<double>(score.right) / static_cast<double>(score.images);
  score.interval = wilsonInterval(score.right, score.images);
  return score;
}

ImageVerdict probeVerdict(const at::Tensor& logs, int label) {
  const std::int64_t kept = std::min<std::int64_t>(kAmongFive, logs.size(0));
  const at::Tensor best = std::get<1>(logs.topk(kept)).contiguous();
  const std::int64_t* order = best.data_ptr<std::int64_t>();
  ImageVerdict verdict;
  verdict.label = label;
  verdict.predicted = static_cast<int>(order[0]);
  verdict.probability = static_cast<float>(logs[order[0]].exp().item<double>());
  verdict.loss = -logs[label].item<double>();
  verdict.ofLabel = static_cast<float>(std::exp(-verdict.loss));
  verdict.amongFive = std::find(order, order + kept, label) != order + kept;
  return verdict;
}

SchemeResult verdictsOn(const at::Tensor& logits, const FeatureTable& table,
                        const Dataset& dataset) {
  SchemeResult result;
  result.classNames = dataset.classNames();
  result.skipped = static_cast<std::int64_t>(table.skipped.size());
  const at::Tensor logs = at::log_softmax(logits, 1);
  double among = 0, right = 0;
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    ImageVerdict verdict = probeVerdict(logs[static_cast<std::int64_t>(i)], table.labels[i]);
    verdict.index = table.indices[i];
    verdict.name = dataset.describe(verdict.index);
    result.loss += verdict.loss;
    among += verdict.amongFive;
    right += verdict.right();
    result.images.push_back(std::move(verdict));
  }
  const double count = std::max<double>(1, static_cast<double>(result.images.size()));
  result.loss /= count;
  result.top1 = right / count;
  result.top5 = among / count;
  return result;
}

std::vector<TaughtClass> countClasses(const std::vector<std::string>& names,
                                      const FeatureTable& fitted, const FeatureTable* held) {
  std::vector<TaughtClass> classes;
  for (const std::string& name : names)
    classes.push_back({name, 0, 0});
  for (const int label : fitted.labels)
    ++classes[static_cast<std::size_t>(label)].fitted;
  if (held)
    for (const int label : held->labels)
      ++classes[static_cast<std::size_t>(label)].held;
  return classes;
}

/// "cat, dog and 3 more".
std::string someNames(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamedClasses); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostNamedClasses)
    text += tr(" and ") + std::to_string(names.size() - kMostNamedClasses) + tr(" more");
  return text;
}

std::vector<std::string> namesWithout(const std::vector<TaughtClass>& classes,
                                      std::int64_t TaughtClass::*images) {
  std::vector<std::string> names;
  for (const TaughtClass& one : classes)
    if (one.*images == 0) names.push_back(one.name);
  return names;
}

void requireTaughtImages(const std::vector<TaughtClass>& classes) {
  const auto empty = namesWithout(classes, &TaughtClass::fitted);
  if (empty.empty()) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("no image to learn from that can be read, of: ") + someNames(empty) +
                     tr("; add images, or remove the classes"),
                 "classes"});
}

void noteHeldOut(AdaptReport& report) {
  if (report.score.images == 0) {
    report.notes.push_back(
        tr("No image was held out, so the accuracy is not measured: add images to the classes, or "
           "a val folder."));
    return;
  }
  const auto unseen = namesWithout(report.classes, &TaughtClass::held);
  if (!unseen.empty())
    report.notes.push_back(tr("The accuracy says nothing of classes without held-out images: ") +
                           someNames(unseen) + ".");
}

void noteFit(AdaptReport& report, const ProbeFit& fit) {
  const bool single = std::all_of(report.classes.begin(), report.classes.end(),
                                  [](const TaughtClass& one) { return one.fitted == 1; });
  if (single)
    report.notes.push_back(
        tr("Every class has one training image: the probe has seen no variation within a class."));
  if (fit.tried.empty())
    report.notes.push_back(tr("There was nothing to choose the L2 penalty by; it is ") +
                           numberText(fit.l2) + ".");
  if (!fit.converged)
    report.notes.push_back(tr("The fit did not converge; raise the smallest L2 penalty."));
}

void noteSkipped(AdaptReport& report, const FeatureTable& table) {
  const auto count = static_cast<std::int64_t>(table.skipped.size());
  if (count == 0) return;
  report.notes.push_back(
      countText(count, tr("image could not be read: "), tr("images could not be read, first: ")) +
      table.skipped.front().path + ": " + table.skipped.front().reason);
}

void requireSameFeatures(const LinearHead& previous, const LinearHead& now) {
  const bool same = previous.token == now.token && previous.layers == now.layers &&
                    previous.width == now.width && previous.classNames == now.classNames;
  if (!same)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the classifier to compare with has other classes or reads other features"),
                   "previous"});
}

struct OpenedTables {
  AdaptData data;
  FeatureTable fitted, held;
};

OpenedTables readTables(FeatureReader& reader, const AdaptRequest& request, FeatureStore& store,
                        const FeatureWork& work) {
  OpenedTables tables{openAdaptData(request.data, request.classes, reader.info().experiment,
                                    request.options.images),
                      {},
                      {}};
  tables.fitted = readFeatures(reader, tables.data.fitted, store, work);
  if (tables.data.held) tables.held = readFeatures(reader, tables.data.held, store, work);
  return tables;
}

void countFeatures(AdaptReport& report, const OpenedTables& tables) {
  const auto& [data, fitted, held] = tables;
  report.computed = fitted.computed + held.computed;
  report.reused =
      static_cast<std::int64_t>(fitted.labels.size() + held.labels.size()) - report.computed;
  report.classes = countClasses(data.fitted->classNames(), fitted, &held);
}

ProbeFit fitOn(const at::Tensor& features, const OpenedTables& tables, const AdaptRequest& request,
               std::uint64_t seed, const std::stop_token& stop) {
  return fitProbe(
      {features, tables.fitted.labels,
       static_cast<std::int64_t>(tables.data.fitted->classNames().size()),
       valueOrThrow(readStrengths(request.options.strengths)), request.options.selection, seed},
      stop);
}

void measureHeld(AdaptReport& report, const OpenedTables& tables, const FeatureReader& reader,
                 const at::Tensor& fitted, const AdaptRequest& request,
                 const std::stop_token& stop) {
  if (tables.held.labels.empty()) return;
  const at::Tensor held = reader.chosen(tables.held.records);
  const at::Tensor logits = probeLogits(report.head, held);
  report.probe = verdictsOn(logits, tables.held, *tables.data.held);
  report.score = adaptScoreOf(logits, tables.held.labels);
  const NeighborOptions options{request.options.neighbors, request.options.temperature};
  report.neighbors = adaptScoreOf(neighborVotes(fitted, labelTensor(tables.fitted.labels), held,
                                                report.head.classes(), options, stop),
                                  tables.held.labels);
  if (!request.previous) return;
  requireSameFeatures(*request.previous, report.head);
  report.previous = adaptScoreOf(probeLogits(*request.previous, held), tables.held.labels);
}

}  // namespace

Result<AdaptReport> adapt(InferenceSession& session, const MaskScheme& masks,
                          const AdaptRequest& request, const ProgressCallback& progress,
                          std::stop_token stop) {
  return guarded("adapt", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    AdaptReport report;
    const AdaptClock reading;
    FeatureReader reader(session, masks, {request.options.token, request.options.layers});
    FeatureStore store(request.features, reader.key());
    const OpenedTables tables =
        readTables(reader, request, store, {progress, stop, request.data.loaderThreads});
    countFeatures(report, tables);
    requireTaughtImages(report.classes);
    report.featureSeconds = reading.seconds();

    const AdaptClock fitting;
    if (progress) progress({tr("fitting"), 0, 0, -1});
    const at::Tensor features = reader.chosen(tables.fitted.records);
    const auto seed = static_cast<std::uint64_t>(reader.info().experiment.seed);
    const ProbeFit fit = fitOn(features, tables, request, seed, stop);
    report.fitSeconds = fitting.seconds();
    report.head = headFrom(fit, reader.choice(), tables.data.fitted->classNames());
    report.l2 = fit.l2;
    report.tried = fit.tried;
    report.iterations = fit.iterations;
    const AdaptClock measuring;
    measureHeld(report, tables, reader, features, request, stop);
    report.measureSeconds = measuring.seconds();

    report.notes = tables.data.notes;
    for (const FeatureTable* table : {&tables.fitted, &tables.held})
      noteSkipped(report, *table);
    noteHeldOut(report);
    noteFit(report, fit);
    report.notes.insert(report.notes.end(), store.notes().begin(), store.notes().end());
    return report;
  });
}

Result<std::vector<Image>> heldImages(const ModelInfo& info, const AdaptRequest& request,
                                      const std::vector<std::int64_t>& indices,
                                      std::stop_token stop) {
  return guarded("images", [&] {
    const AdaptData data =
        openAdaptData(request.data, request.classes, info.experiment, request.options.images);
    std::vector<Image> images(indices.size());
    for (std::size_t i = 0; i < indices.size() && data.held && !stop.stop_requested(); ++i)
      if (auto sample = data.held->sample(indices[i])) images[i] = std::move(sample->image);
    return images;
  });
}

std::string adaptScoreText(const AdaptScore& score) {
  if (score.images == 0) return tr("not measured");
  char text[96];
  std::snprintf(text, sizeof text, tr("%.1f %% (95 %% interval %.1f to %.1f %%)"), 100 * score.top1,
                100 * score.interval.low, 100 * score.interval.high);
  return text;
}

}  // namespace headlight
