// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/InferenceSession.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/loading/LearnedAlphas.h"
#include "core/workbench/loading/LearnedMaps.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/ModelDigest.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/loading/WeightsName.h"
#include "core/workbench/session/DetectorAnswer.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/InferenceHook.h"
#include "core/workbench/session/Kernels.h"
#include "core/workbench/session/MapModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"
#include "core/workbench/session/ModelSnapshot.h"
#include "core/workbench/session/RawTensors.h"
#include "core/workbench/session/SegmenterAnswer.h"

namespace headlight {
namespace {

/// A number that no weights had before.
std::uint64_t nextWeights() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

bool isMaskTensor(const std::string& name) {
  return name.ends_with(".soft_mask_logit") || name.ends_with(".random_mask");
}

}  // namespace

Preprocessing makePreprocessing(const ModelConfig& model) {
  Preprocessing result;
  result.height = model.imageHeightPixels();
  result.width = model.imageWidthPixels();
  result.cropFraction = model.cropFraction;
  result.squash = model.cropMode == "squash";
  result.pad = model.cropMode == kPadMode;
  result.dropAlpha = model.transparency == "drop";
  result.interpolation = model.interpolation == "nearest"    ? Interpolation::Nearest
                         : model.interpolation == "bilinear" ? Interpolation::Bilinear
                                                             : Interpolation::Bicubic;
  std::copy_n(model.mean.begin(), 3, result.mean.begin());
  std::copy_n(model.deviation.begin(), 3, result.deviation.begin());
  return result;
}

/// The model, and what is kept of the image seen last: the tokens at each block's input, and the
/// maps and scores of each block, valid for blocks before `validBlocks` under `masks`.
struct InferenceSession::State {
  std::mutex mutex;
  LoadedModel loaded;

  Image image, view;
  std::vector<at::Tensor> tokens;  ///< [layers + 1]
  std::vector<LayerMaps> maps;
  std::vector<std::vector<float>> locality;
  MaskScheme masks;
  int validBlocks = 0;
  std::optional<std::vector<LearnedMap>> learned;  ///< of the weights as they are
  std::uint64_t weights = nextWeights();
  std::string digest;  ///< of the weights as they are; empty: not asked yet
  /// Whole, as the weights came, where the model's own are resampled from them; else empty.
  NamedTensors unsized;
  Grid unsizedGrid;  ///< of their position embeddings
  /// In place of a model.
  std::optional<PrecomputedMaps> isPrecomputed;

  /// Throws Failure where there are maps alone.
  Model& model() {
    if (!loaded.model) throw Failure(needsModel(loaded.info.weights.string()));
    return *loaded.model;
  }

  void forget() {
    image = {};
    validBlocks = 0;
    learned.reset();
  }

  void weightsChanged() {
    forget();
    unsized.clear();
    weights = nextWeights();
    digest.clear();
  }

  const std::vector<LearnedMap>& learnedMaps() {
    if (!learned) learned = findLearnedMaps(model());
    return *learned;
  }

  void startImage(const Image& next) {
    const Preprocessing preprocessing = makePreprocessing(model().config());
    view = evaluationView(next, preprocessing);
    std::vector<float> values = normalize(view, preprocessing);
    const at::Tensor host = at::from_blob(values.data(), {1, 3, view.height, view.width});
    tokens.assign(model().layers() + 1, {});
    maps.assign(model().layers(), {});
    locality.assign(model().layers(), {});
    tokens[0] = model().embed(host.to(at::Device(loaded.info.device)));
    image = next;
    validBlocks = 0;
  }

  std::vector<FoundObject> findObjects() {
    auto found = answerOf(model(), tokens.back(), namesOfObjects(loaded.info)).objects;
    return found.empty() ? std::vector<FoundObject>() : std::move(found.front());
  }

  /// Of the image that is seen; null: the model is no segmenter.
  std::shared_ptr<const FoundSegments> findSegments(const InferenceOptions& options) {
    DecoderMaps looked;
    const SegmentScores scores =
        askQueries(model(), tokens.back(), options.maps ? &looked : nullptr);
    if (!scores.defined()) return nullptr;
    const Preprocessing preprocessing = makePreprocessing(model().config());
    FoundSegments found = segmentsOf(scores, 0, seenSegments(image, preprocessing),
                                     placeOfSegments(image, preprocessing, options.segmentPixels),
                                     loaded.info.classNames);
    keepDecoderMaps(looked, 0, options.decoderQuery, found);
    return std::make_shared<const FoundSegments>(std::move(found));
  }

