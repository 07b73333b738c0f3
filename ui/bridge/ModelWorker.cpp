// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ModelWorker.h"

#include <QFileInfo>

#include <future>

#include "core/base/Heap.h"
#include "core/base/Log.h"
#include "core/models/Registry.h"
#include "core/workbench/adapt/KeptTaught.h"
#include "core/workbench/adapt/TaughtModel.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/loading/WeightsName.h"
#include "core/workbench/training/TrainingSession.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"

namespace headlight {

struct ModelWorker::Sessions {
  std::shared_ptr<InferenceSession> main;
  std::shared_ptr<InferenceSession> training;  ///< null: no run is shown
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

/// Whether the document's maps, where they are of no model, are of its image: of no other can
/// anything be said.
bool areOfImage(const Document& document) {
  const auto place = parseMapPlace(document.inputs().imagePath().toStdString());
  return !document.inputs().model().isPrecomputed ||
         (place && place->file == document.inputs().model().weights);
}

/// Whether a map of the decoder is wanted that was too large to be kept for every query.
bool lacksDecoderMaps(const Document& document) {
  const auto inference = document.inference();
  const ViewOptions& view = document.view().options();
  if (!inference || !inference->segments || view.decoderLayer < 0 || view.segmentQuery < 0)
    return false;
  const FoundSegments& found = *inference->segments;
  return found.decoderLayers > 0 && decoderMap(found, view.segmentQuery, 0).empty();
}

/// Maps of fine grids are hundreds of megabytes: giving them back would take the window's thread
/// longer than a frame.
void releaseElsewhere(const Result<InferenceResult>* inference) {
  static WorkerThread releasing;
  releasing.post(
      [owned = std::shared_ptr<const Result<InferenceResult>>(inference)](std::stop_token) {});
}

/// As its checkpoint says, if that describes the same model; else as the session says, with what of
/// the checkpoint's weights fits. `loaded` is an error where the weights were not.
Result<std::unique_ptr<InferenceSession>> restored(const Experiment& experiment,
                                                   const std::filesystem::path& path,
                                                   const Prompts& prompts, Result<void>& loaded) {
  ModelSource source;
  source.weights = path;
  source.prompts = prompts;
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
  connect(&document->inputs(), &InferenceInputs::modelChanged, this,
          [this] { requestInference(); });
  connect(&document->inputs(), &InferenceInputs::imageChanged, this, [this] {
    if (!m_settingFrame) requestInference();
  });
  connect(&document->view(), &ViewState::changed, this, [this] {
    if (lacksDecoderMaps(*m_document)) requestInference();
  });
  connect(&document->reference(), &ReferenceState::changed, this, [this] { requestReference(); });
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, [this] {
    m_editedAt = m_clock.nsecsElapsed();
    requestInference();
  });
}

ModelWorker::~ModelWorker() {
  m_inferenceStop.request_stop();
}

void ModelWorker::openModel(const ModelSource& source, std::function<void()> whenOpen) {
  ModelSource any = source;  // what does not fit is asked about when it is known
  any.partial = true;
  std::function<void()> anyway;
  if (!source.partial) anyway = [this, any, whenOpen] { openModel(any, whenOpen); };
  open(modelTitle(source), [any] { return InferenceSession::open(any); }, std::move(whenOpen),
       {std::move(anyway), source.model.empty() ? std::filesystem::path() : source.weights, {}});
}

std::function<void()> ModelWorker::ownOpening(const std::filesystem::path& weights) {
  if (weights.empty() || !loadExperiment(weights)) return {};
  return [this, weights] {
    ModelSource own;
    own.weights = weights;
    openModel(own);
  };
}

void ModelWorker::createModel(const Experiment& experiment, std::function<void()> whenOpen) {
  open(
      displayName(experiment.model.name),
      [experiment] { return InferenceSession::create(experiment); }, std::move(whenOpen));
}

void ModelWorker::restoreModel(const Experiment& experiment, const QString& weights,
                               std::function<void()> whenOpen, bool partial,
                               const Prompts& prompts) {
  const std::filesystem::path path = weights.toStdString();
  std::function<void()> anyway;
  if (!partial)
    anyway = [this, experiment, weights, whenOpen, prompts] {
      restoreModel(experiment, weights, whenOpen, /*partial=*/true, prompts);
    };
  open(displayName(experiment.model.name),
       [this, experiment, path, weights, prompts]() -> Opened {
         if (path.empty()) return InferenceSession::create(experiment);
         Result<void> loaded;
         if (auto session = restored(experiment, path, prompts, loaded); loaded) return session;
         callInThread(this, [this, weights, text = textOf(loaded.error())] {
           Q_EMIT m_document->failed(
               tr("The weights of the last session were not loaded"),
               tr("%1. The model has random weights now; its masks are unchanged.").arg(text));
         });
         return InferenceSession::create(experiment);
       },
       std::move(whenOpen), {std::move(anyway), path, {}});
}

std::function<void()> ModelWorker::keepingView() {
  return [this, before = m_document->view().options()] {
    m_document->view().change([&before](ViewOptions& view) {
      const int query = view.query;
      view = before;
      view.query = query;
    });
  };
}

void ModelWorker::resizeModel(int height, int width, const std::string& transparency) {
  open(
      displayName(m_document->inputs().model().experiment.model.name),
      [sessions = m_sessions, height, width, transparency,
       masks = m_document->inputs().masks()]() -> Opened {
        if (!sessions->main) return Error{ErrorCode::InvalidArgument, "no model is open", ""};
        return sessions->main->atSize(height, width, masks, transparency);
      },
      keepingView());
}

void ModelWorker::setPrompts(const Prompts& prompts,
                             std::function<void(const QString& problem)> done) {
  Misfit misfit;
  misfit.failed = done;
  open(
      displayName(m_document->inputs().model().experiment.model.name),
      [sessions = m_sessions, prompts, masks = m_document->inputs().masks()]() -> Opened {
        if (!sessions->main) return Error{ErrorCode::InvalidArgument, "no model is open", ""};
        return sessions->main->withPrompts(prompts, masks);
      },
      [done, keep = keepingView()] {
        keep();
        done({});
      },
      misfit);
}

void ModelWorker::useHead(const LinearHead& head, const std::optional<DataConfig>& data,
                          std::function<void(const QString& problem)> done) {
  Misfit misfit;
  misfit.failed = done;
  misfit.dropped = [done] {
    done(tr("The new classes are not in use: opening was canceled. Press Use to try again."));
  };
  const auto kept = std::make_shared<Result<void>>();
  open(
      displayName(m_document->inputs().model().experiment.model.name),
      [sessions = m_sessions, head, data, kept, folder = m_taughtFolder,
       masks = m_document->inputs().masks()]() -> Opened {
        if (!sessions->main) return Error{ErrorCode::InvalidArgument, "no model is open", ""};
        auto taught = withHead(*sessions->main, head, masks, data);
        if (taught && !folder.empty())
          *kept = keepTaught(**taught, masks, folder, sessions->main->info().weights);
        return taught;
      },
      [this, done, kept, keep = keepingView()] {
        keep();
        done({});
        if (!*kept) sayNotKept(kept->error());
      },
      misfit);
}

void ModelWorker::sayNotKept(const Error& error) {
  Q_EMIT notKept(tr("The new classes are in use, but not kept"),
                 tr("%1. They are lost when Headlight ends: save the model with Train → Teach "
                    "classes → Save as….")
                     .arg(textOf(error)));
}

void ModelWorker::configure(int threads) {
  m_worker.post([this, threads](std::stop_token) {
    configureCompute(threads);
    const QString text = coreText(computeDescription());
    callInThread(this, [this, text] { Q_EMIT computeDescribed(text); });
  });
}

void ModelWorker::open(const QString& what, std::function<Opened()> opener,
                       std::function<void()> whenOpen, Misfit misfit) {
  const int ticket = ++m_openTicket;
  m_opening = ticket;
  m_inferenceStop.request_stop();
  setActivity(tr("Opening %1…").arg(what));
  m_worker.post([this, ticket, what, opener = std::move(opener), whenOpen = std::move(whenOpen),
                 misfit = std::move(misfit)](std::stop_token) {
    auto result = opener();
    if (!result) {
      callInThread(
          this, [this, ticket, what, error = result.error(), openOwn = ownOpening(misfit.weights),
                 failed = misfit.failed, dropped = misfit.dropped] {
            if (!failed) return failedToOpen(ticket, what, error, openOwn);
            if (endOpening(ticket)) return failed(textOf(error));
            if (dropped) dropped();
          });
      return;
    }
    const LoadReport& report = (*result)->info().report;
    if (misfit.openAnyway && !report.unfilled().empty()) {
      callInThread(this,
                   [this, ticket, what, report, misfit, openOwn = ownOpening(misfit.weights)] {
                     openedInPart(ticket, what, report, misfit, openOwn);
                   });
      return;
    }
    // It becomes the session only when the window still wants it: see opened().
    std::shared_ptr<InferenceSession> session = std::move(*result);
    callInThread(this, [this, ticket, session, whenOpen, dropped = misfit.dropped] {
      if (ticket != m_opening && dropped) return dropped();
      opened(ticket, session, whenOpen);
    });
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
  if (m_document->inputs().hasModel()) Q_EMIT replacing(session->info());
  m_document->setSourceNote({});
  m_document->setModel(
      session->info());  // its signal requests a result, queued behind the task above
  if (whenOpen) whenOpen();
}

/// False where another opening counts by now.
bool ModelWorker::endOpening(int ticket) {
  if (ticket != m_opening) return false;
  m_opening = 0;
  setActivity({});
  requestInference();  // the present model's was stopped
  return true;
}

void ModelWorker::failedToOpen(int ticket, const QString& what, const Error& error,
                               const std::function<void()>& openOwn) {
  if (!endOpening(ticket)) return;
  if (openOwn)
    Q_EMIT misfits(what, textOf(error), openOwn);
  else
    Q_EMIT m_document->failed(tr("%1 was not opened").arg(what), textOf(error));
  Q_EMIT openingFailed();
}

void ModelWorker::openedInPart(int ticket, const QString& what, const LoadReport& report,
                               const Misfit& misfit, const std::function<void()>& openOwn) {
  if (!endOpening(ticket)) return;
  Q_EMIT partlyFits(what, report, misfit.openAnyway, openOwn);
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
    const bool misfit = report && !report->unfilled().empty();
    const bool ownModel = misfit && loadExperiment(path.toStdString()).ok();
    callInThread(this, [this, path, report, ownModel] {
      setActivity({});
      if (report)
        Q_EMIT weightsPreviewed(path, *report, ownModel);
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
    callInThread(this, [this, path, report, info] {
      setActivity({});
      if (!report) {
        Q_EMIT m_document->failed(tr("%1 was not loaded").arg(QFileInfo(path).fileName()),
                                  textOf(report.error()));
        return;
      }
      if (!m_document->inputs().model().weights.empty()) Q_EMIT replacing(info);
      m_document->inputs().updateModel(info);
      Q_EMIT weightsLoaded(path, *report);
    });
  });
}

void ModelWorker::nameClasses(const QString& path) {
  m_worker.post([this, sessions = m_sessions, path](std::stop_token) {
    if (!sessions->main) return;
    const auto named = sessions->main->setClassNames(path.toStdString());
    const ModelInfo info = sessions->main->info();
    callInThread(this, [this, named, info] {
      if (!named)
        return Q_EMIT m_document->failed(tr("The class names were not applied"),
                                         textOf(named.error()));
      m_document->inputs().updateModel(info);
      Q_EMIT m_document->message(tr("%1 classes were named").arg(info.classNames.size()));
    });
  });
}

void ModelWorker::saveModel(const QString& path) {
  if (!m_document->inputs().hasModel()) return;
  setActivity(tr("Saving %1…").arg(QFileInfo(path).fileName()));
  m_worker.post(
      [this, sessions = m_sessions, path, masks = m_document->inputs().masks()](std::stop_token) {
        const auto done = sessions->main->save(path.toStdString(), masks);
        callInThread(this, [this, path, done] {
          setActivity({});
          if (done)
            Q_EMIT saved(path);
          else
            Q_EMIT m_document->failed(tr("%1 was not saved").arg(QFileInfo(path).fileName()),
                                      textOf(done.error()));
        });
      });
}

void ModelWorker::requestInference() {
  m_inferenceStop.request_stop();
  if (!m_document->inputs().hasModel() || !m_document->inputs().hasImage() || m_opening != 0)
    return;
  if (!areOfImage(*m_document)) {
    ++m_inferenceTicket;
    m_document->setStale(false);
    Q_EMIT m_document->message(
        tr("%1 contains maps of its own images: choose one of them, or open a model.")
            .arg(QFileInfo(QString::fromStdString(m_document->inputs().model().weights.string()))
                     .fileName()));
    return;
  }
  m_inferenceStop = std::stop_source();
  const int ticket = ++m_inferenceTicket;
  m_document->setStale(true);
  m_worker.post([this, sessions = m_sessions, ticket, image = m_document->inputs().image(),
                 path = m_document->inputs().imagePath().toStdString(),
                 masks = m_document->inputs().masks(), through = m_throughTraining,
                 query = m_document->view().options().segmentQuery,
                 stop = m_inferenceStop.get_token()](std::stop_token) {
    const auto& session = through && sessions->training ? sessions->training : sessions->main;
    if (!session || stop.stop_requested()) return;
    InferenceOptions options;
    options.decoderQuery = query;
    const std::shared_ptr<const Result<InferenceResult>> inference(
        new Result<InferenceResult>(
            session->infer(session->imageAt(path, image), masks, options, stop)),
        &releaseElsewhere);
    callInThread(this, [this, ticket, inference] { inferenceDone(ticket, inference); });
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
  if (!m_document->inputs().canCompute() || m_opening != 0) {
    setFrame(image, name, path, changing);
    return whenShown(true);
  }
  m_inferenceStop.request_stop();
  m_inferenceStop = std::stop_source();
  const int ticket = ++m_inferenceTicket;
  m_worker.post([this, sessions = m_sessions, ticket, image, name, path, changing, whenShown,
                 masks = m_document->inputs().masks(), through = m_throughTraining,
                 stop = m_inferenceStop.get_token()](std::stop_token) {
    const auto& session = through && sessions->training ? sessions->training : sessions->main;
    const std::shared_ptr<const Result<InferenceResult>> inference(
        new Result<InferenceResult>(
            session && !stop.stop_requested()
                ? session->infer(image, masks, {}, stop)
                : Result<InferenceResult>(Error{ErrorCode::Canceled, "canceled", ""})),
        &releaseElsewhere);
    callInThread(this, [this, ticket, image, name, path, changing, whenShown, inference] {
      if (ticket != m_inferenceTicket || m_opening != 0) return whenShown(false);
      setFrame(image, name, path, changing);
      inferenceDone(ticket, inference);
      whenShown(true);
    });
  });
}

void ModelWorker::inferenceDone(int ticket,
                                const std::shared_ptr<const Result<InferenceResult>>& result) {
  const Result<InferenceResult>& inference = *result;
  if (ticket != m_inferenceTicket || m_opening != 0) return;
  if (!inference && inference.error().code == ErrorCode::Canceled) return;
  const auto editedAt = std::exchange(m_editedAt, -1);
  if (inference) {
    const double milliseconds = editedAt < 0 ? -1 : (m_clock.nsecsElapsed() - editedAt) / 1e6;
    m_document->setInference(std::shared_ptr<const InferenceResult>(result, &*inference),
                             milliseconds);
    requestReference();
  } else {
    m_document->setStale(false);
    Q_EMIT m_document->failed(tr("The model could not be run"), textOf(inference.error()));
  }
}

/// Runs after the newest result and never delays one; uses the same weights.
void ModelWorker::requestReference() {
  if (!m_document->reference().needsInference() || m_opening != 0) return;
  const int ticket = m_inferenceTicket;
  m_worker.post([this, sessions = m_sessions, ticket, image = m_document->inputs().image(),
                 masks = *m_document->reference().masks(), through = m_throughTraining,
                 stop = m_inferenceStop.get_token()](std::stop_token) {
    const auto& session = through && sessions->training ? sessions->training : sessions->main;
    if (!session || stop.stop_requested()) return;
    const std::shared_ptr<const Result<InferenceResult>> inference(
        new Result<InferenceResult>(session->infer(image, masks, {}, stop)), &releaseElsewhere);
    callInThread(this, [this, ticket, inference] {
      if (ticket != m_inferenceTicket || !*inference || !m_document->reference().needsInference())
        return;
      if ((*inference)->weights != m_document->liveInference()->weights)
        return;  // a newer result is on its way
      m_document->reference().setInference(
          std::shared_ptr<const InferenceResult>(inference, &**inference));
    });
  });
}

bool ModelWorker::canLookThrough(const ModelConfig& run, const ModelConfig& shown) {
  return sameArchitecture(run, shown) && run.grid() == shown.grid();
}

bool ModelWorker::adopt(const Experiment& experiment,
                        std::shared_ptr<const ModelSnapshot> snapshot) {
  if (!m_document->inputs().hasModel() || !snapshot) return true;
  if (!canLookThrough(experiment.model, m_document->inputs().model().experiment.model)) {
    Q_EMIT m_document->failed(
        tr("The run trains another model"),
        tr("Its attention mechanism, layers, heads or patches differ from those of the open model. "
           "Open the run's checkpoint to show its weights."));
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
        const QString note = displayName(coreText(makeRunWeightsName(
            experiment.name, tr("training").toStdString(), snapshotStep(*snapshot))));
        callInThread(this, [this, adopted, ticket, note] {
          if (ticket != m_runTicket) return;  // another model was opened, or the run was let go
          if (!adopted) {
            Q_EMIT m_document->failed(tr("The run's weights could not be shown"),
                                      textOf(adopted.error()));
            return;
          }
          m_document->setSourceNote(note);
          if (!std::exchange(m_throughTraining, true)) Q_EMIT throughTrainingChanged(true);
          requestInference();
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
  requestInference();
}

void ModelWorker::setActivity(const QString& text) {
  m_activity = text;
  Q_EMIT activityChanged(text);
}

}  // namespace headlight
