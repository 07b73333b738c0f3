// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/CompletionParts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/document/SequenceSettings.h"
#include "ui/forms/ParameterForm.h"
#include "ui/sequences/CompletionPage.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kCompletionWidth = 300;

QWidget* makeImageRow(CompletionParts& parts, QWidget* column) {
  auto* group = new QWidget(column);
  parts.name = new QLabel(group);
  parts.name->setObjectName(QStringLiteral("completionImage"));
  parts.name->setTextFormat(Qt::PlainText);
  parts.choose = new QPushButton(CompletionPage::tr("Choose Imag&e…"), group);
  parts.choose->setObjectName(QStringLiteral("chooseImage"));
  parts.choose->setToolTip(
      CompletionPage::tr("Open an image from a file; the model sees its center square"));
  parts.ofWindow = new QPushButton(CompletionPage::tr("From the &Window"), group);
  parts.ofWindow->setObjectName(QStringLiteral("imageOfWindow"));
  parts.ofWindow->setToolTip(CompletionPage::tr("Use the image that is open in the main window"));
  auto* layout = new QVBoxLayout(group);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  row->addWidget(parts.choose);
  row->addWidget(parts.ofWindow);
  layout->addLayout(row);
  layout->addWidget(parts.name);
  return group;
}

QWidget* makeButtonRow(CompletionParts& parts, QWidget* column) {
  auto* row = new QWidget(column);
  parts.complete = iconButton(row, "complete", CompletionPage::tr("&Complete"), "play",
                              CompletionPage::tr("Draw the remaining rows"));
  parts.cancel = iconButton(row, "cancelCompletion", CompletionPage::tr("Cance&l"), "stop",
                            CompletionPage::tr("Stop drawing and discard the result"));
  parts.save = iconButton(
      row, "saveCompletion", CompletionPage::tr("&Save…"), "save",
      CompletionPage::tr("Save the row of images as PNG: original, rows kept, completions"));
  layOutButtons(row, {parts.complete, parts.cancel, parts.save});
  return row;
}

}  // namespace

CompletionParts makeCompletionParts(QWidget* page) {
  CompletionParts parts{};
  parts.column = new QWidget(page);
  parts.column->setFixedWidth(kCompletionWidth);
  parts.form =
      new ParameterForm(completionParameters(), QStringLiteral("completion"), parts.column);
  parts.form->setFilterVisible(false);
  parts.progress = new ProgressLine(CompletionPage::tr("Progress of the completion"), parts.column);
  parts.message = new MessageLabel(parts.column);
  parts.message->setObjectName(QStringLiteral("completionMessage"));
  auto* layout = new QVBoxLayout(parts.column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(makeImageRow(parts, parts.column));
  layout->addWidget(parts.form, 1);
  layout->addWidget(parts.progress);
  layout->addWidget(parts.message);
  layout->addWidget(makeButtonRow(parts, parts.column));
  return parts;
}

void CompletionParts::showName(const QString& text, const QString& tip) const {
  name->setText(name->fontMetrics().elidedText(text, Qt::ElideMiddle, kCompletionWidth));
  name->setToolTip(tip);
}

}  // namespace headlight
