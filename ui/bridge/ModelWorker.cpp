// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ModelWorker.h"

#include <QFileInfo>

#include <future>

#include "core/base/Heap.h"
#include "core/base/Log.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/Compute.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/training/TrainingSession.h"
#include "ui/base/SanitizedText.h"

namespace headlight {

struct ModelWorker::Sessions {
  std::shared_ptr<InferenceSession> main;
  std::shared_ptr<InferenceSession> training;  ///< null: not looking through a run
  std::string trainingModel;                   ///< what `training` was made from
};

namespace {

QString textOf(const Error& error) {
  return QString::fromStdString(error.text());
}

QString modelTitle(const ModelSource& source) {
  const QString weights =
      displayName(QFileInfo(QString::fromStdString(source.weights.string())).fileName());
  const QString model = displayName(QFileInfo(QString::fromStdString(source.model)).fileName());
  return weights.isEmpty() ? model : weights;
}

/// Whether the document's maps, where they are of no model, are of its picture: of no other can
/// anything be said.
bool areOfPicture(const Document& document) {
  const auto place = mapPlaceOf(document.imagePath().toStdString());
  return !document.model().isPrecomputed || (place && place->file == document.model().weights);
}

/// Maps of fine grids are hundreds of megabytes: giving them back would take the window's thread
/// longer than a frame.
void releaseElsewhere(const Result<InferenceResult>* look) {
  static WorkerThread releasing;
  releasing.post(
      [owned = std::shared_ptr<const Result<InferenceResult>>(look)](std::stop_token) {});
}

/// As its checkpoint says, if that describes the same model; else as the session says, with what of
/// the checkpoint's weights fits. `loaded` is an error where the weights were not.
Result<std::unique_ptr<InferenceSession>> restored(const Experiment& experiment,
                                                   const std::filesystem::path& path,
                                                   Result<void>& loaded) {
  ModelSource source;
  source.weights = path;
  source.device = experiment.device;
  source.partial = true;
  auto opened = InferenceSession::open(source);
  if (opened && (*opened)->info().isPrecomputed) return opened;
  if (opened) {
    const ModelConfig& model = (*opened)->info().experiment.model;
    if (sameModel(model, experiment.model) && model.name == experiment.model.name) return opened;
  }
  auto created = InferenceSession::create(experiment);
  if (!created) {
    loaded = created.error();
    return created;
  }
  if (auto report = (*created)->loadWeights(path, /*partial=*/true); !report)
    loaded = report.error();
  return created;
}

}  // namespace

ModelWorker::ModelWorker(Document* document, QObject* parent)
    : QObject(parent), m_document(document), m_sessions(std::make_shared<Sessions>()) {
  m_clock.start();
  connect(document, &Document::modelChanged, this, [this] { requestLook(); });
  connect(document, &Document::imageChanged, this, [this] {
    if (!m_settingFrame) requestLook();
  });
  connect(document, &Document::referenceChanged, this, [this] { requestReference(); });
  connect(document, &Document::masksChanged, this, [this] {
    m_editedAt = m_clock.nsecsElapsed();
    requestLook();
  });
}

ModelWorker::~ModelWorker() {
  m_lookStop.request_stop();
}

void ModelWorker::openModel(const ModelSource& source, std::function<void()> whenOpen) {
  ModelSource any = source;  // what does not fit is asked about when it is known
  any.partial = true;
  std::function<void()> anyway;
  if (!source.partial) anyway = [this, any, whenOpen] { openModel(any, whenOpen); };
  open(
      modelTitle(source), [any] { return InferenceSession::open(any); }, std::move(whenOpen),
      std::move(anyway));
}

void ModelWorker::createModel(const Experiment& experiment, std::function<void()> whenOpen) {
  open(
      displayName(experiment.model.name),
      [experiment] { return InferenceSession::create(experiment); }, std::move(whenOpen));
}

void ModelWorker::restoreModel(const Experiment& experiment, const QString& weights,
                               std::function<void()> whenOpen, bool partial) {
  const std::filesystem::path path = weights.toStdString();
  std::function<void()> anyway;
  if (!partial)
    anyway = [this, experiment, weights, whenOpen] {
      restoreModel(experiment, weights, whenOpen, /*partial=*/true);
    };
  open(
      displayName(experiment.model.name),
      [this, experiment, path, weights]() -> Opened {
        if (path.empty()) return InferenceSession::create(experiment);
        Result<void> loaded;
        if (auto session = restored(experiment, path, loaded); loaded) return session;
        inThreadOf(this, [this, weights, text = textOf(loaded.error())] {
          Q_EMIT m_document->failed(tr("The weights of the last session were not loaded"),
                                    tr("%1. The model has random weights now; its masks are as "
                                       "they were.")
                                        .arg(text));
        });
        return InferenceSession::create(experiment);
      },
      std::move(whenOpen), std::move(anyway));
}

void ModelWorker::resizeModel(int height, int width) {
  const ViewOptions before = m_document->view();
  open(
      displayName(m_document->model().experiment.model.name),
      [sessions = m_sessions, height, width, masks = m_document->masks()]() -> Opened {
        if (!sessions->main) return Error{ErrorCode::InvalidArgument, "no model is open", ""};
        return sessions->main->atSize(height, width, masks);
      },
      [this, before] {
        m_document->changeView([&before](ViewOptions& view) {
          const int query = view.query;  // of the new grid
          view = before;
          view.query = query;
        });
      });
}

void ModelWorker::configure(int threads) {
  m_worker.post([this, threads](std::stop_token) {
    configureCompute(threads);
    const QString text = QString::fromStdString(computeDescription());
    inThreadOf(this, [this, text] { Q_EMIT computeDescribed(text); });
  });
}

void ModelWorker::open(const QString& what, std::function<Opened()> opener,
                       std::function<void()> whenOpen, std::function<void()> openAnyway) {
  const int ticket = ++m_openTicket;
  m_opening = ticket;
  m_lookStop.request_stop();
  setActivity(tr("Opening %1…").arg(what));
  m_worker.post([this, ticket, what, opener = std::move(opener), whenOpen = std::move(whenOpen),
                 openAnyway = std::move(openAnyway)](std::stop_token) {
    auto result = opener();
    if (!result) {
      inThreadOf(this, [this, ticket, what, error = result.error()] {
        failedToOpen(ticket, what, error);
      });
      return;
    }
    const LoadReport& report = (*result)->info().report;
    if (openAnyway && !report.unfilled().empty()) {
      inThreadOf(this, [this, ticket, what, report, openAnyway] {
        openedInPart(ticket, what, report, openAnyway);
      });
      return;
    }
    // It becomes the session only when the window still wants it: see opened().
    std::shared_ptr<InferenceSession> session = std::move(*result);
    inThreadOf(this, [this, ticket, session, whenOpen] { opened(ticket, session, whenOpen); });
  });
}

void ModelWorker::opened(int ticket, std::shared_ptr<InferenceSession> session,
                         const std::function<void()>& whenOpen) {
  if (ticket != m_opening) return;
  m_opening = 0;
  ++m_runTicket;
  setActivity({});
  m_worker.post([sessions = m_sessions, session](std::stop_token) {
    sessions->main = session;
    sessions->training.reset();
    giveBackFreeMemory();
  });
  if (std::exchange(m_throughTraining, false)) Q_EMIT throughTrainingChanged(false);
  if (m_document->hasModel()) Q_EMIT replacing(session->info());
  m_document->setSourceNote({});
  m_document->setModel(session->info());  // whose signal asks for a look, behind the task above
  if (whenOpen) whenOpen();
}

/// False where another opening counts by now.
bool ModelWorker::endOpening(int ticket) {
  if (ticket != m_opening) return false;
  m_opening = 0;
  setActivity({});
  requestLook();  // the present model's was stopped
  return true;
}

void ModelWorker::failedToOpen(int ticket, const QString& what, const Error& error) {
  if (!endOpening(ticket)) return;
  Q_EMIT m_document->failed(tr("%1 was not opened").arg(what), textOf(error));
  Q_EMIT openingFailed();
}

void ModelWorker::openedInPart(int ticket, const QString& what, const LoadReport& report,
                               const std::function<void()>& openAnyway) {
  if (!endOpening(ticket)) return;
  Q_EMIT partlyFits(what, report, openAnyway);
  Q_EMIT openingFailed();
}

void ModelWorker::cancelOpening() {
  if (m_opening != 0 && endOpening(m_opening)) Q_EMIT openingFailed();
}

void ModelWorker::previewWeights(const QString& path) {
  setActivity(tr("Reading %1…").arg(QFileInfo(path).fileName()));
  m_worker.post([this, sessions = m_sessions, path](std::stop_token) {
    if (!sessions->main) return;
    const auto report = sessions->main->previewWeights(path.toStdString());
    inThreadOf(this, [this, path, report] {
      setActivity({});
      if (report)
        Q_EMIT weightsPreviewed(path, *report);
      else
        Q_EMIT m_document->failed(tr("%1 was not read").arg(QFileInfo(path).fileName()),
                                  textOf(report.error()));
    });
  });
}

void ModelWorker::loadWeights(const QString& path) {
  setActivity(tr("Loading %1…").arg(QFileInfo(path).fileName()));
  m_worker.post([this, sessions = m_sessions, path](std::stop_token) {
    if (!sessions->main) return;
    const auto report = sessions->main->loadWeights(path.toStdString(), /*partial=*/true);
    const ModelInfo info = sessions->main->info();
    inThreadOf(this, [this, path, report, info] {
      setActivity({});
      if (!report) {
        Q_EMIT m_document->failed(tr("%1 was not loaded").arg(QFileInfo(path).fileName()),
                                  textOf(report.error()));
        return;
      }
      if (!m_document->model().weights.empty()) Q_EMIT replacing(info);
      m_document->updateModel(info);
      Q_EMIT weightsLoaded(path, *report);
    });
  });
}

void ModelWorker::nameClasses(const QString& path) {
  m_worker.post([this, sessions = m_sessions, path](std::stop_token) {
    if (!sessions->main) return;
    const auto named = sessions->main->setClassNames(path.toStdString());
    const ModelInfo info = sessions->main->info();
    inThreadOf(this, [this, named, info] {
      if (!named)
        return Q_EMIT m_document->failed(tr("The class names were not taken"),
                                         textOf(named.error()));
      m_document->updateModel(info);
      Q_EMIT m_document->message(tr("%1 classes were named").arg(info.classNames.size()));
    });
  });
}

void ModelWorker::saveModel(const QString& path) {
  if (!m_document->hasModel()) return;
  setActivity(tr("Saving %1…").arg(QFileInfo(path).fileName()));
  m_worker.post([this, sessions = m_sessions, path, masks = m_document->masks()](std::stop_token) {
    const auto done = sessions->main->save(path.toStdString(), masks);
    inThreadOf(this, [this, path, done] {
      setActivity({});
      if (done)
        Q_EMIT saved(path);
      else
        Q_EMIT m_document->failed(tr("%1 was not saved").arg(QFileInfo(path).fileName()),
                                  textOf(done.error()));
    });
  });
}

void ModelWorker::requestLook() {
  m_lookStop.request_stop();
  if (!m_document->hasModel() || !m_document->hasImage() || m_opening != 0) return;
  if (!areOfPicture(*m_document)) {
    ++m_lookTicket;
    m_document->setStale(false);
    Q_EMIT m_document->message(
        tr("%1 holds maps of its own pictures: choose one of those, or open a model.")
            .arg(QFileInfo(QString::fromStdString(m_document->model().weights.string()))
                     .fileName()));
    return;
  }
  m_lookStop = std::stop_source();
  const int ticket = ++m_lookTicket;
  m_document->setStale(true);
  m_worker.post([this, sessions = m_sessions, ticket, image = m_document->image(),
                 path = m_document->imagePath().toStdString(), masks = m_document->masks(),
                 through = m_throughTraining, stop = m_lookStop.get_token()](std::stop_token) {
    const auto& session = through && sessions->training ? sessions->training : sessions->main;
    if (!session || stop.stop_requested()) return;
    const std::shared_ptr<const Result<InferenceResult>> look(
        new Result<InferenceResult>(
            session->look(session->pictureAt(path, image), masks, {}, stop)),
        &releaseElsewhere);
    inThreadOf(this, [this, ticket, look] { lookDone(ticket, look); });
  });
}

void ModelWorker::setFrame(const Image& image, const QString& name, const QString& path,
                           const std::function<void(bool)>& changing) {
  changing(true);
  m_settingFrame = true;
  m_document->setImage(image, name, path);
  m_settingFrame = false;
  changing(false);
}

void ModelWorker::showFrame(const Image& image, const QString& name, const QString& path,
                            std::function<void(bool)> changing,
                            std::function<void(bool)> whenShown) {
  if (!m_document->canCompute() || m_opening != 0) {
    setFrame(image, name, path, changing);
    return whenShown(true);
  }
  m_lookStop.request_stop();
  m_lookStop = std::stop_source();
  const int ticket = ++m_lookTicket;
  m_worker.post([this, sessions = m_sessions, ticket, image, name, path, changing, whenShown,
                 masks = m_document->masks(), through = m_throughTraining,
                 stop = m_lookStop.get_token()](std::stop_token) {
    const auto& session = through && sessions->training ? sessions->training : sessions->main;
    const std::shared_ptr<const Result<InferenceResult>> look(
        new Result<InferenceResult>(
            session && !stop.stop_requested()
                ? session->look(image, masks, {}, stop)
                : Result<InferenceResult>(Error{ErrorCode::Canceled, "canceled", ""})),
        &releaseElsewhere);
    inThreadOf(this, [this, ticket, image, name, path, changing, whenShown, look] {
      if (ticket != m_lookTicket || m_opening != 0) return whenShown(false);
      setFrame(image, name, path, changing);
      lookDone(ticket, look);
      whenShown(true);
    });
  });
}

void ModelWorker::lookDone(int ticket,
                           const std::shared_ptr<const Result<InferenceResult>>& result) {
  const Result<InferenceResult>& look = *result;
  if (ticket != m_lookTicket || m_opening != 0) return;
  if (!look && look.error().code == ErrorCode::Canceled) return;
  const auto editedAt = std::exchange(m_editedAt, -1);
  if (look) {
    const double milliseconds = editedAt < 0 ? -1 : (m_clock.nsecsElapsed() - editedAt) / 1e6;
    m_document->setLook(std::shared_ptr<const InferenceResult>(result, &*look), milliseconds);
    requestReference();
  } else {
    m_document->setStale(false);
    Q_EMIT m_document->failed(tr("The model could not look at this"), textOf(look.error()));
  }
}

/// Behind the newest look, and never in the way of one: through the same weights.
void ModelWorker::requestReference() {
  if (!m_document->needsReferenceLook() || m_opening != 0) return;
  const int ticket = m_lookTicket;
  m_worker.post([this, sessions = m_sessions, ticket, image = m_document->image(),
                 masks = *m_document->referenceMasks(), through = m_throughTraining,
                 stop = m_lookStop.get_token()](std::stop_token) {
    const auto& session = through && sessions->training ? sessions->training : sessions->main;
    if (!session || stop.stop_requested()) return;
    const std::shared_ptr<const Result<InferenceResult>> look(
        new Result<InferenceResult>(session->look(image, masks, {}, stop)), &releaseElsewhere);
    inThreadOf(this, [this, ticket, look] {
      if (ticket != m_lookTicket || !*look || !m_document->needsReferenceLook()) return;
      if ((*look)->weights != m_document->liveLook()->weights)
        return;  // a newer look is on its way
      m_document->setReferenceLook(std::shared_ptr<const InferenceResult>(look, &**look));
    });
  });
}

bool ModelWorker::canLookThrough(const ModelConfig& run, const ModelConfig& shown) {
  return sameArchitecture(run, shown) && run.grid() == shown.grid();
}

bool ModelWorker::adopt(const Experiment& experiment,
                        std::shared_ptr<const ModelSnapshot> snapshot) {
  if (!m_document->hasModel() || !snapshot) return true;
  if (!canLookThrough(experiment.model, m_document->model().experiment.model)) {
    Q_EMIT m_document->failed(
        tr("The run trains another model"),
        tr("It has another attention, or other layers, heads or patches, than the model in the "
           "window. Open the run's checkpoint to look through its weights."));
    return false;
  }
  m_worker.post(
      [this, sessions = m_sessions, experiment, snapshot, ticket = m_runTicket](std::stop_token) {
        const std::string key = experimentToText(experiment);
        if (!sessions->training || sessions->trainingModel != key) {
          auto made = InferenceSession::create(experiment);
          sessions->training = made ? std::shared_ptr<InferenceSession>(std::move(*made)) : nullptr;
          sessions->trainingModel = key;
        }
        const auto adopted = sessions->training ? sessions->training->adopt(*snapshot)
                                                : Result<void>(Error{ErrorCode::Internal, "", ""});
        const QString note = tr("training weights of run “%1”, step %2")
                                 .arg(displayName(experiment.name))
                                 .arg(snapshotStep(*snapshot));
        inThreadOf(this, [this, adopted, ticket, note] {
          if (ticket != m_runTicket) return;  // another model was opened, or the run was let go
          if (!adopted) {
            Q_EMIT m_document->failed(tr("The run's weights could not be shown"),
                                      textOf(adopted.error()));
            return;
          }
          m_document->setSourceNote(note);
          if (!std::exchange(m_throughTraining, true)) Q_EMIT throughTrainingChanged(true);
          requestLook();
        });
      });
  return true;
}

std::function<std::shared_ptr<InferenceSession>()> ModelWorker::session() {
  auto promise = std::make_shared<std::promise<std::shared_ptr<InferenceSession>>>();
  auto coming = promise->get_future().share();
  m_worker.post([promise, sessions = m_sessions, through = m_throughTraining](std::stop_token) {
    promise->set_value(through && sessions->training ? sessions->training : sessions->main);
  });
  // A worker that ends drops what waits, and the promise with it.
  return [coming]() -> std::shared_ptr<InferenceSession> {
    try {
      return coming.get();
    } catch (const std::future_error&) {
      return nullptr;
    }
  };
}

void ModelWorker::releaseTraining() {
  ++m_runTicket;
  m_worker.post([sessions = m_sessions](std::stop_token) { sessions->training.reset(); });
  m_document->setSourceNote({});
  if (!std::exchange(m_throughTraining, false)) return;
  Q_EMIT throughTrainingChanged(false);
  requestLook();
}

void ModelWorker::setActivity(const QString& text) {
  m_activity = text;
  Q_EMIT activityChanged(text);
}

}  // namespace headlight
