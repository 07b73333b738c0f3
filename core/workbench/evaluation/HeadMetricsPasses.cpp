// SPDX-License-Identifier: GPL-3.0-or-later

// HeadMetrics.h: the passes of a model that measures of heads need.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/Translation.h"
#include "core/workbench/evaluation/HeadImportance.h"
#include "core/workbench/evaluation/HeadMetricNumbers.h"
#include "core/workbench/evaluation/HeadMetrics.h"
#include "core/workbench/evaluation/HeadOutputs.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/ModelCopy.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

/// Maps of a layer for so many images are held at once.
constexpr std::int64_t kImagesAtOnce = 8;

std::vector<Grid> gridsOf(const Model& model) {
  std::vector<Grid> grids;
  for (int l = 0; l < model.layers(); ++l)
    grids.push_back(model.grid(l));
  return grids;
}

/// What has to be said of an importance of this model's heads, before `rest`.
std::string importanceNote(const Model& model, HeadMetric measure, std::string rest) {
  bool missing = false;
  std::string activation;
  for (int l = 0; l < model.layers(); ++l) {
    const HeadProjection projection = model.attention(l).headProjection();
    missing = missing || !projection.weight.defined();
    if (!projection.activation.empty()) activation = projection.activation;
  }
  if (missing) return "no value for heads without an output projection";
  if (measure == HeadMetric::ImportanceFirstOrder && !activation.empty())
    rest += "; measured after the " + activation + " that follows the heads";
  return rest;
}

class HeadSteps {
 public:
  HeadSteps(const ProgressCallback& progress, std::int64_t total)
      : m_progress(progress), m_total(total) {
    m_remaining.start(0);
  }
  void step() {
    ++m_done;
    if (m_progress)
      m_progress(
          {"measuring heads", m_done, m_total, m_remaining.secondsRemaining(m_done, m_total)});
  }

 private:
  const ProgressCallback& m_progress;
  std::int64_t m_total, m_done = 0;
  RemainingTime m_remaining;
};

LayerMaps mapsOfImage(const at::Tensor& host, std::int64_t image, const Grid& grid) {
  const at::Tensor own = host[image];
  const float* begin = own.data_ptr<float>();
  return {static_cast<int>(own.size(0)), grid,
          std::make_shared<const std::vector<float>>(begin, begin + own.numel())};
}

/// Numbers of one image's heads, of a measure of what they weigh or give.
std::vector<double> numbersOfOutputs(HeadMetric measure, const HeadOutputsHook& tap,
                                     std::int64_t image, int heads) {
  const at::Tensor& whole = measure == HeadMetric::ValueNorm ? tap.values : tap.outputs;
  const at::Tensor own = whole.defined() ? whole[image] : whole;
  return measure == HeadMetric::ValueNorm ? medianValueNorms(own, heads) : outputRanks(own, heads);
}

/// Of maps of a file: there is no model that heads could give something in.
HeadValues withoutOutputs(HeadMetric measure, const ModelInfo& info) {
  HeadValues values;
  values.measure = measure;
  for (const int heads : info.heads) {
    values.values.emplace_back(static_cast<std::size_t>(heads), std::nan(""));
    values.chance.push_back(std::nan(""));
  }
  values.note = "no value: attention maps alone do not say what heads weigh and give";
  return values;
}

/// Averages of several measures, and what a batch of images adds to them.
class HeadSurvey {
 public:
  HeadSurvey(LoadedModel& own, const std::vector<HeadMetric>& measures)
      : m_own(own),
        m_model(*own.model),
        m_measures(measures),
        m_layers(gridsOf(*own.model), own.info.experiment.model) {
    m_averages.assign(measures.size(), HeadAverage(own.info.heads));
  }

  void add(const Batch& batch, const at::Tensor& labels, HeadSteps& steps, std::stop_token stop) {
    const at::Tensor images = batch.images.to(at::Device(m_own.info.device));
    if (anyNeedsPass()) {
      addPass(images, stop);
      steps.step();
    }
    for (std::size_t i = 0; i < m_measures.size(); ++i) {
      const bool exact = m_measures[i] == HeadMetric::Importance;
      if (!exact && m_measures[i] != HeadMetric::ImportanceFirstOrder) continue;
      const ImportanceTask task{images, labels.to(images.device()), [&] { steps.step(); }};
      addTable(
          i,
          exact ? exactImportance(m_model, task, stop) : firstOrderImportance(m_model, task, stop),
          images.size(0));
    }
    m_images += images.size(0);
  }

