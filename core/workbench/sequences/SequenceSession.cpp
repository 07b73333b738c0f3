// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sequences/SequenceSession.h"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "core/base/Translation.h"
#include "core/models/layers/Device.h"
#include "core/models/sequence/SequenceSampler.h"
#include "core/training/sequence/SequenceEvaluation.h"
#include "core/training/sequence/SequenceFile.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/loading/TrainedData.h"
#include "core/workbench/sequences/SequenceRun.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {
namespace {

constexpr std::uint64_t kCompletion = 0x636f6d706c657465ULL;    // "complete"
constexpr std::uint64_t kContinuation = 0x636f6e74696e7565ULL;  // "continue"
constexpr int kMostSamples = 64;
constexpr std::int64_t kMostBytes = 1'000'000;

void requireThat(bool holds, const std::string& where, const std::string& message) {
  if (!holds) throw Failure({ErrorCode::InvalidArgument, message, where});
}

void requireTemperature(double temperature) {
  requireThat(temperature >= 0 && temperature <= 10, "temperature",
              tr("must be from 0 (the most probable byte) to 10; 1 samples from the model's "
                 "probabilities"));
}

void endIfAsked(const std::stop_token& stop, const char* doing) {
  if (stop.stop_requested())
    throw Failure({ErrorCode::Canceled, std::string(tr("stopped while ")) + doing, ""});
}

std::vector<float> floatsOf(const at::Tensor& tensor) {
  const at::Tensor values = tensor.to(at::kCPU).contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

/// Lets a model of text read, byte by byte.
void readInto(SequenceSampler& sampler, const std::string& text, const std::stop_token& stop) {
  for (const char letter : text) {
    endIfAsked(stop, "continuing");
    sampler.append({static_cast<std::uint8_t>(letter)});
  }
}

}  // namespace

struct SequenceSession::State {
  std::filesystem::path weights;
  SequenceExperiment experiment;
  SequenceDataConfig trainedData;  ///< the experiment's, until setData
  std::shared_ptr<SequenceModel> model;
  at::Device device = at::kCPU;
  int threads = 0;
  mutable std::mutex mutex;