  int firstBlockToRun(const MaskScheme& wanted, bool withMaps) const {
    if (validBlocks == 0) return 0;  // `masks` may not have a shape yet
    int first = std::min(validBlocks, wanted.firstDifference(masks));
    if (withMaps)
      for (int l = 0; l < first; ++l)
        if (maps[l].empty()) first = l;
    return first;
  }

  void runFrom(int first, bool withMaps, std::stop_token stop) {
    validBlocks = first;
    const bool byRows = withMaps && mapBytes(model(), tokens[first]) > kMostMapBytes;
    for (int l = first; l < model().layers(); ++l) {
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, tr("replaced by a newer request"), ""});
      InferenceHook tap(model().gridOf(l, tokens[l]), byRows);
      tokens[l + 1] = model().block(l, tokens[l], withMaps ? &tap : nullptr);
      maps[l] = tap.maps();
      locality[l] = std::move(tap.locality);
      validBlocks = l + 1;
    }
  }
};

namespace {

/// All that does not follow from an image's size.
void keepDescription(const ModelInfo& own, const LoadReport& report, LoadedModel& loaded) {
  ModelInfo& info = loaded.info;
  info.classNames = own.classNames;
  info.classKeys = own.classKeys;
  info.objectNames = own.objectNames;
  info.classNamesFrom = own.classNamesFrom;
  info.textSide = own.textSide;
  info.prompts = own.prompts;
  info.weights = own.weights;
  info.weightsName = own.weightsName;
  info.randomWeights = own.randomWeights;
  info.report = report;
  info.notes = own.notes;
  info.alphas = readSoftAlphas(*loaded.model);
}

}  // namespace

InferenceSession::InferenceSession() : m_state(std::make_unique<State>()) {}
InferenceSession::~InferenceSession() = default;

Result<std::unique_ptr<InferenceSession>> InferenceSession::open(const ModelSource& source) {
  return guarded(source.model.empty() ? source.weights.string() : source.model, [&] {
    configureCompute(source.threads);
    std::unique_ptr<InferenceSession> session(new InferenceSession);
    if (const auto file = mapFileIn(source)) {
      session->m_state->isPrecomputed.emplace(valueOrThrow(readMapFile(*file)));
      ModelInfo& info = session->m_state->loaded.info;
      info = makeModelInfo(session->m_state->isPrecomputed->info());
      nameClasses(info, {info.classNames, {}}, source.classNames);
    } else {
      session->m_state->loaded = loadModel(source);
    }
    return session;
  });
}

Result<std::unique_ptr<InferenceSession>> InferenceSession::create(const Experiment& experiment) {
  return guarded("model", [&] {
    configureCompute(experiment.threads);
    std::unique_ptr<InferenceSession> session(new InferenceSession);
    session->m_state->loaded = buildModel(experiment, experiment.device);
    return session;
  });
}

Result<std::unique_ptr<InferenceSession>> InferenceSession::atSize(
    int height, int width, const MaskScheme& masks, const std::string& transparency) const {
  return guarded("image size", [&] {
    const std::lock_guard lock(m_state->mutex);
    const ModelInfo& own = m_state->loaded.info;
    Checkpoint weights;
    weights.tensors = m_state->unsized.empty() ? m_state->model().state() : m_state->unsized;
    const Grid grid =
        m_state->unsized.empty() ? m_state->model().positionGrid() : m_state->unsizedGrid;
    Experiment experiment = own.experiment;
    experiment.model.imageSize = height;
    experiment.model.imageWidth = width == height ? 0 : width;
    if (!transparency.empty()) experiment.model.transparency = transparency;
    experiment.masks = describeMasks(masks);
    std::unique_ptr<InferenceSession> session(new InferenceSession);
    LoadedModel& loaded = session->m_state->loaded;
    loaded = buildModel(experiment, own.device);
    const LoadPlan plan = planFor(*loaded.model, weights, grid);
    requireFit(plan.report, /*partial=*/false, "image size");
    applyWeights(*loaded.model, plan, m_state->model().learnedAlphas());
    loaded.model->setProgress(m_state->model().progress());
    if (!plan.report.resized.empty()) {
      session->m_state->unsized = std::move(weights.tensors);
      session->m_state->unsizedGrid = grid;
    }
    keepDescription(own, plan.report, loaded);
    return session;
  });
}

