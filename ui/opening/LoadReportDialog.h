// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a checkpoint would do to the model, before anything is replaced. Accepted means: load it.

#include <QDialog>

#include "core/workbench/session/InferenceSession.h"

class QTreeWidget;

namespace headlight {

class LoadReportDialog : public QDialog {
  Q_OBJECT
 public:
  LoadReportDialog(const LoadReport& report, const QString& fileName, QWidget* parent = nullptr);

 private:
  void fill(const LoadReport& report);
  void addGroup(const QString& key, const QString& title, const QString& help,
                const QStringList& names, const QStringList& details, bool open);

  QTreeWidget* m_tree;
};

}  // namespace headlight
