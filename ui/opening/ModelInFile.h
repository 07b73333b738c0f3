// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file of weights may hold several models: which of them is to be opened.

#include <QDialog>

#include <functional>
#include <vector>

#include "core/workbench/loading/ModelInfo.h"

class QListWidget;

namespace headlight {

class ModelInFileDialog : public QDialog {
  Q_OBJECT
 public:
  /// The one that is taken is marked and chosen.
  ModelInFileDialog(const std::vector<LoadReport::Choice>& choices, const QString& fileName,
                    QWidget* parent = nullptr);

  QString chosen() const;  ///< LoadReport::Choice::name

 private:
  QListWidget* m_list;
};

/// Asks, and calls `take` with the name unless the person cancels or keeps what is taken.
void askForModelInFile(const std::vector<LoadReport::Choice>& choices, const QString& fileName,
                       QWidget* parent, std::function<void(const QString& name)> take);

/// The name of the one that is taken; empty where there is no choice.
QString takenModel(const std::vector<LoadReport::Choice>& choices);

}  // namespace headlight
