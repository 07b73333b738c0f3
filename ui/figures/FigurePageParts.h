// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The widgets of FigurePageDialog, laid out. The caller connects them; only the buttons that remove
// a list entry are already connected.

class QComboBox;
class QDialog;
class QPushButton;
class QToolButton;

namespace headlight {

class MessageLabel;
class PageEntries;
class PagePreview;
class ParameterForm;
class ProgressLine;

struct FigurePageParts {
  PageEntries *images, *columns;
  QComboBox* add;  ///< the column to add, chosen or typed
  ParameterForm* form;
  PagePreview* preview;
  ProgressLine* progress;
  MessageLabel* status;
  QToolButton *takeImages, *addChosenHead;
  QPushButton* stop;
  QPushButton *startAnew, *open, *save;  ///< open and save the description
  QPushButton *exportPage, *close;
};
FigurePageParts makeFigurePageParts(QDialog* dialog);

}  // namespace headlight
