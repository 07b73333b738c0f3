// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training tells those who watch: state, progress, metrics, warnings, head metrics and maps,
// to the run's folder and to RunControl. Draws no random number and changes nothing of the model.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/Progress.h"
#include "core/data/Loader.h"
#include "core/models/layers/Precision.h"
#include "core/training/MapRecorder.h"
#include "core/training/Telemetry.h"
#include "core/training/TrainerParts.h"

namespace headlight {

/// To those who watch.
void publishWarning(RunControl& control, const std::string& message);

class TrainerTelemetry {
 public:
  explicit TrainerTelemetry(const TrainerContext& on);

  /// Reads the images that heads are measured on, where telemetry.als_steps asks for it.
  void openProbe();
  /// The remaining time counts from this step.
  void startClock() { m_remaining.start(m_on.at.step); }

  void setState(TrainingState state, const std::string& message = {});
  void warn(const std::string& message) { publishWarning(m_on.control, message); }
  /// To metrics.jsonl every telemetry.metrics_steps.
  void step(const StepMetrics& metrics);
  void start(const EpochPoint& point);
  void recordEpoch(const EpochPoint& point, double learningRate, double seconds);
  /// To those who watch, once the epoch is saved.
  void publishEpoch(const EpochPoint& point);
  void edit(const AppliedEdit& applied);

  void measureHeadMetrics();
  /// The weights that a run ends in are recorded whether it is their turn or not.
  void keepLastMaps();
  /// Before the first step, with the images themselves, and after every validation.
  void drawMaps();

  /// Files that could not be read, each once; of very many the number.
  void reportSkippedTraining(const Loader& loader) { reportSkipped(loader, m_skippedTrain); }
  void reportSkippedValidation(const Loader& loader) { reportSkipped(loader, m_skippedValidation); }
  /// Steps that float16's loss scaling skipped since they were last reported.
  void reportSkippedSteps();
  /// Those of before were reported already: the run goes on from a checkpoint.
  void noteSkippedSteps() { m_skippedSteps = m_on.steps.lossScale().state().skipped; }

 private:
  bool hasProbe() const { return m_probe && m_probe->images() > 0; }
  void keepMaps(MapRecorder& maps, const HeadPoint& heads, bool last);
  void reportSkipped(const Loader& loader, std::size_t& reported);
  Progress progress() const;

  TrainerContext m_on;
  Precision m_precision;
  std::optional<HeadProbe> m_probe;
  std::optional<EvolutionBeginning> m_recorded;  ///< once the first maps were taken
  std::size_t m_skippedTrain = 0, m_skippedValidation = 0;
  std::int64_t m_skippedSteps = 0;  ///< that were reported
  RemainingTime m_remaining;
};

}  // namespace headlight