  /// How the classes of labels are the model's (ClassMatch::text).
  void setClasses(const std::string& text) {
    if (!text.empty()) m_classes = "; classes " + text;
  }

  std::int64_t images() const { return m_images; }
  /// For maps, or outputs of heads.
  bool anyNeedsPass() const { return std::any_of(m_measures.begin(), m_measures.end(), isOfPass); }

  std::vector<HeadValues> results() const {
    std::vector<HeadValues> results;
    for (std::size_t i = 0; i < m_measures.size(); ++i) {
      HeadValues values = startedValues(m_measures[i], m_own.info, m_layers);
      if (m_measures[i] == HeadMetric::Alpha) {
        const SoftAlphas alphas = readSoftAlphas(m_model);
        for (std::size_t l = 0; l < alphas.size(); ++l)
          values.values[l].assign(alphas[l].begin(), alphas[l].end());
      } else {
        values.values = m_averages[i].means();
        values.images = m_images;
        if (isOfPass(m_measures[i])) values.deviations = m_averages[i].deviations();
        if (findInfo(m_measures[i]).needsOutputs) values.note = outputsNote(values);
        if (findInfo(m_measures[i]).needsLabels)
          values.note = importanceNote(m_model, m_measures[i], "of the mean loss" + m_classes);
      }
      results.push_back(std::move(values));
    }
    return results;
  }

 private:
  static bool isOfPass(HeadMetric measure) {
    return findInfo(measure).needsMaps || findInfo(measure).needsOutputs;
  }

  void addPass(const at::Tensor& images, std::stop_token stop) {
    const at::NoGradGuard noGrad;
    at::Tensor tokens = m_model.embed(images);
    for (int l = 0; l < m_model.layers(); ++l) {
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, tr("measuring the heads was stopped"), ""});
      HeadOutputsHook tap(m_model.heads(l));
      tokens = m_model.block(l, tokens, &tap);
      addOutputs(l, tap, images.size(0));
      const at::Tensor host = tap.maps.at(l).to(at::kCPU, at::kFloat).contiguous();
      for (std::int64_t p = 0; p < host.size(0); ++p)
        addMap(l, mapsOfImage(host, p, m_layers.grids[l]));
    }
  }

  void addOutputs(int layer, const HeadOutputsHook& tap, std::int64_t images) {
    for (std::size_t i = 0; i < m_measures.size(); ++i) {
      if (!findInfo(m_measures[i]).needsOutputs) continue;
      for (std::int64_t p = 0; p < images; ++p) {
        const auto numbers = numbersOfOutputs(m_measures[i], tap, p, m_model.heads(layer));
        for (std::size_t h = 0; h < numbers.size(); ++h)
          m_averages[i].add(layer, static_cast<int>(h), numbers[h]);
      }
    }
  }

  void addMap(int layer, const LayerMaps& maps) {
    for (std::size_t i = 0; i < m_measures.size(); ++i) {
      if (!findInfo(m_measures[i]).needsMaps) continue;
      const auto numbers = computeMetric(m_measures[i], maps, m_layers.pitches[layer]);
      for (std::size_t h = 0; h < numbers.size(); ++h)
        m_averages[i].add(layer, static_cast<int>(h), numbers[h]);
    }
  }

  void addTable(std::size_t measure, const HeadTable& table, std::int64_t images) {
    for (std::size_t l = 0; l < table.size(); ++l)
      for (std::size_t h = 0; h < table[l].size(); ++h)
        m_averages[measure].add(static_cast<int>(l), static_cast<int>(h), table[l][h],
                                static_cast<double>(images));
  }

  LoadedModel& m_own;
  Model& m_model;
  const std::vector<HeadMetric>& m_measures;
  LayerGrids m_layers;
  std::vector<HeadAverage> m_averages;
  std::int64_t m_images = 0;
  std::string m_classes;
};

bool has(const std::vector<HeadMetric>& measures, HeadMetric wanted) {
  return std::find(measures.begin(), measures.end(), wanted) != measures.end();
}

/// Only α: no image is needed.
bool needsImages(const std::vector<HeadMetric>& measures) {
  return std::any_of(measures.begin(), measures.end(),
                     [](HeadMetric measure) { return measure != HeadMetric::Alpha; });
}

