// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ExplanationBridge.h"

#include <QFile>

#include <mutex>

#include "core/workbench/session/Video.h"

namespace headlight {
namespace {

constexpr int kPollMs = 100;

/// Of a file, or one of the built-in samples.
Result<Image> pictureAt(const QString& path) {
  if (!path.startsWith(QLatin1Char(':'))) return readPictureOrFrame(path.toStdString());
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
  ProgressCallback tell;
  std::stop_token stop;
};

TokenFeatures featuresOf(const ExplanationQuestion& asked, const Image& image, int layer) {
  return valueOrThrow(tokenFeatures(asked.session, rawPicture(asked.session.info(), image),
                                    asked.masks, layer, asked.stop));
}

void answerColors(ExplanationResult& result, const ExplanationQuestion& asked) {
  const Preprocessing seen = preprocessingOf(asked.session.info().experiment.model);
  std::vector<TokenFeatures> features{featuresOf(asked, asked.image, result.choice.layer)};
  result.views.push_back(evaluationView(asked.image, seen));
  std::int64_t done = 1;
  for (const QString& path : result.together) {
    const Image image = valueOrThrow(pictureAt(path));
    features.push_back(featuresOf(asked, image, result.choice.layer));
    result.views.push_back(evaluationView(image, seen));
    asked.tell({"looking at pictures", ++done, result.together.size() + 1, -1});
  }
  result.colors = valueOrThrow(featureColors(features, result.choice.foreground, asked.stop));
}

void answer(ExplanationResult& result, const ExplanationQuestion& asked) {
  const ExplanationInfo* way = wayFromName(result.choice.name);
  if (!way) throw Failure({ErrorCode::InvalidArgument, "is no way of looking", result.choice.name});
  const ExplanationOptions options{result.choice.classIndex, result.choice.layer};
  switch (way->way) {
    case ExplanationMethod::Relevance:
    case ExplanationMethod::AttentionGradient:
    case ExplanationMethod::GradCam:
      result.heat =
          valueOrThrow(classHeat(asked.session, rawPicture(asked.session.info(), asked.image),
                                 asked.masks, way->way, options, asked.tell, asked.stop));
      break;
    case ExplanationMethod::Similarity:
      result.features = std::make_shared<const TokenFeatures>(
          featuresOf(asked, asked.image, result.choice.layer));
      break;
    case ExplanationMethod::Features:
      answerColors(result, asked);
      break;
    case ExplanationMethod::Depth:
      result.depth = valueOrThrow(predictionByDepth(asked.session,
                                                    rawPicture(asked.session.info(), asked.image),
                                                    asked.masks, 5, asked.stop));
      break;
  }
}

}  // namespace

struct ExplanationBridge::Told {
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
  for (const auto signal : {&Document::modelChanged, &Document::pictureChanged})
    connect(document, signal, this, &ExplanationBridge::forget);
  // The session is wanted for a newer look: it does not wait for what is outdated anyway.
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
  m_together.removeAll(m_document->imagePath());
}

/// What a choice does not use need not be the same.
bool ExplanationBridge::isAsked(const ExplanationResult& of) const {
  const ExplanationChoice& choice = m_document->view().way;
  const ExplanationInfo* way = wayFromName(choice.name);
  if (of.look != m_document->look() || of.choice.name != choice.name || !way) return false;
  const bool features = way->way == ExplanationMethod::Features;
  return (!way->ofLayer || of.choice.layer == choice.layer) &&
         (!way->ofClass || way->way == ExplanationMethod::Depth ||
          of.choice.classIndex == choice.classIndex) &&
         (!features || (of.choice.foreground == choice.foreground && of.together == m_together));
}

ProgressCallback ExplanationBridge::teller() {
  m_told = std::make_shared<Told>();
  return [told = m_told](const Progress& progress) {
    const std::lock_guard lock(told->mutex);
    told->progress = progress;
  };
}

void ExplanationBridge::poll() {
  if (!isBusy() && !isJudging()) return m_poll.stop();
  if (!m_told) return;
  const std::lock_guard lock(m_told->mutex);
  m_progress = m_told->progress;
  Q_EMIT progressed();
}

void ExplanationBridge::judge(const Heatmap& heat) {
  if (m_judging.isBusy()) return m_judging.cancel();
  using Judged = Result<FaithfulnessTable>;
  m_progress = {};
  const AskedHeatmap asked{heatTitle(heat), heat.values, heat.grid};
  m_judging.run<Judged>(
      [asked, index = heat.classIndex, session = m_sessions(), image = m_document->image(),
       masks = m_document->masks(), tell = teller()](std::stop_token stop) -> Judged {
        const auto open = session();
        if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
        return faithfulness(*open, rawPicture(open->info(), image), masks, {asked},
                            {.classIndex = index}, tell, stop);
      },
      [this](const Judged& result) {
        m_progress = {};
        if (result)
          Q_EMIT judged(*result);
        else
          Q_EMIT judgementFailed(QString::fromStdString(result.error().text()));
      });
}

void ExplanationBridge::request() {
  const auto look = m_document->look();
  if (!look || m_document->isStale() || !m_document->hasModel() || !m_document->hasImage()) return;
  if (m_asked ? isAsked(*m_asked) : m_result && isAsked(*m_result)) return;
  ExplanationResult asked;
  asked.look = look;
  asked.choice = m_document->view().way;
  asked.together =
      asked.choice.name == infoOf(ExplanationMethod::Features).name ? m_together : QStringList();
  if (m_document->recordedView()) {
    cancel();
    asked.error = tr("Of an earlier step of a run there are its maps, and no weights to ask.");
    m_result = std::make_shared<const ExplanationResult>(std::move(asked));
    Q_EMIT changed();
    return;
  }
  m_judging.cancel();  // of what is shown no longer
  m_asked = asked;
  m_progress = {};
  const auto tell = teller();
  m_task.run<ExplanationResult>(
      [asked, session = m_sessions(), image = m_document->image(), masks = m_document->masks(),
       tell](std::stop_token stop) mutable {
        const auto open = session();
        const auto done = guarded("looking", [&] {
          if (!open) throw Failure({ErrorCode::Canceled, "no model is open", ""});
          answer(asked, {*open, image, masks, tell, stop});
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