Result<std::unique_ptr<InferenceSession>> InferenceSession::withPrompts(
    const Prompts& prompts, const MaskScheme& masks) const {
  return guarded("prompts", [&] {
    ModelSource source;
    {
      const std::lock_guard lock(m_state->mutex);
      const ModelInfo& own = m_state->loaded.info;
      if (!own.textSide.takesPrompts())
        throw Failure({ErrorCode::InvalidArgument, whyNoPrompts(own.textSide), ""});
      source.weights = own.weights;
      source.device = own.device;
      source.imageHeight = own.experiment.model.imageHeightPixels();
      source.imageWidth = own.experiment.model.imageWidth;
    }
    source.prompts = prompts;
    std::unique_ptr<InferenceSession> session(new InferenceSession);
    LoadedModel& loaded = session->m_state->loaded;
    loaded = loadModel(source);
    loaded.model->setMasks(masks);
    loaded.info.experiment.masks = describeMasks(masks);
    loaded.info.alphas = readSoftAlphas(*loaded.model);
    return session;
  });
}

const ModelInfo& InferenceSession::info() const {
  return m_state->loaded.info;
}

Image InferenceSession::imageAt(const std::string& address, const Image& otherwise) {
  const std::lock_guard lock(m_state->mutex);
  return m_state->isPrecomputed ? m_state->isPrecomputed->imageAt(address, otherwise) : otherwise;
}

Result<LoadReport> InferenceSession::previewWeights(const std::filesystem::path& path,
                                                    const std::string& take) const {
  return guarded(path.string(), [&] {
    const auto checkpoint = readWeights(path, take);
    const std::lock_guard lock(m_state->mutex);
    return planFor(m_state->model(), checkpoint, {}, path.string()).report;
  });
}

Result<LoadReport> InferenceSession::loadWeights(const std::filesystem::path& path, bool partial,
                                                 const std::string& take) {
  return guarded(path.string(), [&] {
    const auto checkpoint = readWeights(path, take);
    const std::lock_guard lock(m_state->mutex);
    const LoadPlan plan = planFor(m_state->model(), checkpoint, {}, path.string());
    requireFit(plan.report, partial, path.string());
    const double progress = readProgress(checkpoint.metadata, path.string());
    applyWeights(m_state->model(), plan, learnedAlphasIn(checkpoint, path.string()));
    m_state->model().setProgress(progress);
    m_state->weightsChanged();
    ModelInfo& info = m_state->loaded.info;
    info.report = plan.report;
    const auto before = std::exchange(info.weights, fileOfWeights(path, take));
    if (info.weights != before) info.textSide = {};  // prompts would be read from these weights
    info.weightsName = makeWeightsName(info.weights, checkpoint.metadata);
    info.randomWeights = false;
    info.alphas = readSoftAlphas(m_state->model());
    const auto known = guarded(path.string(), [&] { return findClasses(checkpoint, path); });
    if (known && static_cast<int>(known->names.size()) == info.experiment.model.classes)
      nameClasses(info, *known);
    return plan.report;
  });
}

Result<void> InferenceSession::adopt(const ModelSnapshot& snapshot) {
  return guarded("training weights", [&] {
    const std::lock_guard lock(m_state->mutex);
    m_state->model().setMasks(snapshot.masks);
    m_state->model().setLearnedAlphas(snapshot.learned);  // so that their parameters exist
    Checkpoint checkpoint;
    checkpoint.tensors = snapshot.weights;
    LoadPlan plan = planFor(m_state->model(), checkpoint);
    // What masks brought that the run never had.
    std::erase_if(plan.report.missing, isMaskTensor);
    if (!plan.report.missing.empty() || !plan.report.mismatched.empty())
      throw Failure({ErrorCode::InvalidArgument,
                     tr("the training uses another model: ") + plan.report.summary(), ""});
    applyWeights(m_state->model(), plan, snapshot.learned);
    m_state->model().setProgress(snapshot.progress);
    m_state->weightsChanged();
    nameClasses(m_state->loaded.info, {snapshot.classNames, {}});
    m_state->loaded.info.randomWeights = false;
  });
}