void surveyImages(HeadSurvey& survey, const LoadedModel& own, const ImageSample& sample,
                  const std::vector<HeadMetric>& measures, const ProgressCallback& progress,
                  std::stop_token stop) {
  const auto dataset = openImages(own.info, sample.data, sample.samples);
  const bool labeled = std::any_of(measures.begin(), measures.end(), [](HeadMetric measure) {
    return findInfo(measure).needsLabels;
  });
  const ClassMatch classes =
      labeled ? matchedClasses(*dataset, own.info, sample.matching) : ClassMatch();
  survey.setClasses(classes.text);
  const auto loader =
      evaluationLoader(dataset, ofOneSize(makePreprocessing(own.info.experiment.model)),
                       kImagesAtOnce, static_cast<int>(sample.data.loaderThreads));
  const std::int64_t batches = loader->batchesPerEpoch(), total = dataset->size();
  HeadSteps steps(progress,
                  (survey.anyNeedsPass() ? batches : 0) +
                      (has(measures, HeadMetric::Importance) ? batches * own.model->layers() : 0) +
                      (has(measures, HeadMetric::ImportanceFirstOrder) ? total : 0));
  loader->startEpoch(0);
  while (auto batch = valueOrThrow(loader->next(stop))) {
    if (stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("measuring the heads was stopped"), ""});
    survey.add(*batch, mappedLabels(batch->labels, classes.order), steps, stop);
  }
  if (survey.images() == 0)
    throw Failure(
        {ErrorCode::InvalidFile, tr("no image of the validation split can be read"), "data"});
}

void requireNoLabels(const std::vector<HeadMetric>& measures) {
  for (const HeadMetric measure : measures)
    if (findInfo(measure).needsLabels)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("over several images needs class labels; give a dataset, or one image"),
                     findInfo(measure).name});
}

FedHeads fedThroughCopy(InferenceSession& session, const ImageSource& feed, const MaskScheme& masks,
                        const std::vector<HeadMetric>& measures, const ProgressCallback& progress,
                        const std::stop_token& stop) {
  LoadedModel own = copyModel(session);
  own.model->setMasks(masks);
  const Preprocessing seen = ofOneSize(makePreprocessing(own.info.experiment.model));
  const ProgressCallback untold;
  HeadSteps steps(untold, 0);
  HeadSurvey survey(own, measures);
  FedHeads result;
  if (needsImages(measures))
    result.fed = eachSourceImage(
        feed, "measuring heads", progress, stop, [&](const SourceImage& image, const auto&) {
          std::vector<float> values = preprocess(image.image, seen);
          Batch batch;
          batch.images = at::from_blob(values.data(), {1, 3, seen.height, seen.width});
          survey.add(batch, {}, steps, stop);
        });
  result.values = survey.results();
  return result;
}

/// For maps without a model.
FedHeads fedThroughSession(InferenceSession& session, const ImageSource& feed,
                           const MaskScheme& masks, const std::vector<HeadMetric>& measures,
                           const ProgressCallback& progress, const std::stop_token& stop) {
  const ModelInfo& info = session.info();
  std::vector<HeadAverage> averages(measures.size(), HeadAverage(info.heads));
  FedHeads result;
  result.values.resize(measures.size());
  const auto add = [&](const SourceImage& image, const auto&) {
    const InferenceResult inference = valueOrThrow(session.infer(image.image, masks, {}, stop));
    for (std::size_t i = 0; i < measures.size(); ++i) {
      result.values[i] = findInfo(measures[i]).needsOutputs
                             ? withoutOutputs(measures[i], info)
                             : valueOrThrow(computeHeadValues(inference, info, measures[i]));
      const auto& values = result.values[i].values;
      for (std::size_t l = 0; l < values.size(); ++l)
        for (std::size_t h = 0; h < values[l].size(); ++h)
          averages[i].add(static_cast<int>(l), static_cast<int>(h), values[l][h]);
    }
  };
  result.fed = eachSourceImage(feed, "measuring heads", progress, stop, add);
  for (std::size_t i = 0; i < measures.size(); ++i) {
    result.values[i].values = averages[i].means();
    result.values[i].deviations = averages[i].deviations();
    result.values[i].images = result.fed.images;
  }
  return result;
}

