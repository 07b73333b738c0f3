// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/RecordedImages.h"

#include <QObject>

#include <utility>

#include "core/workbench/loading/WeightsName.h"
#include "core/workbench/runs/RecordedInference.h"
#include "core/workbench/runs/RunCheckpoints.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ModelWorker.h"

namespace headlight {

Result<void> RecordedImages::open(const std::filesystem::path& run, const ModelInfo& shown) {
  return guarded(run.string(), [&] {
    if (m_evolution && m_folder == run) {
      refresh();
    } else {
      *this = {};
      m_follower.emplace(run);
      readLogs();
      m_evolution = valueOrThrow(RecordedEvolution::open(run));
      m_folder = run;
      takeImages();
    }
    const bool fits = m_experiment &&
                      ModelWorker::canLookThrough(m_experiment->model, shown.experiment.model) &&
                      isRecordedFrom(m_evolution->info(), shown);
    if (!fits)
      throw Failure(
          {ErrorCode::InvalidArgument,
           QObject::tr("The run trains a different model; open its checkpoint to see its images.")
               .toStdString(),
           run.string()});
  });
}

void RecordedImages::refresh() {
  readLogs();
  if (valueOrThrow(m_evolution->refresh()) == EvolutionChange::Anew) takeImages();
}

void RecordedImages::readLogs() {
  RunGrowth growth = m_follower->poll();
  if (growth.anew) m_edits.clear();
  if (growth.experiment) m_experiment = growth.experiment;
  for (AppliedEdit& edit : growth.points.edits)
    m_edits.push_back(std::move(edit));
}

void RecordedImages::takeImages() {
  m_images.clear();
  m_scales = {};
  for (const RecordedImage& image : m_evolution->info().images)
    m_images.push_back(std::make_shared<const Image>(image.view));
}

Result<std::shared_ptr<const RecordedView>> RecordedImages::at(std::int64_t step, int image) {
  return guarded(m_folder.string(), [&]() -> std::shared_ptr<const RecordedView> {
    RecordedInference recorded =
        valueOrThrow(recordedInference(*m_evolution, m_evolution->momentAt(step), image));
    if (const auto masks = masksAtStep(*m_experiment, m_edits, recorded.step))
      recorded.inference.masks = *masks;
    const auto chosen = static_cast<std::size_t>(image);
    const RecordedImage& of = m_evolution->info().images[chosen];
    auto view = std::make_shared<RecordedView>();
    view->image = m_images[chosen];
    view->imageName = displayName(of.name);
    view->label = QString::fromStdString(of.label.name);
    view->source = displayName(coreText(makeRunWeightsName(
        m_experiment->name, QObject::tr("recorded").toStdString(), recorded.step)));
    view->queries = std::move(recorded.queries);
    view->scales = scales(image);
    view->whole = recorded.whole;
    view->rolloutGrid = recorded.rolloutGrid;
    view->rollout = std::move(recorded.rollout);
    view->inference = std::make_shared<const InferenceResult>(std::move(recorded.inference));
    return view;
  });
}

/// Read again where the run has recorded more.
std::shared_ptr<const EvolutionScales> RecordedImages::scales(int image) {
  const auto& moments = m_evolution->moments();
  const std::int64_t last = moments.empty() ? -1 : moments.back().step;
  if (m_scales.image == image && m_scales.lastStep == last && m_scales.points == moments.size())
    return m_scales.scales;
  m_scales = {image, last, moments.size(), nullptr};
  // Where another point cannot be read, this one is shown on a scale of its own.
  if (auto read = EvolutionScales::read(*m_evolution, image))
    m_scales.scales = std::make_shared<const EvolutionScales>(std::move(*read));
  return m_scales.scales;
}

std::vector<std::int64_t> RecordedImages::steps() const {
  std::vector<std::int64_t> steps;
  for (const EvolutionMoment& moment : m_evolution->moments())
    steps.push_back(moment.step);
  return steps;
}

QStringList RecordedImages::names() const {
  QStringList names;
  for (const RecordedImage& image : m_evolution->info().images)
    names << displayName(image.label.name) + QStringLiteral(" · ") + displayName(image.name);
  return names;
}

}  // namespace headlight