  bool hasTrainedData() const {
    return experiment.data.dataset == trainedData.dataset &&
           isSamePlace(experiment.data.path, trainedData.path);
  }
  void enter() const { configureCompute(threads); }  // thread counts belong to the calling thread
  SequenceMaps mapsOf(const ByteSequence& bytes, int layer) const;
  std::vector<ByteSequence> completions(const ByteSequence& known, int samples, double temperature,
                                        std::uint64_t seed, const ProgressCallback& progress,
                                        const std::stop_token& stop) const;
};

SequenceSession::SequenceSession() : m_state(std::make_unique<State>()) {}
SequenceSession::~SequenceSession() = default;

Result<std::shared_ptr<SequenceSession>> SequenceSession::open(
    const std::filesystem::path& runFolderOrWeights, const std::string& device, int threads) {
  return guarded(runFolderOrWeights.string(), [&] {
    configureCompute(threads);
    std::shared_ptr<SequenceSession> session(new SequenceSession);
    State& state = *session->m_state;
    state.weights = sequenceWeightsIn(runFolderOrWeights);
    const SequenceFile file = valueOrThrow(readSequenceFile(state.weights));
    state.experiment = file.experiment;
    state.trainedData = file.experiment.data;
    state.threads = threads;
    state.device = deviceFromConfig(device);
    state.model = modelOf(file, state.weights.string());
    state.model->to(state.device);
    return session;
  });
}

const SequenceExperiment& SequenceSession::experiment() const {
  return m_state->experiment;
}
const std::filesystem::path& SequenceSession::weights() const {
  return m_state->weights;
}

std::int64_t SequenceSession::parameters() const {
  std::int64_t count = 0;
  for (const auto& [name, tensor] : m_state->model->trainable())
    count += tensor.numel();
  return count;
}

Result<void> SequenceSession::setData(const SequenceDataConfig& data) {
  const std::lock_guard lock(m_state->mutex);
  const SequenceDataConfig& own = m_state->experiment.data;
  if (data.kind != own.kind)
    return Error{ErrorCode::InvalidArgument,
                 "is \"" + data.kind + tr("\"; the model was trained on ") + own.kind, "data.kind"};
  if (m_state->experiment.ofImages() && data.imageSize != own.imageSize)
    return Error{ErrorCode::InvalidArgument,
                 "is " + std::to_string(data.imageSize) + tr("; the model takes images of ") +
                     std::to_string(own.imageSize) + tr(" pixels per side"),
                 "data.image_size"};
  m_state->experiment.data = data;
  return {};
}

Result<SequenceScore> SequenceSession::evaluate(SequenceSplit split, std::int64_t samples,
                                                const ProgressCallback& progress,
                                                std::stop_token stop) const {
  return guarded("evaluation", [&] {
    const std::lock_guard lock(m_state->mutex);
    m_state->enter();
    requireThat(samples >= 0, "samples", tr("must be 0 (all) or more"));
    const SequenceExperiment& experiment = m_state->experiment;
    const auto source = valueOrThrow(
        openSequences(experiment, split, /*measuredWhole=*/!m_state->hasTrainedData()));
    const SequenceEvaluation options{
        samples, std::min(experiment.training.batchSize, kMostEvaluatedTogether), m_state->device};
    return evaluateSequences(*m_state->model, *source, options, progress, stop);
  });
}

Result<Image> SequenceSession::view(const Image& image) const {
  return guarded("image", [&] {
    requireThat(m_state->experiment.ofImages(), "",
                tr("the model is a text model, not an image model"));
    requireThat(!image.empty(), "image", tr("is empty"));
    return sequenceView(image, m_state->experiment.data.imageSize);
  });
}

/// `known` and what follows it up to T bytes, as many times as wanted; each has random numbers of
/// its own, so that how many grow side by side changes nothing.
std::vector<ByteSequence> SequenceSession::State::completions(const ByteSequence& known,
                                                              int samples, double temperature,
                                                              std::uint64_t seed,
                                                              const ProgressCallback& progress,
                                                              const std::stop_token& stop) const {
  const std::int64_t length = experiment.length();
  const auto given = static_cast<std::int64_t>(known.size());
  const std::int64_t most = sequencesAtOnce(experiment.model, length, samples);
  const std::int64_t total = (samples + most - 1) / most * length;
  std::vector<ByteSequence> grown;
  RemainingTime remaining;
  remaining.start(0);
  std::int64_t done = 0;
  for (std::int64_t first = 0; first < samples; first += most) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(most, samples - first));
    std::vector<RandomStream> streams;
    for (std::size_t i = 0; i < count; ++i)
      streams.emplace_back(streamKey({seed, kCompletion, static_cast<std::uint64_t>(first) + i}));
    std::vector<ByteSequence> group(count);
    std::vector<std::uint8_t> bytes(count);
    SequenceSampler sampler(model, static_cast<std::int64_t>(count), device);
    for (std::int64_t position = 0; position < length; ++position) {
      endIfAsked(stop, "completing");
      for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = position < given ? known[static_cast<std::size_t>(position)]
                                    : sampleByte(sampler.logits(static_cast<std::int64_t>(i)),
                                                 temperature, streams[i]);
        group[i].push_back(bytes[i]);
      }
      if (position + 1 < length) sampler.append(bytes);
      ++done;
      if (progress) progress({"completing", done, total, remaining.secondsRemaining(done, total)});
    }
    std::move(group.begin(), group.end(), std::back_inserter(grown));
  }
  return grown;
}

Result<std::vector<Image>> SequenceSession::complete(const Image& image, double keptFraction,
                                                     int samples, double temperature,
                                                     std::uint64_t seed,
                                                     const ProgressCallback& progress,
                                                     std::stop_token stop) const {
  return guarded("completion", [&] {
    const std::lock_guard lock(m_state->mutex);
    m_state->enter();
    requireThat(keptFraction >= 0 && keptFraction <= 1, "kept", tr("must be from 0 to 1"));
    requireThat(samples >= 1 && samples <= kMostSamples, "samples",
                tr("must be from 1 to ") + std::to_string(kMostSamples));
    requireTemperature(temperature);
    const Image seen = valueOrThrow(view(image));
    ByteSequence known = bytesOf(seen);
    known.resize(static_cast<std::size_t>(keptRows(seen.height, keptFraction)) * seen.width * 3);
    // Nothing to draw, and the model would read all of it for that.
    if (static_cast<std::int64_t>(known.size()) == m_state->experiment.length())
      return std::vector<Image>(static_cast<std::size_t>(samples), imageOf(known, seen.width));
    std::vector<Image> images;
    for (const auto& bytes :
         m_state->completions(known, samples, temperature, seed, progress, stop))
      images.push_back(imageOf(bytes, seen.width));
    return images;
  });
}