/// For one image: what its predicted class's probability owes to each head.
HeadValues importanceOfImage(InferenceSession& session, const Image& image, const MaskScheme& masks,
                             HeadMetric measure, const ProgressCallback& progress,
                             std::stop_token stop) {
  if (image.empty()) throw Failure({ErrorCode::InvalidArgument, tr("no image to measure on"), ""});
  const LoadedModel own = copyModel(session);
  own.model->setMasks(masks);
  const Preprocessing preprocessing = ofOneSize(makePreprocessing(own.info.experiment.model));
  std::vector<float> values = preprocess(image, preprocessing);
  const at::Tensor images =
      at::from_blob(values.data(), {1, 3, preprocessing.height, preprocessing.width})
          .to(at::Device(own.info.device));
  const at::Tensor logits = own.model->forward(images);
  const at::Tensor chances =
      hasSigmoidScores(own.model->config()) ? logits.sigmoid() : logits.softmax(1);
  const bool exact = measure == HeadMetric::Importance;
  HeadSteps steps(progress, exact ? own.model->layers() : 1);
  const ImportanceTask task{images, {}, [&] { steps.step(); }};
  HeadValues result =
      startedValues(measure, own.info, {gridsOf(*own.model), own.info.experiment.model});
  result.values = exact ? exactImportance(*own.model, task, stop)
                        : firstOrderImportance(*own.model, task, stop);
  result.images = 1;
  const auto best = chances.argmax(1).item<std::int64_t>();
  const auto& names = own.info.classNames;
  char share[48];
  std::snprintf(share, sizeof share, " (%.1f %%)", 100 * chances[0][best].item<double>());
  result.note = importanceNote(
      *own.model, measure,
      "of the probability of " +
          (best < static_cast<std::int64_t>(names.size()) ? names[best]
                                                          : "class " + std::to_string(best)) +
          share);
  return result;
}

/// For one image: of what its heads weigh and give.
HeadValues outputsOfImage(InferenceSession& session, const Image& image, const MaskScheme& masks,
                          HeadMetric measure, const std::stop_token& stop) {
  if (image.empty()) throw Failure({ErrorCode::InvalidArgument, tr("no image to measure on"), ""});
  if (session.info().isPrecomputed) return withoutOutputs(measure, session.info());
  HeadValues values =
      fedThroughCopy(session, makeImageSource(image), masks, {measure}, {}, stop).values.front();
  values.deviations = {};  // of one image
  return values;
}

}  // namespace

Result<HeadValues> measureHeadMetrics(InferenceSession& session, const Image& image,
                                      const MaskScheme& masks, HeadMetric measure,
                                      const ProgressCallback& progress, std::stop_token stop) {
  return guarded("heads", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    if (findInfo(measure).needsLabels)
      return importanceOfImage(session, image, masks, measure, progress, stop);
    if (findInfo(measure).needsOutputs) return outputsOfImage(session, image, masks, measure, stop);
    InferenceResult inference;
    if (measure == HeadMetric::Alpha)
      inference.alphas = valueOrThrow(session.softAlphas(masks));
    else
      inference = valueOrThrow(session.infer(image, masks, {}, stop));
    return valueOrThrow(computeHeadValues(inference, session.info(), measure));
  });
}

Result<std::vector<HeadValues>> measureHeadMetrics(InferenceSession& session,
                                                   const ImageSample& sample,
                                                   const MaskScheme& masks,
                                                   const std::vector<HeadMetric>& measures,
                                                   const ProgressCallback& progress,
                                                   std::stop_token stop) {
  return guarded("heads", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();
    LoadedModel own = copyModel(session);
    own.model->setMasks(masks);
    HeadSurvey survey(own, measures);
    if (needsImages(measures)) surveyImages(survey, own, sample, measures, progress, stop);
    return survey.results();
  });
}

Result<FedHeads> measureHeadMetrics(InferenceSession& session, const ImageSource& feed,
                                    const MaskScheme& masks,
                                    const std::vector<HeadMetric>& measures,
                                    const ProgressCallback& progress, std::stop_token stop) {
  return guarded("heads", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();
    requireNoLabels(measures);
    return session.info().isPrecomputed
               ? fedThroughSession(session, feed, masks, measures, progress, stop)
               : fedThroughCopy(session, feed, masks, measures, progress, stop);
  });
}

}  // namespace headlight
