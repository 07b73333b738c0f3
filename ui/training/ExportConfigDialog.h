// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An Experiment as JSON, with the command that trains it without a window.

#include <QDialog>

#include "core/config/Experiment.h"

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;

namespace headlight {

class BackgroundTask;
class MessageLabel;

class ExportConfigDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ExportConfigDialog(const Experiment& experiment, QWidget* parent = nullptr);

  QString json() const;
  /// "headlight-cli train CONFIG --run FOLDER", quoted for a shell.
  QString command() const;
  void saveTo(const QString& path);

 Q_SIGNALS:
  void saved(const QString& path);
  void failed(const QString& text);
  /// Export with launchers for a cluster; the dialog stays open.
  void clusterRequested(const Experiment& experiment);

 private:
  void chooseFile();
  void refreshCommand();

  Experiment m_experiment;
  BackgroundTask* m_files;
  QString m_path;
  QPlainTextEdit* m_text;
  QLineEdit* m_command;
  QCheckBox* m_copyWeights;  ///< visible only if weights are named
  MessageLabel* m_status;
};

}  // namespace headlight
