// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What else is asked of the picture than where heads look, worked out beside the window. One thing
// at a time: a newer request stops the one before it.

#include <QObject>
#include <QStringList>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

#include "core/workbench/attribution/ExplanationImages.h"
#include "core/workbench/attribution/Faithfulness.h"
#include "ui/base/BackgroundTask.h"
#include "ui/document/Document.h"

namespace headlight {

/// One answer. Of what the choice asks for there is one, else an error.
struct ExplanationResult {
  std::shared_ptr<const InferenceResult> look;  ///< of the picture and masks that were asked about
  ExplanationChoice choice;
  QStringList together;  ///< pictures whose colours were found together; empty: this one alone
  std::optional<Heatmap> heat;
  std::shared_ptr<const TokenFeatures> features;  ///< of similarity: whichever token looks
  std::optional<FeatureColors> colors;            ///< the picture itself comes first
  std::vector<Image> views;                       ///< of each of those, as the model sees it
  std::optional<DepthPrediction> depth;
  QString error;
};

class ExplanationBridge : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMostTogether = 64;  ///< pictures

  /// Asked in the window's thread, for what waits for the session in any other
  /// (ModelWorker::session).
  using Sessions = std::function<std::function<std::shared_ptr<InferenceSession>()>()>;
  ExplanationBridge(Document* document, Sessions sessions, QObject* parent = nullptr);

  /// Of the document's look and choice. Asked twice for the same, works once.
  void request();
  void cancel();
  bool isBusy() const { return m_task.isBusy(); }
  const Progress& progress() const { return m_progress; }

  /// Feature colours are of these pictures together with the document's; empty: of it alone.
  void setTogether(const QStringList& paths);
  const QStringList& together() const { return m_together; }

  /// How faithful `heat` is, which is shown: judged, or judgementFailed. Asked while that goes on,
  /// it is cancelled.
  void judge(const Heatmap& heat);
  bool isJudging() const { return m_judging.isBusy(); }

  /// The newest answer that is of the document's picture; null until there is one.
  std::shared_ptr<const ExplanationResult> result() const { return m_result; }

 Q_SIGNALS:
  void changed();
  void progressed();
  void judged(const headlight::FaithfulnessTable& table);
  void judgementFailed(const QString& text);

 private:
  bool isAsked(const ExplanationResult& of) const;
  void forget();
  /// Shared with a job that may outlive this.
  struct Told;
  ProgressCallback teller();
  void poll();

  Document* m_document;
  Sessions m_sessions;
  QStringList m_together;
  std::shared_ptr<const ExplanationResult> m_result;
  std::optional<ExplanationResult> m_asked;  ///< that is being worked out
  Progress m_progress;
  std::shared_ptr<Told> m_told;
  QTimer m_poll;
  BackgroundTask m_task, m_judging;
};

}  // namespace headlight
