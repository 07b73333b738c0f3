#pragma once
// Measures what the document wants to show of every head, in the background, whenever picture,
// weights or masks change.

#include <QObject>
#include <QTimer>

#include <optional>

#include "core/base/Progress.h"
#include "ui/base/BackgroundTask.h"
#include "ui/document/HeadNumbers.h"

namespace headlight {

class Document;
class LookBridge;

class HeadValuesBridge : public QObject {
  Q_OBJECT
 public:
  HeadValuesBridge(Document* document, LookBridge* look, QObject* parent = nullptr);

  /// Of what averages are taken; nothing: there are none.
  void setSample(const std::optional<PictureSample>& sample);
  bool canAverage() const { return m_sample.has_value(); }
  void choose(HeadMeasure measure, bool averaged);

  bool isBusy() const { return m_task.isBusy(); }
  /// Something is measured, or will be at once.
  bool isDue() const { return isBusy() || m_settled.isActive(); }
  const Progress& progress() const { return m_progress; }
  const QString& problem() const { return m_problem; }  ///< empty where nothing is wrong

 Q_SIGNALS:
  void changed();  ///< busy, progress or problem

 private:
  using Measured = Result<HeadValues>;
  void onLook();
  void restart();
  void measure();
  std::function<Measured(std::stop_token)> job();

  Document* m_document;
  LookBridge* m_look;
  std::optional<PictureSample> m_sample;
  QTimer m_settled;
  Progress m_progress;
  QString m_problem;
  BackgroundTask m_task;
};

}  // namespace headlight
