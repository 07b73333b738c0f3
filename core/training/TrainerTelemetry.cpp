// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/TrainerTelemetry.h"

#include <algorithm>

#include "core/base/Text.h"
#include "core/training/ProbeImages.h"

namespace headlight {
namespace {

/// Damaged files that are named one by one.
constexpr std::size_t kMaxNamedFiles = 20;
/// The longer side of an image that is kept with its maps.
constexpr int kRecordedPixels = 224;

EvolutionBeginning recordedBeginning(const Model& model, const HeadProbe& probe,
                                     const MapRecorder& maps, const Preprocessing& preprocessing,
                                     const std::vector<std::string>& classNames,
                                     const std::string& run) {
  EvolutionBeginning beginning;
  beginning.run = run;
  beginning.meaning = model.mapMeaning();
  beginning.isSigned = model.mapIsSigned();
  beginning.rowsSumToOne = model.mapRowsSumToOne();
  beginning.layers = maps.layers();
  beginning.classNames = classNames;
  for (std::int64_t i = 0; i < std::min(probe.images(), kRecordedImages); ++i) {
    const ProbeImage& image = probe.described()[static_cast<std::size_t>(i)];
    beginning.images.push_back({image.index, image.label, image.name,
                                valueOrThrow(encodePng(seenImage(
                                    probe.imageTensor()[i], preprocessing, kRecordedPixels)))});
  }
  return beginning;
}

}  // namespace

void publishWarning(RunControl& control, const std::string& message) {
  control.publish([&](TrainingUpdate& update) { update.warnings.push_back(message); });
}

TrainerTelemetry::TrainerTelemetry(const TrainerContext& on)
    : m_on(on), m_precision(precisionFromConfig(on.parts.experiment.training.precision)) {}

void TrainerTelemetry::openProbe() {
  const Experiment& experiment = m_on.parts.experiment;
  if (experiment.telemetry.alsSteps > 0)
    m_probe.emplace(*m_on.parts.validation, experiment.telemetry.probeImages,
                    m_on.parts.preprocessing, static_cast<std::uint64_t>(experiment.seed),
                    m_on.parts.device);
}

void TrainerTelemetry::setState(TrainingState state, const std::string& message) {
  m_on.control.publish([&](TrainingUpdate& update) {
    update.state = state;
    update.message = message;
    update.epoch = m_on.at.epoch;
    update.epochs = m_on.parts.experiment.training.epochs;
    update.progress = progress();
  });
}

void TrainerTelemetry::step(const StepMetrics& metrics) {
  if (m_on.at.step % m_on.parts.experiment.telemetry.metricsSteps == 0) m_on.recorder.step(metrics);
  m_on.control.publish([&](TrainingUpdate& update) {
    update.steps.push_back(metrics.point);
    update.progress = progress();
    update.epoch = m_on.at.epoch;
  });
}

void TrainerTelemetry::start(const EpochPoint& point) {
  m_on.recorder.start(point);
  m_on.control.publish([&](TrainingUpdate& update) { update.start = point; });
}

void TrainerTelemetry::recordEpoch(const EpochPoint& point, double learningRate, double seconds) {
  m_on.recorder.epoch(point, learningRate, seconds);
}

void TrainerTelemetry::publishEpoch(const EpochPoint& point) {
  m_on.control.publish([&](TrainingUpdate& update) {
    update.epochPoints.push_back(point);
    update.epoch = m_on.at.epoch;
    update.state = TrainingState::Running;
  });
}

void TrainerTelemetry::edit(const AppliedEdit& applied) {
  m_on.recorder.edit(applied);
  m_on.control.publish([&](TrainingUpdate& update) { update.edits.push_back(applied); });
}

void TrainerTelemetry::measureHeadMetrics() {
  if (!hasProbe()) return;
  const AutocastScope autocast(m_precision, m_on.parts.device);
  std::optional<MapRecorder> maps;
  if (m_on.recorder.wantsMaps(m_on.at.step))
    maps.emplace(*m_on.parts.model, std::min(m_probe->images(), kRecordedImages));
  const HeadPoint point =
      m_probe->measure(*m_on.parts.model, m_on.at.step, maps ? &*maps : nullptr);
  m_on.recorder.heads(point);
  if (maps) keepMaps(*maps, point, /*last=*/false);
  m_on.control.publish([&](TrainingUpdate& update) { update.heads.push_back(point); });
}

void TrainerTelemetry::keepMaps(MapRecorder& maps, const HeadPoint& heads, bool last) {
  m_on.recorder.noteMaps(guarded(kEvolutionFile, [&] {
    EvolutionPoint point = maps.point();
    point.step = m_on.at.step;
    point.epoch = m_on.at.epoch;
    point.locality = heads.locality;
    point.alpha = heads.alpha;
    if (!m_recorded)
      m_recorded = recordedBeginning(*m_on.parts.model, *m_probe, maps, m_on.parts.preprocessing,
                                     m_on.parts.validation->classNames(), m_on.parts.run);
    return m_on.recorder.maps(*m_recorded, point, last);
  }));
}

/// The weights that a run ends in are recorded whether it is their turn or not.
void TrainerTelemetry::keepLastMaps() {
  if (!hasProbe() || !m_on.recorder.lacksMaps(m_on.at.step)) return;
  const AutocastScope autocast(m_precision, m_on.parts.device);
  MapRecorder maps(*m_on.parts.model, std::min(m_probe->images(), kRecordedImages));
  const HeadPoint heads = m_probe->measure(*m_on.parts.model, m_on.at.step, &maps);
  keepMaps(maps, heads, /*last=*/true);
}

void TrainerTelemetry::drawMaps() {
  if (!hasProbe() || !m_on.recorder.keepsEvents()) return;
  const AutocastScope autocast(m_precision, m_on.parts.device);
  const at::Tensor images = m_probe->imageTensor().slice(0, 0, kProbeImages);
  std::vector<EventImage> events = mapImages(*m_on.parts.model, images);
  if (m_on.at.step == 0) events.push_back(probeImages(images, m_on.parts.preprocessing));
  m_on.recorder.images(events, m_on.at.step);
}

Progress TrainerTelemetry::progress() const {
  const std::int64_t epochs = m_on.parts.experiment.training.epochs;
  const std::int64_t total = m_on.steps.schedule().totalSteps();
  return {
      "epoch " + std::to_string(std::min(m_on.at.epoch + 1, epochs)) + "/" + std::to_string(epochs),
      m_on.at.step, total, m_remaining.secondsRemaining(m_on.at.step, total)};
}

/// Now and then one is as it should be: the factor is tried out so.
void TrainerTelemetry::reportSkippedSteps() {
  const LossScaleState& state = m_on.steps.lossScale().state();
  const std::int64_t skipped = state.skipped - m_skippedSteps;
  m_skippedSteps = state.skipped;
  if (skipped == 0) return;
  warn(countText(skipped, "step", "steps") + " of epoch " + std::to_string(m_on.at.epoch + 1) +
       (skipped == 1 ? " was skipped, because its gradients were"
                     : " were skipped, because their gradients were") +
       " too large for float16; the loss is now scaled "
       "by " +
       std::to_string(static_cast<std::int64_t>(state.scale)));
}

void TrainerTelemetry::reportSkipped(const Loader& loader, std::size_t& reported) {
  const std::vector<SkippedFile> skipped = loader.skipped();
  for (; reported < skipped.size() && reported < kMaxNamedFiles; ++reported)
    warn("skipped " + skipped[reported].path + ": " + skipped[reported].reason);
  if (reported < skipped.size()) {
    reported = skipped.size();
    warn(countText(static_cast<std::int64_t>(reported), "damaged file", "damaged files") +
         " skipped so far");
  }
}

}  // namespace headlight