Result<InferenceResult> InferenceSession::infer(const Image& image, const MaskScheme& masks,
                                                const InferenceOptions& options,
                                                std::stop_token stop) {
  return guarded("inference", [&] {
    const std::lock_guard lock(m_state->mutex);
    const auto started = std::chrono::steady_clock::now();
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread, and sessions are called from any
    if (image.empty())
      throw Failure({ErrorCode::InvalidArgument, tr("no image to run the model on"), ""});
    if (stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("replaced by a newer request"), ""});
    State& state = *m_state;
    if (state.isPrecomputed)
      return state.isPrecomputed->infer(image, masks, state.loaded.info, state.weights, options,
                                        stop);
    InferenceResult inference;
    try {
      state.model().setMasks(masks);
      if (image.pixels != state.image.pixels) state.startImage(image);
      inference.recomputedFrom = state.firstBlockToRun(masks, options.maps);
      state.masks = masks;
      state.runFrom(inference.recomputedFrom, options.maps, stop);
    } catch (const Failure&) {
      throw;
    } catch (...) {
      state.forget();
      throw;
    }
    const at::Tensor logits =
        state.model().classify(state.tokens.back()).to(at::kCPU, at::kFloat).contiguous();
    inference.logits.assign(logits.data_ptr<float>(), logits.data_ptr<float>() + logits.numel());
    inference.sigmoid = hasSigmoidScores(state.model().config());
    inference.top = rankClasses(inference.logits, state.loaded.info.classNames, options.topClasses,
                                inference.sigmoid);
    inference.objects = state.findObjects();
    inference.segments = state.findSegments(options);
    inference.alphas = readSoftAlphas(state.model());
    inference.maps.meaning = state.loaded.info.mapMeaning;
    inference.maps.isSigned = state.loaded.info.mapIsSigned;
    if (options.maps) {
      inference.maps.layers = state.maps;
      inference.locality = state.locality;
      inference.learned = state.learnedMaps();
    }
    inference.view = state.view;
    inference.masks = masks;
    inference.weights = state.weights;
    inference.kernels = kernelSummary(state.model().kernels());
    inference.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
            .count();
    return inference;
  });
}

Result<void> InferenceSession::setClassNames(const std::filesystem::path& file) {
  return guarded(file.string(), [&] {
    const std::lock_guard lock(m_state->mutex);
    ModelInfo& info = m_state->loaded.info;
    KnownClasses own;
    if (info.classNamesFrom == ClassNamesFrom::Model ||
        info.classNamesFrom == ClassNamesFrom::Prompts)
      own = {info.classNames, info.classKeys};
    if (info.classNamesFrom == ClassNamesFrom::File) own = {info.classKeys, {}};
    nameClasses(info, own, file);
  });
}

Result<SoftAlphas> InferenceSession::softAlphas(const MaskScheme& masks) {
  return guarded("masks", [&] {
    const std::lock_guard lock(m_state->mutex);
    if (m_state->isPrecomputed) return m_state->loaded.info.alphas;
    m_state->model().setMasks(masks);
    return readSoftAlphas(m_state->model());
  });
}

Result<std::vector<LearnedMap>> InferenceSession::learnedMaps() {
  return guarded("learned maps", [&] {
    const std::lock_guard lock(m_state->mutex);
    const at::NoGradGuard noGrad;
    at::init_num_threads();
    return m_state->isPrecomputed ? std::vector<LearnedMap>() : m_state->learnedMaps();
  });
}

Result<std::string> InferenceSession::digest() {
  return guarded("weights", [&] {
    const std::lock_guard lock(m_state->mutex);
    if (m_state->digest.empty()) m_state->digest = modelDigest(m_state->model());
    return m_state->digest;
  });
}

Result<void> InferenceSession::save(const std::filesystem::path& path,
                                    const MaskScheme& masks) const {
  return guarded(path.string(), [&] {
    const std::lock_guard lock(m_state->mutex);
    const ModelInfo& info = m_state->loaded.info;
    m_state->model().setMasks(masks);
    const KnownClasses classes = classesToKeep(info);
    auto metadata = modelMetadata(info.experiment, masks, classes.names,
                                  m_state->model().progress(), m_state->model().learnedAlphas());
    keepClassKeys(classes, metadata);
    valueOrThrow(writeSafetensors(path, m_state->model().state(), metadata));
  });
}

Result<void> InferenceSession::moveTo(const std::filesystem::path& path, const MaskScheme& masks) {
  return guarded(path.string(), [&] {
    valueOrThrow(save(path, masks));
    const std::lock_guard lock(m_state->mutex);
    ModelInfo& info = m_state->loaded.info;
    info.weights = path;
    info.weightsName = makeWeightsName(path);
    info.textSide = {};  // prompts would be read from these weights
    info.randomWeights = false;
  });
}

std::unique_ptr<InferenceSession> makeSession(LoadedModel loaded) {
  std::unique_ptr<InferenceSession> session(new InferenceSession);
  session->m_state->loaded = std::move(loaded);
  return session;
}

void withModel(InferenceSession& session, const std::function<void(Model&)>& body) {
  const std::lock_guard lock(session.m_state->mutex);
  const at::NoGradGuard noGrad;
  at::init_num_threads();
  body(session.m_state->model());
}

}  // namespace headlight
