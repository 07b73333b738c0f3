// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The files that a figure page is exported to, saved to and opened from.

#include <QObject>
#include <QString>

#include <functional>
#include <optional>

#include "ui/figures/PageJob.h"

class QWidget;

namespace headlight {

class MessageLabel;
class ProgressLine;
class ProgressTask;

/// Writes in the background; a label shows the result.
class FigurePageFiles : public QObject {
  Q_OBJECT
 public:
  using TakePath = std::function<void(const QString& path)>;

  /// `dialog` owns this and is the parent of its file dialogs.
  FigurePageFiles(ProgressLine* progress, MessageLabel* status, QWidget* dialog);

  /// The session stored in a PNG.
  void setSession(std::function<QByteArray()> session) { m_session = std::move(session); }

  void askWhereToExport(const TakePath& take);
  void askWhereToSave(const TakePath& take);
  void askWhatToOpen(const TakePath& take);

  void exportPage(const PageJob& job, const QString& path);  ///< .pdf, .svg or .png
  void save(const FigurePage& page, const QString& path);
  std::optional<FigurePage> open(const QString& path);

  bool isBusy() const;
  void cancel();

 Q_SIGNALS:
  void busyChanged();

 private:
  QWidget* m_dialog;
  MessageLabel* m_status;
  ProgressTask* m_writer;
  std::function<QByteArray()> m_session;
};

}  // namespace headlight
