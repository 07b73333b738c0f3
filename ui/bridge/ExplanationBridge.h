// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Computes explanations of the image in the background. One thing
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
  std::shared_ptr<const InferenceResult>
      inference;  ///< of the image and masks that were asked about
  ExplanationChoice choice;
  QStringList together;  ///< images whose colors were found together; empty: this one alone
  std::optional<Heatmap> heatmap;
  std::shared_ptr<const TokenFeatures> features;  ///< of methods of a token: whichever it is
  std::optional<FeatureColors> colors;            ///< the image itself comes first
  std::vector<Image> views;                       ///< of each of those, as the model sees it
  std::optional<DepthPrediction> depth;
  QString error;
};

class ExplanationBridge : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMostTogether = 64;  ///< images

  /// Asked in the window's thread, for what waits for the session in any other
  /// (ModelWorker::session).
  using Sessions = std::function<std::function<std::shared_ptr<InferenceSession>()>()>;
  ExplanationBridge(Document* document, Sessions sessions, QObject* parent = nullptr);

  /// Computes the document's choice for its result. The same request twice runs once.
  void request();
  void cancel();
  bool isBusy() const { return m_task.isBusy(); }
  const Progress& progress() const { return m_progress; }

  /// Colors are of these images together with the document's; empty: of it alone.
  void setTogether(const QStringList& paths);
  const QStringList& together() const { return m_together; }

  /// How faithful `heatmap` is, which is shown: judged, or judgmentFailed. Asked while that goes
  /// on, it is canceled.
  void judge(const Heatmap& heatmap);
  bool isJudging() const { return m_judging.isBusy(); }

  /// The newest answer that is of the document's image; null until there is one.
  std::shared_ptr<const ExplanationResult> result() const { return m_result; }

 Q_SIGNALS:
  void changed();
  void progressed();
  void judged(const headlight::FaithfulnessTable& table);
  void judgmentFailed(const QString& text);

 private:
  bool isAsked(const ExplanationResult& of) const;
  void forget();
  /// Shared with a job that may outlive this.
  struct Reported;
  ProgressCallback teller();
  void poll();

  Document* m_document;
  Sessions m_sessions;
  QStringList m_together;
  std::shared_ptr<const ExplanationResult> m_result;
  std::optional<ExplanationResult> m_asked;  ///< that is being worked out
  Progress m_progress;
  std::shared_ptr<Reported> m_reported;
  QTimer m_poll;
  BackgroundTask m_task, m_judging;
};

}  // namespace headlight
