// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ExplanationBridge.h"

#include <QFile>

#include <mutex>

#include "core/workbench/loading/Input.h"
#include "ui/document/ChosenCell.h"

namespace headlight {
namespace {

constexpr int kPollMs = 100;

/// Reads a file, or one of the built-in samples.
Result<Image> imageAt(const QString& path) {
  if (!path.startsWith(QLatin1Char(':'))) return readImageAt(path.toStdString());
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return Error{ErrorCode::NotFound, "cannot be read", path.toStdString()};
  const QByteArray bytes = file.readAll();
  return decodeImage({bytes.constData(), static_cast<std::size_t>(bytes.size())},
                     path.toStdString());
}

struct ExplanationQuestion {
  InferenceSession& session;
  const Image& image;
  const MaskScheme& masks;
  ProgressCallback notify;
  std::stop_token stop;
};

TokenFeatures computeFeatures(const ExplanationQuestion& asked, const Image& image, int layer) {
  return valueOrThrow(tokenFeatures(asked.session, rawImage(asked.session.info(), image),
                                    asked.masks, layer, asked.stop));
}

void answerColors(ExplanationResult& result, const ExplanationQuestion& asked) {
  const Preprocessing seen = makePreprocessing(asked.session.info().experiment.model);
  std::vector<TokenFeatures> features{computeFeatures(asked, asked.image, result.choice.layer)};
  result.views.push_back(evaluationView(asked.image, seen));
  std::int64_t done = 1;
  for (const QString& path : result.together) {
    const Image image = valueOrThrow(imageAt(path));
    features.push_back(computeFeatures(asked, image, result.choice.layer));
    result.views.push_back(evaluationView(image, seen));
    asked.notify({"running the model on images", ++done, result.together.size() + 1, -1});
  }
  result.colors = valueOrThrow(
      explanationColors(result.choice.name, features, result.choice.foreground, asked.stop));
}

/// Methods that are of a token leave their features, so that each token's heatmap is there at once.
void answerHeatmap(ExplanationResult& result, const ExplanationQuestion& asked,
                   const ExplanationInfo& method) {
  if (method.ofToken)
    result.features = std::make_shared<const TokenFeatures>(
        computeFeatures(asked, asked.image, result.choice.layer));
  else
    result.heatmap = valueOrThrow(imageHeatmap(
        asked.session, rawImage(asked.session.info(), asked.image), asked.masks, method.name,
        {result.choice.classIndex, result.choice.layer, result.choice.cell, result.choice.objects},
        asked.notify, asked.stop));
}

void answer(ExplanationResult& result, const ExplanationQuestion& asked) {
  const ExplanationInfo& method = findInfo(result.choice.name);
  if (method.kind == ExplanationKind::Colors)
    answerColors(result, asked);
  else if (method.kind == ExplanationKind::Curve)
    result.depth =
        valueOrThrow(explanationCurve(asked.session, rawImage(asked.session.info(), asked.image),
                                      asked.masks, method.name, 5, asked.stop));
  else
    answerHeatmap(result, asked, method);
}

}  // namespace

struct ExplanationBridge::Reported {
  std::mutex mutex;
  Progress progress;
};

ExplanationBridge::ExplanationBridge(Document* document, Sessions sessions, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_sessions(std::move(sessions)),
      m_task(this),
      m_judging(this) {
  setObjectName(QStringLiteral("waysBridge"));
  m_poll.setInterval(kPollMs);
  connect(&m_poll, &QTimer::timeout, this, &ExplanationBridge::poll);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &ExplanationBridge::forget);
  connect(&document->recorded(), &RecordedStep::shownImageChanged, this,
          &ExplanationBridge::forget);
  // The session is wanted for a newer result: it does not wait for what is outdated anyway.
  connect(document, &Document::staleChanged, this, [this] {
    if (m_document->isStale()) cancel();
  });
  for (BackgroundTask* task : {&m_task, &m_judging}) {
    connect(task, &BackgroundTask::busyChanged, this, &ExplanationBridge::changed);
    connect(task, &BackgroundTask::busyChanged, &m_poll, [this](bool busy) {
      if (busy) m_poll.start();
    });
  }
}

void ExplanationBridge::forget() {
  cancel();
  m_result.reset();
  Q_EMIT changed();
}

void ExplanationBridge::cancel() {
  m_task.cancel();
  m_judging.cancel();
  m_asked.reset();
  m_progress = {};
}

void ExplanationBridge::setTogether(const QStringList& paths) {
  m_together = paths.mid(0, kMostTogether);
  m_together.removeAll(m_document->inputs().imagePath());
}

/// What a choice does not use need not be the same.
bool ExplanationBridge::isAsked(const ExplanationResult& of) const {
  const ExplanationChoice& choice = m_document->view().options().method;
  const ExplanationInfo* method = explanationFromName(choice.name);
  if (of.inference != m_document->inference() || of.choice.name != choice.name || !method)
    return false;
  const bool colors = method->kind == ExplanationKind::Colors;
  return (!method->ofLayer || of.choice.layer == choice.layer) &&
         (!method->marksObject || of.choice.objects == choice.objects) &&
         (!method->isClassHeatmap() || (of.choice.classIndex == choice.classIndex &&
                                        of.choice.cell == chosenCell(*m_document))) &&
         (!colors || (of.choice.foreground == choice.foreground && of.together == m_together));
}

ProgressCallback ExplanationBridge::teller() {
  m_reported = std::make_shared<Reported>();
  return [reported = m_reported](const Progress& progress) {
    const std::lock_guard lock(reported->mutex);
    reported->progress = progress;
  };
}

void ExplanationBridge::poll() {
  if (!isBusy() && !isJudging()) return m_poll.stop();
  if (!m_reported) return;
  const std::lock_guard lock(m_reported->mutex);
  m_progress = m_reported->progress;
  Q_EMIT progressed();
}

void ExplanationBridge::judge(const Heatmap& heatmap) {
  if (m_judging.isBusy()) return m_judging.cancel();
  using Judged = Result<FaithfulnessTable>;
  m_progress = {};
  const AskedHeatmap asked{heatmapTitle(heatmap), heatmap.values, heatmap.grid};
  m_judging.run<Judged>(
      [asked, index = heatmap.classIndex, session = m_sessions(),
       image = m_document->inputs().image(), masks = m_document->inputs().masks(),
       notify = teller()](std::stop_token stop) -> Judged {
        const auto open = session();
        if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
        return faithfulness(*open, rawImage(open->info(), image), masks, {asked},
                            {.classIndex = index}, notify, stop);
      },
      [this](const Judged& result) {
        m_progress = {};
        if (result)
          Q_EMIT judged(*result);
        else
          Q_EMIT judgmentFailed(QString::fromStdString(result.error().text()));
      });
}

void ExplanationBridge::request() {
  const auto inference = m_document->inference();
  if (!inference || m_document->isStale() || !m_document->inputs().hasModel() ||
      !m_document->inputs().hasImage())
    return;
  if (m_asked ? isAsked(*m_asked) : m_result && isAsked(*m_result)) return;
  ExplanationResult asked;
  asked.inference = inference;
  asked.choice = m_document->view().options().method;
  asked.choice.cell = chosenCell(*m_document);
  const ExplanationInfo* method = explanationFromName(asked.choice.name);
  if (method && method->kind == ExplanationKind::Colors) asked.together = m_together;
  if (m_document->recorded().view()) {
    cancel();
    asked.error =
        tr("An earlier step of a run has maps but no weights, so this cannot be computed.");
    m_result = std::make_shared<const ExplanationResult>(std::move(asked));
    Q_EMIT changed();
    return;
  }
  m_judging.cancel();  // of what is shown no longer
  m_asked = asked;
  m_progress = {};
  const auto notify = teller();
  m_task.run<ExplanationResult>(
      [asked, session = m_sessions(), image = m_document->inputs().image(),
       masks = m_document->inputs().masks(), notify](std::stop_token stop) mutable {
        const auto open = session();
        const auto done = guarded("explanation", [&] {
          if (!open) throw Failure({ErrorCode::Canceled, "no model is open", ""});
          answer(asked, {*open, image, masks, notify, stop});
        });
        if (!done) asked.error = QString::fromStdString(done.error().text());
        return asked;
      },
      [this](ExplanationResult result) {
        m_asked.reset();
        m_progress = {};
        m_result = std::make_shared<const ExplanationResult>(std::move(result));
        Q_EMIT changed();
      });
}

}  // namespace headlight
