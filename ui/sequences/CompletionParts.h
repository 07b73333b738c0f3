// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The controls of CompletionPage, laid out. The caller connects them.

#include <QString>

class QLabel;
class QPushButton;
class QWidget;

namespace headlight {

class MessageLabel;
class ParameterForm;
class ProgressLine;

struct CompletionParts {
  QWidget* column;
  QLabel* name;  ///< name of the image
  QPushButton *choose, *ofWindow;
  ParameterForm* form;
  ProgressLine* progress;
  MessageLabel* message;
  QPushButton *complete, *cancel, *save;

  /// Elided if it is longer than the column.
  void showName(const QString& text, const QString& tip) const;
};
CompletionParts makeCompletionParts(QWidget* page);

}  // namespace headlight
