// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/RecordedPictures.h"

#include <QObject>

#include <utility>

#include "core/workbench/runs/RecordedInference.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ModelWorker.h"

namespace headlight {

Result<void> RecordedPictures::open(const std::filesystem::path& run, const ModelInfo& shown) {
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
                      isRecordingOf(m_evolution->info(), shown);
    if (!fits)
      throw Failure({ErrorCode::InvalidArgument,
                     QObject::tr("The run trains another model than the one that is open; open its "
                                 "checkpoint to see its pictures.")
                         .toStdString(),
                     run.string()});
  });
}

void RecordedPictures::refresh() {
  readLogs();
  if (valueOrThrow(m_evolution->refresh()) == EvolutionChange::Anew) takeImages();
}

void RecordedPictures::readLogs() {
  RunGrowth growth = m_follower->look();
  if (growth.anew) m_edits.clear();
  if (growth.experiment) m_experiment = growth.experiment;
  for (AppliedEdit& edit : growth.points.edits)
    m_edits.push_back(std::move(edit));
}

void RecordedPictures::takeImages() {
  m_images.clear();
  for (const RecordedPicture& picture : m_evolution->info().pictures)
    m_images.push_back(std::make_shared<const Image>(picture.view));
}

Result<std::shared_ptr<const RecordedView>> RecordedPictures::at(std::int64_t step, int picture) {
  return guarded(m_folder.string(), [&]() -> std::shared_ptr<const RecordedView> {
    RecordedInference recorded =
        valueOrThrow(recordedLook(*m_evolution, m_evolution->momentAt(step), picture));
    if (const auto masks = masksAtStep(*m_experiment, m_edits, recorded.step))
      recorded.look.masks = *masks;
    const auto chosen = static_cast<std::size_t>(picture);
    const RecordedPicture& of = m_evolution->info().pictures[chosen];
    auto view = std::make_shared<RecordedView>();
    view->image = m_images[chosen];
    view->imageName = displayName(of.name);
    view->label = QString::fromStdString(of.label.name);
    view->source = QObject::tr("recorded by “%1” at step %2")
                       .arg(displayName(m_experiment->name))
                       .arg(recorded.step);
    view->queries = std::move(recorded.queries);
    view->whole = recorded.whole;
    view->rolloutGrid = recorded.rolloutGrid;
    view->rollout = std::move(recorded.rollout);
    view->look = std::make_shared<const InferenceResult>(std::move(recorded.look));
    return view;
  });
}

std::vector<std::int64_t> RecordedPictures::steps() const {
  std::vector<std::int64_t> steps;
  for (const EvolutionMoment& moment : m_evolution->moments())
    steps.push_back(moment.step);
  return steps;
}

QStringList RecordedPictures::names() const {
  QStringList names;
  for (const RecordedPicture& picture : m_evolution->info().pictures)
    names << displayName(picture.label.name) + QStringLiteral(" · ") + displayName(picture.name);
  return names;
}

}  // namespace headlight