SequenceMaps SequenceSession::State::mapsOf(const ByteSequence& bytes, int layer) const {
  const int layers = experiment.model.depth;
  requireThat(layer >= 0 && layer < layers, "layer",
              tr("must be from 0 to ") + std::to_string(layers - 1) + tr(": the model has ") +
                  std::to_string(layers) + (layers == 1 ? " layer" : " layers"));
  const auto length = static_cast<std::int64_t>(bytes.size());
  requireThat(length <= kMostMapRows, "",
              tr("a map of ") + std::to_string(length) +
                  tr(" bytes is too large to show (at most ") + std::to_string(kMostMapRows) +
                  tr("); use a model with shorter sequences"));
  const at::Tensor map = model->map(byteTensor({bytes}).to(device), layer).select(0, 0);
  SequenceMaps maps;
  maps.meaning = model->mapMeaning();
  maps.layer = layer;
  maps.heads = static_cast<int>(map.size(0));
  maps.length = length;
  maps.values = std::make_shared<const std::vector<float>>(floatsOf(map));
  if (const at::Tensor filter = model->filter(layer); filter.defined()) {
    maps.taps = filter.size(1);
    maps.filter = std::make_shared<const std::vector<float>>(floatsOf(filter.expm1()));
  }
  return maps;
}

Result<SequenceMaps> SequenceSession::infer(const Image& image, int layer) const {
  return guarded("maps", [&] {
    const std::lock_guard lock(m_state->mutex);
    m_state->enter();
    return m_state->mapsOf(bytesOf(valueOrThrow(view(image))), layer);
  });
}

Result<SequenceMaps> SequenceSession::infer(const std::string& text, int layer) const {
  return guarded("maps", [&] {
    const std::lock_guard lock(m_state->mutex);
    m_state->enter();
    requireThat(!m_state->experiment.ofImages(), "",
                tr("the model is an image model, not a text model"));
    requireThat(!text.empty(), "text", tr("is empty"));
    const auto most = static_cast<std::size_t>(m_state->experiment.length());
    const std::size_t first = text.size() - std::min(text.size(), most);
    return m_state->mapsOf(
        ByteSequence(text.begin() + static_cast<std::ptrdiff_t>(first), text.end()), layer);
  });
}

Result<std::string> SequenceSession::continueText(
    const std::string& prompt, std::int64_t bytes, double temperature, std::uint64_t seed,
    const std::function<void(const std::string&)>& onBytes, std::stop_token stop) const {
  return guarded("continuation", [&] {
    const std::lock_guard lock(m_state->mutex);
    m_state->enter();
    requireThat(!m_state->experiment.ofImages(), "",
                tr("the model is an image model, not a text model"));
    requireThat(bytes >= 1 && bytes <= kMostBytes, "bytes",
                tr("must be from 1 to ") + std::to_string(kMostBytes));
    requireTemperature(temperature);
    const auto most = static_cast<std::size_t>(m_state->experiment.length() - 1);
    std::string context = prompt.substr(prompt.size() - std::min(prompt.size(), most));
    SequenceSampler sampler(m_state->model, 1, m_state->device);
    readInto(sampler, context, stop);
    RandomStream stream(streamKey({seed, kContinuation}));
    std::string continued;
    while (static_cast<std::int64_t>(continued.size()) < bytes) {
      endIfAsked(stop, "continuing");
      const auto next = static_cast<char>(sampleByte(sampler.logits(0), temperature, stream));
      continued += next;
      context += next;
      if (onBytes) onBytes(std::string(1, next));
      if (context.size() <= most) {
        readInto(sampler, std::string(1, next), stop);
        continue;
      }
      context = context.substr(context.size() - (most + 1) / 2);  // full: its last half
      sampler.begin();
      readInto(sampler, context, stop);
    }
    return continued;
  });
}

}  // namespace headlight
