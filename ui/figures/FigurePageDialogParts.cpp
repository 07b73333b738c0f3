// SPDX-License-Identifier: GPL-3.0-or-later

// FigurePageDialog, continued: how it is laid out.

#include <QComboBox>
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

}  // namespace

void FigurePageDialog::layOut() {
  auto* panel = new QWidget(this);
  auto* parts = new QVBoxLayout(panel);
  parts->setContentsMargins(0, 0, 0, 0);
  layOutPictures(parts);
  layOutColumns(parts);
  parts->addWidget(m_form, 1);
  auto* right = new QWidget(this);
  auto* shown = new QVBoxLayout(right);
  shown->setContentsMargins(0, 0, 0, 0);
  shown->addWidget(m_preview, 1);
  auto* line = new QHBoxLayout;
  m_stop = iconButton(right, "stopPage", tr("S&top"), "stop", tr("Stop looking"));
  line->addWidget(m_progress, 1);
  line->addWidget(m_stop);
  shown->addLayout(line);
  shown->addWidget(m_status);
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(panel);
  splitter->addWidget(right);
  splitter->setSizes({kPanelWidth, 760});
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(splitter, 1);
  layout->addLayout(makeButtons());
}

void FigurePageDialog::layOutPictures(QVBoxLayout* layout) {
  auto* row = headingRow(tr("&Pictures"), m_pictures, this);
  auto* take = addButton(row, this, "takePictures", "add",
                         tr("Add the pictures that are marked in the gallery, or the one that is "
                            "open"));
  auto* remove =
      addButton(row, this, "removePicture", "remove", tr("Take the chosen picture out (Delete)"));
  connect(take, &QToolButton::clicked, this, &FigurePageDialog::takePictures);
  connect(remove, &QToolButton::clicked, m_pictures, &PageEntries::removeChosen);
  m_pictures->setObjectName(QStringLiteral("pagePictures"));
  m_pictures->setToolTip(
      tr("Drag to put in order (Ctrl+Up, Ctrl+Down); F2 gives a picture a label of your own"));
  keepLow(m_pictures);
  layout->addLayout(row);
  layout->addWidget(m_pictures);
}

void FigurePageDialog::layOutColumns(QVBoxLayout* layout) {
  auto* row = headingRow(tr("&What is shown of each"), m_columns, this);
  auto* head = addButton(row, this, "addChosenHead", "heads",
                         tr("Add the head that is chosen in the window"));
  auto* remove =
      addButton(row, this, "removeColumn", "remove", tr("Take the chosen one out (Delete)"));
  connect(head, &QToolButton::clicked, this, &FigurePageDialog::addChosenHead);
  connect(remove, &QToolButton::clicked, m_columns, &PageEntries::removeChosen);
  m_columns->setObjectName(QStringLiteral("pageColumns"));
  m_columns->setToolTip(
      tr("Drag to put in order (Ctrl+Up, Ctrl+Down); F2 changes what is shown, such as head 3.1 "
         "(query 2,4) or grad-cam (class 12; layer 5; label my words)"));
  keepLow(m_columns);
  m_add->setObjectName(QStringLiteral("addColumn"));
  m_add->setAccessibleName(tr("What to add"));
  m_add->setToolTip(tr("Choose or type what to add, then Enter"));
  m_add->setEditable(true);
  m_add->setInsertPolicy(QComboBox::NoInsert);
  m_add->lineEdit()->setPlaceholderText(tr("Add: head 3.1, layer 5, rollout, grad-cam, …"));
  layout->addLayout(row);
  layout->addWidget(m_columns);
  layout->addWidget(m_add);
}

QHBoxLayout* FigurePageDialog::makeButtons() {
  auto* row = new QHBoxLayout;
  const auto add = [&](const char* name, const QString& text, const char* icon,
                       const QString& tip) {
    auto* button = iconButton(this, name, text, icon, tip);
    button->setAutoDefault(false);
    row->addWidget(button);
    return button;
  };
  connect(add("newPage", tr("Start &anew"), "clear",
              tr("The gallery's pictures, the chosen head, rollout and relevance, drawn as the "
                 "window draws them")),
          &QPushButton::clicked, this, &FigurePageDialog::startAnew);
  connect(add("openPage", tr("&Open page…"), "open", tr("A page's description (JSON)")),
          &QPushButton::clicked, this, [this] { chooseDescription(false); });
  connect(add("savePage", tr("Save pa&ge…"), "save",
              tr("Its description (JSON), from which headlight-cli figure makes the same page")),
          &QPushButton::clicked, this, [this] { chooseDescription(true); });
  row->addStretch();
  m_save = add("exportPage", tr("&Export…"), "export", tr("As PDF, SVG or PNG"));
  connect(m_save, &QPushButton::clicked, this, &FigurePageDialog::chooseWhereToSave);
  connect(add("closePage", tr("&Close"), "close", tr("The page stays as it is")),
          &QPushButton::clicked, this, &QDialog::close);
  return row;
}

}  // namespace headlight
