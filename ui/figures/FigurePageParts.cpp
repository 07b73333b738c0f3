// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigurePageParts.h"

#include <QComboBox>
#include <QDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/figures/FigurePageDialog.h"
#include "ui/figures/PageEntries.h"
#include "ui/figures/PagePreview.h"
#include "ui/forms/ParameterForm.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kEntryRows = 5, kPanelWidth = 380;

/// A heading above a list, its buttons beside it.
QHBoxLayout* headingRow(const QString& text, QWidget* list, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setBuddy(list);
  auto* row = new QHBoxLayout;
  row->setSpacing(2);
  row->addWidget(label, 1);
  return row;
}

QToolButton* addButton(QHBoxLayout* row, QWidget* parent, const char* name, const char* icon,
                       const QString& tip) {
  auto* button = iconToolButton(parent, QLatin1String(name), QLatin1String(icon), tip);
  row->addWidget(button);
  return button;
}

void keepLow(QWidget* list) {
  list->setMinimumHeight(3 * list->fontMetrics().height());
  list->setMaximumHeight((kEntryRows + 1) * (list->fontMetrics().height() + 6));
}

void layOutImages(FigurePageParts& parts, QVBoxLayout* layout, QWidget* dialog) {
  auto* row = headingRow(FigurePageDialog::tr("&Images"), parts.images, dialog);
  parts.takeImages =
      addButton(row, dialog, "takeImages", "add",
                FigurePageDialog::tr("Add the images selected in the gallery, or the open image"));
  auto* remove = addButton(row, dialog, "removeImage", "remove",
                           FigurePageDialog::tr("Remove the chosen image (Delete)"));
  QObject::connect(remove, &QToolButton::clicked, parts.images, &PageEntries::removeChosen);
  parts.images->setObjectName(QStringLiteral("pageImages"));
  parts.images->setToolTip(
      FigurePageDialog::tr("Drag to reorder (Ctrl+Up, Ctrl+Down). F2 edits the label of an image"));
  keepLow(parts.images);
  layout->addLayout(row);
  layout->addWidget(parts.images);
}

void layOutColumns(FigurePageParts& parts, QVBoxLayout* layout, QWidget* dialog) {
  auto* row = headingRow(FigurePageDialog::tr("Col&umns"), parts.columns, dialog);
  parts.addChosenHead = addButton(row, dialog, "addChosenHead", "heads",
                                  FigurePageDialog::tr("Add the head chosen in the window"));
  auto* remove = addButton(row, dialog, "removeColumn", "remove",
                           FigurePageDialog::tr("Remove the chosen column (Delete)"));
  QObject::connect(remove, &QToolButton::clicked, parts.columns, &PageEntries::removeChosen);
  parts.columns->setObjectName(QStringLiteral("pageColumns"));
  parts.columns->setToolTip(FigurePageDialog::tr(
      "Drag to reorder (Ctrl+Up, Ctrl+Down). F2 edits a column, such as head 3.1 (query "
      "2,4) or grad-cam (class 12; layer 5; label my words)"));
  keepLow(parts.columns);
  parts.add->setObjectName(QStringLiteral("addColumn"));
  parts.add->setAccessibleName(FigurePageDialog::tr("Column to add"));
  parts.add->setToolTip(FigurePageDialog::tr("Choose or type a column, then press Enter"));
  parts.add->setEditable(true);
  parts.add->setInsertPolicy(QComboBox::NoInsert);
  parts.add->lineEdit()->setPlaceholderText(
      FigurePageDialog::tr("Add: head 3.1, layer 5, rollout, grad-cam, …"));
  layout->addLayout(row);
  layout->addWidget(parts.columns);
  layout->addWidget(parts.add);
}

/// The preview of the page, and its progress.
QWidget* makeShown(FigurePageParts& parts, QWidget* dialog) {
  auto* right = new QWidget(dialog);
  auto* shown = new QVBoxLayout(right);
  shown->setContentsMargins(0, 0, 0, 0);
  shown->addWidget(parts.preview, 1);
  auto* line = new QHBoxLayout;
  parts.stop = iconButton(right, "stopPage", FigurePageDialog::tr("S&top"), "stop",
                          FigurePageDialog::tr("Stop the computation"));
  line->addWidget(parts.progress, 1);
  line->addWidget(parts.stop);
  shown->addLayout(line);
  shown->addWidget(parts.status);
  return right;
}

QHBoxLayout* makeButtons(FigurePageParts& parts, QWidget* dialog) {
  auto* row = new QHBoxLayout;
  const auto add = [&](const char* name, const QString& text, const char* icon,
                       const QString& tip) {
    auto* button = iconButton(dialog, name, text, icon, tip);
    button->setAutoDefault(false);
    row->addWidget(button);
    return button;
  };
  parts.startAnew =
      add("newPage", FigurePageDialog::tr("Start o&ver"), "clear",
          FigurePageDialog::tr("Replace the page: the gallery's images with the chosen head, "
                               "rollout and class relevance, drawn as in the window"));
  parts.open = add("openPage", FigurePageDialog::tr("&Open page…"), "open",
                   FigurePageDialog::tr("Open a page description (JSON)"));
  parts.save = add(
      "savePage", FigurePageDialog::tr("Save pa&ge…"), "save",
      FigurePageDialog::tr(
          "Save the page description (JSON), from which headlight-cli figure makes the same page"));
  row->addStretch();
  parts.exportPage = add("exportPage", FigurePageDialog::tr("&Export…"), "export",
                         FigurePageDialog::tr("Save the page as PDF, SVG or PNG"));
  parts.close = add("closePage", FigurePageDialog::tr("&Close"), "close",
                    FigurePageDialog::tr("Close the dialog and keep the page"));
  return row;
}

}  // namespace

FigurePageParts makeFigurePageParts(QDialog* dialog) {
  FigurePageParts parts{};
  // In tab order.
  parts.images = new PageEntries(FigurePageDialog::tr("Images of the page"), dialog);
  parts.columns = new PageEntries(FigurePageDialog::tr("Columns of the page"), dialog);
  parts.add = new QComboBox(dialog);
  parts.form = new ParameterForm(pageParameters(), QStringLiteral("options"), dialog);
  parts.preview = new PagePreview(dialog);
  parts.progress = new ProgressLine(FigurePageDialog::tr("Progress of the page"), dialog);
  parts.status = new MessageLabel(dialog);
  auto* panel = new QWidget(dialog);
  auto* lists = new QVBoxLayout(panel);
  lists->setContentsMargins(0, 0, 0, 0);
  layOutImages(parts, lists, dialog);
  layOutColumns(parts, lists, dialog);
  lists->addWidget(parts.form, 1);
  auto* shown = makeShown(parts, dialog);
  auto* splitter = new QSplitter(Qt::Horizontal, dialog);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(panel);
  splitter->addWidget(shown);
  splitter->setSizes({kPanelWidth, 760});
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(splitter, 1);
  layout->addLayout(makeButtons(parts, dialog));
  return parts;
}

}  // namespace headlight
