// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The way from the window to the pictures that a run recorded (evolution.bin): reads them beside
// the window, and shows them in the Document in place of the newest look. Of steps that are asked
// for while one is read only the newest counts.

#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/Result.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

class Document;
class RecordedPictures;

class EvolutionBridge : public QObject {
  Q_OBJECT
 public:
  explicit EvolutionBridge(Document* document, QObject* parent = nullptr);
  ~EvolutionBridge() override;

  const QString& run() const { return m_folder; }
  /// Whose recording is shown from now on; empty: nobody's. The present is shown again.
  void setRun(const QString& folder);
  /// The last recorded point that is not after `step`; nothing: the present.
  void show(std::optional<std::int64_t> step);

  /// Of the recording, once a step was shown; empty before.
  const QStringList& pictures() const { return m_pictures; }
  int picture() const { return m_picture; }
  void choosePicture(int picture);

  bool isBusy() const { return m_busy; }
  /// Why the step has no picture; empty where it has one.
  const QString& problem() const { return m_problem; }

 Q_SIGNALS:
  void changed();  ///< busy or not, the pictures, the problem

 private:
  struct Found;
  void start();
  void done(int shown, const std::shared_ptr<const Result<Found>>& found);

  Document* m_document;
  std::shared_ptr<RecordedPictures> m_reading;  ///< touched by the worker thread only
  QString m_folder, m_problem;
  QStringList m_pictures;
  int m_picture = 0;
  std::optional<std::int64_t> m_step;  ///< that is wanted
  int m_shown = 0;                     ///< counts the returns to the present: what was asked before
                                       ///< one is not shown behind it
  bool m_busy = false, m_again = false;
  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
