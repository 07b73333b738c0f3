// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows how a checkpoint fits the model, before anything is replaced. Accepted means: load it.

#include <QDialog>

#include "core/workbench/session/InferenceSession.h"

class QTreeWidget;

namespace headlight {

class LoadReportDialog : public QDialog {
  Q_OBJECT
 public:
  /// `ownModel`: the file describes a model of its own, which is offered where it does not fit.
  LoadReportDialog(const LoadReport& report, const QString& fileName, QWidget* parent = nullptr,
                   bool ownModel = false);

  static constexpr int kOpenOwn = 2;  ///< the result where that was chosen
  /// Where another of the file's models is to be looked at (LoadReport::choices).
  static constexpr int kChooseOther = 3;

 private:
  void fill(const LoadReport& report);
  void addGroup(const QString& key, const QString& title, const QString& help,
                const QStringList& names, const QStringList& details, bool open);

  QTreeWidget* m_tree;
};

}  // namespace headlight
